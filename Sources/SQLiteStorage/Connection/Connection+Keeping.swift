extension Connection {
  /// Objects that were made of the schema, by their types.
  struct KeptObjects {
    /// The count of the ``SchemaCounter`` at which they were made.
    fileprivate var schemaCount = 0
    fileprivate var objects: [ObjectIdentifier: AnyObject] = [:]
    /// The object that was used last: a loop uses the same one many times.
    fileprivate var latest: (type: ObjectIdentifier, object: AnyObject)?
  }

  /// Returns the object of a type that `make` makes of the schema. It is made once, and again after
  /// anything that may have changed the schema: a transaction begins or ends, or a statement other
  /// than `SELECT`, `INSERT`, `UPDATE` or `DELETE` was run.
  ///
  /// Outside of a transaction it is made on each call, because another connection may change the
  /// schema at any time.
  ///
  /// - Parameter make: makes the object. The object must not refer to the connection.
  /// - Throws: what `make` throws; then nothing is kept.
  package func kept<Object: AnyObject>(
    _ type: Object.Type = Object.self, _ make: () throws -> Object
  ) rethrows -> Object {
    guard isInTransaction else { return try make() }
    let key = ObjectIdentifier(type)
    if keptObjects.schemaCount == schemaCounter.count {
      if let latest = keptObjects.latest, latest.type == key {
        return unsafeDowncast(latest.object, to: type)
      }
      if let object = keptObjects.objects[key] {
        keptObjects.latest = (key, object)
        return unsafeDowncast(object, to: type)
      }
    } else {
      keptObjects = KeptObjects(schemaCount: schemaCounter.count)
    }
    let object = try make()
    if keptObjects.schemaCount == schemaCounter.count {
      keptObjects.objects[key] = object
      keptObjects.latest = (key, object)
    }
    return object
  }
}
