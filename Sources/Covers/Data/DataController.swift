internal import FetchedResults
package import SQLiteStorage

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

  /// The request for the covers with a text in their title or artist, in the user's order.
  ///
  /// - Parameter text: upper and lower case of ASCII letters are the same; empty for all covers.
  func request(matching text: String = "") -> FetchRequest<Cover> {
    // Another process may have written two covers of an artist with the same position. The key,
    // which is the last sort term, orders them.
    let all = Cover.all.sorted(by: [.expression("position")])
    guard !text.isEmpty else { return all }
    let pattern = "%\(text.replacing(/[%_\\]/) { "\\" + $0.output })%"
    return all.filter(
      "(\(\.label) LIKE \(pattern) ESCAPE '\\' OR \(\.artist) LIKE \(pattern) ESCAPE '\\')")
  }

  /// The request for one cover, or for none.
  func request(for id: Cover.ID?) -> FetchRequest<Cover> { Cover.all.filter("\(\.id) = \(id)") }
}
