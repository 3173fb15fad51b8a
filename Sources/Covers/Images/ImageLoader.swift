#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Loads images: each address once, however many ask for it at a time, and not again while it is
/// kept.
///
/// ```swift
/// let loader = ImageLoader(transport: URLTransport())
/// let image = try await loader.image(at: cover.smallImageURL)
/// print(image.width, image.height)
/// ```
///
/// Who is cancelled gets a `CancellationError` at once; the load itself ends when nobody waits for it
/// any more. A failure is not kept: who asks again, tries again.
public actor ImageLoader {
  /// A load that is under way, and who waits for it.
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
  ///   - cacheLimit: how many bytes of images are kept, those used last.
  ///   - timeout: how long to wait for an image.
  ///   - clock: what measures that.
  public init(
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
  /// - Parameter address: begins with `http:`, `https:` or `file:`.
  /// - Throws: ``CoverError/invalidImageUrl(_:)`` where it does not, before anything is loaded;
  ///   ``CoverError/invalidPath(_:reason:)``; ``CoverError/invalidImageData(_:reason:)`` where there is
  ///   no image, or no answer in time; `CancellationError`.
  public func image(at address: String) async throws -> CoverImage {
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
      // By way of the actor: so it comes after the wait has begun, also where the task was cancelled
      // before.
      Task { await self.cancel(waiter, at: address) }
    }
  }

  /// The address as a URL.
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
    // One that was given up may end late, when the next one is under way already.
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
  private struct TimeoutError: Error {}

  /// Loads an image, on no actor.
  private nonisolated static func load(
    _ url: URL, at address: String, by transport: any ImageTransport, timeout: Duration,
    clock: any Clock<Duration>
  ) async -> Result<CoverImage, CoverError> {
    do {
      let data = try await withThrowingTaskGroup(of: Data.self) { group in
        group.addTask { try await transport.data(from: url) }
        group.addTask {
          try await clock.sleep(for: timeout)
          throw TimeoutError()
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
    } catch is TimeoutError {
      return .failure(.invalidImageData(address, reason: "no answer within \(timeout)"))
    } catch {
      return .failure(.invalidImageData(address, reason: "\(error)"))
    }
  }
}
