public import TableData

extension ViewModelDataProvider {
  /// Checks that the provider conforms to the rules of its protocol, in its current state.
  ///
  /// - No count is negative.
  /// - A row stays the same when it is read again, and no other row has its identity.
  /// - If rows have identities, no two have the same, each is found at its row, and a value that is
  ///   no identity is not found. In a long list only some rows are checked.
  ///
  /// For a ``DataSourceProvider`` it also checks what a provider's sections imply:
  ///
  /// - A section or row that does not exist throws the error for it. So does an index path that is
  ///   not [section, row].
  /// - A section has the number of rows that `numberOfRows(inSection:)` gives.
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
    if let section = sections.firstIndex(where: { $0.numberOfRows < 0 }) {
      throw ProviderViolation(
        .counts, "section \(section) says that it has \(sections[section].numberOfRows) rows")
    }
    let places = sections.enumerated().flatMap { number, info in
      (0..<info.numberOfRows).map { IndexPath(row: $0, section: number) }
    }
    try checkRows(at: places, id: id)
    try checkIdentities(at: places)
    try (self as? DataSourceProvider)?.checkSource()
  }

  private func checkRows<ID: Hashable>(
    at places: [IndexPath], id: (Item) throws -> ID
  ) throws {
    var placesByID: [ID: IndexPath] = [:]
    for place in places {
      let (first, second) = (try id(item(at: place)), try id(item(at: place)))
      guard first == second else {
        throw ProviderViolation(
          .unstableRow,
          "the row \(place.brief) is \(first) at first and \(second) when asked again")
      }
      if let other = placesByID.updateValue(place, forKey: first) {
        throw ProviderViolation(
          .duplicateIdentity,
          "the rows \(other.brief) and \(place.brief) have one identity: \(first)")
      }
    }
  }

  private func checkIdentities(at places: [IndexPath]) throws {
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
}

extension ViewModelDataProvider where Item: Identifiable {
  /// Checks that the provider conforms to the rules of its protocol, as ``checkConformance(id:)``
  /// does, by the identities of its items.
  ///
  /// - Throws: the same as ``checkConformance(id:)``.
  public func checkConformance() throws { try checkConformance { $0.id } }
}

/// An identity that no row has.
private struct Nobody: Hashable {}

/// A title in quotation marks.
func quoted(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "nil" }
