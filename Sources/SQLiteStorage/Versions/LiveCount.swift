internal import Synchronization

/// The number of snapshots of a database that are held.
final class LiveCount: Sendable {
  let value = Atomic(0)
}
