import Foundation
import TestProcesses
import Testing

@testable import SectionsServer

/// Values that are read in pieces while they are sent.
@Suite(.timeLimit(.minutes(20))) struct LongValueTests {
  private static let length = 48_000_000

  private static let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, x, more);
    CREATE TABLE k(a TEXT, b TEXT, x BLOB, PRIMARY KEY (a, b));
    CREATE TABLE w(id INTEGER PRIMARY KEY, x, y AS (x || 'y')) WITHOUT ROWID;
    CREATE VIEW v AS SELECT * FROM t;
    INSERT INTO t VALUES (1, zeroblob(\(length)), 'a'), (2, replace(hex(zeroblob(1500000)), '0', 'ä'), 'b');
    INSERT INTO k VALUES ('a', 'b', x'89504E470D0A1A0A00'), (NULL, 'b', x'01');
    INSERT INTO w(id, x) VALUES (1, 'text');
    """

  @Test func aLongTextIsSentWhole() async throws {
    let server = try await TestServer(Self.schema)
    for source in ["t", "v"] {
      let answer = try await server.get("/api/blob?source=\(source)&key=2&column=x")
      #expect(answer.headers["content-length"] == "6000000")
      #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
      #expect(answer.text == String(repeating: "ä", count: 3_000_000))
    }
  }

  @Test func aPartOfALongValueIsSent() async throws {
    let server = try await TestServer(Self.schema)
    let path = "/api/blob?source=t&key=2&column=x"
    let part = try await server.get(path, ["Range": "bytes=1000000-2999999"])
    #expect(part.status == 206)
    #expect(part.headers["content-range"] == "bytes 1000000-2999999/6000000")
    #expect(part.text == String(repeating: "ä", count: 1_000_000))
  }

  /// For each piece, SQLite goes through what is before it.
  @Test(
    arguments: [
      0..<0, 0..<1, 0..<65_537, 5..<48_000_000, 0..<1_000_000_000, 999_000_000..<1_000_000_000,
    ])
  func aLongValueIsReadInFewPieces(_ range: Range<Int>) {
    let pieces = Array(ValueExport.pieces(of: range))
    #expect(pieces.first?.lowerBound == range.first)
    #expect(pieces.last?.upperBound == (range.isEmpty ? nil : range.upperBound))
    #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    #expect(pieces.allSatisfy { 1...8_388_608 ~= $0.count })
    // Pieces of 64 KiB would be 732 and 15,259.
    #expect(pieces.count <= (range.upperBound <= 48_000_000 ? 90 : 220))
  }

  @Test func valuesAreFoundByAnyKey() async throws {
    let server = try await TestServer(Self.schema)
    let image = try await server.get("/api/blob?source=k&key='a','b'&column=x")
    #expect(image.headers["content-type"] == "image/png")
    #expect(image.body.count == 9)
    #expect(try await server.get("/api/blob?source=k&key=n,'b'&column=x").body == [1])
    #expect(try await server.get("/api/blob?source=w&key=1&column=x").text == "text")
    #expect(try await server.get("/api/blob?source=w&key=1&column=y").text == "texty")
    #expect(try await server.get("/api/blob?source=t&key=1&column=id").status == 400)
    // The row must be in the list.
    #expect(try await server.get("/api/blob?source=t&where=id:gt:1&key=1&column=x").status == 404)
  }

  @Test func aValueStaysThatOfItsVersionWhileItIsSent() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await TestClient(port: server.port, receiving: 65_536)
    try await client.send("/api/blob?source=t&key=1&column=x")
    let head = try await client.head()
    #expect(head.headers["content-length"] == "\(Self.length)")
    try server.write("UPDATE t SET x = NULL WHERE id = 1")
    let body = try await client.bytes(Self.length)
    #expect(Data(body) == Data(count: Self.length))
  }

  #if os(Linux)
    /// In a process of its own: other tests would change its size.
    @Test(.enabled(if: !Sanitizer.keepsFreedMemory, "the address sanitizer keeps what was freed"))
    func aValueThatIsNotReadIsNotInMemory() async {
      await #expect(processExitsWith: .success) {
        let server = try await TestServer(LongValueTests.schema)
        _ = try await server.get("/api/rows?source=t&count=1&columns=id")
        let before = try LongValueTests.residentSize()
        var clients: [TestClient] = []
        for _ in 0..<4 {
          let client = try await TestClient(port: server.port, receiving: 65_536)
          try await client.send("/api/blob?source=t&key=1&column=x")
          #expect(try await client.head().status == 200)
          clients.append(client)
        }
        try await Task.sleep(for: .milliseconds(500))
        // Four values would take 192 MB.
        #expect(try LongValueTests.residentSize() - before < 100_000_000)
        withExtendedLifetime(clients) {}
      }
    }

    private static func residentSize() throws -> Int {
      let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      return try #require(Int(text.split(separator: " ")[1])) * 4_096
    }
  #endif
}
