// What the signatures of this module show, so that `import FetchedResults` is enough for a screen.
// Single declarations, not whole modules: `Section`, `Row` and `Value` stay behind `TableData` and
// `SQLiteStorage`, as SwiftUI and many apps have types of these names.
//
// The documentation describes each declaration in its own module.

#if !DOCUMENTATION
  @_exported public import class SQLiteStorage.Connection
  @_exported public import class SQLiteStorage.Database
  @_exported public import class TableData.TableViewDataSource
  @_exported public import enum TableData.RowEdit
  @_exported public import protocol SQLiteStorage.ColumnValue
  @_exported public import protocol TableData.Configurable
  @_exported public import protocol TableData.EditableDataProvider
  @_exported public import protocol TableData.ItemViewModel
  @_exported public import protocol TableData.TableChangesObserver
  @_exported public import protocol TableData.TableChangesSender
  @_exported public import protocol TableData.ViewModelDataProvider
  @_exported public import struct SQLiteStorage.DatabaseError
  @_exported public import struct SQLiteStorage.ResultCode
  @_exported public import struct SQLiteStorage.SQL
  @_exported public import struct TableData.SectionID
  @_exported public import struct TableData.SectionInfo
  @_exported public import struct TableData.TableChanges
  @_exported public import struct TableData.TableDataError

  #if canImport(UIKit) && !os(watchOS)
    @_exported public import class TableData.UIKitCollectionViewAdapter
    @_exported public import class TableData.UIKitTableViewAdapter
    @_exported public import class TableData.UIKitTableViewController
  #elseif canImport(AppKit) && !targetEnvironment(macCatalyst)
    @_exported public import class TableData.AppKitTableViewAdapter
  #endif

  #if canImport(FoundationEssentials)
    @_exported public import struct FoundationEssentials.IndexPath
  #else
    @_exported public import struct Foundation.IndexPath
  #endif

  extension RawRepresentable where Self == ResultCode {
    /// Whether `code` is `pattern`, or `pattern` is primary and `code` is one of its extended codes.
    ///
    /// A single declaration is re-exported without its operators. Without this one, `~=` would compare
    /// the codes for equality. A file that imports `SQLiteStorage` uses the operator there.
    public static func ~= (pattern: Self, code: Self) -> Bool {
      pattern == code || pattern == code.primary
    }
  }
#endif
