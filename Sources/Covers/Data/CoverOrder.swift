internal import SQLiteStorage

/// The covers of an artist in the user's order: by their positions, which are integers.
struct CoverOrder {
  /// A cover and its position.
  struct Place: Equatable {
    let id: Cover.ID
    var position: Int64
  }

  /// The distance between covers that get new positions. A gap can be halved ten times.
  static let gap: Int64 = 1_024

  private(set) var places: [Place]

  init(_ places: [Place]) { self.places = places }

  /// Reads the order of an artist's covers, without the one that is to be moved.
  init(of artist: Int64, without id: Cover.ID, in connection: Connection) throws {
    var places: [Place] = []
    try connection.query(
      "SELECT id, position FROM cover WHERE artist_id = ? AND id <> ? ORDER BY position, id",
      [.integer(artist), .integer(id)]
    ) { row in
      places.append(
        Place(id: try row.decode(Int64.self, at: 0), position: try row.decode(Int64.self, at: 1)))
    }
    self.places = places
  }

  /// Inserts a cover after another one.
  ///
  /// - Parameter anchor: the other cover. If it is nil or not in the order, the cover becomes the
  ///   first.
  /// - Returns: the covers whose position has changed.
  mutating func insert(_ id: Cover.ID, after anchor: Cover.ID?) -> [Place] {
    let index = places.firstIndex { $0.id == anchor }.map { $0 + 1 } ?? 0
    let previous = index > 0 ? places[index - 1].position : nil
    let next = index < places.count ? places[index].position : nil
    if let position = CoverOrder.position(between: previous, and: next) {
      places.insert(Place(id: id, position: position), at: index)
      return [places[index]]
    }
    places.insert(Place(id: id, position: 0), at: index)
    for index in places.indices { places[index].position = Int64(index + 1) * CoverOrder.gap }
    return places
  }

  /// A position between two others, which are nil for no bound; nil if there is none.
  private static func position(between lower: Int64?, and upper: Int64?) -> Int64? {
    switch (lower, upper) {
    case (nil, nil): return gap
    case (let lower?, nil): return checked(lower.addingReportingOverflow(gap))
    case (nil, let upper?): return checked(upper.subtractingReportingOverflow(gap))
    case (let lower?, let upper?):
      guard let distance = checked(upper.subtractingReportingOverflow(lower)), distance > 1 else {
        return nil
      }
      return lower + distance / 2
    }
  }

  private static func checked(_ result: (partialValue: Int64, overflow: Bool)) -> Int64? {
    result.overflow ? nil : result.partialValue
  }
}
