import CountedTrees

extension ComposedTableViewDataSource: BatchingSender {
  /// Collects the changes of the components, and notifies the observer of them as one batch: for components that show
  /// the same database, say.
  ///
  /// The observer gets `contentWillChange` before the first change, and nothing at all if nothing changes. A batch
  /// inside `body` is a part of this one. A composed list that contains this one learns of the changes at the end;
  /// do not read its rows before that. If `body` throws, the observer is notified of the changes until then.
  public func performBatch(_ body: () throws -> Void) rethrows {
    beginBatch()
    defer { endBatch() }
    try body()
  }

  func makeBatch() -> Batch { Batch(oldCounts: sectionCounts, oldIndices: indices) }

  func didEnd(_ batch: Batch) {
    guard batch.hasNotified else { return }
    var changes = batch.changes(to: sectionCounts, indices: indices)
    var failure = batch.failure
    do {
      for row in try batch.movedRows + rowsElsewhere(of: batch) {
        try join(row, of: batch, in: &changes)
      }
    } catch {
      failure = error
    }
    observer?.contentDidChange(of: self, by: changes)
    if let failure { observer?.content(of: self, didFailWith: failure) }
  }

  /// The deleted rows of a batch that are inserted in another component.
  private func rowsElsewhere(of batch: Batch) throws -> [Batch.MovedRow] {
    guard !batch.deletedRows.isEmpty else { return [] }
    var rows: [Batch.MovedRow] = []
    for (id, changes) in batch.changes where changes.reset == nil && !batch.inserted.contains(id) {
      guard let index = indices[id], changes.insertedRows.count <= Self.maximumMovedRows else {
        continue
      }
      let inserted = Set(changes.insertedSections)
      for path in changes.insertedRows where !inserted.contains(path.section) {
        let row: TableRow
        do {
          row = try components[index].row(at: path)
        } catch {
          // The error of that row alone: it is thrown again where the row is shown.
          continue
        }
        guard let identity = try row.itemIdentity,
          let deleted = batch.deletedRows[identity], deleted.source != id,
          // Records of two tables may have the same key, unless it has their type in it.
          identity.base is ItemIdentity || type(of: row.viewModel) == deleted.itemType
        else { continue }
        rows.append((identity, deleted.source, deleted.indexPath, id, path))
      }
    }
    return rows
  }

  /// Makes one move of the delete and the insert of a row that went to another component and kept its identity.
  private func join(
    _ row: Batch.MovedRow, of batch: Batch, in changes: inout TableChanges
  ) throws {
    guard let oldIndex = batch.oldIndices[row.source], let newIndex = indices[row.target],
      let path = try row.newIndexPath
        ?? components[newIndex].indexPath(forIdentity: row.identity)
    else { return }
    changes.join(
      TableChanges.Move(
        from: row.oldIndexPath.offset(by: batch.oldCounts.weight(before: oldIndex)),
        to: path.offset(by: sectionCounts.weight(before: newIndex))))
  }
}

extension ComposedTableViewDataSource: TableChangesObserver {
  /// A component calls it.
  public func contentWillChange(of sender: any TableChangesSender) {
    let id = ObjectIdentifier(sender)
    // A component may call this twice before its contentDidChange. Counted twice, the batch would never end.
    guard indices[id] != nil, batch?.changing.contains(id) != true else { return }
    beginBatch()
    batch?.changing.insert(id)
    notifyWillChange()
  }

  /// A component calls it.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    let id = ObjectIdentifier(sender)
    guard let index = indices[id] else { return }
    // A component may have omitted this call, but the list's own observer always gets both.
    contentWillChange(of: sender)
    let (old, new) = (sectionCounts[index], components[index].numberOfSections)
    let changes = changes.wellFormed(old: old, new: new)
    sectionCounts.update(at: index) { $0 = new }
    batch?.changing.remove(id)
    batch?.noteDeletedRows(of: sender, changes)
    let before = batch?.changes[id]
    batch?.changes[id] = before?.followed(by: changes) ?? changes
    endBatch()
  }
}

