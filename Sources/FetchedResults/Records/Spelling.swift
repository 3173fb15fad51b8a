internal import SmallFoundation
internal import SQLiteStorage

/// The forms in which the values of a type may be stored. A UUID, for example, is text in capitals, in small letters, or
/// a blob of 16 bytes; and what a record writes may be another form than the one that it was read from.
///
/// Sendable: a plain value.
struct Spelling: Sendable {
  /// What the type writes for a value that it has read from a column; nil if it cannot read it.
  let canonical: @Sendable (Value) -> Value?

  /// How a record stores the values; nil as the type writes them.
  var storage: ColumnStorage?

  init(canonical: @escaping @Sendable (Value) -> Value?) { self.canonical = canonical }

  /// - Returns: nil if each value of the type is stored in one form only.
  init?<Property: ColumnValue>(of type: Property.Type) {
    if Spelling.isOnlyOne(of: type) { return nil }
    canonical = { value in
      try? Property.decode(RowView(.copy(Row(onlyValue: value))), at: 0).columnValue
    }
  }

  /// Whether a stored value is read as the same as a written one, or is what the record stores for it.
  func isSame(_ stored: Value, _ written: Value) -> Bool {
    stored == written || canonical(stored).map { $0 == canonical(written) } == true
      || storage.map { $0.stored(written) == stored } == true
  }

  /// Whether a row keeps a stored value for which a record writes another. It is so if the record has read it, also if the
  /// form that the record writes is rounded.
  func isKept(_ stored: Value, _ written: Value) -> Bool {
    if isSame(stored, written) { return true }
    guard let storage, let canonical = canonical(stored) else { return false }
    return storage.stored(canonical) == written
  }

  /// The value and its other common forms, the one that the type writes first, and the one that the record stores.
  func forms(of value: Value) -> [Value] {
    let canonical = canonical(value) ?? value
    let forms = [canonical] + canonical.otherForms.filter { self.canonical($0) == canonical }
    guard let stored = storage?.stored(canonical), !forms.contains(stored) else { return forms }
    return forms + [stored]
  }

  /// Whether the values of a type are stored in one form only: integers, texts and bytes. So are reals: SQLite takes a
  /// real and the equal integer for the same.
  static func isOnlyOne(of type: Any.Type) -> Bool {
    if let type = type as? any RawRepresentable.Type { return isOnlyOne(ofRawValue: type) }
    if let type = type as? any OptionalType.Type { return isOnlyOne(of: type.wrappedType) }
    return type is any BinaryInteger.Type || type is any StringProtocol.Type || type is Double.Type
      || type is any RangeReplaceableCollection<UInt8>.Type
  }

  private static func isOnlyOne<Raw: RawRepresentable>(ofRawValue type: Raw.Type) -> Bool {
    isOnlyOne(of: Raw.RawValue.self)
  }
}

extension Row {
  init(onlyValue value: Value) { self.init(columnNames: ColumnNames(["value"]), values: [value]) }
}

private protocol OptionalType {
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
  fileprivate static var wrappedType: Any.Type { Wrapped.self }
}

// MARK: - Forms

extension Value {
  /// Common forms of the UUID, the date or the decimal number that a text is. Which of them it is, its type knows.
  fileprivate var otherForms: [Value] {
    guard case .text(let text) = self else { return [] }
    return Value.forms(ofUUID: text) + Value.forms(ofDate: text) + Value.forms(ofDecimal: text)
  }

  private static func forms(ofUUID text: String) -> [Value] {
    guard let id = UUID(uuidString: text) else { return [] }
    let lower = text.lowercased()
    return [
      .text(lower), .blob(withUnsafeBytes(of: id.uuid) { Array($0) }),
      .text(lower.filter { $0 != "-" }),
    ]
  }

  /// - Parameter text: as ``Date`` is written: `2026-11-21 08:47:00.000`.
  private static func forms(ofDate text: String) -> [Value] {
    guard let date = Date(written: text) else { return [] }
    let (day, time) = (text.dropLast(13), text.suffix(12))
    // Up to the minute, the second, and tenths, hundredths and thousandths of it.
    var times = [12, 11, 10, 8, 5].map { String(time.prefix($0)) }
    if times[0].last != "0" { times.removeLast(4) }
    // As Python writes it.
    times.append(time + "000")
    let texts = times.flatMap { time in
      [" ", "T"].flatMap { separator in
        ["", "Z", "+00:00"].map { "\(day)\(separator)\(time)\($0)" }
      }
    }
    let seconds = date.timeIntervalSince1970
    let numbers: [Value] = [
      .real(seconds),
      .real(((date.timeIntervalSinceReferenceDate + referenceDate) * 1_000).rounded() / 86_400_000),
    ]
    return (texts + [String(day)]).map(Value.text) + numbers
      + (Int64(exactly: seconds).map { [.integer($0)] } ?? [])
  }

  /// 2001-01-01 00:00, in seconds since the beginning of Julian day 0.
  private static var referenceDate: Double { 211_845_067_200 }

  /// - Parameter text: as ``Decimal`` is written: without zeros at the end.
  private static func forms(ofDecimal text: String) -> [Value] {
    guard let number = Double(text), text.utf8.allSatisfy("0123456789-.".utf8.contains) else {
      return []
    }
    let point = text.contains(".") ? "" : "."
    return (1...6).map { .text(text + point + String(repeating: "0", count: $0)) }
      + [.real(number)] + (Int64(exactly: number).map { [.integer($0)] } ?? [])
  }
}

extension Spelling? {
  /// The forms of all values that are not `NULL`.
  func forms(of values: [Value]) -> [Value] {
    values.filter { $0 != .null }.flatMap { value in self.map { $0.forms(of: value) } ?? [value] }
  }
}
