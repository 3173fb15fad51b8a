import Foundation
import TableData
import Testing

struct CompositionSamples {
  final class Greeting: ComposableTableViewDataSource {
    weak var observer: (any TableChangesObserver)?
    let numberOfSections = 1
    func numberOfRows(inSection section: Int) -> Int { 1 }
    func viewModelForRow(at indexPath: IndexPath) -> Any { "Hello" }
    func tableView(
      _ tableView: TableView, cellForRowAt indexPath: IndexPath
    ) throws -> TableViewCell {
      try tableView.dequeueReusableCell(withIdentifier: "greeting", for: indexPath)
    }
  }

  @Test func severalListsAreOne() throws {
    let near = try planets("Near", "Mercury", "Venus", "Earth")
    let far = try planets("Far", "Uranus", "Neptune")
    let nearSource = try near.source()
    let farSource = try far.source()
    let lines = try printed {
      let list = try ComposedTableViewDataSource([nearSource, farSource])
      print(list.numberOfSections, try list.titleForHeader(inSection: 1) ?? "")
      let batches = try checkedBatches(of: list) {
        try list.performBatch {
          try near.append(Planet(id: 4, name: "Mars"))
          try far.remove(at: 0)
        }
        try list.remove(farSource)
        try list.insert(farSource, at: 0)
      }
      #expect(batches == ["-[1,0] +[0,3]", "-[1]", "+[0]"])
      try list.append(Greeting())
      #expect(list.numberOfSections == 3)
    }
    #expect(lines == ["2 Far"])
  }
}
