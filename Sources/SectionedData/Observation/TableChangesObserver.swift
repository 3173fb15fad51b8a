/// Notified of the changes of a ``TableChangesSender``.
///
/// The calls are paired, with no other calls in between. In `contentWillChange` the sender still has its old content,
/// which can be read and must not be changed. In `contentDidChange` it has its new content. If the observer makes
/// changes there, it must first apply the given ones; its own are reported as the next pair.
///
/// A provider that is based on another one, a filter for example, does not know in advance whether a change of the
/// other concerns it. If it does not, the changes are empty. All other senders notify only if there is a change.
public protocol TableChangesObserver: AnyObject {
  /// The content is about to change.
  func contentWillChange(of sender: any TableChangesSender)

  /// The content has changed.
  ///
  /// - Parameter changes: the changes, in the coordinates of the sender.
  func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges)

  /// The content cannot be read or updated. It is called outside of a pair; the sender keeps the state of the last
  /// pair.
  func content(of sender: any TableChangesSender, didFailWith error: any Error)
}

extension TableChangesObserver where Self: TableChangesSender {
  /// Notifies its own observer.
  public func contentWillChange(of sender: any TableChangesSender) {
    observer?.contentWillChange(of: self)
  }

  /// Notifies its own observer, with the same index paths.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    observer?.contentDidChange(of: self, by: changes)
  }

  /// Notifies its own observer.
  public func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    observer?.content(of: self, didFailWith: error)
  }
}

/// A sender that still knows which rows it has deleted while its observer is notified of that. A composed list finds
/// by it that a row went from one of its components to another.
package protocol PreviousRows: TableChangesSender {
  var itemType: Any.Type { get }

  /// The identity that a deleted row had at an old index path, in `contentDidChange`; nil at any other time, and for
  /// a row without identity.
  func identityForDeletedRow(at indexPath: IndexPath) throws -> AnyHashable?
}

/// Content that notifies an observer of its changes: a data provider, or a data source of a table. Not Sendable: use
/// it and its observer on the same actor.
public protocol TableChangesSender: AnyObject {
  /// The one object that is notified of changes. Conforming types keep a weak reference.
  ///
  /// A list that is based on others is their observer. It throws if there is another observer already, which would no
  /// longer be notified.
  var observer: (any TableChangesObserver)? { get set }
}

extension TableChangesSender {
  /// Sets the observer.
  ///
  /// - Throws: `TableDataError` with code `.alreadyObserved` if there is another one.
  public func setObserver(_ observer: any TableChangesObserver) throws(TableDataError) {
    if let other = self.observer, other !== observer {
      throw TableDataError(
        .alreadyObserved,
        "\(type(of: self)) is already observed by \(type(of: other))",
        nextStep: "Set the observer to nil first, or use another \(type(of: self))")
    }
    self.observer = observer
  }
}
