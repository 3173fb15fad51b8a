#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

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
  /// - Throws: `FetchError` of code `.invalidRecord` that names what is missing or has another
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
  /// - Throws: `FetchError` of code `.invalidRecord` if it is not an object.
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
