package import RecordImporting

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
package enum CoverError: DescribedError, Hashable, Sendable {
  /// A file of covers, or of an image, cannot be read.
  case invalidPath(String, reason: String)
  /// A file of covers is not a JSON array.
  case invalidJSON(JSONSyntaxError)
  /// The address of an image is not valid, or of a kind that is not loaded.
  case invalidImageUrl(String)
  /// The data at an address is missing or not an image.
  case invalidImageData(String, reason: String)
  /// A cover or an artist was deleted meanwhile.
  case gone(String)
}

extension CoverError {
  /// What is wrong, with the path or the address.
  package var message: String {
    switch self {
    case .invalidPath(let path, let reason): "\(path) cannot be read: \(reason)"
    case .invalidJSON(let error):
      "the covers are not JSON: line \(error.line), column \(error.column): \(error.message)"
    case .invalidImageUrl(let address): "\"\(address)\" is not the address of an image"
    case .invalidImageData(let address, let reason): "there is no image at \(address): \(reason)"
    case .gone(let name): "\(name) no longer exists"
    }
  }

  /// What to do next.
  package var nextStep: String? {
    switch self {
    case .invalidPath: "Check the path"
    case .invalidJSON(let error): error.nextStep
    case .invalidImageUrl: "Give one that begins with http:, https: or file:"
    case .invalidImageData: "Check the address"
    case .gone: "Move what the list shows now"
    }
  }
}
