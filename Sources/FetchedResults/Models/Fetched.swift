#if canImport(SwiftUI)
  public import SQLiteStorage
  public import SwiftUI

  /// A fetched result of a view, which is kept up to date while the view exists.
  ///
  /// ```swift
  /// struct TrackScreen: View {
  ///   @Fetched(Track.all.sorted(by: \.name), sectionedBy: \.genre) var tracks
  ///
  ///   var body: some View {
  ///     List(tracks.sections) { section in
  ///       Section(section.name ?? "") {
  ///         ForEach(section) { row in Text(row.object?.name ?? "") }
  ///       }
  ///     }
  ///   }
  /// }
  ///
  /// TrackScreen().database(library)
  /// ```
  ///
  /// The database is that of the nearest `database(_:)` modifier around the view. Without one, ``FetchedList/error``
  /// says so. If the view gets another one, the list begins anew, with the request that it has then. The request is read once,
  /// when the view first appears; set ``FetchedList/request`` to show another.
  @MainActor @propertyWrapper
  public struct Fetched<Record: Sendable>: @MainActor DynamicProperty {
    @Environment(\.fetchedResultsDatabase) private var database
    @State private var observed: ObservedList<Record>
    private let animation: Animation?

    /// Fetches the records of a request.
    ///
    /// - Parameters:
    ///   - sectionKey: the key that divides the result into sections; nil for one section.
    ///   - animation: how changes are animated; nil for no animation.
    public init(
      _ request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>? = nil,
      animation: Animation? = .default
    ) {
      _observed = State(
        wrappedValue: ObservedList(FetchedList(request: request, sectionedBy: sectionKey)))
      self.animation = animation
    }

    /// Fetches the records of a request in the sections of a property: a shorter form of
    /// ``SectionKey/property(_:)``.
    public init<Key: ColumnValue>(
      _ request: FetchRequest<Record>, sectionedBy keyPath: any KeyPath<Record, Key> & Sendable,
      animation: Animation? = .default
    ) { self.init(request, sectionedBy: .property(keyPath), animation: animation) }

    /// The list.
    public var wrappedValue: FetchedList<Record> { observed.list }

    /// SwiftUI calls it before it reads the view's body.
    public func update() {
      observed.observe(database) { change in withAnimation(animation) { change() } }
    }
  }

  extension View {
    /// Sets the database that ``Fetched``, ``FetchedValue`` and ``FetchedRecord`` use in this view and the views inside it.
    public func database(_ database: Database) -> some View {
      environment(\.fetchedResultsDatabase, database)
    }
  }

  private struct DatabaseKey: EnvironmentKey {
    static let defaultValue: Database? = nil
  }

  extension EnvironmentValues {
    var fetchedResultsDatabase: Database? {
      get { self[DatabaseKey.self] }
      set { self[DatabaseKey.self] = newValue }
    }
  }
#endif
