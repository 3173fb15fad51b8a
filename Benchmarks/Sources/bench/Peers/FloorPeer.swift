import CSQLite
import SQLiteStorage

/// The peer *floor*: the least that raw SQLite could do to show the change of some rows, if it knew
/// which rows those are.
///
/// It pins the new version, reads each row by its key in the old version and in the new one, and looks
/// up the row's place in the new one. It keeps nothing, and does not work out any event. Its caches are
/// as cold as after a commit of another connection.
final class FloorPeer {
  private struct Version {
    /// Open for as long as its statements are used.
    private let database: RawDatabase
    let begin: RawStatement
    let end: RawStatement
    let row: RawStatement
    let place: RawStatement?

    init(path: String, row: String, place: String?) throws {
      database = try RawDatabase(path: path)
      begin = try database.prepare("BEGIN")
      end = try database.prepare("COMMIT")
      self.row = try database.prepare(row)
      self.place = try place.map(database.prepare)
    }

    /// Steps through the row of a key, and hands it to `body`.
    func read(_ key: Int64, _ body: (OpaquePointer) throws -> Void) throws {
      try row.bind(.integer(key))
      try row.forEachRow(body)
    }
  }

  /// How long each ``time(touching:)`` took.
  private(set) var timings = Timings()
  private var old: Version
  private var new: Version

  /// Pins the newest version.
  ///
  /// - Parameters:
  ///   - row: a SELECT of the columns that are shown, with the key as its parameter.
  ///   - place: a SELECT of the next row, or whatever else the row's columns lead to: its parameters are
  ///     the first columns of `row`. Nil if the row is all that is needed.
  init(path: String, row: String, place: String? = nil) throws {
    old = try Version(path: path, row: row, place: place)
    new = try Version(path: path, row: row, place: place)
    for version in [old, new] {
      try version.begin.run()
      try version.read(1) { use($0) }
    }
  }

  /// Advances, and notes how long it takes.
  func time(touching keys: some Sequence<Int64>) throws {
    try timings.measure { try advance(touching: keys) }
  }

  /// Pins the new version and reads what the rows lead to. The version that was new is the old one.
  func advance(touching keys: some Sequence<Int64>) throws {
    swap(&old, &new)
    try new.end.run()
    try new.begin.run()
    for key in keys {
      // The place is that of the new row, or of the old one if the row was deleted.
      var isFound = false
      func take(_ row: OpaquePointer) {
        if !isFound { new.place?.bind(columnsOf: row) }
        isFound = true
        use(row)
      }
      try new.read(key, take)
      try old.read(key, take)
      if isFound { try new.place?.forEachRow { use(sqlite3_column_int64($0, 0)) } }
    }
  }
}

extension FloorPeer {
  /// The floor of an ``ItemStore``'s list.
  convenience init(_ store: ItemStore) throws {
    try self.init(
      path: store.path,
      row: "SELECT section, name, id, value FROM item WHERE id = ?",
      place: """
        SELECT id FROM item WHERE (section, name, id) > (?, ?, ?) ORDER BY \(ItemStore.order) LIMIT 1
        """)
  }
}
