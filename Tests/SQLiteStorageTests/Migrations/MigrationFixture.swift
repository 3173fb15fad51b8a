import Foundation
import SQLiteStorage

/// A temporary folder with migration files and a store, gone with the fixture.
final class MigrationFixture: Sendable {
  let root: String

  /// Writes the files, by name.
  init(_ files: [String: String] = [:]) throws {
    root =
      FileManager.default.temporaryDirectory
      .appending(path: "MigratorTests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: root + "/Migrations", withIntermediateDirectories: true)
    for (name, text) in files { try write(name, text) }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  var folder: String { root + "/Migrations" }

  func write(_ name: String, _ text: String) throws { try write(name, Data(text.utf8)) }

  func write(_ name: String, _ data: Data) throws {
    try data.write(to: URL(filePath: folder).appending(path: name))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: folder + "/" + name)
  }

  func migrator() throws -> Migrator { try Migrator(folder: folder) }

  /// Opens the store, which every call shares, in a new `Database`.
  func database(_ configuration: Database.Configuration = .init()) throws -> Database {
    try Database(path: root + "/store.sqlite", configuration: configuration)
  }
}

extension Database {
  /// The names of the tables, without the ledger.
  func tableNames() throws -> [String] {
    try read { try $0.tables().map(\.name) }.filter { $0 != "schema_migrations" }
  }

  /// The versions in the ledger, in the order they were written; nil where there is no ledger.
  func recordedVersions() throws -> [Int]? {
    try read { connection in
      guard try connection.table(named: "schema_migrations") != nil else { return nil }
      return try connection.rows("SELECT version FROM schema_migrations ORDER BY version").map {
        guard case .integer(let version) = $0["version"] else { return 0 }
        return Int(version)
      }
    }
  }

  /// Whether the connection that writes enforces foreign keys.
  func isEnforcingForeignKeys() throws -> Bool {
    try withWriter { try $0.value(Bool.self, "PRAGMA foreign_keys") } ?? false
  }

  func count(_ table: String) throws -> Int? {
    try read { try $0.value(Int.self, SQL(verbatim: "SELECT count(*) FROM \(table)")) }
  }
}

/// A clock by which everything takes the same time: each look moves it on.
final class SteppingClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private let step: Duration
  private let looks = Locked(0)

  init(step: Duration) { self.step = step }

  var now: Instant {
    looks.withLock { looks in
      looks += 1
      return Instant(offset: step * looks)
    }
  }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
