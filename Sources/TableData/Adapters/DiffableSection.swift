#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a section is for a diffable data source: its title, and which of several that have it.
///
/// Sendable: a plain value.
public struct DiffableSection: Hashable, Sendable {
  /// The title of the header; nil for none.
  public let title: String?
  /// The number of sections of that title before it.
  public let occurrence: Int

  /// The sections of a data source, in order.
  static func sections(
    of source: any ComposableTableViewDataSource
  ) throws -> [DiffableSection] {
    var occurrences: [String?: Int] = [:]
    return try (0..<source.numberOfSections).map { number in
      let title = try source.titleForHeader(inSection: number)
      let occurrence = occurrences[title, default: 0]
      occurrences[title] = occurrence + 1
      return DiffableSection(title: title, occurrence: occurrence)
    }
  }

  /// What a row's item is, by its own identity.
  ///
  /// - Throws: `TableDataError` of code `.unknownIdentity` where it is not of the type.
  static func identity<ID: Hashable>(
    of source: any ComposableTableViewDataSource, at indexPath: IndexPath
  ) throws -> ID {
    let identity = try source.itemIdentityForRow(at: indexPath)
    guard let id = ItemIdentity.id(of: identity, as: ID.self) else {
      throw TableDataError(
        .unknownIdentity,
        "the row \(indexPath) is identified by \(identity.map { "\($0)" } ?? "nothing"), and not by a "
          + "\(ID.self)")
    }
    return id
  }
}
