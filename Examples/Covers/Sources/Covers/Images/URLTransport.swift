package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// Fetches the bytes at an address. It is the only part of an ``ImageLoader`` that leaves the
/// process.
///
/// ```swift
/// struct Samples: ImageTransport {
///   let images: [URL: Data]
///   func data(from url: URL) async throws -> Data { images[url] ?? Data() }
/// }
/// ```
package protocol ImageTransport: Sendable {
  /// The bytes at an address. Ends early if the task is cancelled.
  ///
  /// - Throws: ``CoverError``, or any other error whose description is short.
  func data(from url: URL) async throws -> Data
}

/// Fetches images by HTTP, and from files.
///
/// ```swift
/// let loader = ImageLoader(transport: URLTransport())
/// ```
///
/// Sendable: a plain value.
package struct URLTransport: ImageTransport {
  private let session: URLSession
  private let byteLimit: Int

  /// Makes a transport.
  ///
  /// - Parameters:
  ///   - session: used for HTTP.
  ///   - byteLimit: the maximum size of an image.
  package init(session: URLSession = .shared, byteLimit: Int = 64 << 20) {
    self.session = session
    self.byteLimit = byteLimit
  }

  /// The bytes at an address that starts with `http:`, `https:` or `file:`.
  ///
  /// - Throws: ``CoverError/invalidPath(_:reason:)`` for a file that cannot be read,
  ///   ``CoverError/invalidImageData(_:reason:)`` for an answer that is not 200 or is too large;
  ///   the session's errors.
  package func data(from url: URL) async throws -> Data {
    let data = url.isFileURL ? try file(at: url) : try await answer(from: url)
    guard data.count <= byteLimit else {
      throw CoverError.invalidImageData(
        url.absoluteString, reason: "it has \(data.count) bytes, and may have \(byteLimit)")
    }
    return data
  }

  private func file(at url: URL) throws -> Data {
    do {
      return try Data(contentsOf: url)
    } catch {
      throw CoverError.invalidPath(url.path, reason: error.shortReason)
    }
  }

  private func answer(from url: URL) async throws -> Data {
    let (data, response) = try await session.data(from: url)
    if let status = (response as? HTTPURLResponse)?.statusCode, status != 200 {
      throw CoverError.invalidImageData(
        url.absoluteString, reason: "the server answers with status \(status)")
    }
    return data
  }
}
