import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import Covers

/// The list and the page, which share the selection and the covers and nothing else.
@Suite(.timeLimit(.minutes(5))) @MainActor struct CoverDetailTests {
  private let controller: DataController
  private let selection = Selection()
  private let list: CoverList
  private let screen: TableViewController
  private let detail: CoverDetail

  init() throws {
    controller = try Store.sample()
    list = try controller.makeList()
    screen = TableViewController(selection: selection, height: 20) { Issue.record($0) }
    detail = try CoverDetail(controller, selection: selection) { Issue.record($0) }
    try list.performFetch()
    try screen.setDataSource(try list.source())
    list.startObserving()
    try detail.start()
  }

  private var labels: [String?] {
    screen.tableView.visibleCells.map { ($0 as? CoverCell)?.cover?.label }
  }

  /// Does something, and waits until both parts have been told of it.
  private func afterChange(_ body: () throws -> Void) async throws {
    let (changes, change) = AsyncStream<Void>.makeStream()
    detail.didChange = { change.yield() }
    try body()
    for await _ in changes { break }
    detail.didChange = {}
  }

  private func cover(_ id: Int64, _ label: String) -> CoverDetail.State {
    .shown(
      Cover(
        id: id, artist: "Ada", label: label, releaseYear: 1843,
        smallImageURL: "https://example.com/Notes.png", largeImageURL: ""))
  }

  @Test func thePageShowsWhatIsSelectedInTheList() throws {
    #expect(labels == ["Engines", "Notes", "Tables", "Cornet"])
    #expect(detail.state == .nothing)
    try screen.selectRow(at: [0, 1])
    #expect(detail.state == cover(2, "Notes"))
    selection.select(nil)
    #expect(detail.state == .nothing)
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    // It need not be the list that selects.
    selection.select(AnyHashable(Int64(4)))
    #expect(screen.tableView.indexPathForSelectedRow == [1, 0])
    selection.select("something else")
    #expect(detail.state == .nothing)
  }

  @Test func thePageFollowsTheChangeOfWhatItShows() async throws {
    try screen.selectRow(at: [0, 1])
    try await afterChange {
      try controller.database.write {
        try $0.execute("UPDATE cover SET label = 'Notes II' WHERE id = 2")
      }
    }
    #expect(detail.state == cover(2, "Notes II"))
    #expect(labels == ["Engines", "Notes II", "Tables", "Cornet"])
  }

  @Test func thePageSaysWhenWhatItShowsIsDeleted() async throws {
    try screen.selectRow(at: [0, 1])
    try await afterChange { try screen.deleteRow(at: [0, 1]) }
    #expect(detail.state == .deleted)
    #expect(labels == ["Engines", "Tables", "Cornet"])
    // From there to another one.
    try screen.selectRow(at: [0, 1])
    guard case .shown(let cover) = detail.state else {
      Issue.record("\(detail.state)")
      return
    }
    #expect(cover.label == "Tables")
  }

  @Test func theSelectionIsTheCoverAndNotItsRow() async throws {
    try screen.selectRow(at: [0, 0])
    try controller.add(CoverDraft(artist: "Ada", label: "Before"), first: true)
    try await afterChange {
      try controller.database.write {
        try $0.execute("UPDATE cover SET release_year = 1900 WHERE id = 1")
      }
    }
    #expect(screen.tableView.indexPathForSelectedRow == [0, 1])
    guard case .shown(let cover) = detail.state else {
      Issue.record("\(detail.state)")
      return
    }
    #expect(cover.label == "Engines")
  }

  @Test func thePageShowsItsImageAndNoOther() async throws {
    let transport = ManualTransport()
    let images = CoverImages(ImageLoader(transport: transport, clock: ManualClock()))
    try await controller.database.write {
      try $0.execute("UPDATE cover SET large_image_url = 'https://example.com/' || id")
    }
    let detail = try CoverDetail(controller, selection: selection, images: images) {
      Issue.record($0)
    }
    try detail.start()
    selection.select(AnyHashable(Int64(1)))
    await transport.request(for: "https://example.com/1")
    selection.select(AnyHashable(Int64(2)))
    await transport.answer("https://example.com/2", .success(.png(width: 2)))
    for _ in 0..<2 { await images.deliverNext() }
    #expect(detail.image.state == .shown(try #require(CoverImage(.png(width: 2)))))
    selection.select(nil)
    #expect(detail.image.state == .empty)
  }
}
