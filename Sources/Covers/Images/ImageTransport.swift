#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
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
