public import SQLiteStorage

extension RecordDescription where Record: Decodable {
  /// Describes records stored in a table or view, with a column for each coding key.
  ///
  /// ```swift
  /// static let recordDescription = RecordDescription(table: "track", key: \Track.id)
  /// ```
  ///
  /// A `ColumnValue` is stored as itself, an enumeration as its raw value, and anything else (also an array or a
  /// dictionary) as JSON text; nil is `NULL`. The columns are checked when a request or a writer is first used.
  ///
  /// The columns are found by decoding the record from sample values. Requests may use key paths of stored properties
  /// that are decoded from exactly one key. That excludes properties with observers or wrappers. If the record has its
  /// own `init(from:)`, it must accept any values and decode each key from the keyed container; otherwise every use
  /// throws `FetchError` with code `.unknownColumns`. Such a record needs a list of its columns.
  ///
  /// Complexity: one decoding for each coding key. Keep the description in a `static let`.
  ///
  /// - Parameters:
  ///   - table: the name of the table or view.
  ///   - key: the properties that identify a record, in the order of the key. They must be unique together; this is
  ///     checked unless the schema guarantees it. If you give none, the table's own key is used.
  ///   - columnNames: how columns are named after the coding keys.
  public init(
    table: String, key: AnyProperty<Record>..., columnNames: ColumnNaming = .codingKeys
  ) {
    self.init(.table(table), key, columnNames)
  }

  /// Describes records computed by a SELECT, with a column for each coding key.
  ///
  /// - Parameters:
  ///   - select: one SELECT whose result has these columns. Interpolated values are bound. It must return the same rows as long as the
  ///     data is the same: no `random()`, no `datetime('now')`.
  ///   - key: as for a table. If you give none, it is inferred as in ``FetchRequest/init(select:key:)``.
  ///   - columnNames: as for a table.
  public init(
    select: SQL, key: AnyProperty<Record>..., columnNames: ColumnNaming = .codingKeys
  ) {
    self.init(.select(NamedSelect(select)), key, columnNames)
  }

  private init(_ source: Source, _ key: [AnyProperty<Record>], _ columnNames: ColumnNaming) {
    do {
      let columns = try CodedColumns(Record.self, named: columnNames)
      let keyColumns = try key.map { property in
        guard let column = columns.column(of: property) else {
          throw FetchError.keyIsNoColumn(property, of: Record.self, columns.names)
        }
        return column
      }
      self.init(
        source: source, key: keyColumns.isEmpty ? .ofTable : .columns(keyColumns),
        columns: columns.names.map { SelectedColumn(name: $0) }, mapping: .coded(columns),
        decode: { row in
          do {
            return try Record(from: RowDecoder(row, columns.layout))
          } catch {
            throw DatabaseError.refusal(by: "init(from:) of \(Record.self)", error)
          }
        })
    } catch {
      let error = error as? FetchError ?? FetchError.unknownColumns(Record.self, "\(error)")
      self.init(
        source: source, key: .ofTable, columns: [], mapping: .unknown(error),
        decode: { _ in throw error })
    }
  }
}

/// The columns of a `Codable` record, as its `init(from:)` and `encode(to:)` show them.
struct CodedColumns<Record: Sendable>: Sendable {
  /// The columns, in the order in which they are decoded.
  let names: [String]
  let layout: CodedLayout
  /// The first samples of all keys, and for each key the record in which it alone has the second.
  private let base: Record
  private let variations: [Record?]
  private let probes: [ProbedKey]
  /// The positions of the keys that are encoded; nil if the record is not `Encodable`.
  private let encoded: [Int]?
  private let encoding: RecordEncoding<Record>?

  /// Decodes samples of the record.
  init(_ type: Record.Type, named naming: ColumnNaming) throws where Record: Decodable {
    let probe = RecordProbe()
    base = try probe.sample(type, varying: nil)
    probes = probe.keys
    names = probe.keys.map { naming($0.name) }
    layout = CodedLayout(
      record: "\(type)", keys: probe.keys.map(\.name), codings: probe.keys.map(\.coding))
    if let repeated = Dictionary(grouping: names, by: \.sqliteFolded).first(where: { $1.count > 1 })
    {
      throw FetchError.unknownColumns(type, "two coding keys have the column \(repeated.value[0])")
    }
    // A sample that is refused only makes its key path unusable.
    variations = probe.keys.map { key in
      key.canVary ? try? RecordProbe().sample(type, varying: key.name) : nil
    }
    encoding = RecordEncoding.make(type)
    guard let encoding else {
      encoded = nil
      return
    }
    let encoder = RowEncoder(layout)
    do {
      try encoding.encode(base, to: encoder)
    } catch {
      throw FetchError.unknownColumns(type, "a sample cannot be encoded: \(error)")
    }
    encoded = encoder.values.indices.filter { encoder.values[$0] != nil }
  }
}

extension CodedColumns {
  /// The column of a property; nil for one that is computed or not decoded from one coding key.
  ///
  /// A computed property such as an initial may have the value of a key too, and so may a part of a
  /// nested value. The former has no offset in the record. The latter has another type.
  func column(of property: AnyProperty<Record>) -> String? {
    guard MemoryLayout<Record>.offset(of: property) != nil else { return nil }
    let value = base[keyPath: property]
    let candidates = probes.indices.filter { position in
      guard probes[position].isFirst(value) else { return false }
      // A type of one value cannot vary: its type alone identifies it.
      guard let variation = variations[position] else { return !probes[position].canVary }
      return probes[position].isSecond(variation[keyPath: property])
    }
    return candidates.count == 1 ? names[candidates[0]] : nil
  }

  /// The columns that are written.
  ///
  /// - Throws: `FetchError` with code `.notWritable` if the record is not `Encodable`.
  var writtenColumns: [String] {
    get throws { try writing.positions.map { names[$0] } }
  }

  /// The values of ``writtenColumns``. A key that is not encoded is `NULL`, as a nil is.
  func values(of record: Record) throws -> [Value] {
    let (encoding, positions) = try writing
    let encoder = RowEncoder(layout)
    try encoding.encode(record, to: encoder)
    return positions.map { encoder.values[$0] ?? .null }
  }

  /// How a record is encoded, and the positions of the values of ``writtenColumns`` then.
  ///
  /// - Throws: `FetchError` with code `.notWritable` if the record is not `Encodable`.
  var writing: (encoding: RecordEncoding<Record>, positions: [Int]) {
    get throws {
      guard let encoding, let encoded else {
        throw FetchError(
          .notWritable, "a \(Record.self) is only Decodable, so it cannot be written",
          nextStep: "Declare it Codable")
      }
      return (encoding, encoded)
    }
  }
}

extension FetchError {
  /// The error for a property of the key that no column stores.
  static func keyIsNoColumn<Record>(
    _ property: AnyProperty<Record>, of type: Record.Type, _ columns: [String]
  ) -> FetchError {
    FetchError(
      .missingKey, "the key, \(property.name), is not a column of \(type)",
      nextStep: "Name a stored property that has a column. The columns are: "
        + columns.joined(separator: ", "))
  }

  /// The error for a record whose columns are not known.
  static func unknownColumns(_ type: Any.Type, _ reason: String) -> FetchError {
    FetchError(
      .unknownColumns, "the columns of \(type) cannot be found by decoding samples: \(reason)",
      nextStep: "List its columns: RecordDescription(table:key:making:_:)")
  }
}
