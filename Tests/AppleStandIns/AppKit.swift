// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in for AppKit, to type-check code for it where Apple's SDKs are not available: only what the
// libraries and the samples use, with the signatures of Apple's documentation for macOS 15, and without any
// function.

@_exported public import Foundation
@_exported public import ObjectiveC

// Foundation has a class of this name here, which is not an Objective-C class.
public typealias NSObject = ObjectiveC.NSObject
public typealias NSObjectProtocol = ObjectiveC.NSObjectProtocol

extension IndexPath {
  public init(item: Int, section: Int) { fatalError() }
  public var item: Int {
    get { fatalError() }
    set {}
  }
  public var section: Int {
    get { fatalError() }
    set {}
  }
}

// MARK: - Views

public struct NSUserInterfaceItemIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

@MainActor open class NSResponder: NSObject {
  open var menu: NSMenu?
}

open class NSImage: NSObject {
  public convenience init?(
    systemSymbolName name: String, accessibilityDescription description: String?
  ) { fatalError() }
}

@MainActor open class NSMenuItem: NSObject {
  public init(title string: String, action selector: Selector?, keyEquivalent charCode: String) {
    fatalError()
  }
  weak open var target: AnyObject?
  open var representedObject: Any?
  open var image: NSImage?
}

@MainActor @objc public protocol NSMenuDelegate: NSObjectProtocol {
  @objc optional func menuNeedsUpdate(_ menu: NSMenu)
}

@MainActor open class NSMenu: NSObject {
  public convenience override init() { fatalError() }
  public init(title: String) { fatalError() }
  weak open var delegate: (any NSMenuDelegate)?
  open func addItem(_ newItem: NSMenuItem) {}
  open func removeAllItems() {}
}

@MainActor open class NSView: NSResponder {
  public convenience override init() { fatalError() }
  // Required, so that it can be called for a class that is a parameter. All initializers of Objective-C can.
  public required init(frame frameRect: CGRect) { fatalError() }
  open var superview: NSView? { nil }
  public required init?(coder: NSCoder) { fatalError() }
  open var identifier: NSUserInterfaceItemIdentifier?
  open func registerForDraggedTypes(_ newTypes: [NSPasteboard.PasteboardType]) {}
  open func addSubview(_ view: NSView) {}
}

@MainActor open class NSControl: NSView {
  open var stringValue: String = ""
}

@MainActor open class NSTextField: NSControl {
  public convenience init(labelWithString stringValue: String) { fatalError() }
}

@MainActor open class NSNib: NSObject {
  public init?(nibNamed nibName: String, bundle: Bundle?) { fatalError() }
}

// MARK: - Dragging

open class NSPasteboard: NSObject {
  public struct PasteboardType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }
  }
  open var pasteboardItems: [NSPasteboardItem]? { fatalError() }
  open func string(forType dataType: NSPasteboard.PasteboardType) -> String? { fatalError() }
}

@objc public protocol NSPasteboardWriting: NSObjectProtocol {}

open class NSPasteboardItem: NSObject, NSPasteboardWriting {
  @discardableResult
  open func setString(_ string: String, forType type: NSPasteboard.PasteboardType) -> Bool {
    fatalError()
  }
}

@MainActor @objc public protocol NSDraggingInfo: NSObjectProtocol {}

// They are requirements of the protocol. Swift cannot call an Objective-C method that returns Any here.
extension NSDraggingInfo {
  public var draggingPasteboard: NSPasteboard { fatalError() }
  public var draggingSource: Any? { fatalError() }
}

// MARK: - Table views

@MainActor open class NSTableColumn: NSObject {
  open var identifier: NSUserInterfaceItemIdentifier {
    get { fatalError() }
    set {}
  }
}

@MainActor open class NSTableRowView: NSView {}

@MainActor open class NSTableCellView: NSView {
  public required init(frame frameRect: CGRect) { fatalError() }
  public required init?(coder: NSCoder) { fatalError() }
  weak open var textField: NSTextField?
}

