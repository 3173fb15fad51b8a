internal import FetchedResults
package import RecordImporting
internal import SQLiteStorage

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

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
  /// - Throws: `DatabaseError`.
  @discardableResult
  package func delete(_ id: Cover.ID) throws -> Bool {
    try database.write { connection in
      try connection.execute("DELETE FROM cover WHERE id = ?", [.integer(id)])
      return connection.changeCount > 0
    }
  }

  /// Moves a cover behind another cover of an artist, which may be another artist than before.
  ///
  /// One row is written if there is space between its new neighbours, else all rows of the artist.
  ///
  /// - Parameter anchor: the cover before it afterwards; nil for none. If it was deleted, or is
  ///   another artist's, the cover becomes the first.
  /// - Throws: `FetchError` of code `.noSuchRow` if the cover or the artist does not exist any
  ///   more; `DatabaseError`.
  package func move(_ id: Cover.ID, toArtist artist: String, after anchor: Cover.ID?) throws {
    try database.write { connection in
      let owner = try connection.value(
        Int64.self, "SELECT id FROM artist WHERE name = ?", [.text(artist)])
      let exists = try connection.value(
        Bool.self, "SELECT EXISTS (SELECT 1 FROM cover WHERE id = ?)", [.integer(id)])
      guard let owner, exists == true else {
        throw FetchError(
          .noSuchRow, "cover \(id) or the artist \(artist) is not there any more",
          nextStep: "Move what the list shows now")
      }
      var order = try CoverOrder(of: owner, without: id, in: connection)
      for cover in order.insert(id, after: anchor) {
        try connection.execute(
          "UPDATE cover SET artist_id = ?, position = ? WHERE id = ?",
          [.integer(owner), .integer(cover.position), .integer(cover.id)])
      }
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
    let edge = isFirst ? "ifnull(min(position), 2) - 1" : "ifnull(max(position), 0) + 1"
    try execute(
      """
      INSERT INTO cover(artist_id, label, release_year, position, small_image_url, large_image_url)
      SELECT artist.id, ?2, ?3, (SELECT \(edge) FROM cover WHERE artist_id = artist.id), ?4, ?5
      FROM artist WHERE name = ?1
      """,
      [
        .text(draft.artist), .text(draft.label), draft.releaseYear.columnValue,
        .text(draft.smallImageURL), .text(draft.largeImageURL),
      ])
    return lastInsertRowID
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
