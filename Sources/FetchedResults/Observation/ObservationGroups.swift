internal import SQLiteStorage

/// The observation groups of one database, one for each actor.
///
/// Sendable: protected by a lock.
final class ObservationGroups: Sendable {
  private struct WeakGroup {
    weak var group: ObservationGroup?
  }

  private let groups = Locked<[ObjectIdentifier: WeakGroup]>([:])

  /// The group of an actor, made if there is none.
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
