@testable import FetchedResults
import Foundation
import SQLiteStorage
import Testing

/// Records that are described without a list of columns.
struct CodedRecordTests {
  enum Mood: String, Codable { case calm, loud }
  enum Size: Int, Codable, CaseIterable { case small = 3, large = 7 }
  enum Only: String, Codable { case one }
  struct Address: Codable, Hashable {
    var city: String
    var streets: [String]
    var founded: Date
  }
  struct Tag: RawRepresentable, Codable, Hashable { var rawValue: String }
  struct Wrapped: Codable, Hashable {
    var number: UInt64
    init(_ number: UInt64) { self.number = number }
    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(UInt64.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }
  enum Shape: Codable, Hashable {
    case circle(radius: Double)
    case square(side: Int)
  }

  struct Thing: Codable, Identifiable, Hashable, FetchableRecord {
    var id: Int64?
    var name: String
    var alias: String?
    var isOpen = true
    var weight: Double
    var ratio: Float?
    var count: Int
    var small: UInt8?
    var madeAt: Date
    var token: UUID
    var link: URL?
    var price: Decimal
    var bytes: Data?
    var raw: [UInt8]
    var mood: Mood
    var size: Size?
    var only: Only
    var address: Address
    var other: Address?
    var tags: [Tag]
    var counts: [String: Int]
    var tag: Tag
    var wrapped: Wrapped?
    var shape: Shape
    var position: Position?

    var initial: String { String(name.prefix(1)) }

    static let recordDescription = RecordDescription(
      table: "thing", key: \Thing.id, columnNames: .snakeCase)

    static func store() throws -> Database {
      try .store(
        """
        CREATE TABLE thing(
          id INTEGER PRIMARY KEY, name TEXT NOT NULL, alias TEXT, is_open INTEGER NOT NULL,
          weight REAL NOT NULL, ratio REAL, count INTEGER NOT NULL, small INTEGER,
          made_at TEXT NOT NULL, token TEXT NOT NULL, link TEXT, price TEXT NOT NULL, bytes BLOB,
          raw BLOB NOT NULL, mood TEXT NOT NULL, size INTEGER, only TEXT NOT NULL,
          address TEXT NOT NULL, other TEXT, tags TEXT NOT NULL, counts TEXT NOT NULL,
          tag TEXT NOT NULL, wrapped INTEGER, shape TEXT NOT NULL, position TEXT);
        """)
    }

    static func sample(_ number: Int) -> Thing {
      let isEven = number.isMultiple(of: 2)
      let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(number) / 8)
      let address = Address(city: "C\(number)", streets: ["a", "ü"], founded: date)
      return Thing(
        id: nil, name: "n\(number)", alias: isEven ? nil : "a\(number)", isOpen: isEven,
        weight: Double(number) / 3, ratio: isEven ? 0.5 : nil, count: number * 1_000,
        small: isEven ? 255 : nil, madeAt: date, token: UUID(),
        link: isEven ? URL(string: "https://example.org/\(number)?a=b") : nil,
        price: Decimal(number) / 8, bytes: isEven ? Data([1, 0, 2]) : nil, raw: [0, 255],
        mood: isEven ? .calm : .loud, size: isEven ? .large : nil, only: .one, address: address,
        other: isEven ? address : nil, tags: [Tag(rawValue: "x"), Tag(rawValue: "y")],
        counts: ["k": number], tag: Tag(rawValue: "t\(number)"),
        wrapped: isEven ? Wrapped(UInt64(number)) : nil,
        shape: isEven ? .circle(radius: 1.5) : .square(side: number),
        position: isEven ? .first : nil)
    }
  }

  @Test func whatIsWrittenIsReadBack() throws {
    let database = try Thing.store()
    var things = (1...4).map(Thing.sample)
    try database.write { connection throws in
      for (index, thing) in things.enumerated() {
        things[index].id = try connection.insert(thing)
        #expect(things[index].id == Int64(index + 1))
      }
    }
    let provider = try FetchedResultsProvider(database: database, request: Thing.all)
    try provider.performFetch()
    #expect(provider.fetchedObjects.map(Array.init) == things)
    #expect(try provider.indexPath(for: things[2]) == [0, 2])
  }

