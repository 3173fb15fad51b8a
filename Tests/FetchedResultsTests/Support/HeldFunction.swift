import Dispatch
import SQLiteStorage

@testable import FetchedResults

/// A function of one argument that SQL waits in, once.
struct HeldFunction {
  private let name: String
  private let isHeld = Locked(false)
  private let arrived = DispatchSemaphore(value: 0)
  private let released = DispatchSemaphore(value: 0)

  init(_ name: String) { self.name = name }

  var function: ScalarFunction {
    ScalarFunction(name, argumentCount: 1) { [isHeld, arrived, released] values in
      let waits = isHeld.withLock { held in
        defer { held = false }
        return held
      }
      if waits {
        arrived.signal()
        released.wait()
      }
      return values[0]
    }
  }

  /// Lets the next call wait.
  func hold() { isHeld.withLock { $0 = true } }

  /// Lets it go on, and no other wait.
  func release() {
    isHeld.withLock { $0 = false }
    released.signal()
  }

  /// Returns when a call waits.
  func arrival() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [arrived] in
        arrived.wait()
        continuation.resume()
      }
    }
  }
}
