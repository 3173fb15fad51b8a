extension Connection {
  /// Objects that were made from the schema, by the type that each is for.
  struct KeptObjects {
    /// The count of the ``SchemaCounter`` at which they were made.
    fileprivate var schemaCount = 0
    fileprivate var objects: [ObjectIdentifier: AnyObject] = [:]
    /// The object that was used last: a loop uses the same one many times.
    fileprivate var latestType: ObjectIdentifier?
    fileprivate var latest: AnyObject?
  }

  /// The object that was kept for a type in this transaction; nil if there is none, or if anything has
  /// happened since that may have changed the schema: a statement other than `SELECT`, `INSERT`,
  /// `UPDATE` or `DELETE` was run.
  ///
  /// Outside of a transaction it is always nil, because another connection may change the schema at
  /// any time.
  package func keptObject(for type: Any.Type) -> AnyObject? {
    guard isInTransaction else { return nil }
    guard keptObjects.schemaCount == schemaCounter.count else {
      keptObjects = KeptObjects(schemaCount: schemaCounter.count)
      return nil
    }
    let type = ObjectIdentifier(type)
    if keptObjects.latestType == type { return keptObjects.latest }
    guard let object = keptObjects.objects[type] else { return nil }
    keptObjects.latestType = type
    keptObjects.latest = object
    return object
  }

  /// Keeps an object that was made of the schema since ``keptObject(for:)`` returned nil. It is not
  /// kept if making it may have changed the schema.
  ///
  /// - Parameter object: must not refer to the connection.
  package func keep(_ object: AnyObject, for type: Any.Type) {
    guard isInTransaction, keptObjects.schemaCount == schemaCounter.count else { return }
    let type = ObjectIdentifier(type)
    keptObjects.objects[type] = object
    keptObjects.latestType = type
    keptObjects.latest = object
  }
}
