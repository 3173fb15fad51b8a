import FetchedResults
import RowQueries
import SQLiteStorage
import SectionedData

/// The section index of a list: titles, each with the line of the first section that has it.
enum SectionIndexJSON {
  private static let longest = 100
  /// The number of sections whose titles are read.
  private static let mostSections = 10_000

  /// The index as `/api/index` answers it.
  ///
  /// A long list of titles is thinned out evenly, and so are the sections that are read for it.
  static func bytes(
    _ snapshot: FetchedSnapshot<Row>, _ query: RowQuery, version: String
  ) -> [UInt8] {
    let count = query.sectionKey == nil ? 0 : snapshot.numberOfSections
    let read = Array(
      stride(from: 0, to: count, by: max(1, (count + mostSections - 1) / mostSections)))
    let index = SectionIndex(sections: read.lazy.map { titled($0, snapshot) })
    let length = min(longest, index.titles.count)
    let entries = (0..<length).map { entry in
      let number = entry * index.titles.count / length
      let section = read[index.sections[number]]
      return (
        title: index.titles[number], line: snapshot.rows(inSection: section).lowerBound + section
      )
    }
    let buffer = OutputBuffer()
    buffer.object {
      buffer.member("version", version)
      buffer.member("entries")
      buffer.append(array: entries) { entry in
        buffer.object {
          buffer.member("title", entry.title)
          buffer.member("line", entry.line)
        }
      }
    }
    return buffer.bytes
  }

  /// The description of a section, with its title in the index.
  private static func titled(_ number: Int, _ snapshot: FetchedSnapshot<Row>) -> SectionInfo {
    let section = snapshot.section(at: number)
    guard let name = section.name, let title = numericTitle(name) else { return section }
    return SectionInfo(name: name, indexTitle: title, numberOfRows: section.numberOfRows)
  }

  /// The number, year or date that a name begins with: by first characters, all numbers would be ten entries. Nil for
  /// another name.
  static func numericTitle(_ name: String) -> String? {
    let start = name.utf8.prefix { byte in
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-.:/".utf8.contains(byte)
    }
    let end = start.lastIndex { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    return end.map { String(name[...$0]) }
  }
}
