extension Value {
  package var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value):
      // SQLite has no literal for infinity, but reads a number that is too large as one.
      value.isNaN ? "NULL" : value.isInfinite ? (value > 0 ? "9e999" : "-9e999") : "\(value)"
    case .text(let text) where text.utf8.contains(0):
      // SQL ends at a NUL character.
      "CAST(\(Value.blob(Array(text.utf8)).literal) AS TEXT)"
    case .text(let text): text.quotedLiteral
    case .blob(let bytes): "x'\(bytes.hexadecimal)'"
    }
  }
}
