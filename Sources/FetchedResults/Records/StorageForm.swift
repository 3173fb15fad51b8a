internal import SmallFoundation
internal import SQLiteStorage

/// The form in which records store the values of a type, instead of the form that the type writes.
///
/// ```swift
/// static let recordDescription = RecordDescription(table: "note", key: \Note.id)
///   .storing(.uuid(.lowercaseText), .date(.secondsSince1970))
/// ```
///
/// Each form is read, whatever a record stores. A row that stores another form keeps it as long as the value stays, as
/// precisely as the form says it: with whole seconds, a change within one second is not written.
///
/// Sendable: a plain value.
public struct StorageForm: Sendable {
  /// The forms of a `UUID`.
  public enum UUIDForm: Sendable {
    /// 36 characters, in capitals. If nothing else is said, it is this.
    case text
    /// 36 characters, in small letters, as SQLiteData and most other languages write it.
    case lowercaseText
    /// 16 bytes, as GRDB writes it.
    case bytes
  }

  /// The forms of a `Date`.
  public enum DateForm: Sendable {
    /// `2026-11-21 08:47:00.000`, in UTC. If nothing else is said, it is this. It sorts by time.
    case text
    /// `2026-11-21T08:47:00.000Z`. It sorts by time.
    case iso8601Text
    /// The whole seconds since 1970, rounded, as an integer. A condition with `==` rounds its date too; `<` and its like
    /// do not.
    case secondsSince1970
  }

  /// A value in a form.
  fileprivate struct Stored {
    let value: Value
    /// What the type writes for the value that is stored: not the value that was given, if the form rounds it.
    let meaning: Value
    /// The value that was given, not rounded, in the order of the form.
    let inOrder: Value

    init(_ value: Value, for meaning: Value, inOrder: Value? = nil) {
      self.value = value
      self.meaning = meaning
      self.inOrder = inOrder ?? value
    }
  }

  /// The form of a value that a type has written; nil if it is a value of another type.
  fileprivate let stored: @Sendable (Value) -> Stored?

  /// The form of all properties of the type `UUID`, of optional ones, and of types that are stored as one.
  public static func uuid(_ form: UUIDForm) -> StorageForm {
    StorageForm { value in
      guard case .text(let text) = value, let id = UUID(uuidString: text) else { return nil }
      let stored: Value =
        switch form {
        case .text: value
        case .lowercaseText: .text(text.lowercased())
        case .bytes: .blob(withUnsafeBytes(of: id.uuid) { Array($0) })
        }
      return Stored(stored, for: value)
    }
  }

  /// The form of all properties of the type `Date`, of optional ones, and of types that are stored as one.
  public static func date(_ form: DateForm) -> StorageForm {
    StorageForm { value in
      guard case .text(let text) = value, let date = Date(written: text) else { return nil }
      switch form {
      case .text: return Stored(value, for: value)
      case .iso8601Text: return Stored(.text(text.replacing(" ", with: "T") + "Z"), for: value)
      case .secondsSince1970:
        let seconds = date.timeIntervalSince1970
        let rounded = seconds.rounded()
        let whole = Value.integer(Int64(rounded))
        return Stored(
          whole, for: Date(timeIntervalSince1970: rounded).columnValue,
          inOrder: seconds == rounded ? whole : .real(seconds))
      }
    }
  }
}

/// How the values of a column are stored.
///
/// Sendable: a plain value.
struct ColumnStorage: Sendable {
  /// The stored form of a value that its type has written.
  let stored: @Sendable (Value) -> Value
  /// What stored values are compared with, by order. It is not rounded as a stored value is.
  let inOrder: @Sendable (Value) -> Value
}

extension RecordDescription {
  /// Returns a description of the same records, which are written in some forms.
  public func storing(_ forms: StorageForm...) -> RecordDescription {
    var description = self
    description.storage = spellings.map { spelling in
      // Text that is only text may look like a UUID.
      guard let spelling else { return nil }
      let stored: @Sendable (Value) -> StorageForm.Stored? = { value in
        for form in forms {
          // A type that does not read the form goes on to write its own.
          guard let stored = form.stored(value), spelling.isSame(stored.value, stored.meaning)
          else { continue }
          return stored
        }
        return nil
      }
      return ColumnStorage(
        stored: { stored($0)?.value ?? $0 }, inOrder: { stored($0)?.inOrder ?? $0 })
    }
    if description.storage.allSatisfy({ $0 == nil }) { description.storage = [] }
    return description
  }

  /// The forms in which the values of the written columns may be stored; empty if nothing is written.
  private var spellings: [Spelling?] {
    switch mapping {
    case .listed(let properties): properties.map(\.spelling)
    case .coded(let columns):
      (try? columns.writing.positions)?.map { columns.layout.codings[$0].spelling } ?? []
    case .unknown, .named: []
    }
  }
}

extension Date {
  /// The date that ``columnValue`` writes as a text; nil if it writes another one.
  init?(written text: String) {
    guard text.utf8.count >= 23,
      let date = try? Date.decode(RowView(.copy(Row(onlyValue: .text(text)))), at: 0),
      date.columnValue == .text(text)
    else { return nil }
    self = date
  }
}