extension ComposedTableViewDataSource {
  /// The changes from the first `contentWillChange` to the last `contentDidChange` of a batch.
  struct Batch: ChangesBatch {
    /// A row that a component has deleted, and where it was in the old state of the component.
    typealias DeletedRow = (source: ObjectIdentifier, indexPath: IndexPath, itemType: Any.Type)
    /// A row that went to another component, and where it was in the old state of the one that it left. Where it is
    /// in the new state of the other is nil if it must be searched.
    typealias MovedRow = (
      identity: AnyHashable, source: ObjectIdentifier, oldIndexPath: IndexPath,
      target: ObjectIdentifier, newIndexPath: IndexPath?
    )

    /// The number of sections of each component, in the old state.
    let oldCounts: PrefixSums
    /// The index of each component in the old state.
    let oldIndices: [ObjectIdentifier: Int]
    var depth = 0
    var hasNotified = false
    /// The components that have sent `contentWillChange` and not yet `contentDidChange`.
    var changing: Set<ObjectIdentifier> = []
    /// The changes of each component that stays, in its own coordinates.
    var changes: [ObjectIdentifier: TableChanges] = [:]
    /// The removed components of the old state. If one was inserted again, it is also in `inserted`.
    var removed: Set<ObjectIdentifier> = []
    var inserted: Set<ObjectIdentifier> = []
    /// The rows that went from one component to another.
    private(set) var movedRows: [MovedRow] = []

    /// The rows that components have deleted with their first changes, by identity.
    private(set) var deletedRows: [AnyHashable: DeletedRow] = [:]
    private(set) var failure: (any Error)?

    /// Notes the identities of rows that may be inserted in another component that changes too. It must be called
    /// before the changes are added.
    mutating func noteDeletedRows(of sender: any TableChangesSender, _ new: TableChanges) {
      let id = ObjectIdentifier(sender)
      // Later changes of a component do not have the coordinates of the old state.
      guard depth > 1 || !changes.isEmpty, changes[id] == nil, new.reset == nil,
        new.deletedRows.count <= ComposedTableViewDataSource.maximumMovedRows,
        let sender = sender as? any PreviousRows
      else { return }
      do {
        for path in new.deletedRows {
          guard let identity = try sender.identityForDeletedRow(at: path) else { continue }
          deletedRows[identity] = (id, path, sender.itemType)
        }
      } catch {
        failure = error
      }
    }

    /// Notes that a row is about to go to another component. A row that was inserted in the batch has no old index
    /// path, and stays an insert.
    mutating func noteMove(
      of identity: AnyHashable, at indexPath: IndexPath, from source: ObjectIdentifier,
      to target: ObjectIdentifier
    ) {
      let earlier = changes[source] ?? TableChanges()
      guard let old = earlier.oldIndexPath(of: indexPath) else { return }
      // Later changes of the batch may move it.
      movedRows.append((identity, source, old, target, nil))
    }

    /// The changes of the whole list, from the number of sections and the index of each component in the new state.
    func changes(
      to counts: PrefixSums, indices: [ObjectIdentifier: Int]
    ) -> TableChanges {
      var parts: [TableChanges] = []
      for id in removed {
        guard let index = oldIndices[id] else { continue }
        parts.append(
          TableChanges.reset(oldSectionCount: oldCounts[index], newSectionCount: 0)
            .offset(old: oldCounts.weight(before: index), new: 0))
      }
      for id in inserted {
        guard let index = indices[id] else { continue }
        parts.append(
          TableChanges.reset(oldSectionCount: 0, newSectionCount: counts[index])
            .offset(old: 0, new: counts.weight(before: index)))
      }
      for (id, changes) in changes where !inserted.contains(id) {
        guard let old = oldIndices[id], let new = indices[id] else { continue }
        parts.append(
          changes.offset(old: oldCounts.weight(before: old), new: counts.weight(before: new)))
      }
      return TableChanges.combined(parts)
    }
  }
}
