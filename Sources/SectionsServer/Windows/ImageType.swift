/// The types of images that a browser shows, by their first bytes.
enum ImageType: String {
  case png = "image/png"
  case jpeg = "image/jpeg"
  case gif = "image/gif"
  case webp = "image/webp"

  /// The number of first bytes that tell the type.
  static let startLength = 12

  /// The type of an image, by its first bytes; nil for other bytes.
  init?(_ bytes: [UInt8]) {
    func has(_ text: StaticString, at start: Int) -> Bool {
      text.withUTF8Buffer { bytes.dropFirst(start).starts(with: $0) }
    }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if has("GIF8", at: 0) {
      self = .gif
    } else if has("RIFF", at: 0), has("WEBP", at: 8) {
      self = .webp
    } else {
      return nil
    }
  }
}
