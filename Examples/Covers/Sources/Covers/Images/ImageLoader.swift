#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Loads images. An address is loaded once for all callers that wait for it, and not again while it
/// is in the cache.
///
/// ```swift
/// let loader = ImageLoader(transport: URLTransport())
/// let image = try await loader.image(at: cover.smallImageURL)
/// print(image.width, image.height)
/// ```
///
/// A cancelled caller gets a `CancellationError` immediately. The load is cancelled when no caller
/// waits for it. A failure is not cached: the next call tries again.
package actor ImageLoader {
  /// A load in progress, and its waiting callers.
  private struct Load {
    let number: Int
    let task: Task<Void, Never>
    var waiters: [Int: CheckedContinuation<CoverImage, any Error>] = [:]
  }

  private let transport: any ImageTransport
  private let timeout: Duration
  private let clock: any Clock<Duration>
  private var cache: ImageCache
  private var loads: [String: Load] = [:]
  private var lastNumber = 0

  /// Makes a loader.
  ///
  /// - Parameters:
  ///   - transport: fetches the bytes.
  ///   - cacheLimit: the size of the cache in bytes. It keeps the images used last.
  ///   - timeout: how long to wait for an image.
  ///   - clock: measures the timeout.
  package init(
    transport: any ImageTransport, cacheLimit: Int = 32 << 20, timeout: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.transport = transport
    self.timeout = timeout
    self.clock = clock
    cache = ImageCache(limit: cacheLimit)
  }

  /// The image at an address.
  ///
  /// - Parameter address: starts with `http:`, `https:` or `file:`.
  /// - Throws: ``CoverError/invalidImageUrl(_:)`` if it does not, before anything is loaded;
  ///   ``CoverError/invalidPath(_:reason:)``; ``CoverError/invalidImageData(_:reason:)`` if there
  ///   is no image, or no answer in time; `CancellationError`.
  package func image(at address: String) async throws -> CoverImage {
    let url = try ImageLoader.url(at: address)
    if let image = cache.image(at: address) { return image }
    lastNumber += 1
    let waiter = lastNumber
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let load = loads[address] ?? makeLoad(from: url, at: address)
        loads[address] = load
        loads[address]?.waiters[waiter] = continuation
      }
    } onCancel: {
      // On the actor, so that it runs after the wait has begun, even if the task was cancelled
      // before.
      Task { await self.cancel(waiter, at: address) }
    }
  }

  /// The number of callers that wait for an image.
  package func waiterCount(at address: String) -> Int { loads[address]?.waiters.count ?? 0 }

  static func url(at address: String) throws(CoverError) -> URL {
    guard let url = URL(string: address), let scheme = url.scheme?.lowercased(),
      scheme == "file" || ["http", "https"].contains(scheme) && url.host() != nil
    else { throw .invalidImageUrl(address) }
    return url
  }

  private func makeLoad(from url: URL, at address: String) -> Load {
    lastNumber += 1
    let number = lastNumber
    let task = Task { [transport, timeout, clock] in
      let result = await ImageLoader.load(
        url, at: address, by: transport, timeout: timeout, clock: clock)
      end(number, at: address, with: result)
    }
    return Load(number: number, task: task)
  }

  private func end(_ number: Int, at address: String, with result: Result<CoverImage, CoverError>) {
    // A cancelled load may end late, when the next load of the address has begun.
    guard let load = loads[address], load.number == number else { return }
    loads[address] = nil
    if let image = try? result.get() { cache.keep(image, at: address) }
    for waiter in load.waiters.values { waiter.resume(with: result.mapError { $0 as any Error }) }
  }

  private func cancel(_ waiter: Int, at address: String) {
    guard let continuation = loads[address]?.waiters.removeValue(forKey: waiter) else { return }
    continuation.resume(throwing: CancellationError())
    guard let load = loads[address], load.waiters.isEmpty else { return }
    load.task.cancel()
    loads[address] = nil
  }
}

extension ImageLoader {
  /// Loads an image. Not isolated to the actor.
  private nonisolated static func load(
    _ url: URL, at address: String, by transport: any ImageTransport, timeout: Duration,
    clock: any Clock<Duration>
  ) async -> Result<CoverImage, CoverError> {
    do {
      let data = try await withThrowingTaskGroup(of: Data.self) { group in
        group.addTask { try await transport.data(from: url) }
        group.addTask {
          try await clock.sleep(for: timeout)
          throw CoverError.invalidImageData(address, reason: "no answer within \(timeout)")
        }
        defer { group.cancelAll() }
        return try await group.next() ?? Data()
      }
      guard let image = CoverImage(data) else {
        let reason = data.isEmpty ? "it is empty" : "its bytes are no PNG, JPEG or GIF"
        return .failure(.invalidImageData(address, reason: reason))
      }
      return .success(image)
    } catch let error as CoverError {
      return .failure(error)
    } catch {
      return .failure(.invalidImageData(address, reason: "\(error)"))
    }
  }
}

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
