import Foundation
import TableData
import TableDataTesting
import Testing

/// A form as a data source like any other.
struct GeneratorSourceTests {
  let form = DataDisplayManager()
  let screen: Screen
  let mute = Field("mute")

  /// Two sections: volume and mute, then lamp.
  init() throws {
    screen = try Screen(form)
    try form.addSectionHeaderGenerator(
      TitleHeaderGenerator(title: "Sound", footerTitle: "of all speakers"))
    try form.addCellGenerators([Field("volume"), mute])
    try form.addSectionHeaderGenerator(TitleHeaderGenerator(title: "Light"))
    try form.addCellGenerator(Field("lamp"))
  }

  @Test func headersFootersAndIndexAreThoseOfTheHeaderGenerators() throws {
    #expect(try form.section(1).header.title == "Light")
    #expect(try form.section(0).footer.title == "of all speakers")
    #expect(try form.section(1).footer.title == nil)
    #expect(try form.sectionIndex.titles == ["S", "L"])
    #expect(try form.sectionIndex.section(forTitle: "L", at: 1) == 1)
  }

  @Test func aFormIsAComponentLikeAnyOther() throws {
    let list = try ComposedTableViewDataSource([
      try TableViewDataSource.showing(try ArrayDataProvider(items: items([1])))
    ])
    let form = DataDisplayManager()
    try list.append(form)
    let screen = try Screen(list)
    let field = Field("field")
    try form.addCellGenerator(field)
    try form.addCellGenerator(Field("next"), after: field)
    try list.row(at: [1, 0]).select()
    #expect(screen.batches.map(\.description) == ["+[1] +[1,0]", "+[1,1]"])
    #expect(field.selections == 1)
    #expect(screen.errors.isEmpty)
    list.observer = nil
    try DataSourceProvider(list).checkConformance()
  }

  @Test func aGeneratorWithoutAnIDIsTheObject() throws {
    final class Plain: TableCellGenerator, ViewBuilding {
      func build(view: FieldCell) { view.text = "plain" }
    }
    let form = DataDisplayManager()
    let first = Plain()
    try form.addCellGenerators([first, Plain()])
    #expect(form.indexPath(of: first) == [0, 0])
    #expect(try form.row(at: [0, 0]).identity == AnyHashable(ObjectIdentifier(first)))
    #expect(throws: TableDataError.self) { try form.addCellGenerator(first) }
  }

  @Test func theSelectionFollowsAGenerator() throws {
    try screen.table.selectRow(at: [0, 1])
    try form.insert(fields("new"), at: [0, 0])
    try form.clearHeaderGenerators()
    #expect(screen.table.indexPathForSelectedRow == form.indexPath(of: mute))
    try form.remove(mute)
    #expect(screen.table.indexPathForSelectedRow == nil)
  }
}
