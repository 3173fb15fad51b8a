import Dispatch
import Foundation

/// Runs `body` on several threads at once, however many processors there are, and waits for all.
///
/// - Parameter body: gets the number of its thread.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let threads = DispatchGroup()
  for number in 0..<count {
    threads.enter()
    Thread.detachNewThread {
      body(number)
      threads.leave()
    }
  }
  threads.wait()
}
