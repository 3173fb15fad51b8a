import SQLiteStorage

extension Migrator {
  /// The migrations of the demo store: the files of `Migrations/`, which are part of the tool.
  ///
  /// - Throws: the same as ``Migrator/init(_:clock:now:)``.
  static func demoStore() throws -> Migrator {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    // SwiftPM makes the names: a digit cannot be first.
    typealias Files = PackageResources
    return try Migrator([
      Migration(
        1, "create_library", up: text(Files._001_create_library_sql),
        down: text(Files._001_create_library_down_sql)),
      Migration(
        2, "create_settings", up: text(Files._002_create_settings_sql),
        down: text(Files._002_create_settings_down_sql)),
      Migration(
        3, "add_sample_covers", up: text(Files._003_add_sample_covers_sql),
        down: text(Files._003_add_sample_covers_down_sql)),
      Migration(
        4, "add_sample_settings", up: text(Files._004_add_sample_settings_sql),
        down: text(Files._004_add_sample_settings_down_sql)),
    ])
  }
}
