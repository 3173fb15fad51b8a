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
