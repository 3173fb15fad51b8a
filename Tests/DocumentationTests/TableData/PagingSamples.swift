import Foundation
import TableData
import TableDataTesting
import Testing

struct PagingSamples {
  final class StatusCell: TableViewCell, Configurable {
    private(set) var text = ""
    func configure(with status: PageStatus) {
      switch status.state {
      case .ready: text = "More"
      case .loading: text = "Loading…"
      case .failed(let message): text = "\(message). Select to try again."
      case .cancelled: text = "Select to load more"
      case .finished: text = "No more"
      }
    }
  }

  /// A server of five planets, two in each answer.
  struct Server {
    func planets(after cursor: Int?) async throws -> (planets: [Planet], next: Int?) {
      let names = ["Mercury", "Venus", "Earth", "Mars", "Jupiter"]
      let start = cursor ?? 0
      let end = min(start + 2, names.count)
      return ((start..<end).map { Planet(id: $0, name: names[$0]) }, end < names.count ? end : nil)
    }
  }

  @Test @MainActor func pagesAreLoadedAsTheirEndIsDisplayed() async throws {
    let server = Server()
    let lines = try await printed {
      let planets = try ArrayDataProvider<Planet>(items: [])
      let paging = try PagingDataProvider(planets) { (request: PageRequest<Int>) in
        let answer = try await server.planets(after: request.cursor)
        return LoadedPage(answer.planets, cursor: answer.next, isLast: answer.next == nil)
      }
      paging.start()

      let source = try TableViewDataSource(dataProvider: paging)
      source.registerCell(PlanetCell.self)
      source.registerCell(StatusCell.self)
      source.registerActions(for: PageStatus.self) { status in
        RowActions(select: RowAction("Load") { paging.load(status.edge) })
      }
      source.onLastRow = { print("the end of \(planets.items.count) planets") }

      let screen = TableViewController(height: 4) { error in print(error) }
      try screen.setDataSource(source)
      let status = screen.tableView.cellForRow(at: [1, 0]) as? StatusCell
      #expect(status?.text == "Loading…")
      while planets.items.count < 4 { await Task.yield() }
      #expect(planets.items.count == 4)
      try screen.tableView.setContentOffset(1)
      while paging.status(at: .end)?.state != .finished { await Task.yield() }
      try screen.tableView.setContentOffset(2)
      #expect((screen.tableView.visibleCells.last as? StatusCell)?.text == "No more")
    }
    #expect(lines.first == "the end of 0 planets")
    #expect(lines.last == "the end of 5 planets")
  }
}
