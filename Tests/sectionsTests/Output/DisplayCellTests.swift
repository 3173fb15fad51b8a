import SQLiteStorage
import Testing

@testable import sections

@Suite struct DisplayCellTests {
  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (12, "12 bytes"), (999, "999 bytes"), (1000, "1.0 kB"),
    (1_234_567, "1.2 MB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"), (999_950_000, "1.0 GB"),
    (1_500_000_000, "1.5 GB"), (2_500_000_000_000, "2.5 TB"),
  ])
  func aBlobIsItsSize(_ byteCount: Int, _ size: String) {
    #expect(DisplayCell(blobOfSize: byteCount).text == "<blob \(size)>")
  }

  /// Its bytes are not kept.
  @Test func aBlobThatWasReadIsTheSame() {
    #expect(DisplayCell(.blob([1, 2, 3])) == DisplayCell(blobOfSize: 3))
  }

  @Test(
    arguments: [
      (nil, "NULL", .placeholder), (.real(.nan), "NULL", .placeholder),
      (.integer(.min), "-9223372036854775808", .number), (0.1, "0.1", .number),
      (1.0, "1.0", .number), (-0.0, "-0.0", .number), (1e300, "1e+300", .number),
      (.real(-.infinity), "-Inf", .number), ("", "", .text), ("NULL", "NULL", .text),
    ] as [(Value, String, DisplayCell.Kind)])
  func aValueIsItsText(_ value: Value, _ text: String, _ kind: DisplayCell.Kind) {
    #expect(DisplayCell(value) == DisplayCell(text: text, kind: kind))
  }
}
