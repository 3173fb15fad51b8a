public import SQLiteStorage

/// A key path to a property of a record, without the property's type.
public typealias AnyProperty<Record> = any PartialKeyPath<Record> & Sendable

extension PartialKeyPath {
  /// The property as an error message shows it. Not every platform knows the name of a computed
  /// property.
  var name: String {
    let name = "\(self)"
    return name.contains("<computed") ? "a computed property of \(Root.self)" : name
  }
}

/// The source of records and how a row becomes a record. Columns are named only here.
///
/// A `Codable` record needs no list of its columns:
///
/// ```swift
/// struct Track: Codable, Identifiable, FetchableRecord {
///   var id: Int64
///   var name: String
///   var genre: String?
///
///   static let recordDescription = RecordDescription(table: "track", key: \Track.id)
/// }
/// ```
///
/// With the list, records are read faster, and the compiler checks the types of the columns, which
/// are in the order of the initialiser's parameters:
///
/// ```swift
/// static let recordDescription = RecordDescription(
///   table: "track", key: \.id, making: Track.init,
///   Column("id", \.id), Column("name", \.name), Column("genre", \.genre))
/// ```
///
/// Sendable: a plain value.
public struct RecordDescription<Record: Sendable>: Sendable {
  enum Source: Sendable {
    case table(String)
    case select(NamedSelect)
  }

  /// The key that identifies a row.
  enum Key: Sendable {
    /// The key of the table, from the schema.
    case ofTable
    /// These columns, which must be unique together.
    case columns([String])
    /// The key that follows from a SELECT, or else the content of a row.
    case inferred
    /// The content of a row, since two rows have the same key: a PRIMARY KEY may have several `NULL`.
    case repeated
  }

  let source: Source
  let key: Key
  /// The columns to read; nil for all.
  var columns: [SelectedColumn]?
  let decode: @Sendable (borrowing RowView) throws -> Record
  let mapping: Mapping
  /// How the values of the written columns are stored, in the order of ``writtenColumns``; nil as their types write them.
  /// Empty if this is so of all.
  var storage: [ColumnStorage?] = []

  /// Which column each property is stored in.
  indirect enum Mapping: Sendable {
    /// One column for each parameter of the initialiser.
    case listed([StoredProperty<Record>])
    case coded(CodedColumns<Record>)
    /// The coding keys cannot be determined.
    case unknown(FetchError)
    /// A column for every name, as a ``Row`` has.
    case named(
      columnOfProperty: @Sendable (AnyProperty<Record>, [String]) -> String?,
      valueOfColumn: @Sendable (Record, String) -> Value?)
  }

  /// Describes records stored in a table or view.
  ///
  /// - Parameters:
  ///   - table: the name of the table or view.
  ///   - key: the properties that identify a record, in the order of the key. They must be unique together; this is
  ///     checked unless the schema guarantees it. If you give none, the table's own key is used. A property that is not
  ///     one of the columns is an error at first use, `FetchError` with code `.missingKey`.
  ///   - make: makes a record from the values of the columns, in their order; usually the
  ///     memberwise initialiser.
  ///   - columns: the column of each property.
  public init<each Property: ColumnValue>(
    table: String, key: AnyProperty<Record>...,
    making make: @escaping @Sendable (repeat each Property) throws -> Record,
    _ columns: repeat Column<Record, each Property>
  ) {
    self.init(.table(table), key, make, repeat each columns)
  }

  /// Describes records computed by a SELECT.
  ///
  /// - Parameters:
  ///   - select: one SELECT whose result has the columns below. It must return the same rows as
  ///     long as the data is the same: no `random()`, no `datetime('now')`.
  ///   - key: as for a table. If you give none, it is inferred as in ``FetchRequest/init(select:key:)``.
  ///   - make: as for a table.
  ///   - columns: the column of each property.
  public init<each Property: ColumnValue>(
    select: SQL, key: AnyProperty<Record>...,
    making make: @escaping @Sendable (repeat each Property) throws -> Record,
    _ columns: repeat Column<Record, each Property>
  ) {
    self.init(.select(NamedSelect(select)), key, make, repeat each columns)
  }

