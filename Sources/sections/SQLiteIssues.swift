/// The known defects of a version of SQLite that matter to whoever uses the tool.
///
/// It knows version numbers only: a distributor may have mended a defect without a new number.
struct SQLiteIssues {
  /// A sentence for each defect, with what to do.
  let descriptions: [String]

  /// - Parameter version: three numbers, as `sqlite3_libversion` returns them.
  init(of version: String) {
    let numbers = version.split(separator: ".").prefix(3).map { Int($0) ?? 0 }
    let version = Version(numbers)
    var descriptions: [String] = []
    if version.hasWALResetBug {
      descriptions.append(
        """
        This SQLite may lose commits if one connection checkpoints the write-ahead log while another \
        resets it (https://www.sqlite.org/wal.html, "The WAL-Reset Bug"). The tool never does the former \
        unless the latter is impossible. Other programs may: use SQLite 3.51.3 or later there.
        """)
    }
    if version < Version([3, 53, 2]) {
      descriptions.append(
        """
        This SQLite has memory errors in FTS5 (CVE-2026-11822, CVE-2026-11824): do not search in full-text \
        indexes of files that you do not trust, or use SQLite 3.53.2 or later.
        """)
    }
    self.descriptions = descriptions
  }

  private struct Version: Comparable {
    let numbers: [Int]

    init(_ numbers: [Int]) { self.numbers = numbers }

    static func < (left: Version, right: Version) -> Bool {
      left.numbers.lexicographicallyPrecedes(right.numbers)
    }

    /// From 3.7.0, which introduced the log, to 3.51.2, except for two older branches that were mended.
    ///
    /// Source: [Write-Ahead Logging](https://www.sqlite.org/wal.html).
    var hasWALResetBug: Bool {
      let mended = [
        Version([3, 44, 6])..<Version([3, 45, 0]), Version([3, 50, 7])..<Version([3, 51, 0]),
      ]
      return self >= Version([3, 7, 0]) && self < Version([3, 51, 3])
        && !mended.contains { $0.contains(self) }
    }
  }
}
