/// The images used last, up to a total size in bytes.
struct ImageCache {
  private let limit: Int
  private var images: [String: (image: CoverImage, lastUse: Int)] = [:]
  private var size = 0
  private var useCount = 0

  /// Makes an empty cache.
  ///
  /// - Parameter limit: in bytes; a larger image is not kept.
  init(limit: Int) { self.limit = limit }

  /// The image at an address; nil if it is not in the cache.
  mutating func image(at address: String) -> CoverImage? {
    guard let image = images[address]?.image else { return nil }
    useCount += 1
    images[address]?.lastUse = useCount
    return image
  }

  /// Stores an image, and removes the least recently used ones. O(images).
  mutating func keep(_ image: CoverImage, at address: String) {
    guard image.data.count <= limit else { return }
    size -= images[address]?.image.data.count ?? 0
    useCount += 1
    images[address] = (image, useCount)
    size += image.data.count
    while size > limit, let oldest = images.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      images[oldest.key] = nil
      size -= oldest.value.image.data.count
    }
  }
}