  @Test func valuesAreStoredAsWithAListOfColumns() throws {
    let database = try Thing.store()
    let thing = Thing.sample(2)
    try database.write { _ = try $0.insert(thing) }
    let row = try #require(try database.read { try $0.rows("SELECT * FROM thing") }.first)
    #expect(row["made_at"] == thing.madeAt.columnValue)
    #expect(row["token"] == .text(thing.token.uuidString))
    #expect(row["price"] == "0.25")
    #expect(row["bytes"] == .blob([1, 0, 2]))
    #expect(row["raw"] == .blob([0, 255]))
    #expect(row["mood"] == "calm")
    #expect(row["size"] == 7)
    #expect(row["tag"] == "t2")
    #expect(row["wrapped"] == 2)
    #expect(row["tags"] == #"["x","y"]"#)
    #expect(row["shape"] == #"{"circle":{"radius":1.5}}"#)
    #expect(
      row["address"] == #"{"city":"C2","founded":1700000000250,"streets":["a","ü"]}"#)
  }

  @Test func everyStoredPropertyIsAColumn() throws {
    let paths: [(AnyProperty<Thing>, String)] = [
      (\.id, "id"), (\.name, "name"), (\.alias, "alias"), (\.isOpen, "is_open"),
      (\.weight, "weight"), (\.ratio, "ratio"), (\.count, "count"), (\.small, "small"),
      (\.madeAt, "made_at"), (\.token, "token"), (\.link, "link"), (\.price, "price"),
      (\.bytes, "bytes"), (\.raw, "raw"), (\.mood, "mood"), (\.size, "size"), (\.only, "only"),
      (\.address, "address"), (\.other, "other"), (\.tags, "tags"), (\.counts, "counts"),
      (\.tag, "tag"), (\.wrapped, "wrapped"), (\.shape, "shape"), (\.position, "position"),
    ]
    for (path, column) in paths {
      #expect(Thing.recordDescription.column(of: path, in: []) == column)
    }
  }

  @Test func whatIsComputedOrPartOfAValueIsNoColumn() throws {
    let database = try Thing.store()
    let paths: [AnyProperty<Thing>] = [
      \.initial, \.address.city, \.tag.rawValue, \.counts.count, \.self,
    ]
    for path in paths {
      let error = #expect(throws: FetchError.self) {
        try FetchedResultsProvider(database: database, request: Thing.all.sorted(by: path))
      }
      #expect(error?.code == .computedProperty)
    }
    let provider = try FetchedResultsProvider(
      database: database, request: Thing.all, sectionedBy: \.initial)
    try database.write { for number in 1...3 { _ = try $0.insert(Thing.sample(number)) } }
    try provider.performFetch()
    #expect(provider.sections.map(\.name) == ["n"])
  }

  @Test func aChangedPropertyIsUpdatedAlone() throws {
    let database = try Thing.store()
    var thing = Thing.sample(1)
    try database.write { thing.id = try $0.insert(thing) }
    thing.name = "new"
    thing.count = 0
    thing.address.city = "Ulm"
    try database.write { try $0.update(thing, only: \.name, \.address) }
    let row = try #require(try database.read { try $0.rows("SELECT * FROM thing") }.first)
    #expect(row["name"] == "new")
    #expect(row["count"] == 1_000)
    try database.write { try $0.update(thing) }
    try database.write { _ = try $0.upsert(thing) }
    #expect(try database.read { try $0.value(Int.self, "SELECT count FROM thing") } == 0)
    #expect(try database.write { try $0.delete(thing) })
    let error = #expect(throws: FetchError.self) {
      try database.write { try $0.update(thing, only: \.initial) }
    }
    #expect(error?.code == .computedProperty)
  }

  @Test func aListFollowsChanges() throws {
    let database = try Thing.store()
    try database.write { for number in 1...3 { _ = try $0.insert(Thing.sample(number)) } }
    let provider = try FetchedResultsProvider(
      database: database, request: Thing.all.filter("\(\.mood) = \("loud")").sorted(by: \.madeAt),
      sectionedBy: \.name)
    try provider.performFetch()
    try database.run(
      "UPDATE thing SET address = json_set(address, '$.city', 'Bonn') WHERE id = 1")
    #expect(try provider.refresh().description == "[0,0]=[0,0]")
    #expect(try provider.object(at: [0, 0]).address.city == "Bonn")
  }

  @Test func aValueOfAnotherTypeIsNamed() throws {
    let database = try Thing.store()
    try database.write { for number in 1...4 { _ = try $0.insert(Thing.sample(number)) } }
    try database.run(
      """
      UPDATE thing SET mood = 'sad' WHERE id = 1; UPDATE thing SET address = '{"city": 1}' WHERE id = 2;
      UPDATE thing SET tags = 5 WHERE id = 3; UPDATE thing SET wrapped = -1 WHERE id = 4;
      """)
    let provider = try FetchedResultsProvider(database: database, request: Thing.all)
    try provider.performFetch()
    for (row, text) in [
      (0, "column mood holds sad, which is not a raw value of Mood"),
      (1, "column address holds text, not the JSON text of a Address (city: "),
      (2, "column tags holds text, not the JSON text of a Array<Tag>"),
      (3, "column wrapped holds integer, not an integer that fits UInt64"),
    ] {
      let error = #expect(throws: DatabaseError.self) { try provider.object(at: [0, row]) }
      #expect(error?.code == .typeMismatch)
      #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }
  }
}

