import RowQueries
import SQLiteStorage

/// A cell of a format for people: its text, which is the size of a blob and not its bytes.
///
/// It is made when a row is read. So rows that are kept for a table or a screen have no blobs, each of which may have a
/// gigabyte.
struct DisplayCell: Equatable {
  enum Kind {
    case text
    case number
    /// Represents the value: `NULL`, a blob's size.
    case placeholder
  }

  var text: String
  var kind: Kind
}

extension DisplayCell {
  init(_ value: Value) {
    switch value {
    case .null: self.init(text: "NULL", kind: .placeholder)
    case .integer(let integer): self.init(text: String(integer), kind: .number)
    case .real(let real) where real.isNaN: self.init(.null)
    case .real(let real): self.init(text: real.displayText, kind: .number)
    case .text(let text): self.init(text: text, kind: .text)
    case .blob(let bytes): self.init(blobOfSize: bytes.count)
    }
  }

  /// The cell of a blob that need not be read, such as `<blob 12 bytes>`.
  init(blobOfSize count: Int) {
    self.init(text: "<blob \(count.byteText)>", kind: .placeholder)
  }

  /// The text in the style of its kind.
  var styled: StyledText { StyledText(text, kind == .placeholder ? .dim : .plain) }
}
