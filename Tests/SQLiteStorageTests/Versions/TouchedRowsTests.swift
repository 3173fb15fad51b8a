import Testing

@testable import SQLiteStorage

@Suite struct TouchedRowsTests {
  private let item = TouchedRows.Table("item", in: "main")

  private func rows(_ rows: TouchedRows.Rows, of table: TouchedRows.Table? = nil) -> TouchedRows {
    var touched = TouchedRows()
    touched.insert(rows, of: table ?? item)
    return touched
  }

  @Test func nothingIsTouchedAtFirst() {
    let touched = TouchedRows()
    #expect(touched.isEmpty)
    #expect(touched.count == 0)
    #expect(touched.rows(of: "item") == nil)
    #expect(touched.union(touched) == touched)
  }

  @Test func namesAreComparedAsSQLiteDoes() {
    let touched = rows(.rowIDs([1]), of: TouchedRows.Table("ITEM", in: "Aux"))
    #expect(touched.rows(of: "item", in: "AUX") == .rowIDs([1]))
    #expect(touched.rows(of: "item") == nil)
    // Only ASCII letters fold.
    let umlaut = rows(.rowIDs([1]), of: TouchedRows.Table("größe", in: "main"))
    #expect(umlaut.rows(of: "GRÖßE") == nil)
    #expect(umlaut.rows(of: "GRößE") == .rowIDs([1]))
  }

  @Test func aUnionHasTheRowsOfBoth() {
    let first = rows(.rowIDs([1, 2])).union(rows(.keys([["a"]]), of: .init("pair", in: "main")))
    let second = rows(.rowIDs([2, 3])).union(rows(.keys([["b"]]), of: .init("pair", in: "main")))
    for union in [first.union(second), second.union(first)] {
      #expect(union.rows(of: "item") == .rowIDs([1, 2, 3]))
      #expect(union.rows(of: "pair") == .keys([["a"], ["b"]]))
      #expect(union.count == 5)
      #expect(union.description == "main.item: 3, main.pair: 2")
    }
  }

  @Test func theWholeTableIsMoreThanAnyRows() {
    let union = rows(.rowIDs([1])).union(rows(.all))
    #expect(union.rows(of: "item") == .all)
    #expect(rows(.all).union(rows(.keys([["a"]]))).rows(of: "item") == .all)
    #expect(union.count == nil)
    #expect(!union.isEmpty)
    #expect(union.description == "main.item: all")
  }

  @Test func aTableThatChangedItsFormIsTouchedAsAWhole() {
    #expect(rows(.rowIDs([1])).union(rows(.keys([["a"]]))).rows(of: "item") == .all)
  }

  @Test func moreRowsThanAnybodyWouldAskForAreTheWholeTable() {
    let limit = Int64(TouchedRows.rowLimit)
    let most = rows(.rowIDs(Set(1...limit)))
    #expect(most.count == Int(limit))
    #expect(most.union(rows(.rowIDs([1]))).count == Int(limit))
    #expect(most.union(rows(.rowIDs([0]))).rows(of: "item") == .all)
    #expect(rows(.rowIDs(Set(0...limit))).rows(of: "item") == .all)
  }

  @Test func aTableWithoutRowsOrWithKeysOfTwoLengthsBreaksARule() throws {
    try rows(.rowIDs([1])).union(rows(.keys([["a"], ["b"]]), of: .init("pair", in: "main")))
      .checkInvariants()
    for wrong in [
      rows(.rowIDs([])), rows(.keys([["a"], ["a", "b"]])),
      rows(.all, of: .init("sqlite_sequence", in: "main")),
    ] {
      #expect(throws: BrokenInvariant.self) { try wrong.checkInvariants() }
    }
  }

  @Test func whatIsUnknownStaysSo() {
    var touched = Touched.rows(rows(.rowIDs([1])))
    touched.formUnion(.none)
    #expect(touched == .rows(rows(.rowIDs([1]))))
    touched.formUnion(.unknown(.otherWriter))
    touched.formUnion(.rows(rows(.rowIDs([2]))))
    touched.formUnion(.unknown(.schemaChanged))
    #expect(touched == .unknown(.otherWriter))
  }

  @Test func everyReasonSaysWhatItIs() {
    let reasons: [Touched.Reason] = [
      .schemaChanged, .otherWriter, .unobservedTransaction, .storm, .noHook, .notInWALMode,
      .hasAttachedFiles, .storesUTF16, .unrelated, .notNewer,
    ]
    #expect(Set(reasons.map(\.description)).count == reasons.count)
  }

  @Test func tablesAreComparedByTheBytesOfTheirNames() {
    let tables: Set = [TouchedRows.Table("\u{E9}", in: "main"), .init("e\u{301}", in: "main")]
    #expect(tables.count == 2)
  }
}
