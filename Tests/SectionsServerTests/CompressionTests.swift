import Foundation
import Testing

@testable import SectionsServer

/// Answers as gzip.
@Suite(.timeLimit(.minutes(10))) struct CompressionTests {
  private static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, x TEXT, data BLOB);
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO item SELECT i, 'a text of some length ' || i, NULL FROM n;
    UPDATE item SET data = zeroblob(5000) WHERE id = 1;
    """

  private static let gzip = ["Accept-Encoding": "br, GZIP;q=0.5"]

  /// What `gunzip` makes of bytes.
  private func expanded(_ bytes: [UInt8]) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["gzip", "-dc"]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    DispatchQueue.global().async {
      try? input.fileHandleForWriting.write(contentsOf: Data(bytes))
      try? input.fileHandleForWriting.close()
    }
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return [UInt8](data)
  }

  @Test(arguments: [
    "/?source=item", "/schema", "/assets/page.js", "/api/sources", "/api/rows?source=item",
    "/api/export?source=item&format=csv", "/api/export?source=item&format=ndjson",
  ])
  func aTextIsCompressedForWhoTakesThat(_ path: String) async throws {
    let server = try await TestServer(Self.schema)
    let plain = try await server.get(path)
    let answer = try await server.get(path, Self.gzip)
    guard plain.body.count > 1_200 else {
      #expect(answer.headers["content-encoding"] == nil)
      return
    }
    #expect(answer.headers["content-encoding"] == "gzip")
    #expect(answer.body.count * 2 < plain.body.count)
    #expect(try expanded(answer.body) == plain.body)
    for one in [plain, answer] { #expect(one.headers["vary"] == "Accept-Encoding") }
    #expect(plain.headers["content-encoding"] == nil)
    for value in ["identity", "gzip;q=0", "gzip; q=0.0", "xgzip", ""] {
      let other = try await server.get(path, ["Accept-Encoding": value])
      #expect(other.headers["content-encoding"] == nil)
    }
    guard let tag = answer.headers["etag"] else { return }
    #expect(tag == "W/\(plain.headers["etag"] ?? "")")
    for tag in [tag, String(tag.dropFirst(2))] {
      let known = try await server.get(path, Self.gzip.merging(["If-None-Match": tag]) { $1 })
      #expect(known.status == 304 && known.body.isEmpty)
    }
  }

  @Test func aPieceOfAnyLengthIsCompressed() throws {
    let bytes = (0..<5_000_001).map { UInt8(truncatingIfNeeded: $0 / 251 &* 7) }
    let stream = try GZipStream()
    var packed = try stream.compress([], ends: false)
    packed += try stream.compress(bytes, ends: false)
    packed += try stream.compress(bytes, ends: true)
    #expect(try expanded(packed) == bytes + bytes)
  }

  @Test func blobsAndEventsAreNotCompressed() async throws {
    let server = try await TestServer(Self.schema)
    for column in ["data", "x"] {
      let blob = try await server.get("/api/blob?source=item&key=1&column=\(column)", Self.gzip)
      #expect(blob.status == 200 && blob.headers["content-encoding"] == nil)
    }
    let client = try await server.events("/api/events?source=item", Self.gzip)
    #expect(try await client.event("window").json["rows"] as? Int == 20_000)
  }
}