  private init<each Property: ColumnValue>(
    _ source: Source, _ key: [AnyProperty<Record>],
    _ make: @escaping @Sendable (repeat each Property) throws -> Record,
    _ columns: repeat Column<Record, each Property>
  ) {
    var properties: [StoredProperty<Record>] = []
    for column in repeat each columns { properties.append(StoredProperty(column)) }
    var keyColumns: [String] = []
    var mapping = Mapping.listed(properties)
    for property in key {
      if let column = properties.first(where: { $0.property == property })?.column {
        keyColumns.append(column)
      } else {
        // A closure: Swift 6.3 traps at a key path of a generic type where there is a parameter pack.
        mapping = .unknown(
          .keyIsNoColumn(property, of: Record.self, properties.map { $0.column }))
      }
    }
    self.init(
      source: source, key: keyColumns.isEmpty ? .ofTable : .columns(keyColumns),
      columns: properties.map { SelectedColumn(name: $0.column) }, mapping: mapping
    ) { row in
      var column = -1
      func next() -> Int {
        column += 1
        return column
      }
      do {
        return try make(repeat try (each Property).decode(row, at: next()))
      } catch {
        throw DatabaseError.refusal(by: "\(Record.self)", error)
      }
    }
  }

  init(
    source: Source, key: Key, columns: [SelectedColumn]?, mapping: Mapping,
    decode: @escaping @Sendable (borrowing RowView) throws -> Record
  ) {
    self.source = source
    self.key = key
    self.columns = columns
    self.mapping = mapping
    self.decode = decode
  }
}

extension DatabaseError {
  /// The error for a row that the code of the app refuses. Whoever knows the row and its key adds them, as for a value that
  /// cannot be read.
  ///
  /// - Parameters:
  ///   - reader: what refuses it.
  ///   - error: what it throws.
  static func refusal(by reader: String, _ error: any Error) -> any Error {
    if error is DatabaseError || error is FetchError { return error }
    return DatabaseError(
      .typeMismatch, "\(reader) refuses it: \(error)",
      nextStep: "Correct what is stored, or accept it there", cause: error)
  }
}

/// A column to read, or an expression computed from it.
package struct SelectedColumn: Sendable {
  package let name: String
  package let sql: String

  /// Makes a column that reads `sql`; nil reads the column itself.
  package init(name: String, sql: String? = nil) {
    self.name = name
    self.sql = sql ?? name.quotedIdentifier
  }
}

extension RecordDescription {
  /// The column of a property, which may be missing in the source; nil for a computed property.
  ///
  /// - Parameter available: the names of all columns of the source.
  func column(of property: AnyProperty<Record>, in available: [String]) -> String? {
    switch mapping {
    case .listed(let properties): properties.first { $0.property == property }?.column
    case .coded(let columns): columns.column(of: property)
    case .unknown: nil
    case .named(let columnOfProperty, _): columnOfProperty(property, available)
    }
  }

  /// The columns that a record is written to, in the order of ``writtenValues(of:)``.
  ///
  /// - Throws: `FetchError` with code `.notWritable` if the record cannot be encoded.
  var writtenColumns: [String] {
    get throws {
      switch mapping {
      case .listed(let properties): properties.map(\.column)
      case .coded(let columns): try columns.writtenColumns
      case .unknown(let error): throw error
      case .named: []
      }
    }
  }

  func writtenValues(of record: Record) throws -> [Value] {
    let values =
      switch mapping {
      case .listed(let properties): properties.map { $0.value(record) }
      case .coded(let columns): try columns.values(of: record)
      case .unknown(let error): throw error
      case .named: [] as [Value]
      }
    return storage.isEmpty ? values : zip(values, storage).map { $1?.stored($0) ?? $0 }
  }

  /// The forms in which the values of a column may be stored; nil if each has only one, or if nothing is known.
  func spelling(ofColumn name: String) -> Spelling? {
    var spelling = spellingOfType(ofColumn: name)
    // It compares more values as equal than the type does: those that a form rounds to one.
    spelling?.storage = storage(ofColumn: name)
    return spelling
  }

  private func spellingOfType(ofColumn name: String) -> Spelling? {
    let name = name.sqliteFolded
    switch mapping {
    case .listed(let properties):
      return properties.first { $0.column.sqliteFolded == name }?.spelling
    case .coded(let columns):
      return columns.names.firstIndex { $0.sqliteFolded == name }
        .flatMap { columns.layout.codings[$0].spelling }
    case .unknown, .named: return nil
    }
  }

