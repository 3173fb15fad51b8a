#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An image as it was loaded, with what its first bytes say of it.
///
/// ```swift
/// guard let image = CoverImage(data) else { return showPlaceholder() }
/// print(image.format.rawValue, image.width, image.height)  // PNG 64 64
/// ```
///
/// Whoever shows it decodes the rest: `UIImage(data:)`, for example.
///
/// Sendable: a plain value.
public struct CoverImage: Hashable, Sendable {
  /// The kind of an image.
  public enum Format: String, Sendable {
    /// Portable Network Graphics.
    case png = "PNG"
    /// JPEG, in whatever container.
    case jpeg = "JPEG"
    /// Graphics Interchange Format.
    case gif = "GIF"
  }

  /// The bytes.
  public let data: Data
  /// The kind of image.
  public let format: Format
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int

  /// Recognises an image by its first bytes; nil where they are not those of one, or break off before
  /// they tell the size.
  ///
  /// Complexity: O(1), for JPEG O(bytes before the size).
  public init?(_ data: Data) {
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
  /// A number whose first byte is the highest.
  fileprivate func number(_ range: Range<Int>) -> Int {
    self[range].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The size that the frame header of a JPEG tells: ISO 10918-1, B.2.2.
  fileprivate var jpegSize: (width: Int, height: Int)? {
    var position = 2
    while position + 9 <= count, self[position] == 0xFF {
      let marker = self[position + 1]
      // SOF0 to SOF15, but for the tables that have a number among them.
      if 0xC0...0xCF ~= marker, ![0xC4, 0xC8, 0xCC].contains(marker) {
        return (
          number(position + 7..<position + 9), number(position + 5..<position + 7)
        )
      }
      // A byte to fill up has no length.
      position += marker == 0xFF ? 1 : 2 + number(position + 2..<position + 4)
    }
    return nil
  }
}
