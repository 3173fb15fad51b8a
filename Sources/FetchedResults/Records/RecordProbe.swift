internal import SQLiteStorage

/// A coding key of a record, with the two values that samples of the record have for it.
struct ProbedKey: Sendable {
  let name: String
  let coding: any AnyColumnCoding
  /// Whether there is a second value that differs from the first.
  let canVary: Bool
  /// Whether the value of a property is the first or the second value of the key, or its raw value.
  let isFirst: @Sendable (Any) -> Bool
  let isSecond: @Sendable (Any) -> Bool
}

/// Decodes samples of a record, and notes which keys are decoded, and as which types.
final class RecordProbe {
  /// The keys in the order in which they were decoded first.
  private(set) var keys: [ProbedKey] = []
  private var varied: String?
  private var refusal: String?

  /// Decodes a sample in which each key has its first value, and `varied` its second.
  func sample<Record: Decodable>(_ type: Record.Type, varying varied: String?) throws -> Record {
    self.varied = varied
    guard !(type is AnyObject.Type) else {
      throw FetchError.unknownColumns(type, "it is a class")
    }
    do {
      let record = try Record(from: Root(probe: self))
      if let refusal { throw FetchError.unknownColumns(type, refusal) }
      return record
    } catch let error as FetchError {
      throw error
    } catch {
      throw FetchError.unknownColumns(
        type, refusal ?? "its init(from:) does not accept them (\(error))")
    }
  }

  /// Notes what prevents the columns from being known, as the record may catch an error.
  fileprivate func refuse(_ reason: String) -> SampleError {
    refusal = refusal ?? reason
    return SampleError(reason: reason)
  }

  fileprivate func value<Property: Decodable>(
    _ type: Property.Type, _ key: any CodingKey
  ) throws -> Property {
    let name = key.stringValue
    let first: Property
    do {
      first = try Sample.value(type, .first)
    } catch {
      throw refuse("a \(type) for the coding key \(name) cannot be made (\(error))")
    }
    let second = try? Sample.value(type, .second)
    if !keys.contains(where: { $0.name.exact == name.exact }) {
      let isFirst = Sample.matcher(first)
      let coding = ColumnCoding<Property>.make(type, isNested: Sample.isNested(type))
      var canVary = false
      var isSecond = isFirst
      if let second {
        canVary = !isFirst(second)
        isSecond = Sample.matcher(second)
      }
      keys.append(
        ProbedKey(
          name: name, coding: coding, canVary: canVary, isFirst: isFirst, isSecond: isSecond))
    }
    return name.exact == varied?.exact ? second ?? first : first
  }
}

/// Why a sample cannot be made.
struct SampleError: Error, CustomStringConvertible {
  let reason: String
  var description: String { reason }
}

extension RecordProbe {
  fileprivate struct Root: Decoder, PathlessCoder {
    let probe: RecordProbe

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
      KeyedDecodingContainer(Keyed(probe: probe))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
      throw probe.refuse("it is decoded from a list, not by keys")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
      throw probe.refuse("it is decoded from a single value, not by keys")
    }
  }

  /// The values of a sample. One generic method is the witness of all requirements of its name.
  fileprivate struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol, PathlessCoder {
    let probe: RecordProbe
    var allKeys: [Key] {
      _ = probe.refuse("its init(from:) asks for all keys")
      return []
    }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }
    func decode<Property: Decodable>(_ type: Property.Type, forKey key: Key) throws -> Property {
      try probe.value(type, key)
    }
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { throw nested(key) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw nested(key)
    }
    func superDecoder() throws -> any Decoder { throw probe.refuse("it decodes a superclass") }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw nested(key) }

    private func nested(_ key: Key) -> SampleError {
      probe.refuse("its init(from:) decodes the parts of the coding key \(key.stringValue) itself")
    }
  }
}
