#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import TableData

extension ViewModelDataProvider {
  /// Checks that the provider conforms to the rules of its protocol, in its current state.
  ///
  /// - All counts agree, and none is negative.
  /// - A section or row that does not exist throws the error for it. So does an index path that is
  ///   not [section, row].
  /// - A row stays the same when it is read again, and no other row has its identity.
  /// - If rows have identities, no two have the same, each is found at its row, and a value that is
  ///   no identity is not found. In a long list only some rows are checked.
  /// - A header's title is the section's name.
  /// - The index has the titles of the sections, without repetition and in order, and each leads to
  ///   the first section that has it.
  ///
  /// ```swift
  /// @Test func aSortedListConforms() throws {
  ///   try SortedList(["a", "b"]).checkConformance { $0 }
  /// }
  /// ```
  ///
  /// It reads all rows, twice. A provider that fetches must have done so.
  ///
  /// - Parameter id: the identity of a row, which does not depend on its position.
  /// - Throws: `ProviderViolation` with the first rule that is broken; what the provider throws for
  ///   a row that exists.
  public func checkConformance<ID: Hashable>(id: (Item) throws -> ID) throws {
    let sections = sections
    try checkCounts(sections)
    try checkSectionsOutOfRange(sections)
    try checkRows(sections, id: id)
    try checkIdentities(sections)
    try checkRowsOutOfRange(sections)
    try checkIndex(sections)
  }

  private func checkCounts(_ sections: [SectionInfo]) throws {
    guard numberOfSections == sections.count else {
      throw ProviderViolation(
        .counts,
        "there are \(sections.count) `sections`, but `numberOfSections` is \(numberOfSections)")
    }
    for (number, info) in sections.enumerated() {
      let count = try numberOfRows(inSection: number)
      guard count == info.numberOfRows, count >= 0 else {
        throw ProviderViolation(
          .counts,
          "section \(number) says that it has \(info.numberOfRows) rows, but "
            + "`numberOfRows(inSection:)` is \(count)")
      }
      let title = try title(forSection: number)
      guard title == info.name else {
        throw ProviderViolation(
          .sectionTitle,
          "section \(number) has the name \(quoted(info.name)), but the title \(quoted(title))")
      }
    }
  }

  private func checkRows<ID: Hashable>(
    _ sections: [SectionInfo], id: (Item) throws -> ID
  ) throws {
    var places: [ID: IndexPath] = [:]
    for (number, info) in sections.enumerated() {
      for row in 0..<info.numberOfRows {
        let place = IndexPath(row: row, section: number)
        let first = try id(itemForRow(at: place))
        let second = try id(itemForRow(at: place))
        guard first == second else {
          throw ProviderViolation(
            .unstableRow,
            "the row \(place.brief) is \(first) at first and \(second) when asked again")
        }
        if let other = places.updateValue(place, forKey: first) {
          throw ProviderViolation(
            .duplicateIdentity,
            "the rows \(other.brief) and \(place.brief) have one identity: \(first)")
        }
      }
    }
  }

  private func checkIdentities(_ sections: [SectionInfo]) throws {
    let places = sections.enumerated().flatMap { number, info in
      (0..<info.numberOfRows).map { IndexPath(row: $0, section: number) }
    }
    // Finding one identity may read all rows.
    for index in stride(from: 0, to: places.count, by: places.count / 16 + 1) {
      let place = places[index]
      guard let identity = try identityForRow(at: place) else { continue }
      guard try indexPath(forIdentity: identity) == place else {
        throw ProviderViolation(
          .wrongIdentity, "the row \(place.brief) is not where its identity \(identity) is found")
      }
    }
    if let place = try indexPath(forIdentity: Nobody()) {
      throw ProviderViolation(
        .wrongIdentity, "the row \(place.brief) is found for an identity that no row has")
    }
  }

  // MARK: Out of range

  private func checkSectionsOutOfRange(_ sections: [SectionInfo]) throws {
    for section in [-1, sections.count, Int.max] {
      try expect(.sectionOutOfRange, of: "numberOfRows(inSection: \(section))") {
        try numberOfRows(inSection: section)
      }
      try expect(.sectionOutOfRange, of: "title(forSection: \(section))") {
        try title(forSection: section)
      }
      try expectNoRow(at: IndexPath(row: 0, section: section), .sectionOutOfRange)
    }
  }

  private func checkRowsOutOfRange(_ sections: [SectionInfo]) throws {
    for (number, info) in sections.enumerated() {
      for row in [-1, info.numberOfRows, Int.max] {
        try expectNoRow(at: IndexPath(row: row, section: number), .rowOutOfRange)
      }
    }
    for place: IndexPath in [[], [0], [0, 0, 0]] { try expectNoRow(at: place, .malformedIndexPath) }
  }

  private func expectNoRow(at place: IndexPath, _ code: TableDataError.Code) throws {
    try expect(code, of: "itemForRow(at: \(place.brief))") {
      try itemForRow(at: place)
    }
  }

  private func expect<Answer>(
    _ code: TableDataError.Code, of call: String, _ body: () throws -> Answer
  ) throws {
    let answer: Answer
    do {
      answer = try body()
    } catch let error as TableDataError where error.code == code {
      return
    } catch {
      throw ProviderViolation(
        .missingError,
        "`\(call)` must throw a TableDataError of code .\(code), and throws: \(error)")
    }
    throw ProviderViolation(
      .missingError,
      "`\(call)` must throw a TableDataError of code .\(code), and gives: \(answer)")
  }

  // MARK: Index

  private func checkIndex(_ sections: [SectionInfo]) throws {
    let index = SectionIndex(sections: sections)
    let titles = sectionIndexTitles()
    guard titles == index.titles else {
      throw ProviderViolation(
        .indexTitle,
        "the sections have the index titles \(index.titles), but the index has \(titles)")
    }
    for (position, title) in titles.enumerated() {
      let section = try section(forSectionIndexTitle: title, at: position)
      guard section == index.sections[position] else {
        throw ProviderViolation(
          .indexTitle,
          "the index title \(quoted(title)) leads to section \(section), but the first section "
            + "that has it is \(index.sections[position])")
      }
    }
    // Longer than every title of a section, so no section has it.
    let unknown = titles.joined() + "\u{0}"
    try expect(.unknownIndexTitle, of: "section(forSectionIndexTitle: \"…\", at: 0)") {
      try section(forSectionIndexTitle: unknown, at: 0)
    }
  }

}

/// A title in quotation marks.
func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "nil" }

extension ViewModelDataProvider where Item: Identifiable {
  /// Checks that the provider conforms to the rules of its protocol, as ``checkConformance(id:)``
  /// does, by the identities of its items.
  ///
  /// - Throws: as ``checkConformance(id:)``.
  public func checkConformance() throws { try checkConformance { $0.id } }
}

/// An identity that no row has.
private struct Nobody: Hashable {}
