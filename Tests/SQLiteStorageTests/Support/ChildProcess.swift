import CLibrary
import Foundation

/// What a child process may do to itself, for use in exit tests.
enum ChildProcess {
  /// Becomes a user whom permissions bind: they do not bind root, which tests may run as.
  static func dropPrivileges() -> Bool {
    guard geteuid() == 0 else { return true }
    return setgid(65_534) == 0 && setuid(65_534) == 0
  }

  #if os(Linux)
    /// Makes `folder` a file system of its own that only this process sees, and that nobody can
    /// write to.
    static func makeReadOnlyMedia(of folder: String) -> Bool {
      typealias Unshare = @convention(c) (Int32) -> Int32
      guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "unshare") else { return false }
      let unshare = unsafeBitCast(symbol, to: Unshare.self)
      let (newNamespace, recursive, isPrivate): (Int32, UInt, UInt) = (0x20000, 0x4000, 0x40000)
      let (readOnly, remount, bind): (UInt, UInt, UInt) = (1, 0x20, 0x1000)
      return unshare(newNamespace) == 0
        && mount("none", "/", nil, recursive | isPrivate, nil) == 0
        && mount(folder, folder, nil, bind, nil) == 0
        && mount(nil, folder, nil, bind | remount | readOnly, nil) == 0
    }
  #endif

  static func setPermissions(_ permissions: Int, of paths: String...) throws {
    for path in paths {
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
  }
}
