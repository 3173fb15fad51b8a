package import FetchedResults

/// An error about a cover, its file or its image, described in one line that names it.
///
/// ```swift
/// do {
///   show(try await loader.image(at: cover.smallImageURL))
/// } catch CoverError.invalidImageData {
///   showPlaceholder()
/// }
/// ```
///
/// Sendable: a plain value.
package enum CoverError: Error, Hashable, Sendable {
  /// A file of covers, or of an image, cannot be read.
  case invalidPath(String, reason: String)
  /// A file of covers is not a JSON array.
  case invalidJSON(JSONSyntaxError)
  /// The address of an image is not valid, or of a kind that is not loaded.
  case invalidImageUrl(String)
  /// The data at an address is missing or not an image.
  case invalidImageData(String, reason: String)
  /// A cover of a file was rejected. Covers are counted from 1.
  case invalidCover(at: Int, reason: String)
}

extension CoverError: CustomStringConvertible {
  /// The error, and what to do.
  package var description: String {
    switch self {
    case .invalidPath(let path, let reason): "\(path) cannot be read: \(reason). Check the path"
    case .invalidJSON(let error): "the covers are no JSON: \(error). Correct it there"
    case .invalidImageUrl(let address):
      "\"\(address)\" is no address of an image. Give one that begins with http:, https: or file:"
    case .invalidImageData(let address, let reason):
      "there is no image at \(address): \(reason). Check the address"
    case .invalidCover(let place, let reason): "record \(place): \(reason)"
    }
  }
}
