import CLibrary
import Foundation
import NIOCore
import Testing

/// An answer of the server.
struct Answer {
  let status: Int
  /// The headers, by names in lowercase.
  let headers: [String: String]
  var body: [UInt8] = []

  var text: String { String(decoding: body, as: UTF8.self) }

  var json: [String: Any] {
    get throws {
      try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any], "\(text)")
    }
  }
}

/// An event of the server.
struct ServerEvent {
  let name: String
  /// The name of the window.
  let window: String
  /// The last move that the event includes.
  let move: Int
  /// The event without the line that is only for this client.
  let bytes: [UInt8]
  let json: [String: Any]
}

/// A connection to a server on this machine, read as a browser does.
final class TestClient {
  struct Closed: Error {}

  private let port: UInt16
  private let descriptor: Int32
  /// Calls of the system that wait do so here.
  private let queue = DispatchQueue(label: "TestClient")
  private var buffer: [UInt8] = []
  /// The content of chunks that is not read yet.
  private var content: [UInt8] = []

  /// - Parameter size: the number of bytes that may wait to be read; nil for the system's choice.
  init(port: UInt16, receiving size: Int32? = nil) async throws {
    self.port = port
    let descriptor = socket(AF_INET, streamSocket, 0)
    self.descriptor = descriptor
    if var size {
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
    }
    let address = try SocketAddress(ipAddress: "127.0.0.1", port: Int(port))
    try await run {
      address.withSockAddr { Int(connect(descriptor, $0, socklen_t($1))) }
    }
  }

  deinit { close(descriptor) }

  /// Runs a call of the system, and throws if it returns a negative number.
  @discardableResult
  private func run(_ call: @escaping @Sendable () -> Int) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      queue.async {
        let result = call()
        if result >= 0 {
          continuation.resume(returning: result)
        } else {
          continuation.resume(throwing: POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
        }
      }
    }
  }

  /// Sends bytes as they are.
  func send(bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      rest = rest.dropFirst(
        try await run { [descriptor, rest] in
          rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count) }
        })
    }
  }

  func send(
    _ path: String, _ headers: [String: String] = [:], method: String = "GET", body: [UInt8] = []
  ) async throws {
    var headers = headers
    if !body.isEmpty { headers["Content-Length"] = String(body.count) }
    if headers["Host"] == nil { headers["Host"] = "127.0.0.1:\(port)" }
    let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
    try await send(bytes: Array("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n".utf8) + body)
  }

  private func fill() async throws {
    let piece = Piece()
    let count = try await run { [descriptor, piece] in
      piece.bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    }
    guard count > 0 else { throw Closed() }
    buffer += piece.bytes[..<count]
  }

  /// Where a call of the system puts what it reads. Unchecked: the caller waits meanwhile.
  private final class Piece: @unchecked Sendable {
    var bytes = [UInt8](repeating: 0, count: 65_536)
  }

  private func line() async throws -> String {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end + 1)
        return line.hasSuffix("\r\n") ? String(line.dropLast()) : line.replacing("\r", with: "")
      }
      try await fill()
    }
  }

  func bytes(_ count: Int) async throws -> [UInt8] {
    while buffer.count < count { try await fill() }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  func head() async throws -> Answer {
    let status = try await line().split(separator: " ")
    var headers: [String: String] = [:]
    while case let line = try await line(), !line.isEmpty {
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    return Answer(status: try #require(Int(status[1])), headers: headers)
  }

  func answer() async throws -> Answer {
    var answer = try await head()
    if answer.headers["transfer-encoding"] == "chunked" {
      while let chunk = try await chunk() { answer.body += chunk }
    } else {
      answer.body = try await bytes(Int(answer.headers["content-length"] ?? "0") ?? 0)
    }
    return answer
  }

  /// The next chunk of a body; nil after the last.
  func chunk() async throws -> [UInt8]? {
    let count = try #require(Int(try await line(), radix: 16))
    let chunk = try await bytes(count)
    _ = try await line()
    return count > 0 ? chunk : nil
  }

  /// The next event; comments are skipped. Nil at the end.
  func event() async throws -> ServerEvent? {
    while true {
      if let end = content.firstRange(of: Array("\n\n".utf8)) {
        let block = Array(content[..<end.upperBound])
        content.removeFirst(end.upperBound)
        let lines = String(decoding: block, as: UTF8.self).split(separator: "\n")
        func value(_ name: String) -> String? {
          lines.first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
        }
        guard let name = value("event"), let data = value("data") else { continue }
        let json = try JSONSerialization.jsonObject(with: Data(data.utf8))
        let id = try #require(value("id")).split(separator: " ")
        try #require(id.count == 2)
        return ServerEvent(
          name: name, window: String(id[0]), move: try #require(Int(id[1])),
          bytes: Array(block.drop { $0 != 10 }), json: try #require(json as? [String: Any]))
      }
      guard let chunk = try await chunk() else { return nil }
      content += chunk
    }
  }

  /// The next event, which must have a name.
  func event(_ name: String) async throws -> ServerEvent {
    let event = try #require(try await event())
    try #require(event.name == name, "\(String(decoding: event.bytes, as: UTF8.self))")
    return event
  }
}

// With another name, as `send` inside the class would find the method.
private func systemSend(
  _ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int
) -> Int {
  send(descriptor, start, count, noSignal)
}

#if canImport(Darwin)
  private let streamSocket = SOCK_STREAM
  private let noSignal: Int32 = 0
#elseif canImport(Glibc)
  private let streamSocket = Int32(SOCK_STREAM.rawValue)
  private let noSignal = Int32(MSG_NOSIGNAL)
#else
  private let streamSocket = SOCK_STREAM
  private let noSignal = MSG_NOSIGNAL
#endif
