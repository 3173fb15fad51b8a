/// Entries for types of values. The nearest to a value counts: that of its own type, else of its nearest superclass,
/// else of a protocol that it conforms to.
final class TypeTable<Entry> {
  private struct Registration {
    let type: Any.Type
    let entry: Result<Entry, TableDataError>
    let isType: (Any) -> Bool
  }

  private var registrations: [ObjectIdentifier: Registration] = [:]

  var entries: [Entry] {
    registrations.values.compactMap {
      if case .success(let entry) = $0.entry { entry } else { nil }
    }
  }

  /// Sets the entry of a type, which may be that of a protocol: `(any DetailedText).self`. If the type already has
  /// one, its values have an error from now on: nobody knows which of the two was meant.
  func set<Value>(
    _ entry: Result<Entry, TableDataError>, for type: Value.Type,
    conflict: (Entry) -> TableDataError
  ) {
    var entry = entry
    if let other = registrations[ObjectIdentifier(type)] {
      entry = other.entry.flatMap { .failure(conflict($0)) }
    }
    registrations[ObjectIdentifier(type)] = Registration(type: type, entry: entry) { $0 is Value }
  }

  /// The entry for a value; nil if there is none. O(1) for that of the value's own type, else O(superclasses +
  /// entries).
  ///
  /// - Throws: `TableDataError` with code `.duplicateRegistration` if the type has several entries, or if there are
  ///   entries of several protocols, because none is nearer than the others.
  func nearest(to value: Any) throws -> Entry? {
    let type = Swift.type(of: value)
    if let entry = registrations[ObjectIdentifier(type)]?.entry { return try entry.get() }
    if type is AnyClass {
      var ancestor = Mirror(reflecting: value).superclassMirror
      while let mirror = ancestor {
        if let entry = registrations[ObjectIdentifier(mirror.subjectType)]?.entry {
          return try entry.get()
        }
        ancestor = mirror.superclassMirror
      }
    }
    let protocols = registrations.values.filter { $0.isType(value) }
    guard protocols.count > 1 else { return try protocols.first?.entry.get() }
    let names = protocols.map { "\($0.type)" }.sorted().joined(separator: " and ")
    throw TableDataError(
      .duplicateRegistration, "\(type) conforms to several registered types: \(names)",
      nextStep: "Register \(type) itself")
  }
}
