internal import SQLiteStorage

/// A row that differs between two versions: where it is read in each. A row that was inserted has no old place, and one
/// that was deleted no new one.
struct LoggedRow: Sendable {
  let old: LoggedTable.Place?
  let new: LoggedTable.Place?
}

/// Finds which of some rows of two versions differ. Rows that are equal in both versions may be among them.
///
/// Rows with the same identity are one row. It compares their digests, as ``RowDigests`` does. A key with `NULL` may be that
/// of several rows: then rows with equal content are paired, and the others are deleted and inserted.
///
/// Memory: O(rows that are added); of rows that are recognized by their content, O(those that have no partner so far). A row
/// that was deleted early puts all later ones at other places.
struct RowMatcher {
  private struct Content {
    let place: LoggedTable.Place
    let digest: UInt64
    let meetsCondition: Bool
  }

  private struct Versions {
    /// Which identity it is, in the order in which they were added.
    let number: Int
    var old: [Content] = []
    var new: [Content] = []
  }

  private let hasIdentity: Bool
  private var identityCount = 0
  private var versions: [KeyTuple: Versions] = [:]
  private var packer = RowPacker()

  /// - Parameter hasIdentity: whether the rows are recognized by something else than their content.
  init(hasIdentity: Bool) { self.hasIdentity = hasIdentity }

  /// The number of identities whose rows are held.
  var heldCount: Int { versions.count }

  /// Adds a row of the old or of the new version.
  mutating func add(
    _ row: borrowing RowView, of reader: LoggedTableReader, isOld: Bool, _ memory: inout RowMemory
  ) {
    packer.removeAll()
    packer.append(row, columns: reader.content)
    let digest = RowDigests.Builder.digest(packer.bytes[...])
    let identity = KeyTuple(packing: row, columns: reader.identity, isExact: true)
    let side = isOld ? \Versions.old : \Versions.new
    let other = isOld ? \Versions.new : \Versions.old
    if !hasIdentity,
      let partner = versions[identity]?[keyPath: other].lastIndex(where: { $0.digest == digest })
    {
      versions[identity]?[keyPath: other].remove(at: partner)
      if versions[identity]?.old.isEmpty == true, versions[identity]?.new.isEmpty == true {
        versions[identity] = nil
      }
      return
    }
    if versions[identity] == nil {
      versions[identity] = Versions(number: identityCount)
      identityCount += 1
    }
    versions[identity]?[keyPath: side].append(
      Content(
        place: reader.place(of: row, &memory), digest: digest,
        meetsCondition: reader.isMet(by: row)))
  }

  /// The rows that differ and of which the condition of the log is true, in the order in which they were added.
  func changes() -> [LoggedRow] {
    var changes: [LoggedRow] = []
    for (_, versions) in versions.sorted(by: { $0.value.number < $1.value.number }) {
      var rows = versions
      if rows.old.count == 1, rows.new.count == 1 {
        if rows.old[0].digest == rows.new[0].digest { continue }
      } else if !rows.old.isEmpty, !rows.new.isEmpty {
        let equal = Self.equalCounts(rows.old, rows.new)
        Self.remove(equal, from: &rows.old)
        Self.remove(equal, from: &rows.new)
      }
      if hasIdentity, rows.old.count == 1, rows.new.count == 1 {
        guard rows.old[0].meetsCondition || rows.new[0].meetsCondition else { continue }
        changes.append(LoggedRow(old: rows.old[0].place, new: rows.new[0].place))
      } else {
        changes += rows.old.filter(\.meetsCondition).map { LoggedRow(old: $0.place, new: nil) }
        changes += rows.new.filter(\.meetsCondition).map { LoggedRow(old: nil, new: $0.place) }
      }
    }
    return changes
  }

  /// How many rows of both have each digest.
  private static func equalCounts(_ old: [Content], _ new: [Content]) -> [UInt64: Int] {
    func counts(_ rows: [Content]) -> [UInt64: Int] {
      rows.reduce(into: [:]) { $0[$1.digest, default: 0] += 1 }
    }
    let newCounts = counts(new)
    return counts(old).reduce(into: [:]) { result, count in
      if let other = newCounts[count.key] { result[count.key] = min(count.value, other) }
    }
  }

  private static func remove(_ counts: [UInt64: Int], from rows: inout [Content]) {
    var counts = counts
    rows.removeAll { row in
      guard let count = counts[row.digest], count > 0 else { return false }
      counts[row.digest] = count - 1
      return true
    }
  }
}