  /// How the values of a column are stored; nil as their type writes them.
  func storage(ofColumn name: String) -> ColumnStorage? {
    // What has a storage is written, so that its columns are known.
    guard !storage.isEmpty, let columns = try? writtenColumns else { return nil }
    let name = name.sqliteFolded
    return columns.firstIndex { $0.sqliteFolded == name }.flatMap { storage[$0] }
  }

  /// The identity of a record, read from its properties.
  ///
  /// - Parameter key: the columns of the key.
  /// - Throws: `FetchError` with code `.missingKey` if a column of the key has no property.
  func identity(of record: Record, key: [String]) throws -> RowIdentity {
    let value = try valueOfColumn(in: record)
    let values = try key.map { column in
      guard let value = value(column) else {
        throw FetchError(
          .missingKey, "a \(Record.self) does not have its key \(column)",
          nextStep: "Add \(column) to its columns, or use a RowIdentity")
      }
      return value
    }
    return RowIdentity(values)
  }

  /// The values of a record by the names of their columns.
  private func valueOfColumn(in record: Record) throws -> (String) -> Value? {
    if case .named(_, let valueOfColumn) = mapping { return { valueOfColumn(record, $0) } }
    if case .listed(let properties) = mapping, storage.isEmpty {
      return { column in
        let folded = column.sqliteFolded
        return properties.first { $0.column.sqliteFolded == folded }?.value(record)
      }
    }
    let columns = try writtenColumns.map(\.sqliteFolded)
    let values = try writtenValues(of: record)
    return { columns.firstIndex(of: $0.sqliteFolded).map { values[$0] } }
  }

  /// Checks that the columns of a `Codable` record exist: nothing else has seen their names.
  ///
  /// - Parameters:
  ///   - source: the name of the source, and its columns.
  ///   - find: finds a column as the schema spells it, or throws.
  func checkColumns(
    in source: (name: String, columns: [String]), find: (String) throws -> String
  ) throws {
    if case .unknown(let error) = mapping { throw error }
    guard case .coded(let columns) = mapping else { return }
    for (name, key) in zip(columns.names, columns.layout.keys) where (try? find(name)) == nil {
      let snakeCase = ColumnNaming.snakeCase(key)
      throw FetchError(
        .noSuchColumn,
        "there is no column \(name) in \(source.name), for the coding key \(key) of \(Record.self)",
        nextStep: (try? find(snakeCase)) != nil
          ? "There is \(snakeCase): describe the record with columnNames: .snakeCase"
          : "Name the column in CodingKeys, or leave the property out of them. The columns are: "
            + source.columns.joined(separator: ", "))
    }
  }

  /// Returns a description of the same records from another source.
  func reading(_ source: Source, key: Key) -> RecordDescription {
    var description = RecordDescription(
      source: source, key: key, columns: columns, mapping: mapping, decode: decode)
    description.storage = storage
    return description
  }
}

// MARK: - Columns

/// The column that a property of a record is stored in.
///
/// ```swift
/// Column("release_year", \Cover.releaseYear)
/// ```
///
/// Sendable: a plain value.
public struct Column<Record, Property: ColumnValue>: Sendable {
  /// The name of the column.
  public let name: String
  /// The property that is stored in the column.
  public let keyPath: any KeyPath<Record, Property> & Sendable

  /// Makes a pair of a column and a property.
  public init(_ name: String, _ keyPath: any KeyPath<Record, Property> & Sendable) {
    self.name = name
    self.keyPath = keyPath
  }
}

/// A property of a record that is stored in a column, without the property's type.
struct StoredProperty<Record>: Sendable {
  let property: AnyProperty<Record>
  let column: String
  /// Reads the value to store of the record at an address. The closure is made where the type is
  /// known, so that no record needs a cast.
  let read: @Sendable (UnsafeRawPointer) -> Value
  /// The forms in which its values may be stored; nil if each has only one.
  let spelling: Spelling?

  init<Property>(_ column: Column<Record, Property>) {
    let keyPath = column.keyPath
    property = keyPath
    self.column = column.name
    spelling = Spelling(of: Property.self)
    // Reading through a key path takes several times as long as reading at an offset.
    if let offset = MemoryLayout<Record>.offset(of: keyPath) {
      read = { record in
        (record + offset).assumingMemoryBound(to: Property.self).pointee.columnValue
      }
    } else {
      read = { record in
        record.assumingMemoryBound(to: Record.self).pointee[keyPath: keyPath].columnValue
      }
    }
  }

  func value(_ record: Record) -> Value { withAddress(of: record, read) }
}
