#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Fetches the bytes behind an address: the one part of an ``ImageLoader`` that leaves the process.
///
/// ```swift
/// struct Samples: ImageTransport {
///   let images: [URL: Data]
///   func data(from url: URL) async throws -> Data { images[url] ?? Data() }
/// }
/// ```
public protocol ImageTransport: Sendable {
  /// The bytes behind an address. Ends early where the task is cancelled.
  ///
  /// - Throws: ``CoverError``, or any other error that says in few words why there are none.
  func data(from url: URL) async throws -> Data
}
