/// What a composed list is told between the first *will* and the last *did* of a batch.
struct ComposedBatch {
  /// The number of sections of each component, in the old state.
  let oldCounts: PrefixSums
  /// Where each component was in the old state.
  let oldIndices: [ObjectIdentifier: Int]
  /// How many ends are missing: of components, of calls that group changes.
  var depth = 0
  /// The components that have told *will* and not yet *did*.
  var open: Set<ObjectIdentifier> = []
  /// Whether the list has told *will*.
  var hasToldWill = false
  /// What happened in each component that stays, in its own coordinates.
  var changes: [ObjectIdentifier: TableChanges] = [:]
  /// The components of the old state that went. One that came back is also in `arrived`.
  var departed: Set<ObjectIdentifier> = []
  /// The components that came.
  var arrived: Set<ObjectIdentifier> = []

  /// What happened to the whole list.
  ///
  /// - Parameters:
  ///   - counts: the number of sections of each component, in the new state.
  ///   - indices: where each component is in the new state.
  func changes(
    to counts: PrefixSums, indices: [ObjectIdentifier: Int]
  ) -> TableChanges {
    var parts: [TableChanges] = []
    for id in departed {
      guard let index = oldIndices[id] else { continue }
      parts.append(
        TableChanges.reset(oldSectionCount: oldCounts[index], newSectionCount: 0)
          .offset(old: oldCounts.sum(before: index), new: 0))
    }
    for id in arrived {
      guard let index = indices[id] else { continue }
      parts.append(
        TableChanges.reset(oldSectionCount: 0, newSectionCount: counts[index])
          .offset(old: 0, new: counts.sum(before: index)))
    }
    for (id, changes) in changes where !arrived.contains(id) {
      guard let old = oldIndices[id], let new = indices[id] else { continue }
      parts.append(
        changes.offset(old: oldCounts.sum(before: old), new: counts.sum(before: new)))
    }
    return TableChanges.combined(parts)
  }
}
