import SQLiteStorage
import Testing

struct MigrationsSamples {
  private func hash(_ password: String) -> String { "#\(password.utf8.count)" }

  @Test func migrationsAreAppliedAndABrokenOneIsRolledBack() throws {
    let database = try Database.inMemory()
    var steps: Migrator?
    let lines = try printed {
      let migrator = try Migrator([
        Migration(1, "create_user", up: "CREATE TABLE user(id INTEGER PRIMARY KEY, password);"),
        Migration(
          2, "add_note", up: "ALTER TABLE user ADD COLUMN note TEXT;",
          down: "ALTER TABLE user DROP COLUMN note;"),
      ])
      for step in try migrator.up(database) {
        print("applied \(step.fileName)")
      }
      steps = migrator
    }
    #expect(lines == ["applied 0001_create_user.sql", "applied 0002_add_note.sql"])
    let migrator = try #require(steps)
    try database.write { try $0.execute("INSERT INTO user VALUES (1, 'secret', NULL)") }

    let hashing = Migration(3, "hash_passwords") { connection in
      for row in try connection.rows("SELECT id, password FROM user") {
        let hash = hash(try row.decode(String.self, "password"))
        try connection.execute("UPDATE user SET password = \(hash) WHERE id = \(row["id"])")
      }
    }
    let failure = try printed {
      let broken = try Migrator(
        migrator.migrations + [
          hashing, Migration(4, "index_mail", up: "CREATE INDEX mail ON user(mail);"),
        ])
      do {
        try broken.up(database)
      } catch let error as DatabaseError {
        print(error.message)
      }
    }
    #expect(failure == ["0004_index_mail.sql:1: no such column: mail"])
    let password = try database.read { try $0.value(String.self, "SELECT password FROM user") }
    #expect(password == "#6")

    // An older version of the app.
    #expect(throws: DatabaseError.self) { try migrator.up(database) }
  }

  @Test func aSchemaIsAdopted() throws {
    let old = try Database.inMemory()
    try old.write { try $0.execute("CREATE TABLE user(id INTEGER PRIMARY KEY)") }
    let migrator = try Migrator([
      Migration(1, "create_user", up: "CREATE TABLE user(id INTEGER PRIMARY KEY)"),
      Migration(2, "add_note", up: "ALTER TABLE user ADD COLUMN note TEXT"),
    ])
    try migrator.adopt(old, through: 1)
    try migrator.up(old)
    #expect(try migrator.status(of: old).map(\.state) == [.applied, .applied])
  }
}
