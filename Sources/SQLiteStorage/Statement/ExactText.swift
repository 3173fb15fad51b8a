/// Text that is compared by its bytes, as SQLite compares names: a composed and a decomposed "é" differ. For Swift's
/// `String` they are equal, so no name is compared, or looked up in a set or a dictionary, as a `String`.
///
/// It also wraps a property, whose type is then compared by the bytes of the text:
///
/// ```swift
/// struct FunctionCall: Hashable { @ExactText var name: String }
/// ```
///
/// Sendable and Hashable: a plain value.
@propertyWrapper
package struct ExactText: Sendable {
  package var wrappedValue: String

  package init(wrappedValue: String) { self.wrappedValue = wrappedValue }

  package init(_ text: String) { wrappedValue = text }

  package var text: String { wrappedValue }

  package var isEmpty: Bool { text.isEmpty }

  /// Whether its bytes begin with those of another text.
  package func hasPrefix(_ prefix: ExactText) -> Bool { text.utf8.starts(with: prefix.text.utf8) }

  /// Whether its bytes end with those of another text.
  package func hasSuffix(_ suffix: ExactText) -> Bool {
    text.utf8.reversed().starts(with: suffix.text.utf8.reversed())
  }
}

extension ExactText: Hashable {
  package static func == (lhs: ExactText, rhs: ExactText) -> Bool {
    lhs.text.hasBytes(of: rhs.text)
  }

  package func hash(into hasher: inout Hasher) { Value.text(text).hash(into: &hasher) }
}

extension ExactText: Comparable {
  package static func < (lhs: ExactText, rhs: ExactText) -> Bool {
    lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
  }
}

extension ExactText: ExpressibleByStringInterpolation, CustomStringConvertible {
  package init(stringLiteral text: String) { wrappedValue = text }

  package var description: String { text }
}

extension String {
  /// The string as a name in SQL that must be spelled the same.
  package var exact: ExactText { ExactText(self) }

  /// The string with ASCII letters in lower case, as SQLite compares identifiers.
  package var sqliteFolded: ExactText {
    // Only ASCII bytes change, and to ASCII, so the result is valid UTF-8.
    ExactText(
      String(
        decoding: utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 },
        as: UTF8.self))
  }
}

extension [String: Value] {
  /// The values by names that are compared by their bytes.
  package var byExactName: [ExactText: Value] {
    [ExactText: Value](uniqueKeysWithValues: map { ($0.key.exact, $0.value) })
  }
}

extension Sequence<String> {
  /// The strings as names in SQL that must be spelled the same.
  package var exact: [ExactText] { map(\.exact) }
}
