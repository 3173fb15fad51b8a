import Foundation
import SQLiteStorage
import Testing

/// A PostgreSQL server with a cluster of its own in a temporary folder, reached by a socket there.
///
/// A shell starts the server, and stops it and removes the folder when its standard input ends: so
/// nothing stays behind, even if the tests are killed.
struct PostgresServer: Sendable {
  /// The server of the suite that is running.
  @TaskLocal static var current: PostgresServer?

  private let folder: String
  private let psql: Program
  /// Open as long as the server is needed.
  private let input: FileHandle
  private let ends: AsyncStream<Void>

  // MARK: - Programs

  /// Where packages of PostgreSQL install what is not in PATH.
  private static let folders: [String] = {
    let versions = "/usr/lib/postgresql"
    let found = (try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []
    let newestFirst = found.compactMap { Int($0) }.sorted(by: >).filter { $0 != 15 }
    return ([15] + newestFirst).map { "\(versions)/\($0)/bin" }
      + ["/opt/homebrew/opt/postgresql@15/bin", "/usr/local/opt/postgresql@15/bin"]
  }()

  private static func program(_ name: String) -> Program? { Program(name, orIn: folders) }

  /// The user that the server runs as instead of root, which PostgreSQL refuses.
  private static var otherUser: (name: String, id: uid_t, group: gid_t)? {
    for name in ["postgres", "nobody"] {
      if let user = getpwnam(name) { return (name, user.pointee.pw_uid, user.pointee.pw_gid) }
    }
    return nil
  }

  /// Why there can be no server here; nil if there can be one.
  static let obstacle: String? = {
    for name in ["initdb", "pg_ctl", "psql"] where program(name) == nil {
      return "needs \(name) of PostgreSQL"
    }
    guard getuid() == 0 else { return nil }
    if otherUser == nil {
      return "PostgreSQL refuses root, and there is no user postgres or nobody"
    }
    return Program("runuser") == nil ? "PostgreSQL refuses root, and needs runuser" : nil
  }()

  // MARK: - Start and end

  /// What the shell does. Its arguments: the folder, initdb, pg_ctl.
  private static let script = """
    folder=$1 initdb=$2 pg_ctl=$3 PATH=$PATH:/usr/bin:/bin
    stop() {
      cd /
      "$pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1
      rm -rf "$folder"
    }
    trap stop EXIT
    trap exit HUP INT TERM PIPE
    cd "$folder" &&
    "$initdb" -D data -U tester -A trust -E UTF8 --locale=C --no-sync >log 2>&1 &&
    "$pg_ctl" -D data -w -l log -o "-k '$folder' -p 5432 -c listen_addresses= -F" start >>log 2>&1 ||
    { cat log; exit 1; }
    echo ready
    read line
    """

  /// Creates a cluster and starts its server.
  init() async throws {
    // The path of a socket is short.
    let path = FileManager.default.temporaryDirectory
      .appending(path: "pg-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    folder = path.path
    psql = try #require(PostgresServer.program("psql"))
    let initdb = try #require(PostgresServer.program("initdb"))
    let control = try #require(PostgresServer.program("pg_ctl"))
    var command = ["/bin/sh", "-c", PostgresServer.script, "sh", folder, initdb.path, control.path]
    if getuid() == 0 {
      let user = try #require(PostgresServer.otherUser)
      try #require(chown(folder, user.id, user.group) == 0)
      command = [try #require(Program("runuser")).path, "-u", user.name, "--"] + command
    }
    let process = Process()
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.currentDirectoryURL = path
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    self.input = input.fileHandleForWriting
    let (ends, end) = AsyncStream<Void>.makeStream()
    self.ends = ends
    process.terminationHandler = { _ in end.finish() }
    try process.run()
    let text = await PostgresServer.firstText(of: output.fileHandleForReading)
    let isReady = text == "ready\n"
    if !isReady { await stop() }
    try #require(isReady, "PostgreSQL does not start: \(text)")
  }

  /// What is written up to the line "ready", or else up to the end.
  private static func firstText(of file: FileHandle) async -> String {
    await withCheckedContinuation { continuation in
      // Reading blocks, which a thread of the tests must not do.
      Thread.detachNewThread {
        var data = Data()
        while !data.elementsEqual(Data("ready\n".utf8)) {
          let piece = file.availableData
          if piece.isEmpty { break }
          data += piece
        }
        continuation.resume(returning: String(decoding: data, as: UTF8.self))
      }
    }
  }

  /// Stops the server, and waits until its folder is removed.
  func stop() async {
    try? input.close()
    for await _ in ends {}
  }

  // MARK: - Queries

  private static let separator = "\u{1F}"
  private static let end = "\u{1E}"
  private static let null = "\u{2400}"

  /// The command of a script that marks the end of the rows of a SELECT.
  static let endOfRows = "\\echo \(end)"

  /// Runs a script.
  ///
  /// - Parameter folder: where temporary files are.
  /// - Returns: the rows before each ``endOfRows``. Text that reads like an integer is taken for one.
  /// - Throws: ``ProgramFailure`` at the first error.
  func results(of script: String, in folder: String) async throws -> [SharedRows] {
    let output = try await psql.run(
      [
        "-h", self.folder, "-p", "5432", "-U", "tester", "-d", "postgres", "--no-psqlrc", "-qA",
        "-F", PostgresServer.separator, "-P", "null=\(PostgresServer.null)", "-P", "footer=off",
        "-v", "ON_ERROR_STOP=1",
      ], input: "SET client_encoding TO 'UTF8';\n" + script, in: folder)
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return lines.split(separator: PostgresServer.end[...], omittingEmptySubsequences: false)
      .dropLast().map { lines in
        let rows = lines.map {
          $0.split(separator: PostgresServer.separator, omittingEmptySubsequences: false)
        }
        return SharedRows(
          columns: (rows.first ?? []).map(String.init),
          rows: rows.dropFirst().map { $0.map(PostgresServer.value) })
      }
  }

  private static func value(_ text: Substring) -> Value {
    if text == null { return .null }
    return Int64(text).map { .integer($0) } ?? .text(String(text))
  }
}

/// Starts a PostgreSQL server before a suite and stops it after the suite.
struct PostgresTrait: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let server = try await PostgresServer()
    do {
      try await PostgresServer.$current.withValue(server) { try await function() }
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }
}

extension Trait where Self == PostgresTrait {
  /// The suite has a PostgreSQL server, ``PostgresServer/current``.
  static var postgres: PostgresTrait { PostgresTrait() }
}
