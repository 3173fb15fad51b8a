/// A JSON value. Numbers are stored as text, so that no digit is lost.
enum JSONValue: Equatable {
  /// A name and value of an object.
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

  /// The value in the form for error messages.
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
