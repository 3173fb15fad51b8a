public import Foundation
public import SQLiteStorage

// A library of its own, because the comparison needs all of Foundation: on Linux that doubles the time in
// which a program starts.

extension CustomCollation {
  /// The order in which a user of a language expects names, as `localizedStandardCompare(_:)` has it:
  /// "Éric" before "Erik", "Track 9" before "Track 10". Its name in SQL is `localized`.
  ///
  /// ```swift
  /// import LocalizedCollation
  ///
  /// configuration.collations = [.localized()]
  /// ```
  ///
  /// Complexity: some microseconds a comparison on Linux, so a few seconds to sort 50,000 rows. Sort
  /// longer results by a column that is already in the order of the language.
  ///
  /// Do not use it in the file's indexes and tables: another version of the system, and a user of
  /// another language, sort differently, and would find the index damaged.
  ///
  /// - Parameter locale: the language and the region.
  public static func localized(_ locale: Locale = .current) -> CustomCollation {
    CustomCollation("localized") { lhs, rhs in
      let options: String.CompareOptions = [
        .caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering,
      ]
      return lhs.compare(rhs, options: options, locale: locale).rawValue
    }
  }
}
