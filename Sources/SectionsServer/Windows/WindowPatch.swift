import RowQueries

extension WindowContent {
  /// Appends the parts that make this window from an older one: `[LINE,COUNT]` for lines that are kept,
  /// by their old numbers, and the new lines.
  ///
  /// - Parameter version: that of the older window. A row that was inserted, updated or moved since is always a new line.
  func append(patchFrom old: WindowContent, since version: Int, to buffer: OutputBuffer) {
    var oldIndexes: [String: Int] = [:]
    for (index, line) in old.lines.enumerated() { oldIndexes[line.key] = index }
    var kept = 0..<0
    var isFirst = true
    func separate() {
      if !isFirst { buffer.append(",") }
      isFirst = false
    }
    func appendKept() {
      guard !kept.isEmpty else { return }
      separate()
      buffer.append(array: [old.from + kept.lowerBound, kept.count]) { buffer.append(Int64($0)) }
      kept = 0..<0
    }
    buffer.append("[")
    for line in lines {
      if line.marks.mark(since: version) == nil, let index = oldIndexes[line.key],
        old.lines[index].body == line.body
      {
        if index == kept.upperBound, !kept.isEmpty {
          kept = kept.lowerBound..<(index + 1)
        } else {
          appendKept()
          kept = index..<(index + 1)
        }
      } else {
        appendKept()
        separate()
        line.append(to: buffer)
      }
    }
    appendKept()
    buffer.append("]")
  }

  /// Appends the numbers of the lines that were changed since a version.
  func append(changedSince version: Int, to buffer: OutputBuffer) {
    func append(_ name: StaticString, _ mark: RowMark) {
      buffer.member(name)
      let numbers = lines.enumerated().filter { $0.element.marks.mark(since: version) == mark }
      buffer.append(array: numbers) { buffer.append(Int64(from + $0.offset)) }
    }
    buffer.member("changed")
    buffer.object {
      append("inserted", .inserted)
      append("updated", .updated)
      append("moved", .moved)
    }
  }
}
