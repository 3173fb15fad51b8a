internal import SmallFoundation
internal import SQLiteStorage

/// Two different values of a type, to be decoded in samples of a record.
///
/// The texts are changed by whatever an `init(from:)` may do with a text before it stores the result
/// in another property: folding its case, taking its beginning. So such a property is not taken for
/// the column.
protocol SampledValue {
  static var samples: (first: Self, second: Self) { get }
}

/// Makes the two values of any type that can be decoded.
enum Sample {
  case first, second

  /// One of the two values of a type. They may be equal, if the type has one value only.
  ///
  /// - Throws: an error of the type's initialiser, and ``SampleError`` for a type that contains itself in
  ///   each of its values that can be made, as an enumeration may.
  static func value<Value: Decodable>(
    _ type: Value.Type, _ sample: Sample, depth: Int = 0
  ) throws -> Value {
    guard depth < maximumDepth else { throw SampleError(reason: "\(type) contains itself") }
    if let sampled = type as? any SampledValue.Type,
      let value = known(sampled, sample) as? Value
    {
      return value
    }
    if let cases = type as? any CaseIterable.Type {
      if let value = listed(cases, sample) as? Value { return value }
    } else if let value = plainCase(of: type, sample) {
      return value
    }
    return try Value(from: SampleDecoder(sample, depth: depth, log: SampleLog()))
  }

  /// The number of values inside of each other at which a type is taken for one without an end.
  private static let maximumDepth = 32

  private static func known<Value: SampledValue>(_ type: Value.Type, _ sample: Sample) -> Any {
    sample == .first ? type.samples.first : type.samples.second
  }

  private static func listed<Value: CaseIterable>(_ type: Value.Type, _ sample: Sample) -> Any? {
    let cases = type.allCases
    return sample == .first ? cases.first : cases.dropFirst().first ?? cases.first
  }

  /// One of the first two cases of an enumeration without associated values; nil for any other type.
  ///
  /// Their raw values are not known, so they are made as Swift represents them: by the number of the
  /// case, in one byte, or in none if there is one case. A value of any type of that size may have these
  /// bytes; whether it is such a case its mirror tells.
  ///
  /// Source: [Type Layout](https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeLayout.rst).
  static func plainCase<Value>(of type: Value.Type, _ sample: Sample) -> Value? {
    let value: Value
    switch MemoryLayout<Value>.size {
    case 0: value = unsafeBitCast((), to: Value.self)
    case 1: value = unsafeBitCast(sample == .first ? 0 : 1 as UInt8, to: Value.self)
    default: return nil
    }
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .enum && mirror.children.isEmpty ? value : nil
  }

  /// Whether a type is decoded from a keyed or an unkeyed container, and does not fit in a column as it is.
  static func isNested<Value: Decodable>(_ type: Value.Type, depth: Int = 0) -> Bool {
    guard !(type is any ColumnValue.Type), depth < maximumDepth else { return false }
    let log = SampleLog()
    // It may fail: an enumeration does not accept a sample as its raw value.
    _ = try? Value(from: SampleDecoder(.first, depth: depth, log: log))
    return log.isNested == true
  }

  /// Returns whether a value equals a sample. A raw value may be equal in place of the value.
  static func matcher<Value>(_ sample: Value) -> @Sendable (Any) -> Bool {
    // Values are compared by what they show: samples need not be Equatable or Sendable.
    let expected = shown(sample)
    return { value in
      if let value = value as? Value { return shown(value) == expected }
      guard let value = value as? any RawRepresentable, let raw = value.rawValue as? Value else {
        return false
      }
      return shown(raw) == expected
    }
  }

  private static func shown(_ value: some Any) -> String {
    if let value = value as? any ColumnValue { return "\(value.columnValue)" }
    var text = ""
    dump(value, to: &text)
    return text
  }
}

// MARK: - Known values

extension String: SampledValue {
  static var samples: (first: String, second: String) { ("aB10", "cD25") }
}
extension Bool: SampledValue {
  static var samples: (first: Bool, second: Bool) { (false, true) }
}
extension Double: SampledValue {
  static var samples: (first: Double, second: Double) { (10, 25) }
}
extension Float: SampledValue {
  static var samples: (first: Float, second: Float) { (10, 25) }
}
extension FixedWidthInteger where Self: SampledValue {
  static var samples: (first: Self, second: Self) { (10, 25) }
}
extension Int: SampledValue {}
extension Int8: SampledValue {}
extension Int16: SampledValue {}
extension Int32: SampledValue {}
extension Int64: SampledValue {}
extension UInt: SampledValue {}
extension UInt8: SampledValue {}
extension UInt16: SampledValue {}
extension UInt32: SampledValue {}
extension UInt64: SampledValue {}
extension Decimal: SampledValue {
  static var samples: (first: Decimal, second: Decimal) { (10, 25) }
}
extension Date: SampledValue {
  static var samples: (first: Date, second: Date) {
    (Date(timeIntervalSinceReferenceDate: 10), Date(timeIntervalSinceReferenceDate: 25))
  }
}
extension Data: SampledValue {
  static var samples: (first: Data, second: Data) { (Data([10]), Data([25])) }
}
extension [UInt8]: SampledValue {
  static var samples: (first: [UInt8], second: [UInt8]) { ([10], [25]) }
}
extension URL: SampledValue {
  static var samples: (first: URL, second: URL) { (URL(filePath: "/aB10"), URL(filePath: "/cD25")) }
}
extension UUID: SampledValue {
  static var samples: (first: UUID, second: UUID) {
    (
      UUID(uuid: (10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
      UUID(uuid: (25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    )
  }
}
