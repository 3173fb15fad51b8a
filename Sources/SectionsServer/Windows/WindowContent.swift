import FetchedResults
import RowQueries
import SQLiteStorage
import SectionedData

/// The lines of a window in one version, each as JSON.
///
/// A list has a line for the header of each section, unless it has no sections, and one for each row.
struct WindowContent: Sendable {
  struct Line: Sendable {
    /// The identity of the row or of the section, unique in the list.
    let key: String
    /// The identity of the row; nil for a header.
    let row: RowIdentity?
    /// The section, and the row in it; the section alone for a header.
    let place: [Int]
    /// The JSON, without the place.
    let body: [UInt8]
    /// When it was changed.
    var marks = RowMarks()
  }

  /// The number of the first line.
  let from: Int
  /// The number of lines that the window has if the list is long enough.
  let size: Int
  let lineCount: Int
  let rowCount: Int
  let sectionCount: Int
  let columns: [String]
  private(set) var lines: [Line]
  /// The header of the section of the first line, if that is a row.
  let sticky: Line?
  /// The totals of all rows, as JSON; nil if there are none.
  let totals: [UInt8]?
  /// What the window shows.
  private(set) var part = Part.lines
}

extension WindowContent {
  /// What a window shows of a list.
  enum Part: Hashable, Sendable {
    /// Lines that follow each other.
    case lines
    /// The row with a key, wherever it is.
    case row(key: String)
    /// The headers of the sections with the most rows, the largest first.
    case largestSections
  }
}

extension WindowContent {
  /// Reads what a window shows.
  ///
  /// - Parameter from: the first line, if it shows lines that follow each other.
  init(
    _ snapshot: FetchedSnapshot<Row>, _ query: RowQuery, _ part: Part,
    from: @autoclosure () throws -> Int, size: Int
  ) throws {
    switch part {
    case .lines: try self.init(snapshot, query, from: from(), size: size)
    case .row(let key): try self.init(snapshot, query, following: key)
    case .largestSections: try self.init(snapshot, query, largestSections: size)
    }
  }

  /// Reads the lines of a window. It begins with an earlier line if the list ends before `from`.
  ///
  /// Complexity: O(size) rows are read, and a line is found in O(log² sections).
  init(_ snapshot: FetchedSnapshot<Row>, _ query: RowQuery, from: Int, size: Int) throws {
    let hasHeaders = query.sectionKey != nil
    rowCount = snapshot.numberOfRows
    sectionCount = snapshot.numberOfSections
    lineCount = snapshot.lineCount(query)
    self.size = size
    self.from = Self.start(from, size: size, lineCount: lineCount)
    let end = min(lineCount, self.from + size)
    columns = snapshot.columnNames
    var lines: [Line] = []
    lines.reserveCapacity(end - self.from)
    let template = JSONObjectTemplate(columns: columns)
    var byteCount = 0
    var line = self.from
    var section = hasHeaders && line < end ? snapshot.section(ofLine: line) : 0
    var sticky: Line?
    while line < end {
      let rows = snapshot.rows(inSection: section)
      let first = rows.lowerBound + (hasHeaders ? section + 1 : 0)
      if line < first {
        lines.append(try Line(headerOf: section, snapshot, query))
        line += 1
      } else if line == self.from, hasHeaders {
        sticky = try Line(headerOf: section, snapshot, query)
      }
      let start = rows.lowerBound + max(0, line - first)
      let positions = start..<max(start, min(rows.upperBound, start + end - line))
      let identities = try snapshot.identities(at: positions)
      var offset = 0
      try snapshot.forEachObject(at: positions) { record in
        let place = [section, positions.lowerBound + offset - rows.lowerBound]
        lines.append(
          try Line(record, identities[offset], at: place, template, query))
        byteCount += lines[lines.count - 1].body.count
        guard byteCount <= Self.longest else { throw Self.tooLong }
        offset += 1
      }
      line += positions.count
      section += 1
    }
    self.lines = lines
    self.sticky = sticky
    totals =
      try query.totals.isEmpty
      ? nil
      : Self.json {
        try $0.append(totals: query.printed(snapshot.totals.values), value: $0.append(shown:))
      }
  }

  /// Reads the row with a key. The window has no line if there is none.
  init(_ snapshot: FetchedSnapshot<Row>, _ query: RowQuery, following key: String) throws {
    let position = try snapshot.findPosition(ofKey: key)
    try self.init(
      snapshot, query, from: position.map { snapshot.line(ofPosition: $0, query) } ?? 0,
      size: position == nil ? 0 : 1)
    part = .row(key: key)
  }

  /// Reads the headers of the sections with the most rows, the largest first. If there are very many sections, the
  /// first ones in their order.
  ///
  /// Complexity: O(sections · log sections), with a limit.
  init(_ snapshot: FetchedSnapshot<Row>, _ query: RowQuery, largestSections size: Int) throws {
    guard query.sectionKey != nil else {
      throw RequestError(
        400, "the list has no sections", nextStep: "Name the column of the sections with by")
    }
    (rowCount, sectionCount) = (snapshot.numberOfRows, snapshot.numberOfSections)
    (from, self.size, lineCount) = (0, size, snapshot.numberOfSections)
    columns = snapshot.columnNames
    (sticky, totals) = (nil, nil)
    var sections = Array((0..<sectionCount).prefix(max(size, Self.mostOrdered)))
    if sectionCount <= Self.mostOrdered {
      let counts = sections.map { snapshot.rows(inSection: $0).count }
      sections.sort { (-counts[$0], $0) < (-counts[$1], $1) }
    }
    var byteCount = 0
    lines = try sections.prefix(size).map { section in
      let line = try Line(headerOf: section, snapshot, query)
      byteCount += line.body.count
      guard byteCount <= Self.longest else { throw Self.tooLong }
      return line
    }
    part = .largestSections
  }

