// A list is shown with what it is made of: whoever imports this module sees both.
@_exported public import SectionedData

// In a file that imports UIKit or AppKit, these and those of `SectionedData` would be ambiguous. What the module
// itself declares comes first.
#if canImport(UIKit)
  extension IndexPath {
    init(row: Int, section: Int) { self = IndexPath(index: section).appending(row) }

    var row: Int { self[1] }
  }
#endif

#if canImport(UIKit) || canImport(AppKit)
  extension IndexPath {
    var section: Int { self[0] }
  }
#endif
