// What would not do what its author expects, if it ran.

extension MigrationScript {
  /// Refuses a file that another tool would run only in part, and statements that do nothing in a transaction.
  ///
  /// Only what is about to run is checked: a file that was applied before must not be edited any more.
  ///
  /// - Throws: `DatabaseError` with code `.migration`, with the file and the line.
  func checkMayRun() throws {
    try refuseBothHalves()
    if usesTransaction { try refuseIgnoredPragmas() }
  }

  // MARK: - Both directions in one file

  private func refuseBothHalves() throws {
    let halves = comments.compactMap { comment in
      Half(comment.words).map { (line: comment.line, half: $0) }
    }
    let second = halves.first { later in
      later.half.begins == nil
        || halves.contains {
          $0.line < later.line && $0.half.form == later.half.form
            && $0.half.begins != later.half.begins
        }
    }
    guard let second else { return }
    throw DatabaseError(
      .migration,
      "\(fileName):\(second.line): the file has both halves of a migration, which are divided by "
        + "\"\(second.half.text)\", and both would run",
      nextStep: "Leave only what the file is for: what reverts a migration is in its .down.sql file"
    )
  }

  /// A comment at which another tool divides a file into what makes a change and what reverts it.
  private struct Half {
    /// What the comments of both halves have in common, such as `+goose`.
    let form: String
    /// The direction of what follows; nil if the comment alone divides the file.
    let begins: Migration.Direction?
    let text: String

    init?(_ words: [String]) {
      text = "-- " + words.joined(separator: " ")
      let folded = words.map(\.sqliteFolded.text)
      // Of MyBatis, and of tern.
      let rest = folded.filter { $0.contains { $0 != "-" } }
      if rest == ["//@undo"] || rest == ["create", "above", "/", "drop", "below"] {
        (form, begins) = ("", nil)
        return
      }
      let directions = rest.map(Half.direction)
      guard let position = directions.prefix(2).firstIndex(where: { $0 != nil }) else { return nil }
      let tool = position == 0 ? "" : rest[0]
      let isMark = !tool.utf8.allSatisfy(\.isSQLNameByte) || Half.tools.contains(tool)
      switch rest.count {
      // As in "-- Up", "-- !Ups" and "-- [down]".
      case 1: form = String(rest[0].prefix { !$0.isLetter })
      // As in "-- Up Migration" of node-pg-migrate, but not "-- up to here".
      case 2 where position == 0 && rest[1] == "migration": form = rest[1]
      // As in "-- +goose Up", "-- +migrate Up notransaction" and "-- name: up".
      case 2... where position == 1 && isMark: form = tool
      default: return nil
      }
      begins = directions[position]
    }

    private static let tools: Set = ["rambler", "migrate", "migration"]

    private static func direction(_ word: String) -> Migration.Direction? {
      switch word.filter(\.isLetter) {
      case "up", "ups": .up
      case "down", "downs": .down
      default: nil
      }
    }
  }

  // MARK: - PRAGMA

  private func refuseIgnoredPragmas() throws {
    for statement in statements where statement.keyword == "PRAGMA" {
      let pragma = Pragma(statement.sql)
      guard let nextStep = MigrationScript.ignoredPragmas[pragma.name],
        pragma.hasArgument || pragma.name == "wal_checkpoint"
      else { continue }
      throw DatabaseError(
        .migration,
        "\(fileName):\(statement.line): PRAGMA \(pragma.name) has no effect in the transaction that "
          + "each migration runs in", nextStep: nextStep)
    }
  }

  /// The pragmas that SQLite ignores or refuses in a transaction, and what to do.
  private static let ignoredPragmas: [String: String] = {
    let other = "Remove it, or write \"\(noTransaction)\" on the first line"
    var steps = ["foreign_keys": "Remove it: foreign keys are not enforced while a migration runs"]
    for name in [
      "auto_vacuum", "encoding", "journal_mode", "page_size", "synchronous", "wal_checkpoint",
    ] { steps[name] = other }
    return steps
  }()

  private struct Pragma {
    /// In lowercase, without the schema.
    let name: String
    let hasArgument: Bool

    init(_ sql: String) {
      let lexer = SQLLexer(sql)
      let texts = lexer.filter { !$0.isBlank }.map { lexer.text($0) }
      let position = texts.count > 3 && texts[2] == "." ? 3 : 1
      name = texts.count > position ? texts[position].unquotedName.sqliteFolded.text : ""
      hasArgument = texts.dropFirst(position + 1).contains { $0 == "=" || $0 == "(" }
    }
  }
}
