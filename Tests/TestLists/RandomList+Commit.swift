extension RandomList {
  /// Executes a transaction of random edits.
  ///
  /// Some of them cancel each other or change nothing. Rows change their content, their rank or
  /// their section; whole sections are renamed, emptied, merged, reversed. So a transaction may
  /// also change nothing at all.
  ///
  /// - Returns: the edits, in the order in which they were executed.
  package mutating func commit(using generator: inout some RandomNumberGenerator) -> [Edit] {
    var edits: [Edit] = []
    let count = [0, 1, 1, 1, 2, 2, 3, 5, 8].randomElement(using: &generator) ?? 1
    for _ in 0..<count {
      for edit in randomEdits(using: &generator) {
        apply(edit)
        edits.append(edit)
      }
    }
    return edits
  }

  /// A few edits that belong together.
  private func randomEdits(using generator: inout some RandomNumberGenerator) -> [Edit] {
    guard var row = randomRow(using: &generator), Int.random(in: 0..<5, using: &generator) > 0
    else { return [.insert(newRow(using: &generator))] }
    // Weighted so that about as many rows are inserted as deleted.
    switch Int.random(in: 0..<14, using: &generator) {
    case 0, 1: return [.delete(id: row.id)]
    case 2, 3, 4: row.content = .random(in: 0..<4, using: &generator)
    case 5, 6, 7: row.rank = randomRank(using: &generator)
    case 8, 9: row.section = randomSection(using: &generator)
    case 10: return [.update(row)]
    case 11:
      let new = newRow(using: &generator)
      return [.insert(new), .delete(id: new.id)]
    case 12:
      let id = row.id
      row.rank = randomRank(using: &generator)
      return [.delete(id: id), .insert(row)]
    default: return randomSectionEdits(of: row.section, using: &generator)
    }
    return [.update(row)]
  }

  /// Edits of all rows of a section.
  private func randomSectionEdits(
    of section: String, using generator: inout some RandomNumberGenerator
  ) -> [Edit] {
    let members = allRows.filter { $0.section == section }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      let name = randomSection(using: &generator)
      return members.map { row in
        var row = row
        row.section = name
        return .update(row)
      }
    case 1: return members.map { .delete(id: $0.id) }
    case 2:
      return members.map { row in
        var row = row
        row.rank = rankCount - 1 - row.rank
        return .update(row)
      }
    default:
      return members.map { row in
        var row = row
        row.content = .random(in: 0..<4, using: &generator)
        return .update(row)
      }
    }
  }
}
