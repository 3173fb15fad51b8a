import Covers
import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

/// Whatever is done to the covers, what a list tells leads from what it had to what it has.
@Suite struct CoverListRandomTests {
  private let controller: DataController
  private let list: CoverList

  init() throws {
    controller = try Store.sample()
    list = try controller.makeList()
    try list.performFetch()
  }

  private func place(_ random: inout SeededGenerator) -> IndexPath? {
    let places = list.sections.enumerated().flatMap { section, info in
      (0..<info.numberOfRows).map { IndexPath(row: $0, section: section) }
    }
    return places.randomElement(using: &random)
  }

  private func change(_ number: Int, _ random: inout SeededGenerator) throws {
    let artist = ["Ada", "ada", "Bix", "Éva", "Zoë"].randomElement(using: &random) ?? "Ada"
    switch Int.random(in: 0..<8, using: &random) {
    case 0...2:
      try controller.add(
        CoverDraft(artist: artist, label: "cover \(number)"), first: Bool.random(using: &random))
    case 3:
      if let place = place(&random) { try list.removeRow(at: place) }
    case 4...5:
      guard let place = place(&random), let target = self.place(&random) else { return }
      try list.moveRow(at: place, to: target)
    case 6:
      try list.search(["", "1", "A", "cover"].randomElement(using: &random) ?? "")
    default:
      guard let place = place(&random) else { return }
      let id = try list.itemForRow(at: place).id
      try controller.database.write {
        try $0.execute(
          "UPDATE cover SET label = ?, position = ? WHERE id = ?",
          [.text("cover \(number)"), .integer(.random(in: -2...9, using: &random)), .integer(id)])
      }
    }
  }

  @Test(arguments: SeededGenerator.seeds(4))
  func changesLeadToWhatThereIs(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let harness = try ProviderHarness(
      list, id: \.id, isUnchanged: { $0.cover == $1.cover })
    // Where a move gives an artist's covers new positions, they look as before.
    harness.requiresMinimalChanges = false
    harness.observe()
    for number in 0..<30 {
      try change(number, &random)
      try list.base.refresh()
      try harness.checkObserved()
    }
    #expect(!harness.batches.isEmpty && harness.failures.isEmpty)
  }

  /// The same below headings that fold.
  @Test(arguments: SeededGenerator.seeds(4))
  func foldedSectionsFollow(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let folded = try FoldedDataProvider(list)
    let harness = try ProviderHarness(
      folded, id: \.id, isUnchanged: { $0.cover == $1.cover })
    harness.requiresMinimalChanges = false
    harness.allowsReinsertedRows = true
    harness.observe()
    for number in 0..<30 {
      if let section = (0..<folded.numberOfSections).randomElement(using: &random) {
        try folded.setFolded(Bool.random(using: &random), section: section)
      }
      try change(number, &random)
      try list.base.refresh()
      try harness.checkObserved()
    }
    #expect(!harness.batches.isEmpty && harness.failures.isEmpty)
  }
}
