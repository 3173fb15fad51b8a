import Foundation
import TableData
import Testing

struct GeneratorSamples {
  final class SwitchCell: TableViewCell {
    private(set) var text = ""
    func show(_ title: String, isOn: Bool) { text = "\(title): \(isOn ? "on" : "off")" }
  }

  final class SwitchGenerator: TableCellGenerator, ViewBuilder {
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

  @Test func aFormIsMadeOfGenerators() throws {
    let lines = try printed {
      let form = DataDisplayManager()
      let volume = SwitchGenerator(title: "Loud")
      let mute = SwitchGenerator(title: "Mute")
      try form.addSectionHeaderGenerator(TitleHeaderGenerator(title: "Sound"))
      try form.addCellGenerator(volume)
      print(try form.addCellGenerator(mute, after: volume))

      let table = TableView()
      table.dataSource = form
      try table.reloadData()
      mute.didToggle = { generator in
        do { try form.refresh(generator) } catch { print(error) }
      }
      try form.didSelectRow(at: [0, 1])
      let cells = table.visibleCells.compactMap { $0 as? SwitchCell }
      #expect(cells.map(\.text) == ["Loud: off", "Mute: on"])
    }
    #expect(lines == ["+[0,1]"])
  }
}
