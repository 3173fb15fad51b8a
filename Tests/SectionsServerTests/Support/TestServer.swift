import Foundation
import SQLiteStorage
import Testing

@testable import SectionsServer

/// A server of this process, with a database in a folder of its own.
final class TestServer: Sendable {
  let path: String
  let database: Database
  let port: UInt16
  private let folder: String
  private let task: Task<Void, any Error>

  /// - Parameter script: makes the content.
  init(
    _ script: String, journalMode: String = "WAL",
    _ change: (inout ServerOptions) -> Void = { _ in }
  ) async throws {
    folder =
      FileManager.default.temporaryDirectory
      .appending(path: "SectionsServerTests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/test.db"
    var configuration = Database.Configuration()
    configuration.usesWAL = journalMode == "WAL"
    database = try Database(path: path, configuration: configuration)
    try database.withWriter { try $0.execute(script: script) }
    (port, task) = try await Self.start(path, change)
  }

  private init(of other: TestServer) async throws {
    folder = other.folder
    path = other.path
    database = other.database
    (port, task) = try await Self.start(path) { _ in }
  }

  private static func start(
    _ path: String, _ change: (inout ServerOptions) -> Void
  ) async throws -> (UInt16, Task<Void, any Error>) {
    var options = ServerOptions(databaseName: "test.db", toolVersion: "1.2.3")
    options.port = 0
    // Tests run beside others: only those of a limit should meet it.
    options.limits.requestTime = .seconds(600)
    options.limits.readTime = .seconds(600)
    options.limits.queryTime = .seconds(600)
    options.limits.countTime = .seconds(600)
    change(&options)
    let server = SectionsServer(options) { prepare in
      var configuration = Database.Configuration()
      configuration.usesWAL = false
      configuration.copiesLongLogs = true
      configuration.prepareConnection = prepare
      return try Database(path: path, access: .readOnly, configuration: configuration)
    }
    let (ports, continuation) = AsyncStream.makeStream(of: UInt16.self)
    let task = Task {
      defer { continuation.finish() }
      try await server.run { continuation.yield($0) }
    }
    guard let listening = await ports.first(where: { _ in true }) else {
      try await task.value
      throw ServerEnded()
    }
    return (listening, task)
  }

  struct ServerEnded: Error {}

  /// Ends the server, and starts another one for the same file.
  func restarted() async throws -> TestServer {
    await stop()
    return try await TestServer(of: self)
  }

  /// Ends the server.
  func stop() async {
    task.cancel()
    _ = await task.result
  }

  deinit {
    task.cancel()
    try? FileManager.default.removeItem(atPath: folder)
  }

  func write(_ script: String) throws {
    try database.write { try $0.execute(script: script) }
  }

  /// - Returns: whether the log could be copied to its end: only if nobody holds an older version.
  func copyLog() throws -> Bool {
    let log = try database.withWriter { connection in
      try connection.rows("PRAGMA wal_checkpoint(PASSIVE)")[0].values
    }
    return log[1] == log[2]
  }
}

extension TestServer {
  /// Where a server listens.
  struct Address {
    let port: UInt16

    /// Sends a request, and reads the whole answer.
    func get(
      _ path: String, _ headers: [String: String] = [:], method: String = "GET"
    ) async throws -> Answer {
      let client = try await TestClient(port: port)
      try await client.send(path, headers, method: method)
      return try await client.answer()
    }
  }

  /// Sends a request, and reads the whole answer.
  func get(
    _ path: String, _ headers: [String: String] = [:], method: String = "GET"
  ) async throws -> Answer {
    try await Address(port: port).get(path, headers, method: method)
  }

  /// The JSON of an answer that must be 200.
  func json(_ path: String) async throws -> [String: Any] {
    let answer = try await get(path)
    try #require(answer.status == 200, "\(path): \(answer.text)")
    return try answer.json
  }

  /// Moves a window of a stream. Returns the status.
  @discardableResult
  func move(_ window: String, _ number: Int, to place: String) async throws -> Int {
    try await get("/api/windows/\(window)?\(place)&move=\(number)", method: "POST").status
  }

  /// Opens a window in a stream. Returns the status.
  func put(_ window: String, _ place: String) async throws -> Int {
    try await get("/api/windows/\(window)?\(place)", method: "PUT").status
  }

  /// A client that receives events.
  func events(
    _ path: String, _ headers: [String: String] = [:], receiving size: Int32? = nil
  ) async throws -> TestClient {
    let client = try await TestClient(port: port, receiving: size)
    try await client.send(path, headers)
    let head = try await client.head()
    try #require(head.status == 200)
    return client
  }
}
