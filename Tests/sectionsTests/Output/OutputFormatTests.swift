import SQLiteStorage
import Testing

@testable import sections

@Suite struct OutputFormatTests {
  @Test func theNamesAreThoseOfTheOption() {
    #expect(
      OutputFormat.allCases.map(\.rawValue) == [
        "table", "list", "json", "ndjson", "csv", "tsv", "markdown", "html",
      ])
  }

  @Test func aTerminalGetsATableAndAPipeTSV() {
    #expect(OutputFormat.standard(isTerminal: true) == .table)
    #expect(OutputFormat.standard(isTerminal: false) == .tsv)
  }

  @Test(arguments: [OutputFormat.json, .ndjson, .csv, .tsv, .markdown, .html])
  func onlyFormatsForTerminalsCutAndColour(_ format: OutputFormat) throws {
    for result in [SampleResult.albums, .awkwardKeys, .awkwardTexts, .awkwardValues] {
      let text = try render(result, as: format, width: 5, usesColor: true)
      #expect(try text == render(result, as: format))
      #expect(!text.contains("…"))
    }
  }

  @Test(arguments: [OutputFormat.table, .list])
  func linesForTerminalsNeverTakeMoreThanTheirWidth(_ format: OutputFormat) throws {
    for width in 12...60 {
      for result in [SampleResult.albums, .awkwardKeys, .awkwardTexts, .awkwardValues] {
        let lines = try render(result, as: format, width: width).split(separator: "\n")
        for line in lines {
          #expect(line.reduce(0) { $0 + $1.displayWidth } <= width, "\(width): \(line)")
        }
      }
    }
  }

  @Test(arguments: [OutputFormat.table, .list])
  func terminalsNeverGetAControlCharacterOfTheData(_ format: OutputFormat) throws {
    for result in [SampleResult.awkwardKeys, .awkwardTexts] {
      let text = try render(result, as: format)
      let escapes = text.unicodeScalars.filter { $0 != "\n" && $0.needsVisibleEscape }
      #expect(escapes.isEmpty)
    }
  }
}
