import Covers
import FetchedResults
import RecordImporting
import Foundation
import SQLiteStorage
import Testing

@Suite struct CoverImportTests {
  private let controller = Result { DataController(try Store.empty()) }

  private func importCovers(_ json: String) throws -> (ImportSummary, [String]) {
    var refusals: [String] = []
    let summary = try controller.get().importCovers(Array(json.utf8)) { refusals.append("\($0)") }
    return (summary, refusals)
  }

  private func list() throws -> String {
    let list = try controller.get().makeList()
    try list.performFetch()
    return try list.text
  }

  @Test func coversAreAddedToTheirArtists() throws {
    let (summary, refusals) = try importCovers(
      """
      [{"artist": "Bix", "label": "Cornet"},
       {"artist": "Ada", "label": "Engines", "release_year": 1843, "position": 9,
        "small_image_url": "https://example.com/1.png"},
       {"artist": "Bix", "label": "Valves", "release_year": null}]
      """)
    #expect(summary.importedCount == 3)
    #expect(refusals == [])
    #expect(try list() == "Ada: Engines; Bix: Cornet, Valves")
  }

  @Test func coversWithoutAnArtistAreImported() throws {
    let (summary, refusals) = try importCovers(
      """
      [{"label": "Engines", "small_image_url": "https://example.com/1/small.png",
        "large_image_url": "https://example.com/1/large.png"},
       {"artist": null, "label": "Notes"}, {"artist": "Bix", "label": "Cornet"}]
      """)
    #expect(summary.importedCount == 3)
    #expect(refusals == [])
    #expect(try list() == "Bix: Cornet; Unknown artist: Engines, Notes")
  }

  @Test func imagesMayBeCalledSmallAndLarge() throws {
    _ = try importCovers(
      """
      [{"label": "Engines", "small": "https://example.com/s.png", "large": "https://example.com/l.png"}]
      """)
    let images = try controller.get().database.read {
      try $0.rows("SELECT small_image_url, large_image_url FROM cover").map(\.values)
    }
    #expect(images == [["https://example.com/s.png", "https://example.com/l.png"]])
  }

  @Test(arguments: [
    ("5", "a record must be"),
    ("{}", "label is missing"),
    ("{\"artist\": \"Ada\"}", "label is missing"),
    ("{\"artist\": \"Ada\", \"label\": 5}", "label must be String"),
    ("{\"artist\": 5, \"label\": \"x\"}", "artist must be String"),
    ("{\"artist\": \"Cy\", \"label\": \"\"}", "CHECK constraint failed: label <> ''"),
    ("{\"artist\": \"\", \"label\": \"x\"}", "CHECK constraint failed: name <> ''"),
    ("{\"artist\": \"Cy\", \"label\": \"x\", \"release_year\": 12}", "CHECK constraint failed"),
    (
      "{\"artist\": \"Cy\", \"label\": \"x\", \"release_year\": \"1999\"}",
      "release_year must be Int"
    ),
    (
      "{\"artist\": \"Cy\", \"label\": \"x\", \"small_image_url\": \"pic\"}",
      "\"pic\" is not the address"
    ),
  ])
  func aBadCoverIsReportedWithItsNumberAndTheOthersStay(_ bad: String, _ reason: String) throws {
    let good = "{\"artist\": \"Ada\", \"label\": \"Engines\"}"
    let (summary, refusals) = try importCovers("[\(good), \(bad), \(good)]")
    #expect(summary.importedCount == 2)
    #expect(refusals.count == 1)
    #expect(refusals.first?.hasPrefix("record 2: \(reason)") == true, "\(refusals)")
    // Nothing of it is left, its artist neither.
    #expect(try list() == "Ada: Engines, Engines")
    #expect(
      try controller.get().database.read { try $0.value(Int.self, "SELECT count(*) FROM artist") }
        == 1)
  }

  @Test func whatIsNoArrayOfJSONAddsNothing() throws {
    for text in ["", "{}", "[{\"artist\": \"Ada\", \"label\": \"x\"}"] {
      let error = #expect(throws: CoverError.self) { try importCovers(text) }
      guard case .invalidJSON? = error else {
        Issue.record("\(error?.description ?? "no error")")
        continue
      }
    }
    #expect(try list() == "")
  }

  @Test func aFileThatIsNotThereIsNamed() throws {
    let path = "/nowhere/covers.json"
    #expect(throws: CoverError.invalidPath(path, reason: "there is no such file")) {
      try controller.get().importCovers(from: path)
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    try Data("[{\"artist\": \"Ada\", \"label\": \"Engines\"}]".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try controller.get().importCovers(from: file.path).importedCount == 1)
  }
}
