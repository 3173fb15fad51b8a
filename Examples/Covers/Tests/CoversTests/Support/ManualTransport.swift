import Covers
import Foundation

/// A transport that answers when the test says so.
actor ManualTransport: ImageTransport {
  private struct Request {
    let address: String
    let continuation: CheckedContinuation<Data, any Error>
  }

  private struct Waiter {
    let isDone: (isolated ManualTransport) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private var requests: [Int: Request] = [:]
  private var waiters: [Waiter] = []
  private var count = 0
  /// The last parts of the addresses that were asked for, in order.
  private(set) var log: [String] = []
  /// The addresses whose requests were cancelled, in order.
  private(set) var cancelled: [String] = []

  func data(from url: URL) async throws -> Data {
    log.append(url.lastPathComponent)
    count += 1
    let number = count
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        requests[number] = Request(address: url.absoluteString, continuation: continuation)
        tellWaiters()
      }
    } onCancel: {
      Task { await self.cancel(number) }
    }
  }

  private func cancel(_ number: Int) {
    guard let request = requests.removeValue(forKey: number) else { return }
    cancelled.append(request.address)
    request.continuation.resume(throwing: CancellationError())
    tellWaiters()
  }

  /// The newest request for an address that is not answered yet.
  private func request(_ address: String) -> Int? {
    requests.filter { $0.value.address == address }.keys.max()
  }

  /// Waits until an address is asked for.
  func request(for address: String) async { await wait { $0.request(address) != nil } }

  /// Waits until a request for an address has been cancelled.
  func cancellation(of address: String) async { await wait { $0.cancelled.contains(address) } }

  /// Answers, as soon as the address is asked for.
  func answer(_ address: String, _ result: Result<Data, any Error>) async {
    await request(for: address)
    guard let number = request(address) else { return }
    requests.removeValue(forKey: number)?.continuation.resume(with: result)
  }

  private func wait(until isDone: @escaping (isolated ManualTransport) -> Bool) async {
    guard !isDone(self) else { return }
    await withCheckedContinuation { waiters.append(Waiter(isDone: isDone, continuation: $0)) }
  }

  private func tellWaiters() {
    let done = waiters.filter { $0.isDone(self) }
    waiters.removeAll { $0.isDone(self) }
    for waiter in done { waiter.continuation.resume() }
  }
}
