internal import SQLiteStorage

/// A property of a record that is stored in a column, without the property's type.
struct StoredProperty<Record>: Sendable {
  let property: AnyProperty<Record>
  let column: String
  /// The value to store. The closure is made where the type is known, so that no record needs a
  /// cast.
  let value: @Sendable (Record) -> Value

  init<Property>(_ column: Column<Record, Property>) {
    let keyPath = column.keyPath
    property = keyPath
    self.column = column.name
    value = { $0[keyPath: keyPath].columnValue }
  }
}
