internal import SQLiteStorage

/// The groups of one database.
///
/// Sendable: the lock protects them.
final class ObservationGroups: Sendable {
  private struct WeakGroup {
    weak var group: ObservationGroup?
  }

  private let groups = Guarded<[ObjectIdentifier: WeakGroup]>([:])

  /// The group of an actor.
  func group(of database: Database, on actor: any Actor) -> ObservationGroup {
    groups.withLock { groups in
      let id = ObjectIdentifier(actor)
      if let group = groups[id]?.group, group.isOn(actor) { return group }
      groups = groups.filter { $0.value.group != nil }
      let group = ObservationGroup(of: database, on: actor)
      groups[id] = WeakGroup(group: group)
      return group
    }
  }
}
