import Testing

@testable import sections

@Suite struct SQLiteIssuesTests {
  private func has(_ word: String, in version: String) -> Bool {
    SQLiteIssues(of: version).descriptions.contains { $0.contains(word) }
  }

  @Test(arguments: [
    ("3.6.23", false), ("3.7.0", true), ("3.40.1", true), ("3.44.5", true), ("3.44.6", false),
    ("3.45.0", true), ("3.50.6", true), ("3.50.7", false), ("3.51.0", true), ("3.51.2", true),
    ("3.51.3", false), ("3.52.0", false), ("4.0.0", false),
  ]) func theResetBugIsNamedWhereItIs(_ version: String, _ isThere: Bool) {
    #expect(has("WAL-Reset Bug", in: version) == isThere)
  }

  @Test(arguments: [("3.40.1", true), ("3.53.1", true), ("3.53.2", false), ("3.54.0", false)])
  func theErrorsOfFullTextIndexesAreNamed(_ version: String, _ isThere: Bool) {
    #expect(has("CVE-2026-11822", in: version) == isThere)
  }
}