// MARK: - Records that cannot be described so

extension CodedRecordTests {
  private func error<Record: FetchableRecord>(
    _ type: Record.Type, _ columns: String = "id INTEGER PRIMARY KEY, name TEXT"
  ) throws -> FetchError? {
    let database = try Database.store("CREATE TABLE part(\(columns))")
    let error = #expect(throws: FetchError.self) {
      try FetchedResultsProvider(database: database, request: Record.all)
    }
    return error
  }

  struct Camel: Codable, FetchableRecord {
    var id: Int
    var releaseYear: Int
    var notes: String?

    static let recordDescription = RecordDescription<Camel>(table: "part")
  }

  @Test func aColumnThatDoesNotExistIsNamedWithItsTable() throws {
    let missing = try error(Camel.self, "id INTEGER PRIMARY KEY, releaseyear, remarks")
    #expect(missing?.code == .noSuchColumn)
    #expect(
      missing?.description
        == "there is no column notes in part, for the coding key notes of Camel. Name the column in "
        + "CodingKeys, or leave the property out of them. The columns are: id, releaseyear, remarks"
    )
    let snake = try error(Camel.self, "id INTEGER PRIMARY KEY, release_year, notes")
    #expect(
      snake?.nextStep == "There is release_year: describe the record with columnNames: .snakeCase")
    let database = try Database.store("CREATE TABLE part(id INTEGER PRIMARY KEY, releaseYear)")
    let written = #expect(throws: FetchError.self) {
      try database.write { try $0.writer(for: Camel.self) }
    }
    #expect(written?.code == .noSuchColumn)
  }

  struct Picky: Codable, FetchableRecord {
    struct Refusal: Error {}
    var id: Int
    var name: String
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      id = try values.decode(Int.self, forKey: .id)
      name = try values.decode(String.self, forKey: .name)
      guard name.hasPrefix("x") else { throw Refusal() }
    }
    static let recordDescription = RecordDescription(table: "part", key: \Picky.id)
  }

  struct Nested: Decodable, FetchableRecord {
    var id: Int
    var name: String
    enum Keys: CodingKey { case id, name, info }
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Keys.self)
      id = try values.decode(Int.self, forKey: .id)
      name = try values.nestedContainer(keyedBy: Keys.self, forKey: .info)
        .decode(String.self, forKey: .name)
    }
    static let recordDescription = RecordDescription(table: "part", key: \Nested.id)
  }

  struct Email: Codable {
    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      guard text.contains("@") else { throw Picky.Refusal() }
    }
  }

  struct Mailed: Codable, FetchableRecord {
    var id: Int
    var name: Email
    static let recordDescription = RecordDescription(table: "part", key: \Mailed.id)
  }

  final class Shared: Codable, FetchableRecord {
    let id: Int
    init(id: Int) { self.id = id }
    static let recordDescription = RecordDescription(table: "part", key: \Shared.id)
  }

  struct Misnamed: Codable, FetchableRecord {
    var id: Int
    var name: String
    var initial: String { String(name.prefix(1)) }
    static let recordDescription = RecordDescription(table: "part", key: \Misnamed.initial)
  }

  @Test func aRecordThatCannotBeProbedIsAnErrorThatNamesTheReason() throws {
    for (error, code, reason) in [
      (try error(Picky.self), FetchError.Code.unknownColumns, "its init(from:) does not accept"),
      (try error(Nested.self), .unknownColumns, "decodes the parts of the coding key info itself"),
      (try error(Mailed.self), .unknownColumns, "a Email for the coding key name cannot be made"),
      (try error(Shared.self), .unknownColumns, "it is a class"),
      (try error(Misnamed.self), .missingKey, "the key"),
    ] {
      #expect(error?.code == code)
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
      #expect(error?.nextStep?.isEmpty == false)
    }
  }

  /// A type around a list, which decodes it from a single value.
  struct Titles: Codable, Hashable {
    var list: [String]
    init(_ list: [String]) { self.list = list }
    init(from decoder: any Decoder) throws {
      list = try decoder.singleValueContainer().decode([String].self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(list)
    }
  }
  struct Shelf: Codable, Hashable, FetchableRecord {
    var id: Int
    var name: Titles?
    static let recordDescription = RecordDescription(table: "part", key: \Shelf.id)
  }

  @Test func aTypeAroundAListIsStoredAsTheList() throws {
    let database = try Database.store("CREATE TABLE part(id INTEGER PRIMARY KEY, name TEXT)")
    let shelves = [Shelf(id: 1, name: Titles(["a", "ü"])), Shelf(id: 2, name: nil)]
    try database.write { connection in for shelf in shelves { _ = try connection.insert(shelf) } }
    let texts = try database.read { try $0.values(String?.self, "SELECT name FROM part") }
    #expect(texts == [#"["a","ü"]"#, nil])
    let provider = try FetchedResultsProvider(database: database, request: Shelf.all)
    try provider.performFetch()
    #expect(provider.fetchedObjects.map { Array($0) } == shelves)
  }

  struct Derived: Decodable, FetchableRecord {
    enum Kind: Int { case one = 10, two = 25 }
    var id: Int
    var name: String
    var folded: String
    var kind: Kind?
    enum Keys: CodingKey { case id, name, kind }
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Keys.self)
      id = try values.decode(Int.self, forKey: .id)
      name = try values.decode(String.self, forKey: .name)
      kind = Kind(rawValue: try values.decode(Int.self, forKey: .kind))
      folded = name.lowercased()
    }
    static let recordDescription = RecordDescription(table: "part", key: \Derived.id)
  }

  @Test func aPropertyThatIsMadeOfAnotherIsNoColumn() throws {
    let database = try Database.store(
      "CREATE TABLE part(id INTEGER PRIMARY KEY, name, kind); INSERT INTO part VALUES (1, 'B', 10)")
    let request = Derived.all.sorted(by: \.kind).sorted(by: \.name)
    let provider = try FetchedResultsProvider(database: database, request: request)
    try provider.performFetch()
    #expect(try provider.object(at: [0, 0]).folded == "b")
    #expect(try provider.object(at: [0, 0]).kind == .one)
    let computed = #expect(throws: FetchError.self) {
      try provider.setRequest(Derived.all.sorted(by: \.folded))
    }
    #expect(computed?.code == .computedProperty)
    let error = #expect(throws: FetchError.self) {
      try database.write { _ = try $0.insert(try provider.object(at: [0, 0])) }
    }
    #expect(error?.code == .notWritable)
  }

  struct Count: Decodable, FetchableRecord {
    var genre: String?
    var count: Int
    static let recordDescription = RecordDescription(
      select: "SELECT genre, count(*) AS count FROM track GROUP BY genre", key: \Count.genre)
  }

  @Test func aSelectNeedsNoListEither() throws {
    let provider = try FetchedResultsProvider(
      database: try Track.store(), request: Count.all.sorted(by: \.count, .descending))
    try provider.performFetch()
    #expect(provider.fetchedObjects?.map(\.count) == [2, 2, 1])
  }

  @Test func namesInSnakeCaseAreFoundationsOwn() throws {
    struct Name: Encodable, CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
      func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Name.self)
        try values.encode(1, forKey: self)
      }
    }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    for key in [
      "id", "releaseYear", "imageURL", "urlOfHTTPServer", "a", "aB", "x2Y", "oneTwoThree",
    ] {
      let expected = String(decoding: try encoder.encode(Name(stringValue: key)), as: UTF8.self)
      #expect("{\"\(ColumnNaming.snakeCase(key))\":1}" == expected)
    }
  }

  /// A value that contains itself has no end if the samples choose that case again and again.
  @Test func anEnumerationThatContainsItself() throws {
    indirect enum Rule: Codable, Equatable, Sendable {
      case equals(String), not(Rule), both(Rule, Rule)
    }
    struct Playlist: Codable, FetchableRecord {
      let id: Int64
      let rule: Rule
      static let recordDescription = RecordDescription(table: "playlist", key: \Playlist.id)
    }
    let database = try Database.store("CREATE TABLE playlist(id INTEGER PRIMARY KEY, rule TEXT)")
    let rule = Rule.both(.not(.equals("a")), .equals("b"))
    try database.write { try $0.insert(Playlist(id: 1, rule: rule)) }
    #expect(try database.read { try $0.fetchAll(Playlist.all) }.map(\.rule) == [rule])
  }
}
