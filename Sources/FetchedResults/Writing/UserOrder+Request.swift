internal import SQLiteStorage

extension UserOrder {
  /// Makes the order of a request, if its rows are ordered by a property.
  init<Record>(
    of fetch: ResultLoader<Record>, by property: AnyProperty<Record>, in connection: Connection
  ) throws {
    let description = fetch.request.description
    table = try WrittenTable(description, in: connection)
    plan = try PlanCompiler(
      fetch.request, sectionKey: fetch.sectionKey, configuration: fetch.database.configuration,
      connection: connection
    ).plan()
    self.connection = connection

    let names = table.columns.map(\.name)
    guard let name = description.column(of: property, in: names),
      let column = table.columns.first(where: { $0.name.sqliteFolded == name.sqliteFolded })
    else {
      throw FetchError(
        .computedProperty, "the positions of \(Record.self) are not in a column of \(table.name)",
        nextStep: "Give the property of the column that the rows are sorted by")
    }
    guard !column.isGenerated else {
      throw FetchError(
        .notWritable, "the column \(column.name) of \(table.name) is generated",
        nextStep: "Keep the positions in a column of their own")
    }

    if let type = type(of: property as AnyKeyPath).valueType as? any ColumnValue.Type,
      !UserOrder.canReadPositions(type, in: connection)
    {
      throw FetchError(
        .notOrdered, "a property of type \(type) cannot hold the positions in \(column.name)",
        nextStep: "Give it the type Position or String")
    }

    var section: String?
    switch fetch.sectionKey?.kind {
    case nil: sectionTermCount = 0
    case .sql(let term, let order):
      sectionTermCount = order == nil ? 1 : 2
      if case .property(let property) = term.subject {
        section = description.column(of: property, in: names)
      }
    case .property(let property, _):
      sectionTermCount = 1
      section = description.column(of: property, in: names)
      guard section != nil else {
        throw FetchError(
          .notOrdered, "the sections of \(Record.self) are computed in Swift",
          nextStep: "Section by a stored property, or by SQL, to move rows")
      }
    }
    columns = Columns(position: column.name, section: section)
    try checkTerm()
  }

  private static func canReadPositions<Property: ColumnValue>(
    _ type: Property.Type, in connection: Connection
  ) -> Bool {
    (try? connection.value(type, "SELECT ?", [Position.first.columnValue])) != nil
  }

  private func checkTerm() throws {
    let expected = columns.position.quotedIdentifier
    let isFirst =
      plan.parts.terms.count > sectionTermCount
      && term.expression.text.sqliteFolded == expected.sqliteFolded
    guard isFirst else {
      let place = sectionTermCount == 0 ? "first" : "first within its sections"
      throw FetchError(
        .notOrdered, "the request is not sorted by \(columns.position) \(place)",
        nextStep: "Sort it by \(columns.position) before anything else")
    }
    if case .custom(let collation)? = term.collation {
      throw FetchError(
        .notOrdered, "\(columns.position) is sorted under the collation \(collation)",
        nextStep: "Sort it under BINARY, NOCASE or RTRIM")
    }
  }
}
