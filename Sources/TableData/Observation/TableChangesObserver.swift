/// Told what changes in a ``TableChangesSender``.
///
/// ```swift
/// final class Screen: TableChangesObserver {
///   func contentWillChange(of sender: any TableChangesSender) {}
///   func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
///     do { try table.apply(changes) } catch { show(error) }
///   }
///   func content(of sender: any TableChangesSender, didFailWith error: any Error) { show(error) }
/// }
/// ```
///
/// *Will* and *did* are exactly paired, and nothing is told in between:
///
/// - In `contentWillChange` the sender still has its old content, and can be asked for it.
/// - In `contentDidChange` it has its new content, to which the changes lead from the old.
///
/// A view of another provider, a filter for example, learns only afterwards whether what changed
/// there concerns it. Where it does not, its *did* brings changes without an event. All others tell
/// nothing when nothing changed.
///
/// The observer does not change the sender's content in *will*; what it changes in *did*, after it
/// has handled the changes, comes as the next pair.
public protocol TableChangesObserver: AnyObject {
  /// The content is about to change.
  func contentWillChange(of sender: any TableChangesSender)

  /// The content has changed.
  ///
  /// - Parameter changes: what happened, in old and new places of the sender.
  func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges)

  /// The content cannot be read, or cannot be brought up to date. Told outside of a pair; the sender
  /// goes on from the state it told last.
  func content(of sender: any TableChangesSender, didFailWith error: any Error)
}

/// What is made on top of other content passes on what it is told, unless it says otherwise.
extension TableChangesObserver where Self: TableChangesSender {
  /// Tells its own observer.
  public func contentWillChange(of sender: any TableChangesSender) {
    observer?.contentWillChange(of: self)
  }

  /// Tells its own observer, of the same places.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    observer?.contentDidChange(of: self, by: changes)
  }

  /// Tells its own observer.
  public func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    observer?.content(of: self, didFailWith: error)
  }
}

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
