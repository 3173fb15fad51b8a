import SQLiteStorage

/// What is known of a section before its rows.
struct SectionHeader {
  /// The section's key; null when the result has no sections.
  var section: Value
  /// The section's title; nil when the result has no sections.
  var title: String?
  /// The title's entry in the index; nil when the result has no sections.
  var indexTitle: String?
  /// How many rows follow.
  var count: Int

  /// The one section of a result without sections.
  static func unsectioned(count: Int) -> SectionHeader {
    SectionHeader(section: .null, title: nil, indexTitle: nil, count: count)
  }
}
