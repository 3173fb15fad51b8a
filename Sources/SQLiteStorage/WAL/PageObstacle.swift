/// Why the pages of a database cannot tell which rows differ.
enum PageObstacle: Error {
  /// The system, or SQLite, did not give the bytes that were asked for.
  case unreadable
  /// The bytes are not what the file format says.
  case malformed
  /// A page in the middle of a long row was changed, and no page that was changed too says of which
  /// row it is.
  case longRow
  /// The schema is not that of the two versions any more.
  case schemaChanged
  /// More pages are to be compared than is worth it.
  case tooManyPages

  var reason: Touched.Reason {
    switch self {
    case .unreadable: .logUnreadable
    case .malformed: .pageMalformed
    case .longRow: .longRowChanged
    case .schemaChanged: .schemaChanged
    case .tooManyPages: .tooManyPages
    }
  }
}
