#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// UIKit brings all three of these, AppKit the section.
#if !canImport(UIKit)
  extension IndexPath {
    /// The place of a row in a list: `[section, row]`, both counted from 0.
    public init(row: Int, section: Int) { self = [section, row] }

    /// The row's number in its section. The path must have two elements.
    public var row: Int { self[1] }
  }
#endif

#if !canImport(UIKit) && !canImport(AppKit)
  extension IndexPath {
    /// The section's number. The path must not be empty.
    public var section: Int { self[0] }
  }
#endif
