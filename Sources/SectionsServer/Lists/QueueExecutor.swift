import Dispatch

/// Runs an actor's work on a queue of its own. There are few of Swift's threads, and they must not wait
/// for a disk.
///
/// Sendable: a queue.
final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
