#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A loaded image, with the format and size that its first bytes contain.
///
/// ```swift
/// guard let image = CoverImage(data) else { return showPlaceholder() }
/// print(image.format.rawValue, image.width, image.height)  // PNG 64 64
/// ```
///
/// To show it, decode the data: with `UIImage(data:)`, for example.
///
/// Sendable: a plain value.
package struct CoverImage: Hashable, Sendable {
  /// The kind of an image.
  package enum Format: String, Sendable {
    /// Portable Network Graphics.
    case png = "PNG"
    /// JPEG, in any container.
    case jpeg = "JPEG"
    /// Graphics Interchange Format.
    case gif = "GIF"
  }

  /// The bytes.
  package let data: Data
  /// The kind of image.
  package let format: Format
  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int

  /// Recognises an image by its first bytes; nil if they are not those of an image, or end before
  /// its size.
  ///
  /// Complexity: O(1), for JPEG O(bytes before the size).
  package init?(_ data: Data) {
    let bytes = [UInt8](data)
    let size: (width: Int, height: Int)?
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      format = .png
      size = bytes.count < 24 ? nil : (bytes.number(16..<20), bytes.number(20..<24))
    } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
      format = .gif
      size =
        bytes.count < 10
        ? nil : (Int(bytes[6]) | Int(bytes[7]) << 8, Int(bytes[8]) | Int(bytes[9]) << 8)
    } else if bytes.starts(with: [0xFF, 0xD8]) {
      format = .jpeg
      size = bytes.jpegSize
    } else {
      return nil
    }
    guard let size, size.width > 0, size.height > 0 else { return nil }
    self.data = data
    (width, height) = size
  }
}

extension [UInt8] {
  /// A big-endian number.
  fileprivate func number(_ range: Range<Int>) -> Int {
    self[range].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The size in the frame header of a JPEG: ISO 10918-1, B.2.2.
  fileprivate var jpegSize: (width: Int, height: Int)? {
    var position = 2
    while position + 9 <= count, self[position] == 0xFF {
      let marker = self[position + 1]
      // SOF0 to SOF15, except for the tables with a number in this range.
      if 0xC0...0xCF ~= marker, ![0xC4, 0xC8, 0xCC].contains(marker) {
        return (
          number(position + 7..<position + 9), number(position + 5..<position + 7)
        )
      }
      // A fill byte has no length.
      position += marker == 0xFF ? 1 : 2 + number(position + 2..<position + 4)
    }
    return nil
  }
}
