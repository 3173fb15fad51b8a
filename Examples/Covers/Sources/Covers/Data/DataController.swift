internal import FetchedResults
package import RecordImporting
package import SQLiteStorage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The covers of a database, to show and to change. All parts of an app share one.
///
/// ```swift
/// let controller = DataController(database)
/// let list = try controller.makeList()
/// try controller.add(CoverDraft(artist: "Ada", label: "Engines"))
/// ```
///
/// The lists observe its writes like those of other connections, and report each once. The schema
/// is that of the demo store: the tables `artist` and `cover`, and the view `cover_list`.
///
/// Sendable: everything may be called from any thread.
package final class DataController: Sendable {
  /// The database with the covers.
  package let database: Database

  /// Makes a controller for the covers of a database.
  package init(_ database: Database) { self.database = database }

  /// A list of all covers by artist, in the user's order.
  ///
  /// - Parameter images: shows the small images in the cells; nil for none.
  /// - Throws: `FetchError` and `DatabaseError` if the database has no covers.
  package func makeList(images: CoverImages? = nil) throws -> CoverList {
    try CoverList(self, images: images)
  }

  /// The request for the covers with a text in their title or artist, in the user's order. Its totals are the
  /// years of the first and of the last release.
  ///
  /// - Parameter text: upper and lower case of ASCII letters are the same; empty for all covers.
  func request(matching text: String = "") -> FetchRequest<Cover> {
    // Another process may have written two covers of an artist with the same position. The key,
    // which is the last sort term, orders them.
    let all = Cover.all.sorted(.expression("position"))
      .totals(.min(\.releaseYear), .max(\.releaseYear))
    guard !text.isEmpty else { return all }
    return all.filter(
      "(\(\.label) LIKE \(contains: text) OR \(\.artist) LIKE \(contains: text))")
  }

  /// The request for one cover, or for none.
  func request(for id: Cover.ID?) -> FetchRequest<Cover> { Cover.all.filter("\(\.id) = \(id)") }
}

// MARK: - Writing

extension DataController {
  /// Adds a cover to those of its artist.
  ///
  /// - Parameter isFirst: whether it is put before the other covers, or behind them.
  /// - Returns: the `id` of the cover.
  /// - Throws: ``CoverError/invalidImageUrl(_:)``; `DatabaseError` with `.constraint` if artist or
  ///   label is empty, or the year does not have four digits.
  @discardableResult
  package func add(_ draft: CoverDraft, first isFirst: Bool = false) throws -> Cover.ID {
    try draft.validate()
    return try database.write { try $0.insert(draft, first: isFirst) }
  }

  /// Deletes a cover.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  package func delete(_ id: Cover.ID) throws -> Bool { try delete([id]) > 0 }

  /// Deletes covers in one transaction.
  ///
  /// - Returns: the number of covers that were there.
  @discardableResult
  package func delete(_ ids: [Cover.ID]) throws -> Int {
    try database.write { connection in
      try ids.reduce(0) { count, id in
        try connection.execute("DELETE FROM cover WHERE id = ?", [.integer(id)])
        return count + connection.changeCount
      }
    }
  }

  /// Moves a cover behind another cover of an artist, which may be another artist than before.
  ///
  /// Usually one row is written. If other programs have written positions without space between them,
  /// the rows around get new ones.
  ///
  /// - Parameter anchor: the cover before it afterwards; nil for none. If it was deleted, or is
  ///   another artist's, the cover becomes the first.
  /// - Throws: ``CoverError/gone(_:)`` if the cover or the artist no longer exists;
  ///   `DatabaseError`.
  package func move(_ id: Cover.ID, toArtist artist: String, after anchor: Cover.ID?) throws {
    let owner = try database.read { connection in
      try connection.value(Int64.self, "SELECT id FROM artist WHERE name = ?", [.text(artist)])
    }
    guard let owner else { throw CoverError.gone("artist \(artist)") }
    let others = try FetchedResultsProvider(
      database: database,
      request: CoverPlace.all
        .filter("\(\.artistID) = \(owner) AND \(\.id) <> \(id)").sorted(by: \.position))
    try others.performFetch()
    let previous = try anchor.flatMap {
      try others.indexPath(forIdentity: RowIdentity(.integer($0)))
    }
    let indexPath = IndexPath(row: previous.map { $0.row + 1 } ?? 0, section: 0)
    try database.write { connection in
      let position = try others.position(
        forInsertionAt: indexPath, by: \.position, in: connection)
      try connection.execute(
        "UPDATE cover SET artist_id = ?, position = ? WHERE id = ?",
        [.integer(owner), position.columnValue, .integer(id)])
      guard connection.changeCount > 0 else { throw CoverError.gone("cover \(id)") }
    }
  }

