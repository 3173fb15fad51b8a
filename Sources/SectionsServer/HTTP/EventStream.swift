import FlyingFox
import FlyingSocks

/// The events of a client as the body of an answer.
///
/// FlyingFox asks for more only when the bytes before were written, so a slow client misses versions and
/// needs no queue.
struct EventStream: AsyncBufferedSequence {
  typealias Element = UInt8

  let subscription: Subscription

  func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    let subscription: Subscription

    mutating func next() async throws -> UInt8? {
      fatalError("FlyingFox reads a body by buffers")
    }

    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      await subscription.next()
    }
  }
}
