import SQLiteStorage

/// The properties of a section that are written before its rows.
struct SectionHeader {
  /// The section's key; null if the result has no sections.
  var section: Value
  /// The section's title; nil if the result has no sections.
  var title: String?
  /// The title's entry in the index; nil if the result has no sections.
  var indexTitle: String?
  /// The number of rows that follow.
  var count: Int

  /// The one section of a result without sections.
  static func unsectioned(count: Int) -> SectionHeader {
    SectionHeader(section: .null, title: nil, indexTitle: nil, count: count)
  }
}
