/// What a cell shows: a value made for display, with an identity that survives edits and moves.
///
/// ```swift
/// struct TrackViewModel: ItemViewModel {
///   let id: Int64
///   let title: String
/// }
/// ```
public protocol ItemViewModel: Identifiable where ID: Sendable {}
