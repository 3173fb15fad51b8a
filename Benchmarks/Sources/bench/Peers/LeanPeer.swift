import CSQLite
import Foundation

/// The peer *lean*: the best that can be done by reading everything again. It scans the covering
/// index for (section, key, id) and merges what it reads with what it read last time.
///
/// It sees no column outside of the index, so it knows of no update, which is to its advantage.
/// All is in flat arrays that are used again; a row that stays costs one comparison of bytes.
final class LeanPeer {
  /// A place in the list.
  struct Place: Equatable {
    let section: Int32
    let row: Int32
  }

  /// What differs, in old and new places.
  struct Changes {
    var deleted: [(id: Int64, place: Place)] = []
    var inserted: [(id: Int64, place: Place)] = []
    var moved: [(from: Place, to: Place)] = []
    /// Whether sections came or went.
    var sectionsDiffer = false

    var count: Int { deleted.count + inserted.count + moved.count }
  }

  /// The list, as it was read.
  private struct List {
    var ids: [Int64] = []
    /// Where the key of each row ends in `bytes`.
    var keyEnds: [Int32] = []
    var bytes: [UInt8] = []
    /// The first row of each section, and its name.
    var sectionStarts: [Int] = []
    var sectionNames: [[UInt8]] = []

    mutating func removeAll() {
      ids.removeAll(keepingCapacity: true)
      keyEnds.removeAll(keepingCapacity: true)
      bytes.removeAll(keepingCapacity: true)
      sectionStarts.removeAll(keepingCapacity: true)
      sectionNames.removeAll(keepingCapacity: true)
    }

    func key(of row: Int) -> Range<Int> {
      (row == 0 ? 0 : Int(keyEnds[row - 1]))..<Int(keyEnds[row])
    }
  }

  private let statement: RawStatement
  private var old = List()
  private var new = List()

  /// Prepares the scan.
  ///
  /// - Parameter sql: a SELECT of the section, the key and the id, in their order.
  init(_ database: RawDatabase, sql: String = LeanPeer.itemList) throws {
    statement = try database.prepare(sql)
    _ = try refresh()
  }

  static let itemList = "SELECT section, name, id FROM item ORDER BY \(ItemStore.order)"

  /// The ids in order, as read last.
  var ids: [Int64] { old.ids }

  /// Reads the list and says what differs from the last time.
  func refresh() throws -> Changes {
    new.removeAll()
    var changes = Changes()
    var oldRow = 0
    var oldSection = -1
    /// The first row after the old section.
    var oldSectionEnd = 0
    func enterOldSection() {
      while oldRow == oldSectionEnd, oldSection + 1 < old.sectionStarts.count {
        oldSection += 1
        let next = oldSection + 1
        oldSectionEnd = next < old.sectionStarts.count ? old.sectionStarts[next] : old.ids.count
      }
    }
    func deleteOld() {
      let row = oldRow - old.sectionStarts[oldSection]
      changes.deleted.append(
        (old.ids[oldRow], Place(section: Int32(oldSection), row: Int32(row))))
      oldRow += 1
      enterOldSection()
    }
    enterOldSection()

    try statement.forEachRow { row in
      let section = text(row, 0)
      if new.sectionNames.last.map({ !isEqual($0, section) }) ?? true {
        new.sectionNames.append(Array(section))
        new.sectionStarts.append(new.ids.count)
      }
      let key = text(row, 1)
      let id = sqlite3_column_int64(row, 2)
      // What is before the new row in the old list is not in the new one at that place.
      search: while oldRow < old.ids.count {
        switch compareOld(oldRow, in: oldSection, with: section, key, id) {
        case 0:
          oldRow += 1
          enterOldSection()
          append(key, id)
          return
        case ..<0: deleteOld()
        default: break search
        }
      }
      let place = Place(
        section: Int32(new.sectionNames.count - 1),
        row: Int32(new.ids.count - (new.sectionStarts.last ?? 0)))
      changes.inserted.append((id, place))
      append(key, id)
    }
    while oldRow < old.ids.count { deleteOld() }
    changes.sectionsDiffer = old.sectionNames != new.sectionNames
    swap(&old, &new)
    pairMoves(&changes)
    return changes
  }

  @inline(__always)
  private func append(_ key: UnsafeBufferPointer<UInt8>, _ id: Int64) {
    new.bytes.append(contentsOf: key)
    new.keyEnds.append(Int32(new.bytes.count))
    new.ids.append(id)
  }

  /// Less than 0 where the old row comes first, 0 where it is the same.
  @inline(__always)
  private func compareOld(
    _ row: Int, in oldSection: Int, with section: UnsafeBufferPointer<UInt8>,
    _ key: UnsafeBufferPointer<UInt8>, _ id: Int64
  ) -> Int {
    let keyRange = old.key(of: row)
    return old.bytes.withUnsafeBufferPointer { bytes in
      let oldKey = UnsafeBufferPointer(rebasing: bytes[keyRange])
      let bySection = old.sectionNames[oldSection].withUnsafeBufferPointer { compare($0, section) }
      if bySection != 0 { return bySection }
      let byKey = compare(oldKey, key)
      if byKey != 0 { return byKey }
      return old.ids[row] == id ? 0 : old.ids[row] < id ? -1 : 1
    }
  }

  /// Makes moves of what went at one place and came at another.
  private func pairMoves(_ changes: inout Changes) {
    guard !changes.deleted.isEmpty, !changes.inserted.isEmpty else { return }
    var targets: [Int64: Place] = [:]
    targets.reserveCapacity(changes.inserted.count)
    for (id, place) in changes.inserted { targets[id] = place }
    changes.deleted.removeAll { id, from in
      guard let to = targets[id] else { return false }
      changes.moved.append((from, to))
      targets[id] = nil
      return true
    }
    changes.inserted.removeAll { targets[$0.id] == nil }
  }
}

@inline(__always)
private func text(_ row: OpaquePointer, _ column: Int32) -> UnsafeBufferPointer<UInt8> {
  UnsafeBufferPointer(
    start: sqlite3_column_text(row, column), count: Int(sqlite3_column_bytes(row, column)))
}

@inline(__always)
private func isEqual(_ left: [UInt8], _ right: UnsafeBufferPointer<UInt8>) -> Bool {
  left.withUnsafeBufferPointer { compare($0, right) == 0 }
}

/// The order of bytes, as under the collation BINARY.
@inline(__always)
private func compare(
  _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
) -> Int {
  let count = min(left.count, right.count)
  if count > 0, let first = left.baseAddress, let second = right.baseAddress {
    let order = memcmp(first, second, count)
    if order != 0 { return Int(order) }
  }
  return left.count - right.count
}
