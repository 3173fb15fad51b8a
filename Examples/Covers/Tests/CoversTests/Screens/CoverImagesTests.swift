import Foundation
import TableData
import TableDataTesting
import Testing

@testable import Covers

/// An image that fails, arrives late or for a cell that shows another row by now is never shown in
/// the wrong cell.
@Suite(.timeLimit(.minutes(5))) struct CoverImagesTests {
  private let transport = ManualTransport()
  private let loader: ImageLoader
  private let images: CoverImages

  init() {
    loader = ImageLoader(transport: transport, clock: ManualClock())
    images = CoverImages(loader)
  }

  /// Shows an image that a cell waits for in another slot too, and returns when both wait.
  private func show(_ address: String, in other: ImageSlot) async {
    images.show(address, in: other)
    while await loader.waiterCount(at: address) < 2 { await Task.yield() }
  }

  private func viewModel(_ id: Int64) -> CoverViewModel {
    CoverViewModel(
      cover: Cover(
        id: id, artist: "Ada", label: "\(id)", releaseYear: nil, smallImageURL: address(id),
        largeImageURL: ""), images: images)
  }

  private func address(_ id: Int64) -> String { "https://example.com/\(id)" }

  private func image(_ width: UInt8) throws -> ImageSlot.State {
    .shown(try #require(CoverImage(.png(width: width))))
  }

  @Test func anImageIsShownInItsCell() async throws {
    let (first, second) = (CoverCell(reuseIdentifier: nil), CoverCell(reuseIdentifier: nil))
    first.configure(with: viewModel(1))
    second.configure(with: viewModel(2))
    #expect(first.image.state == .loading)
    // The second answer comes first.
    await transport.answer(address(2), .success(.png(width: 2)))
    await images.deliverNext()
    #expect(first.image.state == .loading)
    await transport.answer(address(1), .success(.png(width: 1)))
    await images.deliverNext()
    #expect(first.image.state == (try image(1)))
    #expect(second.image.state == (try image(2)))
  }

  @Test func aLateImageIsNotShownInACellThatShowsAnotherRow() async throws {
    let cell = CoverCell(reuseIdentifier: nil)
    cell.configure(with: viewModel(1))
    await transport.request(for: address(1))
    // Somebody else waits as well, so that the load is not cancelled and its answer does come.
    let other = ImageSlot()
    await show(address(1), in: other)
    cell.prepareForReuse()
    await images.deliverNext()  // the cancellation
    #expect(cell.image.state == .empty)
    cell.configure(with: viewModel(2))
    await transport.answer(address(1), .success(.png(width: 1)))
    await images.deliverNext()
    #expect(other.state == (try image(1)))
    #expect(cell.image.state == .loading)
    await transport.answer(address(2), .success(.png(width: 2)))
    await images.deliverNext()
    #expect(cell.image.state == (try image(2)))
  }

  @Test func anImageThatWasOnItsWayWhenTheCellWasReusedIsNotShown() async throws {
    let cell = CoverCell(reuseIdentifier: nil)
    cell.configure(with: viewModel(1))
    let load = cell.image.load
    await transport.answer(address(1), .success(.png(width: 1)))
    await load?.value
    // The answer is there, and nobody has taken it yet.
    cell.prepareForReuse()
    cell.configure(with: viewModel(2))
    await images.deliverNext()
    #expect(cell.image.state == .loading)
    await transport.answer(address(2), .success(.png(width: 2)))
    await images.deliverNext()
    #expect(cell.image.state == (try image(2)))
  }

  @Test func aCellThatReturnsToItsFirstRowShowsThatOnesImage() async throws {
    let cell = CoverCell(reuseIdentifier: nil)
    cell.configure(with: viewModel(1))
    await transport.request(for: address(1))
    cell.configure(with: viewModel(2))
    await transport.request(for: address(2))
    await transport.cancellation(of: address(1))
    cell.configure(with: viewModel(1))
    await transport.answer(address(1), .success(.png(width: 1)))
    // Three questions, three answers: two of them are cancellations.
    for _ in 0..<3 { await images.deliverNext() }
    #expect(cell.image.state == (try image(1)))
    #expect(cell.image.address == address(1))
  }

  @Test func aFailureIsShownInItsCellOnly() async throws {
    let (first, second) = (CoverCell(reuseIdentifier: nil), CoverCell(reuseIdentifier: nil))
    first.configure(with: viewModel(1))
    second.configure(with: viewModel(2))
    await transport.answer(address(1), .success(Data("<html>".utf8)))
    await images.deliverNext()
    guard case .failed(.invalidImageData(address(1), _)) = first.image.state else {
      Issue.record("\(first.image.state)")
      return
    }
    #expect(second.image.state == .loading)
    // Shown again it is asked for again, and the failure does not stay.
    first.configure(with: viewModel(1))
    #expect(first.image.state == .loading)
    await transport.answer(address(1), .success(.png(width: 1)))
    await images.deliverNext()
    #expect(first.image.state == (try image(1)))
  }

  @Test func aFailureThatIsLateIsNotShownInAnotherRow() async throws {
    struct Down: Error {}
    let cell = CoverCell(reuseIdentifier: nil)
    cell.configure(with: viewModel(1))
    await transport.request(for: address(1))
    let other = ImageSlot()
    await show(address(1), in: other)
    cell.configure(with: viewModel(2))
    await transport.answer(address(1), .failure(Down()))
    for _ in 0..<2 { await images.deliverNext() }
    #expect(cell.image.state == .loading)
    guard case .failed = other.state else {
      Issue.record("\(other.state)")
      return
    }
  }

  @Test func aCellIsNotKeptAliveAndItsLoadEndsWithIt() async throws {
    weak var weakCell: CoverCell?
    do {
      let cell = CoverCell(reuseIdentifier: nil)
      weakCell = cell
      cell.configure(with: viewModel(1))
      await transport.request(for: address(1))
    }
    #expect(weakCell == nil)
    await transport.cancellation(of: address(1))
    #expect(await transport.cancelled == [address(1)])
  }

  @Test func theSameImageIsNotAskedForTwice() async throws {
    let cell = CoverCell(reuseIdentifier: nil)
    var changes = 0
    images.didChange = { _ in changes += 1 }
    cell.configure(with: viewModel(1))
    cell.configure(with: viewModel(1))
    await transport.answer(address(1), .success(.png(width: 1)))
    await images.deliverNext()
    cell.configure(with: viewModel(1))
    #expect(cell.image.state == (try image(1)))
    #expect(changes == 1)
    #expect(await transport.log == ["1"])
  }

  @Test func aCoverWithoutAnImageShowsNone() {
    let slot = ImageSlot()
    images.show("", in: slot)
    #expect(slot.state == .empty)
  }

  /// In a table that scrolls, cells are used again.
  @Test func noRowOfATableShowsTheImageOfAnother() async throws {
    let controller = DataController(try Store.empty())
    for number in 1...12 {
      try controller.add(
        CoverDraft(artist: "Ada", label: "\(number)", smallImageURL: address(Int64(number))))
    }
    let list = try controller.makeList(images: images)
    try list.performFetch()
    let source = try list.source()
    let table = TableView(height: 3)
    table.dataSource = source
    try table.reloadData()
    for id in Int64(1)...3 { await transport.request(for: address(id)) }
    try table.setContentOffset(3)
    for id in Int64(4)...6 { await transport.request(for: address(id)) }
    try table.setContentOffset(6)
    for id in Int64(7)...9 {
      await transport.answer(address(id), .success(.png(width: UInt8(id))))
    }
    // Nine questions; those that were cancelled have their answer too.
    for _ in 0..<9 { await images.deliverNext() }
    for cell in table.visibleCells.compactMap({ $0 as? CoverCell }) {
      let id = try #require(cell.cover?.id)
      #expect(cell.image.state == (try image(UInt8(id))))
    }
    #expect(table.visibleCells.count == 3)
  }
}
