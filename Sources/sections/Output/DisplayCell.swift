import RowQueries
import SQLiteStorage

/// A cell of a format for people, which shows the size of a blob and not its bytes.
///
/// A blob may have a gigabyte: with `blob(byteCount:)` the caller does not read it.
enum DisplayCell {
  case value(Value)
  case blob(byteCount: Int)
}

extension DisplayCell {
  /// The text to show, and its kind.
  var content: Content {
    switch self {
    case .value(.null): Content(text: "NULL", kind: .placeholder)
    case .value(.integer(let integer)): Content(text: String(integer), kind: .number)
    case .value(.real(let real)):
      if real.isNaN {
        Content(text: "NULL", kind: .placeholder)
      } else {
        Content(text: real.displayText, kind: .number)
      }
    case .value(.text(let text)): Content(text: text, kind: .text)
    case .value(.blob(let bytes)): Self.blob(byteCount: bytes.count).content
    case .blob(let byteCount): Content(text: blobSummary(byteCount), kind: .placeholder)
    }
  }

  /// A cell's text and what kind of text it is.
  struct Content: Equatable {
    enum Kind {
      case text
      case number
      /// Represents the value: `NULL`, a blob's size.
      case placeholder
    }

    var text: String
    var kind: Kind
  }
}

/// Such as `<blob 12 bytes>` or `<blob 1.2 MB>`, in decimal units.
private func blobSummary(_ byteCount: Int) -> String {
  guard byteCount >= 1000 else { return "<blob \("byte".counted(byteCount))>" }
  // Rounded before the unit is chosen: 999,999 bytes are 1.0 MB, not 1000.0 kB.
  var tenths = (byteCount + 50) / 100
  var unit = "kB"
  if tenths >= 10_000 {
    tenths = (byteCount + 50_000) / 100_000
    unit = "MB"
  }
  if tenths >= 10_000 {
    tenths = (byteCount + 50_000_000) / 100_000_000
    unit = "GB"
  }
  return "<blob \(tenths / 10).\(tenths % 10) \(unit)>"
}

extension DisplayCell.Content {
  /// The content in the style of its kind.
  var styled: StyledText {
    StyledText(text, kind == .placeholder ? .dim : .plain)
  }
}
