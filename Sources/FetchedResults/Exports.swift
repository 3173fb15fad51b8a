// What the signatures of this module show, so that `import FetchedResults` is enough to follow a
// list. Single declarations, not whole modules: `Section`, `Row` and `Value` stay behind `TableData`
// and `SQLiteStorage`, as SwiftUI and many apps have types of these names.
//
// The documentation describes each declaration in its own module.

#if !DOCUMENTATION
  @_exported public import class SQLiteStorage.Connection
  @_exported public import class SQLiteStorage.Database
  @_exported public import enum SectionedData.RowEdit
  @_exported public import protocol SQLiteStorage.ColumnValue
  @_exported public import protocol SectionedData.EditableDataProvider
  @_exported public import protocol SectionedData.ItemViewModel
  @_exported public import protocol SectionedData.TableChangesObserver
  @_exported public import protocol SectionedData.TableChangesSender
  @_exported public import protocol SectionedData.ViewModelDataProvider
  @_exported public import struct SQLiteStorage.DatabaseError
  @_exported public import struct SQLiteStorage.ResultCode
  @_exported public import struct SQLiteStorage.SQL
  @_exported public import struct SectionedData.SectionID
  @_exported public import struct SectionedData.SectionInfo
  @_exported public import struct SectionedData.TableChanges
  @_exported public import struct SectionedData.TableDataError

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
