import Foundation
import Testing

@testable import SQLiteStorage

@Suite("Before a migration script runs")
struct MigrationScriptRunningTests {
  @Test(
    "a file with both halves of another tool's migration is refused before anything runs",
    arguments: [
      ("-- +goose Up", "-- +goose Down"), ("-- +migrate Up", "-- +migrate Down"),
      ("--+micrate up", "--  +micrate   down"), ("-- name: up", "-- name: down"),
      ("-- +migrate Up notransaction", "-- +migrate Down notransaction"),
      ("-- rambler up", "-- rambler down"), ("-- !Ups", "-- !Downs"), ("-- Up", "-- Down"),
      ("-- Up Migration", "-- Down Migration"), ("-- [up]", "-- [down]"), ("-- @UP", "-- @DOWN"),
      ("---- Up ----", "---- Down ----"), ("-- text", "---- create above / drop below ----"),
      ("-- text", "-- //@UNDO"), ("-- +goose Down", "-- +goose Up"),
    ])
  func bothHalves(marks: (first: String, second: String)) throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": "CREATE TABLE a (x);",
      "0002_b.sql":
        "\(marks.first)\r\nCREATE TABLE b (x);\r\n\(marks.second)\r\nDROP TABLE b;\r\n",
    ])
    let database = try fixture.database()
    let error = try #require(databaseError { try fixture.migrator().up(database) })
    #expect(error.code == .migration)
    #expect(error.message.hasPrefix("0002_b.sql:3: the file has both halves of a migration"))
    #expect(error.nextStep?.contains(".down.sql") == true)
    #expect(try database.tableNames().isEmpty)
  }

  @Test("comments that only sound like halves are comments")
  func noHalves() throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": """
      -- Up to here all is old.
      -- +goose Up
      -- Clean up
      CREATE TABLE a (x); -- scale up
      -- break down
      CREATE TABLE b (x); -- scale down, then write it down
      """,
      "0001_a.down.sql": "-- +goose Down\nDROP TABLE a; DROP TABLE b;",
    ])
    let database = try fixture.database()
    try fixture.migrator().up(database)
    #expect(try database.tableNames() == ["a", "b"])
    try fixture.migrator().down(database)
    #expect(try database.tableNames().isEmpty)
  }

  @Test("what was applied is not checked again: it cannot be edited any more")
  func appliedHalves() throws {
    let sql = "-- +goose Up\nCREATE TABLE a (x);\n-- +goose Down\nPRAGMA foreign_keys = OFF;"
    let fixture = try MigrationFixture(["0001_a.sql": sql])
    let database = try fixture.database()
    try database.write { connection in
      try Ledger.create(on: connection)
      try Ledger.add(
        Ledger.Entry(
          version: 1, name: "a", checksum: SHA256.hexDigest(of: sql.utf8), appliedAt: .now,
          duration: .zero), on: connection)
    }
    #expect(try fixture.migrator().up(database).isEmpty)
  }

  @Test(
    "a PRAGMA that a transaction ignores is refused with the next step",
    arguments: [
      "PRAGMA journal_mode = WAL", "pragma main.journal_mode(wal)", "PRAGMA \"page_size\" = 8192",
      "PRAGMA auto_vacuum = FULL", "PRAGMA encoding = 'UTF-16'", "PRAGMA synchronous = OFF",
      "PRAGMA wal_checkpoint", "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA foreign_keys = OFF",
    ])
  func ignoredPragma(sql: String) throws {
    let fixture = try MigrationFixture(["0001_a.sql": "CREATE TABLE a (x);\n\(sql);"])
    let database = try fixture.database()
    let error = try #require(databaseError { try fixture.migrator().up(database) })
    #expect(error.message.hasPrefix("0001_a.sql:2: PRAGMA "))
    #expect(error.message.contains(" has no effect in the transaction"))
    #expect(
      error.nextStep?.hasSuffix(
        sql.contains("foreign_keys")
          ? "foreign keys are not enforced while a migration runs"
          : "write \"-- migrate:no-transaction\" on the first line") == true)
    #expect(try database.tableNames().isEmpty)
  }

  @Test("a PRAGMA that acts, or only asks, runs")
  func actingPragma() throws {
    let fixture = try MigrationFixture([
      "0001_a.sql": "PRAGMA user_version = 7; PRAGMA journal_mode; PRAGMA main.foreign_keys;",
      "0002_b.sql": "-- migrate:no-transaction\nPRAGMA synchronous = OFF;",
    ])
    let database = try fixture.database()
    #expect(try fixture.migrator().up(database).count == 2)
  }
}
