import CLibrary
import Foundation
import SQLiteStorage
import TableDataTesting

/// A store with a table `item(id, name, n)` that something befalls.
enum FaultStore {
  /// Makes it.
  @discardableResult
  static func make(
    in folder: TestFolder, named name: String = "store.sqlite", journalMode: String = "WAL",
    rows: Int = 20
  ) throws -> String {
    let connection = try other(at: folder.file(name), access: .readWriteCreate)
    try connection.execute(
      script: """
        PRAGMA journal_mode = \(journalMode);
        CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, n INTEGER);
        WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < \(rows))
        INSERT INTO item SELECT i, hex(randomblob(50)), 0 FROM number;
        """)
    return folder.file(name)
  }

  /// A connection of somebody else.
  static func other(
    at path: String, access: Connection.Access = .readWrite
  ) throws -> Connection {
    let connection = try Connection(path: path, access: access)
    try connection.setBusyTimeout(.seconds(30))
    // No test is about power cuts, and syncing takes most of the time.
    try connection.execute("PRAGMA synchronous = OFF")
    return connection
  }

  /// The rows, as somebody reads them who has just come.
  static func rows(at path: String) throws -> [[Value]] {
    let connection = try Connection(path: path, access: .readOnly)
    // The last connection that is closed locks the file for a moment.
    try connection.setBusyTimeout(.seconds(30))
    return try connection.rows("SELECT * FROM item ORDER BY id").map(\.values)
  }

  /// How often a fault is injected; the environment makes it more often.
  static func rounds(_ count: Int) -> Range<UInt64> { SeededGenerator.seeds(count) }
}

/// What a child process may do to itself.
enum ChildProcess {
  /// Becomes a user whom permissions bind: they do not bind root, which tests may run as.
  static func dropPrivileges() -> Bool {
    guard geteuid() == 0 else { return true }
    return setgid(65_534) == 0 && setuid(65_534) == 0
  }

  /// Ends at once, as when the power of a process is cut.
  static func die() -> Never {
    kill(getpid(), SIGKILL)
    // The signal is on its way.
    while true { pause() }
  }

  /// Sets how large a file may be that it writes.
  static func limitFileSize(_ bytes: UInt) {
    signal(SIGXFSZ, SIG_IGN)
    #if canImport(Glibc)
      setLimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), rlim_t(bytes))
    #else
      setLimit(RLIMIT_FSIZE, rlim_t(bytes))
    #endif
  }

  /// Sets how many descriptors it may have.
  static func limitDescriptors(_ count: Int) {
    #if canImport(Glibc)
      setLimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), rlim_t(count))
    #else
      setLimit(RLIMIT_NOFILE, rlim_t(count))
    #endif
  }

  #if canImport(Glibc)
    private typealias Resource = __rlimit_resource_t
  #else
    private typealias Resource = Int32
  #endif

  private static func setLimit(_ resource: Resource, _ value: rlim_t) {
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = min(value, limit.rlim_max)
    setrlimit(resource, &limit)
  }

  /// How many descriptors it has open; nil where the system does not tell.
  static var descriptorCount: Int? {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
  }

  /// The bytes of memory it has in use; nil where the system does not tell.
  static var residentSize: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return nil
    }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4_096 }
  }
}
