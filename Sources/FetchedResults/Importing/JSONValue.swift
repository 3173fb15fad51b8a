/// A value of a JSON text. Numbers are kept as they are written, so that no digit is lost.
enum JSONValue: Equatable {
  /// A name of an object with its value.
  struct Member: Equatable {
    let name: String
    let value: JSONValue
  }

  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// The value as an error message shows it.
  var summary: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let text): "the number \(text.prefix(40))"
    case .string(let text): "the text \"\(text.prefix(40))\""
    case .array: "an array"
    case .object: "an object"
    }
  }
}
