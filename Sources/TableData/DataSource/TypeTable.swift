/// Entries for types of values, of which the nearest to a value counts: that of its own type, else of its
/// nearest superclass, else of a protocol that it conforms to.
struct TypeTable<Entry> {
  private struct Registration {
    let type: Any.Type
    let entry: Entry
    let isType: (Any) -> Bool
  }

  private var registrations: [ObjectIdentifier: Registration] = [:]

  /// The entries, in no order.
  var entries: [Entry] { registrations.values.map(\.entry) }

  /// The entry of exactly this type; nil if there is none.
  func entry(of type: Any.Type) -> Entry? { registrations[ObjectIdentifier(type)]?.entry }

  /// Sets the entry of a type, which may be that of a protocol: `(any DetailedText).self`.
  mutating func set<Value>(_ entry: Entry, for type: Value.Type) {
    registrations[ObjectIdentifier(type)] = Registration(type: type, entry: entry) { $0 is Value }
  }

  /// The entry for a value; nil if there is none.
  ///
  /// Complexity: O(1) for the entry of the value's own type, else O(superclasses + entries).
  ///
  /// - Throws: `TableDataError` of code `.duplicateRegistration` if there are entries of several protocols,
  ///   because none is nearer than the others.
  func nearest(to value: Any) throws -> Entry? {
    let type = Swift.type(of: value)
    if let entry = entry(of: type) { return entry }
    if type is AnyClass {
      var ancestor = Mirror(reflecting: value).superclassMirror
      while let mirror = ancestor {
        if let entry = entry(of: mirror.subjectType) { return entry }
        ancestor = mirror.superclassMirror
      }
    }
    let protocols = registrations.values.filter { $0.isType(value) }
    guard protocols.count > 1 else { return protocols.first?.entry }
    let names = protocols.map { "\($0.type)" }.sorted().joined(separator: " and ")
    throw TableDataError(
      .duplicateRegistration, "\(type) conforms to several registered types: \(names)",
      nextStep: "Register \(type) itself")
  }
}
