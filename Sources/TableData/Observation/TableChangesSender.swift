/// Content that changes and says so: a data provider, or a table's data source made of several.
///
/// Not Sendable: it belongs to whoever made it, and so does its observer.
public protocol TableChangesSender: AnyObject {
  /// Who is told of changes; one at most, and it is not kept alive.
  ///
  /// What is made on top of the content takes this place, and offers one of its own: a
  /// ``TableViewDataSource`` is its provider's observer, a ``ComposedTableViewDataSource`` that of
  /// its components. A place that is taken is refused: the first observer would never hear again.
  var observer: (any TableChangesObserver)? { get set }
}

extension TableChangesSender {
  /// Takes the observer's place.
  ///
  /// - Throws: `TableDataError` of code `.alreadyObserved` where somebody has it.
  func beObserved(by observer: any TableChangesObserver) throws {
    if let other = self.observer, other !== observer {
      throw TableDataError(
        .alreadyObserved,
        "\(type(of: self)) is already observed by \(type(of: other)), which would not be told of "
          + "changes any more: set its observer to nil first, or use another one")
    }
    self.observer = observer
  }
}
