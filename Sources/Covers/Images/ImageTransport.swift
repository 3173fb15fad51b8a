#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
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
public protocol ImageTransport: Sendable {
  /// The bytes at an address. Ends early if the task is cancelled.
  ///
  /// - Throws: ``CoverError``, or any other error whose description is short.
  func data(from url: URL) async throws -> Data
}
