#if canImport(SwiftUI)
  public import SQLiteStorage
  public import SwiftUI

  /// A single value in a view, which is kept up to date while the view exists: a count, or the value of a SELECT.
  ///
  /// ```swift
  /// struct Summary: View {
  ///   @FetchedValue(countOf: Track.all) var count
  ///   @FetchedValue("SELECT sum(milliseconds) FROM track", as: Int.self) var sum: Int?
  ///
  ///   var body: some View { Text("\(count) tracks, \(sum ?? 0) ms") }
  /// }
  /// ```
  ///
  /// The database is that of the nearest `database(_:)` modifier around the view. `$count` is a ``FetchedStatus``. If the
  /// view gets another database, the value begins anew there. A request is read once, when the view first appears; a SELECT is
  /// read again if its text or its values differ.
  @MainActor @propertyWrapper
  public struct FetchedValue<Value: Sendable>: @MainActor DynamicProperty {
    @Environment(\.fetchedResultsDatabase) private var database
    @State private var observed: ObservedValue<Value>
    private let source: ObservedValue<Value>.Source
    private let animation: Animation?

    private init(
      _ value: Value, id: AnyHashable, _ animation: Animation?,
      _ values: @escaping (Database) -> FetchedValues<Value>
    ) {
      _observed = State(wrappedValue: ObservedValue(value))
      source = ObservedValue.Source(id: id, first: value, values: values)
      self.animation = animation
    }

    /// Counts the records of a request.
    ///
    /// - Parameters:
    ///   - wrappedValue: what is shown until they have been counted.
    ///   - animation: how changes are animated; nil for no animation.
    public init<Record>(
      wrappedValue: Int = 0, countOf request: FetchRequest<Record>, animation: Animation? = .default
    ) where Value == Int {
      self.init(wrappedValue, id: 0, animation) { FetchedValues(database: $0, countOf: request) }
    }

    /// Reads the first column of the first row of a SELECT; nil if it is `NULL` or there is no row.
    public init<Column: ColumnValue & Equatable>(
      _ select: SQL, as type: Column.Type = Column.self, animation: Animation? = .default
    ) where Value == Column? {
      self.init(nil, id: [[.text(select.text)], select.values], animation) {
        FetchedValues(database: $0, valueOf: select, as: type)
      }
    }

    /// The newest value.
    public var wrappedValue: Value { observed.latest.value }

    /// Whether the newest value is shown.
    public var projectedValue: FetchedStatus { observed.status }

    /// SwiftUI calls it before it reads the view's body.
    public func update() {
      observed.observe(database, source) { change in withAnimation(animation) { change() } }
    }
  }

  /// A record in a view, which is kept up to date while the view exists; nil while there is none.
  ///
  /// ```swift
  /// struct TrackDetail: View {
  ///   @FetchedRecord var track: Track?
  ///
  ///   init(_ id: Int64) { _track = FetchedRecord(Track.self, key: id) }
  ///
  ///   var body: some View {
  ///     if let track {
  ///       Text(track.name)
  ///     } else if !$track.isLoading, $track.error == nil {
  ///       Text("deleted")
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// The database is that of the nearest `database(_:)` modifier around the view. `$track` is a ``FetchedStatus``. If the
  /// view is made with another key, or gets another database, the record that has the key there is shown.
  @MainActor @propertyWrapper
  public struct FetchedRecord<Record: FetchableRecord>: @MainActor DynamicProperty {
    @Environment(\.fetchedResultsDatabase) private var database
    @State private var observed = ObservedValue<Record?>(nil)
    private let source: ObservedValue<Record?>.Source
    private let animation: Animation?

    /// Follows the record with a key.
    ///
    /// - Parameters:
    ///   - key: the values of the key's columns, in order.
    ///   - animation: how changes are animated; nil for no animation.
    public init(
      _ type: Record.Type, key: any ColumnValue..., animation: Animation? = .default
    ) { self.init(type, identity: RowIdentity(key.map(\.columnValue)), animation: animation) }

    /// Follows the record with an identity.
    public init(
      _ type: Record.Type, identity: RowIdentity, animation: Animation? = .default
    ) {
      source = ObservedValue.Source(id: identity, first: nil) {
        FetchedValues(database: $0, record: type, identity: identity)
      }
      self.animation = animation
    }

    /// The record; nil if there is none, or it has not been read yet.
    public var wrappedValue: Record? { observed.latest.value }

    /// Whether the newest content of the record is shown.
    public var projectedValue: FetchedStatus { observed.status }

    /// SwiftUI calls it before it reads the view's body.
    public func update() {
      observed.observe(database, source) { change in withAnimation(animation) { change() } }
    }
  }

  /// Whether a ``FetchedValue`` or a ``FetchedRecord`` shows the newest value.
  public struct FetchedStatus {
    /// Why the newest value is not shown; nil if it is, or if nothing has been read yet.
    public let error: (any Error)?
    /// Whether nothing has been read yet, and nothing has failed.
    public let isLoading: Bool
  }

  extension ObservedValue {
    fileprivate var status: FetchedStatus {
      FetchedStatus(error: latest.error, isLoading: latest.isLoading)
    }
  }
#endif
