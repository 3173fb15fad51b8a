/// Notes how a value is decoded.
final class SampleLog {
  /// Whether the value has parts: the first container is keyed or unkeyed; nil if there was none.
  var isNested: Bool? { didSet { isNested = oldValue ?? isNested } }
}

/// Decodes a sample of a value that is not known: every part is a sample, and a list is empty in the
/// first sample and has one element in the second.
struct SampleDecoder: Decoder, PathlessCoder {
  private let sample: Sample
  private let depth: Int
  private let log: SampleLog

  init(_ sample: Sample, depth: Int, log: SampleLog) {
    self.sample = sample
    self.depth = depth
    self.log = log
  }

  /// Below it lists are empty and optional values nil, so that a type ends that contains itself in them.
  private static let maximumDepth = 4
  private var isDeep: Bool { depth >= SampleDecoder.maximumDepth }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    log.isNested = true
    return KeyedDecodingContainer(Keyed(decoder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    log.isNested = true
    return List(decoder: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  private func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try Sample.value(type, sample, depth: depth + 1)
  }

  private var inner: SampleDecoder { SampleDecoder(sample, depth: depth + 1, log: log) }
}

// One generic method is the witness of all requirements of its name.
extension SampleDecoder {
  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol, PathlessCoder {
    let decoder: SampleDecoder
    /// One case of an enumeration of keys. The keys of a dictionary are none, or one.
    var allKeys: [Key] {
      if let key = Sample.plainCase(of: Key.self, decoder.sample) { return [key] }
      if decoder.sample == .first || decoder.isDeep { return [] }
      return [Key(stringValue: String.samples.second) ?? Key(intValue: Int.samples.second)]
        .compactMap(\.self)
    }

    func contains(_ key: Key) -> Bool { !decoder.isDeep }
    func decodeNil(forKey key: Key) -> Bool { decoder.isDeep }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try decoder.value(type)
    }
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedDecodingContainer<NestedKey> { decoder.inner.container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
      decoder.inner.unkeyedContainer()
    }
    func superDecoder() -> any Decoder { decoder.inner }
    func superDecoder(forKey key: Key) -> any Decoder { decoder.inner }
  }

  private struct List: UnkeyedDecodingContainer, PathlessCoder {
    let decoder: SampleDecoder
    var currentIndex = 0
    var count: Int? { decoder.sample == .first || decoder.isDeep ? 0 : 1 }
    var isAtEnd: Bool { currentIndex >= count ?? 0 }

    init(decoder: SampleDecoder) { self.decoder = decoder }

    mutating func decodeNil() -> Bool { false }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      currentIndex += 1
      return try decoder.value(type)
    }
    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) -> KeyedDecodingContainer<NestedKey> {
      currentIndex += 1
      return decoder.inner.container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
      currentIndex += 1
      return decoder.inner.unkeyedContainer()
    }
    mutating func superDecoder() -> any Decoder {
      currentIndex += 1
      return decoder.inner
    }
  }

  private struct Single: SingleValueDecodingContainer, PathlessCoder {
    let decoder: SampleDecoder

    func decodeNil() -> Bool { decoder.isDeep }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      // A type around a list is stored as the list is.
      decoder.log.isNested = Sample.isNested(type, depth: decoder.depth + 1)
      return try decoder.value(type)
    }
  }
}
