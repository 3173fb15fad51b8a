/// How a run of a statement can change the schema that its connection sees.
enum SchemaEffect {
  /// It reads or writes rows.
  case none
  /// It begins or ends a savepoint. The outermost savepoint is a transaction.
  case savepoint
  /// It ends a transaction.
  case end
  /// It changes the schema, begins a transaction, or may do so: every other statement.
  case any

  /// The effect of the statement in `sql`, from its first word.
  init(_ sql: UnsafePointer<CChar>) {
    // Compared byte by byte: this runs for each statement that is prepared.
    var rest = sql
    SchemaEffect.skipBlanks(&rest)
    self =
      switch SchemaEffect.readWord(&rest) {
      case "select", "insert", "update", "delete", "replace", "with", "values", "explain": .none
      case "pragma": SchemaEffect.onlyReads(pragma: String(cString: rest)) ? .none : .any
      case "savepoint", "release": .savepoint
      case "commit", "end": .end
      // With TO, it goes back to a savepoint.
      case "rollback": SchemaEffect.holdsWord("to", &rest) ? .any : .end
      default: .any
      }
  }

  /// Whether a `PRAGMA` returns a value that has nothing to do with what later statements see.
  ///
  /// - Parameter text: what follows the word.
  private static func onlyReads(pragma text: String) -> Bool {
    let name = text.split(separator: ".").last ?? ""
    return readPragmas.contains(String(name.filter { !$0.isWhitespace && $0 != ";" }))
  }

  private static let readPragmas: Set = [
    "data_version", "database_list", "encoding", "page_count", "page_size", "schema_version",
    "user_version",
  ]

  /// Moves past what SQLite skips before a statement.
  private static func skipBlanks(_ rest: inout UnsafePointer<CChar>) {
    while true {
      switch UInt8(bitPattern: rest[0]) {
      case 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: " "), UInt8(ascii: ";"):
        rest += 1
      case 0xEF where UInt8(bitPattern: rest[1]) == 0xBB && UInt8(bitPattern: rest[2]) == 0xBF:
        rest += 3  // A byte order mark.
      case UInt8(ascii: "-") where UInt8(bitPattern: rest[1]) == UInt8(ascii: "-"):
        while rest[0] != 0, UInt8(bitPattern: rest[0]) != UInt8(ascii: "\n") { rest += 1 }
      case UInt8(ascii: "/") where UInt8(bitPattern: rest[1]) == UInt8(ascii: "*"):
        rest += 2
        while rest[0] != 0 {
          rest += 1
          if UInt8(bitPattern: rest[-1]) == UInt8(ascii: "*"),
            UInt8(bitPattern: rest[0]) == UInt8(ascii: "/")
          {
            rest += 1
            break
          }
        }
      default: return
      }
    }
  }

  /// The word that comes next, in lowercase; empty if none does. Of a long word only the beginning.
  private static func readWord(_ rest: inout UnsafePointer<CChar>) -> String {
    var letters: [UInt8] = []
    while letters.count <= 12 {
      // Sets the bit that tells a small letter from a capital.
      let letter = UInt8(bitPattern: rest[0]) | 0x20
      guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter else { break }
      letters.append(letter)
      rest += 1
    }
    return String(decoding: letters, as: UTF8.self)
  }

  private static func holdsWord(_ word: String, _ rest: inout UnsafePointer<CChar>) -> Bool {
    while rest[0] != 0 {
      if readWord(&rest) == word { return true }
      if rest[0] != 0 { rest += 1 }
    }
    return false
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
