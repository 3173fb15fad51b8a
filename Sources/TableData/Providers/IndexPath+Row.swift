#if canImport(FoundationEssentials)
  public import FoundationEssentials
#elseif canImport(UIKit)
  package import Foundation
#else
  public import Foundation
#endif

// UIKit brings all three of these, AppKit the section. Where they do, these are for this package
// alone: its files import neither, and would not see them; its users do, and would see two.
#if canImport(UIKit)
  extension IndexPath {
    package init(row: Int, section: Int) { self = [section, row] }

    package var row: Int { self[1] }
  }
#else
  extension IndexPath {
    /// The place of a row in a list: `[section, row]`, both counted from 0.
    public init(row: Int, section: Int) { self = [section, row] }

    /// The row's number in its section. The path must have two elements.
    public var row: Int { self[1] }
  }
#endif

#if canImport(UIKit) || canImport(AppKit)
  extension IndexPath {
    package var section: Int { self[0] }
  }
#else
  extension IndexPath {
    /// The section's number. The path must not be empty.
    public var section: Int { self[0] }
  }
#endif
