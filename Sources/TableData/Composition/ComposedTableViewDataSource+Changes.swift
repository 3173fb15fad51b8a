extension ComposedTableViewDataSource {
  /// Gathers what happens in the components, and tells it as one batch at the end.
  ///
  /// For components that change together, because they show one database for example:
  ///
  /// ```swift
  /// try list.performBatch {
  ///   try artists.refresh()
  ///   try covers.refresh()
  /// }
  /// ```
  ///
  /// *Will* is told before the first of the changes. Batches inside of `body` are parts of this one.
  /// Where nothing changes, nothing is told. A list that this one is a component of learns at the
  /// end what has become of it: until then it must not be asked for rows.
  ///
  /// - Throws: what `body` throws; what happened until then is told.
  public func performBatch(_ body: () throws -> Void) rethrows {
    beginBatch()
    defer { endBatch() }
    try body()
  }

  func beginBatch() {
    if batch == nil { batch = ComposedBatch(oldCounts: sectionCounts, oldIndices: indices) }
    batch?.depth += 1
  }

  func tellWill() {
    guard batch?.hasToldWill == false else { return }
    batch?.hasToldWill = true
    observer?.contentWillChange(of: self)
  }

  func endBatch() {
    batch?.depth -= 1
    guard let finished = batch, finished.depth == 0 else { return }
    // Over before it is told: what the observer changes now is the next batch.
    batch = nil
    guard finished.hasToldWill else { return }
    let changes = finished.changes(to: sectionCounts, indices: indices)
    observer?.contentDidChange(of: self, by: changes)
  }
}

extension ComposedTableViewDataSource: TableChangesObserver {
  /// Called by a component.
  public func contentWillChange(of sender: any TableChangesSender) {
    let id = ObjectIdentifier(sender)
    // One that says it twice is waited for once: else the batch would never end.
    guard indices[id] != nil, batch?.open.contains(id) != true else { return }
    beginBatch()
    batch?.open.insert(id)
    tellWill()
  }

  /// Called by a component.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    let id = ObjectIdentifier(sender)
    guard let index = indices[id] else { return }
    // For one that has not said it: the list's own observer hears both.
    contentWillChange(of: sender)
    sectionCounts[index] = components[index].numberOfSections
    forgetIndex()
    batch?.open.remove(id)
    let before = batch?.changes[id]
    batch?.changes[id] = before?.followed(by: changes) ?? changes
    endBatch()
  }
}

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
