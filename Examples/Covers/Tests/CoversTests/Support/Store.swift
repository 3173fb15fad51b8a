import Covers
import Foundation
import SQLiteStorage
import TableData

/// A private store with the schema of the demo, and a few covers of its own.
enum Store {
  static func empty() throws -> Database {
    var root = URL(filePath: #filePath)
    for _ in 0..<6 { root.deleteLastPathComponent() }
    let database = try Database.inMemory()
    let migrator = try Migrator(folder: root.appending(path: "Migrations").path)
    _ = try migrator.up(database, to: 1)
    return database
  }

  /// Two artists: Ada with the covers 1 to 3, Bix with 4.
  static func sample() throws -> DataController {
    let controller = DataController(try empty())
    for label in ["Engines", "Notes", "Tables"] {
      try controller.add(
        CoverDraft(
          artist: "Ada", label: label, releaseYear: 1843,
          smallImageURL: "https://example.com/\(label).png"))
    }
    try controller.add(
      CoverDraft(artist: "Bix", label: "Cornet", smallImageURL: "https://example.com/Cornet.png"))
    return controller
  }
}

extension CoverList {
  /// A data source that shows the list in cells of covers.
  func source() throws -> TableViewDataSource<CoverList> {
    let source = try TableViewDataSource(dataProvider: self)
    source.registerCell(CoverCell.self, identifier: "cover", for: CoverViewModel.self)
    return source
  }

  /// The list as text: `Ada: Engines, Notes; Bix: Cornet`.
  var text: String {
    get throws {
      try sections.enumerated().map { section, info in
        let labels = try (0..<info.numberOfRows).map {
          try itemForRow(at: [section, $0]).cover.label
        }
        return "\(info.name ?? ""): \(labels.joined(separator: ", "))"
      }.joined(separator: "; ")
    }
  }
}
