import Foundation
import Testing

@testable import SQLiteStorage

@Suite struct TemporaryFolderTests {
  @Test func isRemovedWithEverythingInIt() throws {
    var folder: TemporaryFolder? = try TemporaryFolder()
    let path = try #require(folder?.path)
    let file = try #require(folder?.file("a file"))
    try Data([1]).write(to: URL(filePath: file))
    #expect(FileManager.default.fileExists(atPath: file))
    folder = nil
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func onlyItsOwnerMayEnter() throws {
    let folder = try TemporaryFolder()
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test func eachIsAnother() throws {
    #expect(try TemporaryFolder().path != TemporaryFolder().path)
  }

  @Test func aFolderOfALivingProcessStays() throws {
    let folder = try TemporaryFolder()
    TemporaryFolder.removeAbandoned(in: URL(filePath: folder.path).deletingLastPathComponent().path)
    #expect(FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func onlyFoldersThatNoProcessHoldsAreRemoved() throws {
    let parent = try TestFolder()
    let manager = FileManager.default
    let abandoned = parent.file("FetchedResults-1")
    let withoutLock = parent.file("FetchedResults-2")
    let ofOthers = parent.file("Another-3")
    for folder in [abandoned, withoutLock, ofOthers] {
      try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    for folder in [abandoned, ofOthers] {
      try Data().write(to: URL(filePath: folder + "/lock"))
    }
    try manager.createSymbolicLink(
      atPath: parent.file("FetchedResults-4"), withDestinationPath: ofOthers)
    TemporaryFolder.removeAbandoned(
      in: URL(filePath: abandoned).deletingLastPathComponent().path)
    #expect(!manager.fileExists(atPath: abandoned))
    #expect(manager.fileExists(atPath: withoutLock))
    #expect(manager.fileExists(atPath: ofOthers + "/lock"))
  }

  /// A log grows until a version is copied to a new folder.
  @Test func nobodyWaitsForTheRemoval() async {
    await #expect(processExitsWith: .success) {
      let parent = try TestFolder()
      setenv("TMPDIR", parent.file(""), 1)
      let abandoned = parent.file("FetchedResults-1")
      try FileManager.default.createDirectory(
        atPath: abandoned, withIntermediateDirectories: true)
      try Data().write(to: URL(filePath: abandoned + "/lock"))
      TemporaryFolder.removals.suspend()
      let folder = try TemporaryFolder()
      #expect(folder.path.hasPrefix(parent.file("")))
      #expect(FileManager.default.fileExists(atPath: abandoned))
      TemporaryFolder.removals.resume()
      TemporaryFolder.removals.sync {}
      #expect(try parent.contents().filter { !folder.path.hasSuffix($0) } == [])
    }
  }

  @Test func afterAnHourAFolderWithoutItsNameIsRemoved() throws {
    let parent = try TestFolder()
    let manager = FileManager.default
    let (old, new) = (parent.file("FetchedResults.new-1"), parent.file("FetchedResults.new-2"))
    for folder in [old, new] {
      try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data().write(to: URL(filePath: folder + "/lock"))
    }
    let before = Date(timeIntervalSinceNow: -3_700)
    try manager.setAttributes([.modificationDate: before], ofItemAtPath: old)
    TemporaryFolder.removeAbandoned(in: URL(filePath: old).deletingLastPathComponent().path)
    #expect(!manager.fileExists(atPath: old))
    #expect(manager.fileExists(atPath: new))
  }

  @Test func oneThatCannotGetItsNameLeavesNothing() throws {
    let manager = FileManager.default
    let parent = manager.temporaryDirectory
    let name = UUID().uuidString
    let taken = parent.appending(path: "FetchedResults-\(name)")
    try manager.createDirectory(at: taken, withIntermediateDirectories: true)
    defer { try? manager.removeItem(at: taken) }
    #expect(throws: DatabaseError.self) { try TemporaryFolder(name) }
    let unnamed = parent.appending(path: "FetchedResults.new-\(name)").path
    #expect(!manager.fileExists(atPath: unnamed))
    #if os(Linux)
      let open = Descriptors.open.compactMap {
        try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }
      #expect(!open.contains { $0.contains(name) })
    #endif
  }
}
