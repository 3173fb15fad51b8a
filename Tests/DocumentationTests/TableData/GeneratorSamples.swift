import Foundation
import TableData
import TableDataTesting
import Testing

struct GeneratorSamples {
  final class SwitchCell: TableViewCell {
    private(set) var text = ""
    func show(_ title: String, isOn: Bool) { text = "\(title): \(isOn ? "on" : "off")" }
  }

  final class SwitchGenerator: TableCellGenerator, ViewBuilding {
    let title: String
    private(set) var isOn = false
    var didToggle: (SwitchGenerator) -> Void = { _ in }

    init(title: String) { self.title = title }

    func build(view: SwitchCell) { view.show(title, isOn: isOn) }

    func didSelect() {
      isOn.toggle()
      didToggle(self)
    }
  }

  struct Member: ItemViewModel, Equatable {
    let id: Int
    var name: String
  }

  final class MemberCell: TableViewCell, Configurable {
    private(set) var text = ""
    func configure(with member: Member) { text = member.name }
  }

  final class TitleCell: TableViewCell, Configurable {
    private(set) var text = ""
    func configure(with title: String) { text = title }
  }

  final class TotalHeader: TableHeaderGenerator, ViewBuilding {
    var count = 0
    weak var displayManager: DataDisplayManager?
    var title: String? { "\(count) in all" }
    func build(view: TitleCell) { view.configure(with: "Total: \(count)") }
  }

  @Test func aFamilyIsAFormOfRowsWithoutClasses() throws {
    let lines = try printed {
      let parents = [Member(id: 1, name: "Ada"), Member(id: 2, name: "Charles")]
      let children = [Member(id: 3, name: "Byron"), Member(id: 4, name: "Anne")]
      let form = try DataDisplayManager {
        TitleHeaderGenerator(title: "Family")
        for parent in parents { CellGenerator(MemberCell.self, parent) }
        CellGenerator(TitleCell.self, "Children", isFolded: true) {
          for child in children { CellGenerator(MemberCell.self, child) }
        }
        CellGenerator(TitleCell.self, "Save") { _ in print("saved") }
      }
      let table = TableView()
      table.dataSource = form
      try table.reloadData()
      func shown() -> [String] {
        table.visibleCells.map { ($0 as? MemberCell)?.text ?? ($0 as? TitleCell)?.text ?? "" }
      }
      #expect(shown() == ["Ada", "Charles", "Children", "Save"])
      try form.row(at: [0, 2]).select()
      print(try form.numberOfRows(inSection: 0))
      try form.row(at: [0, 5]).select()
      print(
        try form.setCellGenerators(
          [Member(id: 2, name: "Charles"), Member(id: 1, name: "Ada L.")].map {
            CellGenerator(MemberCell.self, $0)
          }))
      try table.reloadData()
      #expect(shown() == ["Charles", "Ada L."])
    }
    #expect(lines == ["6", "saved", "-[0,5] -[0,4] -[0,3] -[0,2] [0,0]>[0,1]"])
  }

  @Test func aGeneratorAndAHeaderRefreshThemselves() throws {
    let counter = CellGenerator(TitleCell.self, "0") { counter in
      counter.viewModel += "!"
      do { try counter.refresh() } catch { print(error) }
    }
    let header = TotalHeader()
    let form = try DataDisplayManager {
      header
      counter
    }
    let lines = try printed {
      let screen = TableViewController { error in print(error) }
      try screen.setDataSource(form)
      try screen.selectRow(at: [0, 0])
      #expect((screen.tableView.visibleCells.first as? TitleCell)?.text == "0!")
      #expect(try (screen.tableView.headerView(forSection: 0) as? TitleCell)?.text == "Total: 0")
      header.count = 1
      try header.refresh()
      #expect(try (screen.tableView.headerView(forSection: 0) as? TitleCell)?.text == "Total: 1")
    }
    #expect(lines.isEmpty)
  }

  @Test func aFormIsMadeOfGenerators() throws {
    let lines = try printed {
      let form = DataDisplayManager()
      let volume = SwitchGenerator(title: "Loud")
      let mute = SwitchGenerator(title: "Mute")
      try form.addSectionHeaderGenerator(TitleHeaderGenerator(title: "Sound"))
      try form.addCellGenerator(volume)
      print(try form.addCellGenerator(mute, after: volume))

      let screen = TableViewController()
      try screen.setDataSource(form)
      mute.didToggle = { [weak form] generator in
        do { try form?.update(generators: [generator]) } catch { print(error) }
      }
      try screen.selectRow(at: [0, 1])
      let cells = screen.tableView.visibleCells.compactMap { $0 as? SwitchCell }
      #expect(cells.map(\.text) == ["Loud: off", "Mute: on"])
    }
    #expect(lines == ["+[0,1]"])
  }
}
