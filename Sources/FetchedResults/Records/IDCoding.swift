internal import SQLiteStorage

/// How the `id` of a record follows from the key of its row, if the key is the `id`.
///
/// The type of a record does not say which property its `id` is. So a record is read once, and again
/// with another key: its `id` must be the key both times.
struct IDCoding {
  /// The `id` of a record; nil for a value of another type.
  let idOfRecord: (Any) -> AnyHashable?
  /// The `id` of the record with a key; nil if the key cannot be one.
  let id: (RowIdentity) -> AnyHashable?
  /// The key that an `id` is stored as; nil for a value of another type.
  let key: (AnyHashable) -> RowIdentity?
  /// Whether every `id` is stored in one form only, so that the key is found by the `id`. The text of a
  /// UUID, for example, may be in lowercase.
  let isExact: Bool

  /// - Parameters:
  ///   - identity: the key of a row.
  ///   - row: the columns of its record.
  /// - Returns: nil if the key is not the record's `id`.
  init?<Record>(
    _ description: RecordDescription<Record>, keyColumn: String, identity: RowIdentity, row: Row
  ) throws {
    guard let type = Record.self as? any Identifiable.Type,
      let column = description.position(ofColumn: keyColumn), identity.values.count == 1
    else { return nil }
    let record = try description.decode(RowView(.copy(row)))
    guard let ids = IDCoding.codings(of: type), let own = ids.idOfRecord(record),
      ids.id(identity) == own
    else { return nil }
    if let other = identity.values[0].changed {
      var values = row.values
      values[column] = other
      let changed = Row(columnNames: row.columnNames, values: values)
      // A record that refuses the other key says nothing.
      if let record = try? description.decode(RowView(.copy(changed))),
        ids.idOfRecord(record) != ids.id(RowIdentity(other))
      {
        return nil
      }
    }
    idOfRecord = ids.idOfRecord
    id = ids.id
    key = ids.key
    isExact = ids.isExact && ids.key(own) == identity
  }

  private typealias Codings = (
    idOfRecord: (Any) -> AnyHashable?, id: (RowIdentity) -> AnyHashable?,
    key: (AnyHashable) -> RowIdentity?, isExact: Bool
  )

  private static func codings<Record: Identifiable>(of type: Record.Type) -> Codings? {
    guard let coding = ColumnCoding<Record.ID>.make(Record.ID.self) else { return nil }
    return (
      idOfRecord: { ($0 as? Record).map { AnyHashable($0.id) } },
      id: { identity in
        // Different texts that are not valid UTF-8 may be shown as the same one.
        let values = identity.values
        guard RowIdentity(values) == identity else { return nil }
        let row = Row(columnNames: ColumnNames(["key"]), values: values)
        guard let id = try? coding.read(RowView(.copy(row)), at: 0) else { return nil }
        return AnyHashable(id)
      },
      key: { identity in
        if let id = identity.base as? Record.ID {
          return (try? coding.write(id)).map { RowIdentity($0) }
        }
        // Equal integers of any type are one identity, as in an array.
        guard let integer = identity.base as? any BinaryInteger else { return nil }
        return Int64(exactly: integer).map { RowIdentity(.integer($0)) }
      },
      isExact: Spelling.isOnlyOne(of: Record.ID.self)
    )
  }
}

extension RecordDescription {
  /// The position of a column among those that a record is decoded from; nil if it is not one of them.
  fileprivate func position(ofColumn name: String) -> Int? {
    let name = name.sqliteFolded
    return switch mapping {
    case .listed(let properties): properties.firstIndex { $0.column.sqliteFolded == name }
    case .coded(let columns): columns.names.firstIndex { $0.sqliteFolded == name }
    case .unknown, .named: nil
    }
  }
}

extension Value {
  /// Another value of the same storage class and the same form; nil for `NULL`.
  fileprivate var changed: Value? {
    switch self {
    case .null: nil
    case .integer(let value): .integer(value == .max ? value - 1 : value + 1)
    case .real(let value): .real(value + 1)
    // The last character may be a digit of a UUID.
    case .text(let text): .text(text.dropLast() + (text.last == "0" ? "1" : "0"))
    case .blob(let bytes): .blob(bytes.dropLast() + [(bytes.last ?? 0) ^ 1])
    }
  }
}
