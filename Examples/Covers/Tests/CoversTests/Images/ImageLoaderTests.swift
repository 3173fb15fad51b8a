import Covers
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct ImageLoaderTests {
  private let transport = ManualTransport()
  private let clock = ManualClock()
  private let address = "https://example.com/a.png"

  private func loader(cacheLimit: Int = 1 << 20) -> ImageLoader {
    ImageLoader(
      transport: transport, cacheLimit: cacheLimit, timeout: .seconds(30), clock: clock)
  }

  @Test func anAddressIsAskedForOnceAndThenKept() async throws {
    let loader = loader()
    async let first = loader.image(at: address)
    async let second = loader.image(at: address)
    await transport.answer(address, .success(.png()))
    #expect(try await first.width == 2)
    #expect(try await second.height == 3)
    #expect(try await loader.image(at: address).format == .png)
    #expect(await transport.log == ["a.png"])
  }

  @Test func whatWasUsedLongestAgoIsAskedForAgain() async throws {
    let loader = loader(cacheLimit: 2 * Data.png().count)
    func load(_ name: String) async throws {
      async let image = loader.image(at: "https://example.com/\(name)")
      await transport.answer("https://example.com/\(name)", .success(.png()))
      _ = try await image
    }
    try await load("a")
    try await load("b")
    _ = try await loader.image(at: "https://example.com/a")
    try await load("c")
    _ = try await loader.image(at: "https://example.com/a")
    try await load("b")
    #expect(await transport.log == ["a", "b", "c", "b"])
  }

  @Test(arguments: ["", "a.png", "ftp://example.com/a", "http:", "http:///a", "javascript:x"])
  func whatIsNoAddressIsRefusedUnasked(_ address: String) async throws {
    await #expect(throws: CoverError.invalidImageUrl(address)) {
      try await loader().image(at: address)
    }
    #expect(await transport.log.isEmpty)
  }

  @Test(arguments: [
    (Data(), "it is empty"), (Data("<html>".utf8), "its bytes are no PNG, JPEG or GIF"),
  ])
  func whatIsNoImageIsAnErrorAndNotKept(_ data: Data, _ reason: String) async throws {
    let loader = loader()
    let image = Task { [address] in try await loader.image(at: address) }
    await transport.answer(address, .success(data))
    let error = await #expect(throws: CoverError.self) { try await image.value }
    #expect(error == .invalidImageData(address, reason: reason))
    async let again = loader.image(at: address)
    await transport.answer(address, .success(.png()))
    #expect(try await again.width == 2)
  }

  @Test func anErrorOfTheTransportIsTyped() async throws {
    struct Down: Error {}
    let loader = loader()
    let image = Task { [address] in try await loader.image(at: address) }
    await transport.answer(address, .failure(Down()))
    let error = await #expect(throws: CoverError.self) { try await image.value }
    #expect(error == .invalidImageData(address, reason: "Down()"))
  }

  @Test func noCallerWaitsLongerThanTheTimeout() async throws {
    let loader = loader()
    let image = Task { [address] in try await loader.image(at: address) }
    await transport.request(for: address)
    await clock.state.wakeAll()
    let error = await #expect(throws: CoverError.self) { try await image.value }
    #expect(error == .invalidImageData(address, reason: "no answer within 30.0 seconds"))
    await transport.cancellation(of: address)
  }

  @Test func oneWhoIsCancelledDoesNotKeepTheOthersFromTheirImage() async throws {
    let loader = loader()
    let first = Task { [address] in try await loader.image(at: address) }
    await transport.request(for: address)
    let second = Task { [address] in try await loader.image(at: address) }
    while await loader.waiterCount(at: address) < 2 { await Task.yield() }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    await transport.answer(address, .success(.png()))
    #expect(try await second.value.width == 2)
    #expect(await transport.cancelled == [])
  }

  @Test func aLoadWithoutAWaitingCallerIsCancelled() async throws {
    let loader = loader()
    let task = Task { [address] in try await loader.image(at: address) }
    await transport.request(for: address)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await transport.cancellation(of: address)
    #expect(await transport.cancelled == [address])
    async let again = loader.image(at: address)
    await transport.answer(address, .success(.png()))
    #expect(try await again.width == 2)
  }

  @Test func whoIsCancelledBeforehandAsksForNothingForLong() async throws {
    let loader = loader()
    let task = Task { [address] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await loader.image(at: address)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
