/// How a run of a statement can change the schema that its connection sees.
enum SchemaEffect {
  /// It reads or writes rows.
  case none
  /// It begins or ends a savepoint. The outermost savepoint is a transaction.
  case savepoint
  /// It changes the schema, begins or ends a transaction, or may do so: every other statement.
  case any

  /// The effect of the statement in `sql`, from its first word.
  init(_ sql: UnsafePointer<CChar>) {
    // Compared byte by byte: this runs for each statement that is prepared.
    let word = SchemaEffect.firstWord(sql)
    self =
      switch word {
      case "select", "insert", "update", "delete", "replace", "with", "values", "explain": .none
      case "savepoint", "release": .savepoint
      default: .any
      }
  }

  /// The first word in lowercase; empty if it is not a word of at most 12 letters.
  private static func firstWord(_ sql: UnsafePointer<CChar>) -> String {
    var rest = sql
    while true {
      switch UInt8(bitPattern: rest[0]) {
      case 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: " "):
        rest += 1
        continue
      case UInt8(ascii: "-") where UInt8(bitPattern: rest[1]) == UInt8(ascii: "-"):
        while rest[0] != 0, UInt8(bitPattern: rest[0]) != UInt8(ascii: "\n") { rest += 1 }
        continue
      default: break
      }
      break
    }
    var letters: [UInt8] = []
    while letters.count <= 12 {
      // Sets the bit that tells a small letter from a capital.
      let letter = UInt8(bitPattern: rest[letters.count]) | 0x20
      guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter else { break }
      letters.append(letter)
    }
    return String(decoding: letters, as: UTF8.self)
  }
}

/// Counts the runs of a connection's statements after which its schema may be another one.
///
/// In one transaction and at one count the schema is the same: another connection cannot change it
/// then.
///
/// Not Sendable: it belongs to the owner of the connection.
final class SchemaCounter {
  private(set) var count = 0

  func increment() { count += 1 }
}
