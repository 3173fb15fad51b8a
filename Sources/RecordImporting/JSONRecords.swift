@_exported public import Basics
internal import FetchedResults
internal import SmallFoundation

/// The records of a JSON text: the elements of an array, which should be objects.
///
/// ```swift
/// let records = try JSONRecords(bytes)
/// for record in records { print(record.number, record.line) }
/// ```
///
/// The whole text is checked first, so that no record of a truncated text is used. In memory are the text, the current
/// record, and the place of each record: 24 bytes a record.
///
/// Sendable: a plain value.
public struct JSONRecords: Sendable {
  /// The place of a record in the text.
  private struct Extent {
    let start: Int
    let end: Int
    let line: Int
  }

  private let bytes: [UInt8]
  private let extents: [Extent]

  /// Checks a text.
  ///
  /// Complexity: O(bytes).
  ///
  /// - Parameter bytes: UTF-8, with or without a byte order mark.
  /// - Throws: if the text is not JSON, or not an array.
  public init(_ bytes: some Sequence<UInt8>) throws(JSONSyntaxError) {
    self.bytes = Array(bytes)
    var scanner = JSONScanner(self.bytes)
    var extents: [Extent] = []
    scanner.skipSpace()
    guard scanner.skip("[") else {
      // Many tools write such files.
      let isObject = scanner.next == UInt8(ascii: "{")
      throw scanner.unexpected(
        "'[' at the start of an array of records",
        nextStep: isObject
          ? "Put the objects into an array: one object per line (NDJSON) is not read" : nil)
    }
    scanner.skipSpace()
    var isOpen = !scanner.skip("]")
    while isOpen {
      scanner.skipSpace()
      let (start, line) = (scanner.position, scanner.line)
      _ = try scanner.value(depth: 1)
      extents.append(Extent(start: start, end: scanner.position, line: line))
      scanner.skipSpace()
      isOpen = scanner.skip(",")
      guard isOpen || scanner.skip("]") else { throw scanner.unexpected("',' or ']'") }
    }
    scanner.skipSpace()
    guard scanner.next == nil else { throw scanner.unexpected("the end of the text") }
    self.extents = extents
  }
}

extension JSONRecords: RandomAccessCollection {
  /// The index of the first record, 0.
  public var startIndex: Int { 0 }
  /// The number of records.
  public var endIndex: Int { extents.count }

  /// The record at an index, which must be less than the number of records.
  public subscript(index: Int) -> JSONRecord {
    let extent = extents[index]
    return JSONRecord(
      number: index + 1, line: extent.line, bytes: bytes[extent.start..<extent.end])
  }
}

/// A record of a JSON text, with its place in the text.
///
/// ```swift
/// for record in try JSONRecords(bytes) { tracks.append(try record.decode(Track.self)) }
/// ```
///
/// Sendable: a plain value.
public struct JSONRecord: Sendable {
  /// The number of the record, counted from 1.
  public let number: Int
  /// The line where the record begins, counted from 1.
  public let line: Int
  /// The bytes of the record, unchanged.
  public let bytes: ArraySlice<UInt8>

  /// Decodes a value of a type from the record.
  ///
  /// - Throws: `FetchError` with code `.invalidRecord` that names what is missing or has another
  ///   type; the error of the type's initialiser.
  public func decode<Record: Decodable>(_ type: Record.Type = Record.self) throws -> Record {
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch let error as DecodingError {
      throw FetchError.invalidRecord(error.summary)
    }
  }

  /// The names and values of the record.
  ///
  /// - Throws: `FetchError` with code `.invalidRecord` if it is not an object.
  func members() throws -> [JSONValue.Member] {
    var scanner = JSONScanner(Array(bytes))
    let value = try scanner.value()
    guard case .object(let members) = value else {
      throw FetchError.invalidRecord("a record must be an object, not \(value.summary)")
    }
    return members
  }
}

extension FetchError {
  /// The error for a record that cannot be imported.
  static func invalidRecord(_ message: String) -> FetchError {
    FetchError(.invalidRecord, message, nextStep: "Correct the record, and import it alone")
  }
}

extension DecodingError {
  /// The problem, in words that are the same on all systems.
  fileprivate var summary: String {
    switch self {
    case .keyNotFound(let key, let context):
      "\((context.codingPath + [key]).joined) is missing"
    case .valueNotFound(let type, let context):
      "\(context.codingPath.joined) must be \(type), not null"
    case .typeMismatch(let type, let context):
      "\(context.codingPath.joined) must be \(type)"
    case .dataCorrupted(let context):
      "\(context.codingPath.joined): \(context.debugDescription)"
    @unknown default: "\(self)"
    }
  }
}

extension [any CodingKey] {
  /// The names of the path, separated by dots.
  fileprivate var joined: String {
    isEmpty ? "a record" : map(\.stringValue).joined(separator: ".")
  }
}

/// Where and why a text is not JSON, or not an array of records.
///
/// ```swift
/// do {
///   let records = try JSONRecords(bytes)
/// } catch {
///   print(error.line, error.message)  // 3 expected ',' or ']' but found '}'
/// }
/// ```
///
/// Sendable: a plain value.
public struct JSONSyntaxError: DescribedError, Hashable, Sendable {
  /// The line, counted from 1.
  public let line: Int
  /// The column in the line, counted from 1 in Unicode scalars.
  public let column: Int
  /// The number of bytes before the error in the whole text.
  public let offset: Int
  /// The problem, without the place.
  public let message: String
  /// What to do next.
  public let nextStep: String?
}

extension JSONSyntaxError {
  /// The place, the problem and the next step.
  public var description: String {
    let place = "line \(line), column \(column): \(message)"
    return nextStep.map { "\(place). \($0)" } ?? place
  }
  /// The place and the problem.
  public var errorDescription: String? { "line \(line), column \(column): \(message)" }
}
