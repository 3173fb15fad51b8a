import TableData

// The table sends the display events. They are checked after each call, and where they must arrive.
extension ProviderHarness {
  /// Checks that the display events reach a provider that the checked one is made of: it was notified of
  /// each of its rows that is in the table's window now, and of no other.
  ///
  /// ```swift
  /// let rows = try DisplayRecorder(tracks)
  /// let harness = try ProviderHarness(try rows.map { TrackViewModel($0) })
  /// harness.observe()
  /// try harness.table.setContentOffset(20)
  /// try harness.checkDisplayed(by: rows)
  /// ```
  ///
  /// Rows are found by their identities, so other rows of the list must not have the identity of a row of
  /// this provider.
  ///
  /// - Throws: `ProviderViolation` with code `.displayEvent`, or `.notObserved` if the harness sends no
  ///   events; a violation that was found before; what the providers throw.
  public func checkDisplayed<Base>(by recorder: DisplayRecorder<Base>) throws {
    if let violation: any Error = recorder.violation ?? violation { throw violation }
    guard source.didNotify != nil else {
      throw ProviderViolation(
        .notObserved, "the harness sends no display events, because it is not the only observer")
    }
    var visible: Set<AnyHashable> = []
    for place in table.indexPathsForVisibleRows {
      guard let identity = try itemIdentity(ofRowAt: place) else { continue }
      visible.insert(identity)
      guard !recorder.displayed.contains(identity),
        let basePlace = try recorder.indexPath(forIdentity: identity)
      else { continue }
      throw ProviderViolation(
        .displayEvent,
        "the row \(place.brief) is displayed, and `willDisplayRow(at: \(basePlace.brief))` of "
          + "its provider was not called")
    }
    if let identity = recorder.displayed.first(where: { !visible.contains($0) }) {
      throw ProviderViolation(
        .displayEvent,
        "the row \(identity) is not displayed: `willDisplayRow(at:)` was called for it by "
          + "mistake, or `didEndDisplayingRow(withIdentity: \(identity))` was not called")
    }
  }

  /// The identity that a row has in the provider that a composed list is made of.
  private func itemIdentity(ofRowAt indexPath: IndexPath) throws -> AnyHashable? {
    guard let list = provider as? DataSourceProvider else {
      return try provider.identityForRow(at: indexPath)
    }
    return try list.source.row(at: indexPath).itemIdentity
  }

  /// Notifies the provider of the rows in the window, and of all that come into it and leave it.
  func startDisplayEvents() throws {
    try checkNothingChanged()
    source.didNotify = { [unowned self] call, place in
      record { try checkContent(after: call, of: place) }
    }
    try table.reloadData()
  }

  /// Checks that a display event has changed neither the sections nor the row, except for what was reported.
  /// Other rows are checked with the next batch, or by `checkObserved()`.
  private func checkContent(after call: String, of place: IndexPath?) throws {
    guard !isChanging else {
      throw ProviderViolation(
        .unpaired, "`\(call)` has called contentWillChange, and not contentDidChange")
    }
    let sections = provider.sections
    guard sections == content.sections else {
      throw ProviderViolation(
        .silentChange,
        "`\(call)` has changed the sections \(content.sections) to \(sections), and no change was "
          + "reported")
    }
    // A reported change may have deleted the row.
    guard let place, content.rows.indices.contains(place.section),
      content.rows[place.section].indices.contains(place.row)
    else { return }
    let (row, item) = (
      content.rows[place.section][place.row], try provider.itemForRow(at: place)
    )
    guard try id(item) == row.id, isUnchanged(row.item, item) else {
      throw ProviderViolation(
        .silentChange,
        "`\(call)` has changed the row \(row.item) to \(item), and no change was reported")
    }
  }

  /// Ends the display events if the provider changes whenever a row is displayed, so that the table would
  /// never come to rest.
  func limitDisplayEvents() {
    batchesWhileDisplaying += 1
    guard batchesWhileDisplaying > 100 else { return }
    source.didNotify = nil
    record {
      throw ProviderViolation(
        .endlessChanges,
        "the content has changed \(batchesWhileDisplaying) times while the table displayed its "
          + "rows")
    }
  }
}
