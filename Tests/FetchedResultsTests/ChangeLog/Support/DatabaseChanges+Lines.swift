import SQLiteStorage

@testable import FetchedResults

extension DatabaseChanges {
  /// A line for each row, such as `update track id=3: name 'a' → 'b'`, and for each change of the schema.
  func lines() throws -> [String] {
    var lines: [String] = []
    if let gap { lines.append("gap \(gap.isBridged ? "bridged" : "open"): \(gap.reason)") }
    lines += schemaChanges.map { change in
      let old = change.oldName.map { "\($0) → " } ?? ""
      return "\(change.kind) \(change.object) \(old)\(change.name)"
    }
    try forEachRow { lines.append($0.line) }
    return lines
  }
}

extension TableRowChange {
  var line: String {
    let key = zip(key.columnNames.names, key.values).map { "\($0)=\($1.literal)" }
    let columns = changedColumns.map { name -> String in
      let (old, new) = (oldValue(of: name).literal, newValue(of: name).literal)
      return switch kind {
      case .update: "\(name) \(old) → \(new)"
      case .insert: "\(name) \(new)"
      case .delete: "\(name) \(old)"
      }
    }
    return "\(kind) \(table) \(key.joined(separator: ",")): \(columns.joined(separator: ", "))"
  }
}
