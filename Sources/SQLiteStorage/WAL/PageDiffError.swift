/// A reason why the rows that differ cannot be found from the pages.
enum PageDiffError: Error {
  /// The system or SQLite could not read the bytes.
  case unreadable
  /// The bytes do not follow the file format.
  case malformed
  /// An overflow page of a long row was changed, and no other changed page identifies the row.
  case longRow
  /// The schema has changed since the two versions.
  case schemaChanged
  /// There are so many pages to compare that comparing all rows costs less.
  case tooManyPages
}