@MainActor open class NSTableViewRowAction: NSObject {
  public enum Style: Int, @unchecked Sendable {
    case regular, destructive
  }
  public convenience init(
    style: NSTableViewRowAction.Style, title: String,
    handler: @escaping (NSTableViewRowAction, Int) -> Void
  ) { fatalError() }
}

@MainActor @objc public protocol NSControlTextEditingDelegate: NSObjectProtocol {}

@MainActor @objc public protocol NSTableViewDataSource: NSObjectProtocol {
  @objc optional func numberOfRows(in tableView: NSTableView) -> Int
  @objc optional func tableView(
    _ tableView: NSTableView, pasteboardWriterForRow row: Int
  ) -> (any NSPasteboardWriting)?
  @objc optional func tableView(
    _ tableView: NSTableView, validateDrop info: any NSDraggingInfo, proposedRow row: Int,
    proposedDropOperation dropOperation: NSTableView.DropOperation
  ) -> NSDragOperation
  @objc optional func tableView(
    _ tableView: NSTableView, acceptDrop info: any NSDraggingInfo, row: Int,
    dropOperation: NSTableView.DropOperation
  ) -> Bool
}

// tableView(_:heightOfRow:) is missing: CGFloat is no type of Objective-C here.
@MainActor @objc public protocol NSTableViewDelegate: NSControlTextEditingDelegate {
  @objc optional func tableView(
    _ tableView: NSTableView, didAdd rowView: NSTableRowView, forRow row: Int)
  @objc optional func tableView(
    _ tableView: NSTableView, didRemove rowView: NSTableRowView, forRow row: Int)
  @objc optional func tableView(
    _ tableView: NSTableView, viewFor tableColumn: NSTableColumn?, row: Int
  ) -> NSView?
  @objc optional func tableView(_ tableView: NSTableView, isGroupRow row: Int) -> Bool
  @objc optional func tableView(_ tableView: NSTableView, shouldSelectRow row: Int) -> Bool
  @objc optional func tableView(
    _ tableView: NSTableView, rowActionsForRow row: Int, edge: NSTableView.RowActionEdge
  ) -> [NSTableViewRowAction]
  @objc optional func tableViewSelectionDidChange(_ notification: Notification)
}

@MainActor open class NSTableView: NSControl {
  @objc public enum DropOperation: UInt, @unchecked Sendable {
    case on, above
  }
  @objc public enum RowActionEdge: Int, @unchecked Sendable {
    case leading, trailing
  }
  public struct AnimationOptions: OptionSet, @unchecked Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var effectFade: NSTableView.AnimationOptions { fatalError() }
  }
  weak open var dataSource: (any NSTableViewDataSource)?
  weak open var delegate: (any NSTableViewDelegate)?
  open var tableColumns: [NSTableColumn] { fatalError() }
  open var numberOfColumns: Int { fatalError() }
  open var numberOfRows: Int { fatalError() }
  open func reloadData() {}
  open func reloadData(forRowIndexes rowIndexes: IndexSet, columnIndexes: IndexSet) {}
  open func beginUpdates() {}
  open func endUpdates() {}
  open func insertRows(
    at indexes: IndexSet, withAnimation animationOptions: NSTableView.AnimationOptions = []
  ) {}
  open func removeRows(
    at indexes: IndexSet, withAnimation animationOptions: NSTableView.AnimationOptions = []
  ) {}
  open func moveRow(at oldIndex: Int, to newIndex: Int) {}
  open var allowsMultipleSelection: Bool = false
  open func selectRowIndexes(_ indexes: IndexSet, byExtendingSelection extend: Bool) {}
  open func deselectRow(_ row: Int) {}
  open var selectedRowIndexes: IndexSet { fatalError() }
  open var selectedRow: Int { fatalError() }
  open var clickedRow: Int { fatalError() }
  open func setDropRow(_ row: Int, dropOperation: NSTableView.DropOperation) {}
  open func view(atColumn column: Int, row: Int, makeIfNecessary: Bool) -> NSView? { fatalError() }
  open func makeView(
    withIdentifier identifier: NSUserInterfaceItemIdentifier, owner: Any?
  ) -> NSView? { fatalError() }
  open func register(_ nib: NSNib?, forIdentifier identifier: NSUserInterfaceItemIdentifier) {}
}
