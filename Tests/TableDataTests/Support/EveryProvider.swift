import TableData
import TableDataTesting

/// Every kind of content in the package that is held in memory, as a provider of its rows.
enum EveryProvider: CaseIterable {
  case array, titledArray, emptyArray, mixedArray, sections, noSections, filtered, folded
  case foldedAndFiltered, dataSource, form, emptyForm, composed, emptyComposed, nested

  /// Checks it.
  func checkConformance() throws {
    switch self {
    case .array: try ArrayDataProvider(items: items(1...40)).checkConformance()
    case .titledArray: try ArrayDataProvider(title: "A", items: items(1...4)).checkConformance()
    case .emptyArray: try ArrayDataProvider<Item>(items: []).checkConformance()
    case .mixedArray:
      try ArrayDataProvider<any ItemViewModel>(items: items(1...4))
        .checkConformance(id: Self.id)
    case .sections: try Self.sections().checkConformance()
    case .noSections: try SectionDataProvider<Item>(sections: []).checkConformance()
    case .filtered: try Self.filtered().checkConformance()
    case .folded:
      let folded = try FoldedDataProvider(try Self.sections())
      try folded.setFolded(true, section: 0)
      try folded.checkConformance()
    case .foldedAndFiltered:
      try FoldedDataProvider(try Self.filtered(), isFolded: true).checkConformance()
    case .dataSource, .form, .emptyForm, .composed, .emptyComposed, .nested:
      try DataSourceProvider(try source()).checkConformance()
    }
  }

  private func source() throws -> any ComposableTableViewDataSource {
    switch self {
    case .form: try Self.form()
    case .emptyForm: DataDisplayManager()
    case .composed: try Self.composed()
    case .nested:
      try ComposedTableViewDataSource([
        try ComposedTableViewDataSource(), try Self.composed(),
        try ComposedTableViewDataSource([try Self.form()]),
      ])
    case .emptyComposed: try ComposedTableViewDataSource()
    default: try TableViewDataSource(dataProvider: try Self.sections())
    }
  }

  private static func id(_ item: any ItemViewModel) -> AnyHashable {
    func id(of item: some ItemViewModel) -> AnyHashable { AnyHashable(item.id) }
    return id(of: item)
  }

  private static func sections() throws -> SectionDataProvider<Item> {
    try SectionDataProvider(sections: [
      Section("Apple", [1, 2, 3]), Section("", [4]), Section("Avocado", []), Section("Pear", [5]),
      Section("Pear", [6]), Section(nil, [7]),
    ])
  }

  private static func filtered() throws -> FilteredDataProvider<SectionDataProvider<Item>> {
    try FilteredDataProvider(try sections()) { !$0.id.isMultiple(of: 2) }
  }

  private static func form() throws -> DataDisplayManager {
    let form = DataDisplayManager()
    try form.addCellGenerators(fields("a", "b"))
    try form.addSectionHeaderGenerator(TitleHeaderGenerator(title: "More"))
    try form.addCellGenerators(fields("c"))
    return form
  }

  private static func composed() throws -> ComposedTableViewDataSource {
    try ComposedTableViewDataSource([
      try form(), try TableViewDataSource(dataProvider: try sections()),
      try TableViewDataSource(dataProvider: try filtered()),
    ])
  }
}