  /// The number of sections that are ordered by their size: that is done after each commit.
  static let mostOrdered = 10_000

  /// The first line of a window: an earlier one if the list ends before `from`.
  static func start(_ from: Int, size: Int, lineCount: Int) -> Int {
    from < lineCount ? max(0, from) : max(0, lineCount - size)
  }

  /// The number of bytes that a window may have.
  private static let longest = 16_000_000

  private static let tooLong = RequestError(
    400, "the window has more than \(longest / 1_000_000) MB",
    nextStep: "Ask for fewer lines or columns")

  /// Changes what is known of when lines were changed.
  mutating func mark(_ body: (_ line: Line) -> RowMarks) {
    for index in lines.indices { lines[index].marks = body(lines[index]) }
  }

  private static func json(_ write: (OutputBuffer) throws -> Void) rethrows -> [UInt8] {
    let buffer = OutputBuffer()
    try write(buffer)
    return buffer.bytes
  }
}

extension WindowContent.Line {
  fileprivate init(
    headerOf section: Int, _ snapshot: FetchedSnapshot<Row>, _ query: RowQuery
  ) throws {
    var header = query.header(of: section, in: snapshot)
    header.indexTitle = header.title.flatMap(SectionIndexJSON.numericTitle) ?? header.indexTitle
    let key = Self.key(ofSection: section, snapshot)
    let buffer = OutputBuffer()
    buffer.append("\"key\":")
    buffer.append(json: key)
    try buffer.append(
      membersOf: header, hasTotals: !query.totals.isEmpty, value: buffer.append(shown:))
    buffer.append("}}")
    self.key = key
    row = nil
    place = [section]
    body = buffer.bytes
  }

  fileprivate init(
    _ record: Row, _ identity: RowIdentity, at place: [Int], _ template: JSONObjectTemplate,
    _ query: RowQuery
  ) throws {
    let buffer = OutputBuffer()
    let key = IdentityText.text(identity)
    buffer.append("\"key\":")
    buffer.append(json: key)
    buffer.append(",\"row\":")
    try template.append(record.values, to: buffer, buffer.append(shown:))
    buffer.append("}")
    self.key = key
    row = identity
    self.place = place
    body = buffer.bytes
  }

  /// The identity of a section. No row has the same.
  static func key(ofSection section: Int, _ snapshot: FetchedSnapshot<Row>) -> String {
    "#" + IdentityText.text(snapshot.sectionKeyIdentity(at: section) ?? RowIdentity(.null))
  }
}

extension FetchedSnapshot<Row> {
  /// The number of lines of the list.
  func lineCount(_ query: RowQuery) -> Int {
    query.sectionKey == nil ? numberOfRows : numberOfRows + numberOfSections
  }

  /// The section in which a line is, if each section's header is a line before those of its rows.
  ///
  /// Complexity: O(log² sections).
  ///
  /// - Parameter line: a number of `0..<(numberOfRows + numberOfSections)`.
  fileprivate func section(ofLine line: Int) -> Int {
    let next = (1..<max(1, numberOfSections)).firstIndex(after: {
      rows(inSection: $0).lowerBound + $0 > line
    })
    return next - 1
  }

  /// The position of the row with a key, as a line of a window has it; nil if there is none.
  func findPosition(ofKey key: String) throws -> Int? {
    try IdentityText.identity(key).flatMap { try position(of: $0) }
  }

  /// The position of the row with a key, as a line of a window has it.
  ///
  /// - Throws: `RequestError` of status 404 if there is none.
  func position(ofKey key: String) throws -> Int {
    guard let position = try findPosition(ofKey: key) else {
      throw RequestError(404, "there is no row with this key", nextStep: "It may have been deleted")
    }
    return position
  }

  /// The line of the row at a position.
  func line(ofPosition position: Int, _ query: RowQuery) -> Int {
    query.sectionKey == nil ? position : position + indexPath(of: position).section + 1
  }
}

// MARK: - JSON

extension WindowContent.Line {
  /// Appends the line as an element of a window or a patch.
  func append(to buffer: OutputBuffer) {
    buffer.beginObject()
    if row == nil {
      buffer.member("header")
      buffer.beginObject()
      buffer.member("at", place[0])
    } else {
      buffer.member("at")
      buffer.append(array: place) { buffer.append(Int64($0)) }
    }
    buffer.append(",")
    buffer.append(bytes: body)
  }

  /// Appends a header without the member that it is of a line.
  func append(stickyTo buffer: OutputBuffer) {
    buffer.member("sticky")
    buffer.beginObject()
    buffer.member("at", place[0])
    buffer.append(",")
    buffer.append(bytes: body.dropLast())
  }
}

extension WindowContent {
  /// Appends the members of the window, without braces.
  func append(to buffer: OutputBuffer, version: String) {
    buffer.member("version", version)
    appendCounts(to: buffer)
    buffer.member("columns", columns)
    buffer.member("window")
    buffer.append(array: lines) { $0.append(to: buffer) }
  }

  func appendCounts(to buffer: OutputBuffer) {
    buffer.member("lines", lineCount)
    buffer.member("rows", rowCount)
    buffer.member("sections", sectionCount)
    if let totals {
      buffer.member("totals")
      buffer.append(bytes: totals)
    }
    buffer.member("from", from)
    if lineCount > rowCount { buffer.member("section", lines.first?.place[0] ?? 0) }
    sticky?.append(stickyTo: buffer)
  }

  /// The window as `/api/rows` answers it.
  func json(version: String) -> [UInt8] {
    let buffer = OutputBuffer()
    buffer.object { append(to: buffer, version: version) }
    return buffer.bytes
  }
}
