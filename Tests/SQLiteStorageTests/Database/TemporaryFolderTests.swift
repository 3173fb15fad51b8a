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
}