  /// Adds the covers of a JSON file: an array of ``CoverDraft``s.
  ///
  /// All covers are added in one transaction. A rejected cover is reported, and the others are
  /// added.
  ///
  /// - Parameter onRefusal: called for each rejected cover.
  /// - Returns: the number of covers that were added.
  /// - Throws: ``CoverError/invalidPath(_:reason:)`` and ``CoverError/invalidJSON(_:)``: then
  ///   nothing was added; `DatabaseError`.
  @discardableResult
  package func importCovers(
    from path: String, onRefusal: (ImportRefusal) -> Void = { _ in }
  ) throws -> ImportSummary {
    let bytes: Data
    do {
      bytes = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw CoverError.invalidPath(path, reason: error.shortReason)
    }
    return try importCovers(bytes, onRefusal: onRefusal)
  }

  /// Adds the covers of a JSON text, as ``importCovers(from:onRefusal:)``.
  @discardableResult
  package func importCovers(
    _ json: some Sequence<UInt8>, onRefusal: (ImportRefusal) -> Void = { _ in }
  ) throws -> ImportSummary {
    let records: JSONRecords
    do { records = try JSONRecords(json) } catch { throw CoverError.invalidJSON(error) }
    return try database.write { connection in
      try connection.importRecords(records, onRefusal: onRefusal) { record in
        let draft = try record.decode(CoverDraft.self)
        try draft.validate()
        try connection.insert(draft, first: false)
      }
    }
  }
}

extension Connection {
  /// Inserts a cover, and its artist if the artist is new.
  @discardableResult
  fileprivate func insert(_ draft: CoverDraft, first isFirst: Bool) throws -> Cover.ID {
    try execute(
      "INSERT INTO artist(name) VALUES (?) ON CONFLICT(name) DO NOTHING", [.text(draft.artist)])
    let edge = try value(
      String.self,
      SQL(
        verbatim: """
          SELECT \(isFirst ? "min" : "max")(position) FROM cover
          JOIN artist ON artist.id = artist_id WHERE artist.name = ?
          """), [.text(draft.artist)])
    // Another program may have written a text that is not a position.
    let neighbor = edge.flatMap(Position.init(rawValue:))
    let position: Position = isFirst ? .between(nil, neighbor) : .between(neighbor, nil)
    try execute(
      """
      INSERT INTO cover(artist_id, label, release_year, position, small_image_url, large_image_url)
      SELECT artist.id, ?2, ?3, ?4, ?5, ?6 FROM artist WHERE name = ?1
      """,
      [
        .text(draft.artist), .text(draft.label), draft.releaseYear.columnValue,
        position.columnValue, .text(draft.smallImageURL), .text(draft.largeImageURL),
      ])
    return lastInsertRowID
  }
}

extension CoverDraft {
  /// Throws if an address is not that of an image. The database checks the rest.
  fileprivate func validate() throws(CoverError) {
    for address in [smallImageURL, largeImageURL] where !address.isEmpty {
      _ = try ImageLoader.url(at: address)
    }
  }
}

extension Error {
  /// The reason in few words, if the system reports one.
  var shortReason: String {
    switch (self as? CocoaError)?.code {
    case .fileReadNoSuchFile?, .fileNoSuchFile?: "there is no such file"
    case .fileReadNoPermission?: "permission denied"
    default: "\(self)"
    }
  }
}
