internal import SQLiteStorage

/// A property of a record that is stored in a column, whatever its type.
struct StoredProperty<Record>: Sendable {
  let property: AnyProperty<Record>
  let column: String
  /// The value to store. Made where the type is known, so that nothing is cast for each record.
  let value: @Sendable (Record) -> Value

  init<Property>(_ column: Column<Record, Property>) {
    let keyPath = column.keyPath
    property = keyPath
    self.column = column.name
    value = { $0[keyPath: keyPath].columnValue }
  }
}
