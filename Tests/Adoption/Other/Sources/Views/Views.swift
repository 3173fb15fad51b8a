// Names as SwiftUI and many apps have them.

/// A titled group of rows.
public struct Section {
  /// The title above the rows.
  public let title: String
  /// The rows, from top to bottom.
  public var rows: [Row] = []

  /// Makes a section without rows.
  public init(_ title: String) { self.title = title }
}

/// A line of a section.
public struct Row {
  /// What the row shows.
  public let value: Value

  /// Makes a row.
  public init(_ value: Value) { self.value = value }
}

/// What a row shows.
public struct Value {
  /// The text that is shown.
  public let text: String

  /// Makes a value.
  public init(_ text: String) { self.text = text }
}
