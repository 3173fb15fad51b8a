internal import Synchronization

/// How many snapshots of a database somebody holds.
final class LiveCount: Sendable {
  let value = Atomic(0)
}
