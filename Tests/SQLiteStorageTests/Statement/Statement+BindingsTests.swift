import SQLiteStorage
import Testing

@Suite struct StatementBindingsTests {
  private let store: TestConnection

  init() throws { store = try TestConnection() }

  private func values(
    _ sql: String, _ named: [String: Value]
  ) throws -> [Value] {
    let statement = try store.connection.prepare(sql)
    try statement.bind(named)
    var values: [Value] = []
    try statement.forEachRow { values = Row($0).values }
    return values
  }

  @Test func positionsTakeTheirValuesInOrder() throws {
    let rows = try store.connection.rows("SELECT ?, ?, ?", [1, "b", .null])
    #expect(rows.first?.values == [1, "b", .null])
  }

  @Test(arguments: [[], [1], [1, 2, 3]] as [[Value]])
  func aNumberOfValuesOtherThanThatOfParametersIsRefused(_ values: [Value]) throws {
    let error = databaseError { try store.connection.execute("SELECT ?, ?", values) }
    #expect(error?.code == .invalidArguments)
    #expect(
      error?.message == "the statement has 2 parameters, but \(values.count) values were given")
    #expect(error?.sql == "SELECT ?, ?")
  }

  @Test func namesTakeTheirValuesWhateverTheirFirstCharacter() throws {
    #expect(
      try values("SELECT :a, @b, $c", ["a": 1, "b": 2, "c": 3]) == [1, 2, 3])
  }

  @Test func aRepeatedNameTakesOneValue() throws {
    #expect(try values("SELECT :a, :b, :a", ["a": 1, "b": 2]) == [1, 2, 1])
    #expect(try values("SELECT :a, $a, @a", ["a": 5]) == [5, 5, 5])
  }

  @Test func namesAreComparedExactly() throws {
    let error = databaseError { _ = try values("SELECT :a", ["A": 1]) }
    #expect(error?.message == "the parameter :a has no value")
  }

  @Test func aParameterWithoutAValueIsNamed() throws {
    let error = databaseError { _ = try values("SELECT :a, :missing", ["a": 1]) }
    #expect(error?.code == .invalidArguments)
    #expect(error?.message == "the parameter :missing has no value")
  }

  @Test func aValueWithoutAParameterIsNamed() throws {
    let error = databaseError { _ = try values("SELECT :a", ["a": 1, "z": 2, "b": 3]) }
    #expect(error?.code == .invalidArguments)
    #expect(error?.message == "there is no parameter :b")
  }

  @Test func aParameterWithoutANameCannotBeGivenByName() throws {
    let error = databaseError { _ = try values("SELECT ?", ["a": 1]) }
    #expect(error?.message == "parameter 1 has no name")
  }

  @Test func numberedParametersAreCountedByTheHighest() throws {
    let statement = try store.connection.prepare("SELECT ?3")
    #expect(statement.parameterCount == 3)
    #expect(statement.parameterName(at: 3) == "3")
    #expect(statement.parameterName(at: 1) == nil)
    try statement.bind([1, 2, 3])
    #expect(try statement.step())
    #expect(statement.currentRow.int64(at: 0) == 3)
  }

  @Test func bindingEndsARunThatIsUnderWay() throws {
    let statement = try store.connection.prepare("SELECT ?1 UNION ALL SELECT ?1")
    try statement.bind([1])
    #expect(try statement.step())
    try statement.bind([2])
    #expect(try statement.step())
    #expect(statement.currentRow.int64(at: 0) == 2)
  }

  @Test func aParameterNumberOutOfRangeIsAnError() throws {
    let statement = try store.connection.prepare("SELECT ?")
    #expect(databaseError { try statement.bind(Value.integer(1), at: 2) }?.resultCode == .range)
    #expect(databaseError { try statement.bind(Value.integer(1), at: 0) }?.resultCode == .range)
  }

  @Test func aBindingWhileTheStatementRunsIsAnError() throws {
    let statement = try store.connection.prepare("SELECT ?")
    #expect(try statement.step())
    #expect(databaseError { try statement.bind(Value.integer(1), at: 1) }?.resultCode == .misuse)
  }

  @Test func rawBytesAreBoundWithoutAString() throws {
    let statement = try store.connection.prepare("SELECT ?, ?, ?, ?")
    try [UInt8]("a\u{0}é".utf8).withUnsafeBytes { try statement.bindText($0, at: 1) }
    try statement.bindText(UnsafeRawBufferPointer(start: nil, count: 0), at: 2)
    try statement.bindBlob(UnsafeRawBufferPointer(start: nil, count: 0), at: 3)
    try statement.bind(Int64.min, at: 4)
    var row: [Value] = []
    try statement.forEachRow { row = Row($0).values }
    #expect(row == ["a\u{0}é", "", .blob([]), .integer(.min)])
  }
}
