/// What a row of a composed list is: rows of two components may have the same identity there.
struct ComposedIdentity: Hashable {
  let component: ObjectIdentifier
  /// What the row is in its component.
  let id: AnyHashable
}
