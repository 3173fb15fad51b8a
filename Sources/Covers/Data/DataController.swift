internal import FetchedResults
public import SQLiteStorage

/// The covers of a database: whoever shows or changes them is given the same one.
///
/// ```swift
/// let controller = DataController(database)
/// let list = try controller.makeList()
/// try controller.add(CoverDraft(artist: "Ada", label: "Engines"))
/// ```
///
/// What it writes comes back to the lists as changes, like what anybody else writes, and once. The
/// schema is that of the demo store: the tables `artist` and `cover`, and the view `cover_list`.
///
/// Sendable: everything may be called from any thread.
public final class DataController: Sendable {
  /// Where the covers are.
  public let database: Database

  /// Serves the covers of a database.
  public init(_ database: Database) { self.database = database }

  /// A list of all covers by artist, in the user's order.
  ///
  /// - Parameter images: shows the small images in the cells; nil for none.
  /// - Throws: `FetchError` and `DatabaseError` where the database has no covers.
  public func makeList(images: CoverImages? = nil) throws -> CoverList {
    try CoverList(self, images: images)
  }

  /// The request for the covers whose title or artist has some text in it, in the user's order.
  ///
  /// - Parameter text: upper and lower case of ASCII letters are the same; empty for all covers.
  func request(matching text: String = "") -> FetchRequest<Cover> {
    // An artist may have two covers at one position, which somebody else has written: the key, which
    // comes last, keeps those in order.
    let all = Cover.all.sorted(by: [.expression("position")])
    guard !text.isEmpty else { return all }
    let pattern = "%\(text.replacing(/[%_\\]/) { "\\" + $0.output })%"
    return all.filter(
      "(\(\.label) LIKE \(pattern) ESCAPE '\\' OR \(\.artist) LIKE \(pattern) ESCAPE '\\')")
  }

  /// The request for one cover, or for none.
  func request(for id: Cover.ID?) -> FetchRequest<Cover> { Cover.all.filter("\(\.id) = \(id)") }
}
