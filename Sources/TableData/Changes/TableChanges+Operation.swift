#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension TableChanges {
  /// One step of the changes told one after the other. See ``sequential``.
  ///
  /// `at`, `from` and `to` are the coordinates of that moment: what the steps before it have made of
  /// the list. `new` is the row's place in the new state, where a provider has its content.
  public enum Operation: Hashable, Sendable {
    /// Everything may be different: read the list anew.
    case reset(Reset)
    /// A row goes.
    case deleteRow(at: IndexPath)
    /// A section goes; its rows have gone before it, or go with it where the changes don't list them.
    case deleteSection(at: Int)
    /// A section comes. Its rows follow one by one, or come with it where the changes don't list
    /// them.
    case insertSection(at: Int)
    /// A row comes.
    case insertRow(at: IndexPath, new: IndexPath)
    /// A row goes from one place to another, and has new content. `to` counts without the row: first
    /// take it out, then put it in, as `NSTableView.moveRow(at:to:)` has it.
    case moveRow(from: IndexPath, to: IndexPath, new: IndexPath)
    /// A row has new content. The place is also the one in the new state.
    case updateRow(at: IndexPath)
  }
}
