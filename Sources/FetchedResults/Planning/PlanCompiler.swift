internal import LiveQueries
package import SQLiteStorage

/// Compiles a request into a plan for the schema that a connection sees, and validates it.
package final class PlanCompiler<Record: Sendable> {
  let request: FetchRequest<Record>
  let sectionKey: SectionKey<Record>?
  let configuration: Database.Configuration
  let connection: Connection
  let source: ResolvedSource
  /// Whether text is stored big-endian; nil for a file in UTF-8.
  let isBigEndianUTF16: Bool?
  /// Whether the rows are packed in memory although they can be looked up.
  let isPacked: Bool

  /// Looks up the request's source.
  package init(
    _ request: FetchRequest<Record>, sectionKey: SectionKey<Record>?,
    configuration: Database.Configuration, connection: Connection, isPacked: Bool = false
  ) throws {
    self.isPacked = isPacked
    self.request = request
    self.sectionKey = sectionKey
    self.configuration = configuration
    self.connection = connection
    source = try ResolvedSource(request.description, in: connection, mayLackKey: true)
    isBigEndianUTF16 = try connection.value(String.self, "PRAGMA encoding").flatMap { encoding in
      encoding == "UTF-8" ? nil : encoding == "UTF-16be"
    }
  }

  /// Returns the SQL of the request, and its conditions.
  ///
  /// The SQL is not validated as a whole.
  func parts() throws -> (parts: RequestParts, conditions: [BoundSQL]) {
    var sortTerms = request.sortTerms
    let (sectioning, sectionTerms) = try sections(absorbing: &sortTerms)
    let conditions = try request.filters.map(sql)
    let filters = conditions.map { BoundSQL("(") + $0 + "\n)" }
    var parts = RequestParts(
      source: BoundSQL(source.sql),
      select: source.select,
      filter: filters.isEmpty ? nil : filters.joined(" AND "),
      key: source.key,
      isKeyUnique: source.isKeyUnique,
      isKeyNullable: source.isKeyNullable,
      sectioning: sectioning,
      sectionTitle: sectionKey?.title,
      terms: try sectionTerms + sortTerms.map(orderTerm) + source.order.map(orderTerm),
      keyTerms: try source.key.map(keyTerm),
      columns: try selectedColumns(),
      parameters: request.parameters,
      window: request.window,
      fetchBatchSize: max(1, request.fetchBatchSize),
      chunkPolicy: request.chunkPolicy,
      packedSizeLimit: configuration.packedSizeLimit,
      totals: request.totals.isEmpty ? TotalParts() : try totals(sectioning, sectionTerms),
      ignoresCaseOfNames: request.ignoresCaseOfNames)
    if let identity = request.identity {
      guard identity.values.count == source.key.count else {
        throw FetchError.wrongKey(identity, of: Record.self, key: source.key)
      }
      guard RowIdentity(identity.values) == identity else {
        throw FetchError.unboundKey(identity, columns: source.key)
      }
      parts.restrict(to: identity, spelled: parts.keySpellings(request.description))
    }
    return (parts, conditions)
  }

  package func plan() throws -> QueryPlan {
    let (parts, conditions) = try parts()
    let regions = try check(parts)
    let names = regions.reduce(into: Set<ExactText>()) { $0.formUnion($1.foldedNames) }
    let tables = try tables(in: regions)
    guard !parts.key.isEmpty else {
      return try planOfOnlyRow(parts, reading: names)
        ?? QueryPlan(
          parts, maintenance: .comparison(reason: "nothing identifies its rows"), tables: tables,
          isPacked: true)
    }
    if isPacked {
      return QueryPlan(
        parts, maintenance: .comparison(reason: try keptRows()), tables: tables,
        isPacked: true)
    }
    let compiler = MaintenanceCompiler(source, parts, in: connection)
    let maintenance = try compiler.maintenance(reading: names)
    guard maintenance.reason == nil else {
      return QueryPlan(
        parts, maintenance: maintenance, tables: tables,
        isPacked: try compiler.needsPacking(maintenance, reading: names))
    }
    guard let table = source.table, table.kind == .table else {
      return QueryPlan(parts, maintenance: maintenance)
    }
    return QueryPlan(
      parts, maintenance: maintenance,
      precedingRows: try KeysetQuery(parts, .preceding, in: connection),
      followingRows: try mayNeedChunks(table)
        ? KeysetQuery(parts, .following, in: connection) : nil,
      // A row of another table, or of this table in a subquery, can change a row that it is not.
      requiredValue: maintenance.directFinder != nil && source.isKeyRowID && isBigEndianUTF16 == nil
        ? try EqualityFilter(in: conditions, request.parameters, of: source, connection) : nil)
  }

  /// The plan of aggregates without GROUP BY, if they can be held: their only row needs no key.
  ///
  /// - Parameter parts: those of rows without a key.
  private func planOfOnlyRow(
    _ parts: RequestParts, reading names: Set<ExactText>
  ) throws -> QueryPlan? {
    var parts = parts
    parts.source = BoundSQL(source.plainSQL)
    (parts.isOnlyRow, parts.isKeyUnique, parts.isKeyNullable) = (true, true, false)
    return try MaintenanceCompiler(source, parts, in: connection)
      .maintenanceOfOnlyRow(reading: names)
      .map { maintenance in
        QueryPlan(
          parts,
          maintenance: isPacked ? .comparison(reason: try keptRows()) : maintenance,
          isPacked: isPacked)
      }
  }

  /// Why versions of the file are not pinned.
  private func keptRows() throws -> String {
    let reason: Touched.Reason =
      try connection.hasAttachedFiles() ? .hasAttachedFiles : .notInWALMode
    return reason.description
  }

  /// Whether the index of a table can hold chunks, and the table may have enough rows for them.
  private func mayNeedChunks(_ table: TableDescription) throws -> Bool {
    // Text that is not valid UTF-16 is not read back unchanged, so a search could not start from
    // it.
    guard isBigEndianUTF16 == nil else { return false }
    let schema = table.schema.quotedIdentifier
    let pageCount =
      try connection.value(Int.self, SQL(verbatim: "PRAGMA \(schema).page_count")) ?? 0
    let pageSize = try connection.value(Int.self, SQL(verbatim: "PRAGMA \(schema).page_size")) ?? 0
    // A row takes at least 8 bytes, in the table and in an index.
    return pageCount * pageSize >= request.chunkPolicy.identityLimit * 8
  }

  /// Validates the queries.
  ///
  /// - Returns: what each of them reads.
  private func check(_ parts: RequestParts) throws -> [ReadRegion] {
    guard parts.observed.count <= connection.columnLimit else {
      throw DatabaseError(
        .statementRefused,
        "the list reads \(parts.observed.count) columns of each row, and SQLite returns at most "
          + "\(connection.columnLimit)",
        nextStep: "Name fewer columns: the key, the order and the sections take one each, too")
    }
    let regions = try regions(of: parts)
    try checkParameters(of: parts.scan)
    return regions
  }

  /// Validates the queries without their parameters.
  private func regions(of parts: RequestParts) throws -> [ReadRegion] {
    do {
      // It has the columns, the terms and the conditions of the others. SQLite may take long to prepare each.
      return [try region(of: parts.observationOfAll)]
    } catch {
      // The error is to be about the first of the others that fails.
      return try [parts.scan, parts.fetch, parts.observation].map(region)
    }
  }

  /// Validates a query.
  ///
  /// - Returns: what it reads.
  private func region(of statement: BoundSQL) throws -> ReadRegion {
    try refuseTooManyValues(statement)
    let region = try connection.readRegion(of: statement.text)
    try NondeterministicFunctions(in: connection, configuration).refuse(
      region, statement, parameters: request.parameters)
    return region
  }

  /// The tables that queries read; nil if something else is among them whose changes are not known.
  private func tables(in regions: [ReadRegion]) throws -> [TableDescription]? {
    var names: Set<ExactText> = []
    let functions: Set<ExactText> = ["json_each", "json_tree"]
    for region in regions {
      // A virtual table may have no name here, as SQLite does not report the columns of a USING.
      let known = region.foldedNames.intersection(functions)
      guard region.virtualTableCount <= known.count else { return nil }
      names.formUnion(region.foldedNames.subtracting(functions))
    }
    var tables: [TableDescription] = []
    for name in names.map(\.text) {
      let schemas = try connection.schemas(with: name)
      guard !schemas.isEmpty, !name.hasPrefix("sqlite_") else { return nil }
      for schema in schemas {
        guard let table = try connection.table(named: name, in: schema), schema != "temp" else {
          return nil
        }
        switch table.kind {
        case .table: tables.append(table)
        case .view: continue
        case .virtual, .shadow: return nil
        }
      }
    }
    return tables
  }

  /// Throws if a named parameter has no value, or a value has no parameter.
  func checkParameters(of scan: BoundSQL) throws {
    // Binding throws for parameters without a value. A value for an unknown parameter is a
    // misspelling that would be ignored.
    let (statement, _) = try connection.statement(for: scan, parameters: request.parameters)
    let known = statement.parameterNames
    if let unknown = Set(request.parameters.keys).subtracting(known).min() {
      throw DatabaseError(
        .invalidArguments, "the SQL has no parameter :\(unknown)",
        nextStep: known.isEmpty
          ? "Leave the value out"
          : "The SQL has: \(known.sorted().map { ":\($0)" }.joined(separator: ", "))")
    }
  }

  // MARK: - Columns

  private func selectedColumns() throws -> [SelectedColumn] {
    let columns = request.description.columns ?? source.columns.map { SelectedColumn(name: $0) }
    for column in columns { _ = try source.column(named: column.name) }
    return columns
  }

  func column(of property: AnyProperty<Record>, use: String) throws -> String {
    guard let column = request.description.column(of: property, in: source.allColumns) else {
      throw FetchError(
        .computedProperty,
        "\(property.name) is not stored in a column, so SQL cannot \(use) it",
        nextStep: "Use an SQL expression, or the property of one of the columns: "
          + source.columns.joined(separator: ", "))
    }
    return try source.column(named: column)
  }
}
