import Foundation
import TableData
import TableDataTesting
import Testing

/// Generators that are set as a whole, folded, moved, and shown again by themselves.
struct GeneratorContentTests {
  struct Setting: ItemViewModel, Equatable {
    let id: String
    var value = ""
  }

  final class SettingCell: TableViewCell, Configurable {
    private(set) var text = ""
    func configure(with setting: Setting) { text = setting.id + setting.value }
  }

  final class TextCell: TableViewCell, Configurable {
    private(set) var text = ""
    func configure(with text: String) { self.text = text }
  }

  let form = DataDisplayManager()
  let screen: Screen

  init() throws { screen = try Screen(form) }

  private var shown: [String] {
    screen.table.visibleCells.map {
      ($0 as? SettingCell)?.text ?? ($0 as? TextCell)?.text ?? ($0 as? FieldCell)?.text ?? "?"
    }
  }

  private func setting(_ id: String, _ value: String = "") -> CellGenerator<SettingCell> {
    CellGenerator(SettingCell.self, Setting(id: id, value: value))
  }

  private var batches: [String] { screen.batches.map(\.description) }

  private func titled(_ title: String) -> TitleHeaderGenerator {
    TitleHeaderGenerator(title: title)
  }

  // MARK: One line

  @Test func aRowNeedsNoClassOfItsOwn() throws {
    var pressed = 0
    try form.addCellGenerators([
      CellGenerator(TextCell.self, "Save") { _ in pressed += 1 }, setting("volume", " 5"),
    ])
    #expect(shown == ["Save", "volume 5"])
    try form.row(at: [0, 0]).select()
    #expect(pressed == 1)
    // The view model's type is a part of the identity.
    try form.addCellGenerator(CellGenerator(TextCell.self, "Save"))
    let error = #expect(throws: TableDataError.self) {
      try form.addCellGenerator(setting("volume"))
    }
    #expect(error?.code == .duplicateIdentity)
    #expect(try form.row(at: [0, 0]).identity != form.row(at: [0, 2]).identity)
  }

  /// In the original a generator showed itself again; here the form had to be told.
  @Test func aGeneratorRefreshesItself() throws {
    let volume = setting("volume", " 5")
    let error = #expect(throws: TableDataError.self) { try volume.refresh() }
    #expect(error?.code == .unknownGenerator)
    try form.addCellGenerators([setting("balance"), volume])
    screen.clear()
    volume.viewModel.value = " 6"
    try volume.refresh()
    #expect(batches == ["[0,1]=[0,1]"])
    #expect(shown == ["balance", "volume 6"])
    try form.remove(volume)
    #expect(throws: TableDataError.self) { try volume.refresh() }
  }

  @Test func aGeneratorOfOnesOwnRefreshesItselfIfItKnowsItsList() throws {
    final class Counter: TableCellGenerator, ViewBuilding {
      private var count = 0
      weak var displayManager: DataDisplayManager?
      func build(view: FieldCell) { view.text = "\(count)" }
      func didSelect() {
        count += 1
        #expect(throws: Never.self) { try refresh() }
      }
    }
    try form.addCellGenerator(Counter())
    try form.row(at: [0, 0]).select()
    #expect(shown == ["1"])
    let field = Field("field")
    try form.addCellGenerator(field)
    let error = #expect(throws: TableDataError.self) { try field.refresh() }
    #expect(error?.description.contains("weak var displayManager") == true)
  }

  @Test func aGeneratorThatIsRefusedDoesNotBelongToTheForm() throws {
    let volume = setting("volume")
    try form.addCellGenerator(setting("volume"))
    #expect(throws: TableDataError.self) { try form.addCellGenerator(volume) }
    #expect(volume.displayManager == nil)
  }

  // MARK: Everything at once

  /// A class of an app could not say that it looks the same, so all of its rows were updated.
  @Test func generatorsOfAnotherClassAreComparedToo() throws {
    final class Note: TableCellGenerator, ViewBuilding {
      let id: Int
      let text: String
      init(_ id: Int, _ text: String) {
        self.id = id
        self.text = text
      }
      func build(view: FieldCell) { view.text = text }
      func looksLike(_ other: any TableCellGenerator) -> Bool { (other as? Note)?.text == text }
    }
    try form.setCellGenerators([Note(1, "a"), Note(2, "b"), Note(3, "c")])
    screen.clear()
    try form.setCellGenerators([Note(3, "c"), Note(2, "B"), Note(4, "d")])
    #expect(batches == ["-[0,0] +[0,2] [0,1]>[0,1]"])
    #expect(shown == ["c", "B", "d"])
    try form.setCellGenerators([Note(3, "c"), Note(2, "B"), Note(4, "d")])
    #expect(batches.count == 1)
  }

  @Test func settingTheGeneratorsMakesTheFewestChanges() throws {
    let volume = setting("volume")
    try form.setCellGenerators([volume, setting("balance"), setting("mute")])
    try form.setCellGenerators([
      setting("treble"), volume, setting("mute"), setting("balance", " left"),
    ])
    #expect(batches == ["+[0] +[0,0] +[0,1] +[0,2]", "+[0,0] [0,1]>[0,3]"])
    #expect(shown == ["treble", "volume", "mute", "balance left"])
    // An equal view model is no change.
    try form.setCellGenerators([
      setting("treble"), setting("volume"), setting("mute"), setting("balance", " left"),
    ])
    #expect(batches.count == 2)
    #expect(volume.displayManager == nil)
    try form.checkInvariants()
    #expect(screen.errors.isEmpty)
  }

  /// The cell still belonged to the generator that was replaced.
  @Test func aGeneratorThatReplacesAnEqualOneHasItsCell() throws {
    try form.setCellGenerators([setting("volume")])
    let other = setting("volume")
    var selected = 0
    other.onSelect = { _ in selected += 1 }
    try form.setCellGenerators([other])
    other.viewModel.value = "!"
    try form.update(generators: [other])
    #expect(shown == ["volume!"])
    try form.row(at: [0, 0]).select()
    #expect(selected == 1)
  }

  @Test func contentIsWrittenAsAList() throws {
    let sound = titled("Sound")
    func set(_ speakers: [String], hasBalance: Bool) throws {
      try form.setContent {
        CellGenerator(TextCell.self, "Reset", id: "reset")
        sound
        setting("volume")
        if hasBalance { setting("balance") } else { setting("mono") }
        for speaker in speakers { setting(speaker) }
      }
    }
    try set(["left", "right"], hasBalance: true)
    #expect(shown == ["Reset", "volume", "balance", "left", "right"])
    #expect(form.headerGenerators.map { $0?.title } == [nil, "Sound"])
    screen.clear()
    try set(["right"], hasBalance: false)
    #expect(batches == ["-[1,2] -[1,1] +[1,1]"])
    let error = #expect(throws: TableDataError.self) {
      try form.setContent {
        sound
        sound
      }
    }
    #expect(error?.code == .duplicateIdentity)
    #expect(try DataDisplayManager { setting("a") }.numberOfSections == 1)
  }

  @Test func theRowsOfOneHeaderAreSet() throws {
    let (sound, light) = (titled("Sound"), titled("Light"))
    try form.setContent {
      sound
      setting("volume")
      light
      setting("lamp")
    }
    screen.clear()
    try form.setCellGenerators([setting("mute"), setting("volume")], toHeader: sound)
    #expect(batches == ["+[0,0]"])
    try form.setCellGenerators([setting("candle")])
    #expect(form.headerGenerators.count == 2)
    #expect(shown == ["candle"])
    #expect(throws: TableDataError.self) {
      try form.setCellGenerators([], toHeader: titled("Heat"))
    }
  }

  // MARK: Folding

  private func group(isFolded: Bool = true) -> CellGenerator<TextCell> {
    CellGenerator(TextCell.self, "More", isFolded: isFolded) {
      setting("a")
      CellGenerator(TextCell.self, "Even more", isFolded: false) { setting("b") }
    }
  }

  @Test func childrenAreShownAndHidden() throws {
    let group = group()
    try form.addCellGenerators([setting("first"), group, setting("last")])
    #expect(shown == ["first", "More", "last"])
    screen.clear()
    try form.row(at: [0, 1]).select()
    #expect(shown == ["first", "More", "a", "Even more", "b", "last"])
    #expect(batches == ["+[0,2] +[0,3] +[0,4] [0,1]=[0,1]"])
    #expect(!group.isFolded)
    // The inner one.
    try form.row(at: [0, 3]).select()
    #expect(shown == ["first", "More", "a", "Even more", "last"])
    try form.setFolded(true, group)
    try form.setFolded(true, group)
    #expect(shown == ["first", "More", "last"])
    #expect(batches.count == 3)
    try form.checkInvariants()
    try form.setFolded(false, group)
    // The inner one is still folded.
    #expect(shown == ["first", "More", "a", "Even more", "last"])
    #expect(screen.errors.isEmpty)
  }

  @Test func aGeneratorBelowItselfIsRefused() throws {
    let (group, inner) = (group(), group())
    group.children = [inner]
    inner.children = [setting("a"), group]
    defer { inner.children = [] }
    try form.addCellGenerator(group)
    try form.setFolded(false, group)
    #expect(throws: TableDataError.self) { try form.setFolded(false, inner) }
    #expect(shown == ["More", "More"])
    try form.checkInvariants()
  }

  @Test func anUnfoldedGeneratorIsAddedMovedAndRemovedWithItsChildren() throws {
    let group = group(isFolded: false)
    let last = setting("last")
    try form.addCellGenerators([group, last])
    #expect(shown == ["More", "a", "Even more", "b", "last"])
    try form.move(group, after: last)
    #expect(shown == ["last", "More", "a", "Even more", "b"])
    try form.move(last, after: group)
    #expect(shown == ["More", "a", "Even more", "b", "last"])
    try form.addCellGenerator(setting("new"), after: group)
    #expect(shown == ["More", "a", "Even more", "b", "new", "last"])
    try form.move(group, to: [0, 1])
    #expect(shown == ["new", "More", "a", "Even more", "b", "last"])
    try form.remove(group)
    #expect(shown == ["new", "last"])
    try form.checkInvariants()
    #expect(group.displayManager == nil)
    #expect(screen.errors.isEmpty)
  }

  @Test func aChildThatIsAlreadyThereIsRefused() throws {
    let group = group()
    try form.addCellGenerators([group, setting("a")])
    screen.clear()
    let error = #expect(throws: TableDataError.self) { try form.setFolded(false, group) }
    #expect(error?.code == .duplicateIdentity)
    #expect(group.isFolded)
    #expect(batches.isEmpty)
    try form.checkInvariants()
  }

  // MARK: Moves, actions, display

  @Test func generatorsMove() throws {
    let (sound, light) = (titled("Sound"), titled("Light"))
    let (volume, mute, lamp) = (setting("volume"), setting("mute"), setting("lamp"))
    try form.setContent {
      sound
      volume
      mute
      light
      lamp
    }
    screen.clear()
    try form.move(volume, after: lamp)
    try form.move(lamp, before: mute)
    try form.move(mute, to: [1, 0])
    #expect(batches == ["[0,0]>[1,1]", "[1,0]>[0,0]", "[0,1]>[1,0]"])
    #expect(shown == ["lamp", "mute", "volume"])
    #expect(throws: TableDataError.self) { try form.move(setting("x"), to: [0, 0]) }
    #expect(throws: TableDataError.self) { try form.move(lamp, to: [2, 0]) }
    #expect(throws: TableDataError.self) { try form.move(lamp, after: setting("x")) }
    #expect(screen.errors.isEmpty)
  }

  @Test func theUserMovesAndDeletesWhatAllowsIt() throws {
    let (volume, mute) = (setting("volume"), setting("mute"))
    try form.addCellGenerators([volume, mute])
    #expect(try !form.row(at: [0, 0]).canMove && !form.row(at: [0, 0]).canDelete)
    #expect(throws: TableDataError.self) { try form.perform(.move([0, 0], to: [0, 1])) }
    #expect(throws: TableDataError.self) { try form.perform(.delete([0, 0])) }
    volume.canMove = true
    volume.canDelete = true
    try form.perform(.move([0, 0], to: [0, 1]))
    #expect(shown == ["mute", "volume"])
    // To another form it keeps its identity.
    let other = try DataDisplayManager { setting("lamp") }
    let list = try ComposedTableViewDataSource([other])
    form.observer = nil
    try list.append(form)
    let log = ObservationLog()
    list.observer = log
    try list.perform(.move([1, 1], to: [0, 0]))
    #expect(log.entries == ["will", "did [1,1]>[0,0]"])
    #expect(volume.displayManager === other)
    try list.perform(.delete([0, 0]))
    #expect(volume.displayManager == nil)
    #expect(throws: TableDataError.self) { try list.perform(.move([0, 0], to: [0, 1])) }
  }

  @Test func aSectionWithoutHeaderIsDeletedWhenItsLastRowMoves() throws {
    let volume = setting("volume")
    try form.setContent {
      volume
      titled("Light")
      setting("lamp")
    }
    try form.move(volume, to: [1, 1])
    #expect(form.headerGenerators.map { $0?.title } == ["Light"])
    #expect(shown == ["lamp", "volume"])
    #expect(screen.errors.isEmpty)
  }

  @Test func aGeneratorHasActionsAHeightAndDisplayEvents() throws {
    final class Watching: TableCellGenerator, ViewBuilding {
      var events: [String] = []
      func build(view: FieldCell) {}
      func willDisplay() { events.append("will") }
      func didEndDisplaying() { events.append("end") }
    }
    var isLast = 0
    form.onLastRow = { isLast += 1 }
    let (watching, volume) = (Watching(), setting("volume"))
    var done = 0
    volume.actions.trailing = [RowAction("Reset") { done += 1 }]
    volume.actions.select = RowAction("Mute") { done += 10 }
    volume.height = 60
    try form.addCellGenerators([watching, volume])
    #expect(isLast == 1)
    try form.row(at: [0, 1]).actions.perform("Reset")
    try form.row(at: [0, 1]).select()
    #expect(done == 11)
    #expect(try form.row(at: [0, 1]).height == 60)
    #expect(try form.row(at: [0, 0]).height == nil)
    try screen.table.setHeight(1)
    try form.remove(watching)
    #expect(watching.events == ["will", "end"])
  }

  // MARK: Headers

  @Test func aHeaderAndAFooterHaveViews() throws {
    final class Footer: TableFooterGenerator, ViewBuilding {
      var total = 1
      var title: String? { "\(total) in all" }
      func build(view: TextCell) { view.configure(with: "total \(total)") }
    }
    final class Header: TableHeaderGenerator, ViewBuilding {
      let ownFooter = Footer()
      var count = 1
      weak var displayManager: DataDisplayManager?
      var title: String? { "Header" }
      var footer: (any TableFooterGenerator)? { ownFooter }
      func build(view: TextCell) { view.configure(with: "view \(count)") }
    }
    let header = Header()
    #expect(throws: TableDataError.self) { try header.refresh() }
    try form.setContent {
      titled("First")
      header
      setting("a")
    }
    let list = try ComposedTableViewDataSource()
    let table = TableView()
    form.observer = nil
    try list.append(form)
    table.dataSource = list
    try table.reloadData()
    func view(_ section: Int) throws -> String? {
      (try table.headerView(forSection: section) as? TextCell)?.text
    }
    func footer(_ section: Int) throws -> String? {
      (try table.footerView(forSection: section) as? TextCell)?.text
    }
    #expect(try view(0) == nil)
    #expect(try [view(1), footer(1)] == ["view 1", "total 1"])
    #expect(try list.section(1).footer.title == "1 in all")
    #expect(try list.section(1).header.viewModel as? Header === header)
    #expect(try list.section(1).footer.viewModel as? Footer === header.ownFooter)
    header.count = 2
    header.ownFooter.total = 2
    #expect(try view(1) == "view 1")
    let log = ObservationLog()
    log.onDid = { changes in #expect(throws: Never.self) { try table.apply(changes) } }
    list.observer = log
    try header.refresh()
    #expect(log.entries == ["will", "did [1]=[1]"])
    #expect(try [view(1), footer(1)] == ["view 2", "total 2"])
    // It moves with its section.
    let kept = try table.headerView(forSection: 1)
    try form.addSectionHeaderGenerator(titled("Second"), after: form.headerGenerators[0])
    #expect(try table.headerView(forSection: 2) === kept)
    try form.removeSection(of: header)
    #expect(header.displayManager == nil)
    #expect(throws: TableDataError.self) { try table.headerView(forSection: 2) }
  }

  // MARK: At random

  /// Trees of generators, edited in all ways: the rows are those of a plain walk through the tree.
  @Test(arguments: SeededGenerator.seeds(20))
  func randomTreesAreFollowed(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    let form = DataDisplayManager()
    let harness = try ProviderHarness(DataSourceProvider(form), height: 6)
    // Generators that are updated look the same from outside.
    harness.requiresMinimalChanges = false
    harness.allowsReinsertedRows = true
    harness.observe()
    func tree(_ depth: Int) -> CellGenerator<TextCell> {
      let id = "\(edits.newItem().id)"
      let count = depth > 0 ? edits.number(in: 0..<3) : 0
      return CellGenerator(TextCell.self, id, isFolded: edits.number(in: 0..<2) == 0) {
        (0..<count).map { _ in tree(depth - 1) as any TableCellGenerator }
      }
    }
    func walk(_ rows: [CellGenerator<TextCell>]) -> [String] {
      rows.flatMap { row in
        [row.viewModel]
          + (row.isFolded ? [] : walk(row.children.compactMap { $0 as? CellGenerator<TextCell> }))
      }
    }
    var roots: [CellGenerator<TextCell>] = []
    for step in 0..<40 {
      let row = edits.number(in: 0..<max(1, roots.count))
      switch edits.number(in: 0..<7) {
      case 0 where !roots.isEmpty:
        try form.remove(roots.remove(at: row))
      case 1 where roots.count > 1:
        let other = roots[(row + 1) % roots.count]
        let moved = roots.remove(at: row)
        roots.insert(moved, at: (roots.firstIndex { $0 === other } ?? 0) + 1)
        try form.move(moved, after: other)
      case 2 where !roots.isEmpty:
        let new = tree(2)
        try form.addCellGenerator(new, after: roots[row])
        roots.insert(new, at: row + 1)
      case 3:
        roots.shuffle(using: &edits.generator)
        if roots.count > 4 { roots.removeLast(2) }
        roots.append(tree(2))
        try form.setCellGenerators(roots)
      case 4, 5, 6:
        let shown = form.cellGenerators.compactMap { $0 as? CellGenerator<TextCell> }
        guard let some = shown.randomElement(using: &edits.generator) else { continue }
        try form.setFolded(!some.isFolded, some)
      default:
        let new = tree(2)
        try form.addCellGenerator(new)
        roots.append(new)
      }
      do {
        try harness.checkObserved()
        try form.checkInvariants()
      } catch {
        Issue.record("seed \(seed), step \(step): \(error)")
        return
      }
      let rows = form.cellGenerators.compactMap { ($0 as? CellGenerator<TextCell>)?.viewModel }
      #expect(rows == walk(roots), "seed \(seed), step \(step)")
    }
  }

  // MARK: Children and lists

  @Test func aChildThatWasRemovedDoesNotReturn() throws {
    let group = group(isFolded: false)
    try form.addCellGenerator(group)
    try form.remove(group.children[0])
    #expect(shown == ["More", "Even more", "b"])
    try form.setFolded(true, group)
    try form.setFolded(false, group)
    #expect(shown == ["More", "Even more", "b"])
    // One level below, and with its own children.
    try form.remove(group.children[1])
    try form.setFolded(true, group)
    group.children.append(setting("new"))
    try form.setFolded(false, group)
    #expect(shown == ["More", "new"])
    try form.checkInvariants()
    // The generator has given it up, and has it again.
    let inner = group.children.remove(at: 1)
    try form.setFolded(true, group)
    group.children.insert(inner, at: 1)
    try form.setFolded(false, group)
    #expect(shown == ["More", "Even more", "b", "new"])
    // The content that is set is what is shown.
    try form.setContent { group }
    #expect(shown == ["More", "a", "Even more", "b", "new"])
    #expect(screen.errors.isEmpty)
  }

  @Test func aChildThatWasRemovedCanBeAnotherRow() throws {
    let group = group(isFolded: false)
    let child = group.children[0]
    try form.addCellGenerator(group)
    try form.remove(child)
    try form.addCellGenerator(child)
    #expect(shown == ["More", "Even more", "b", "a"])
    try form.setFolded(true, group)
    try form.setFolded(false, group)
    #expect(shown == ["More", "Even more", "b", "a"])
    // A parent that is added again shows its children.
    try form.remove(child)
    try form.remove(group)
    try form.addCellGenerator(group)
    #expect(shown == ["More", "a", "Even more", "b"])
    try form.checkInvariants()
  }

  @Test func aGeneratorIsInOneListOnly() throws {
    let volume = setting("volume")
    let other = DataDisplayManager()
    try other.addCellGenerator(volume)
    for error in [
      #expect(throws: TableDataError.self) { try form.addCellGenerator(volume) },
      #expect(throws: TableDataError.self) { try form.setContent { volume } },
    ] { #expect(error?.code == .duplicateIdentity) }
    #expect(volume.displayManager === other)
    #expect(form.cellGenerators.isEmpty)
    try other.remove(volume)
    try form.addCellGenerator(volume)
    #expect(volume.displayManager === form)
  }
}
