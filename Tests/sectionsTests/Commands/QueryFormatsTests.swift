import Testing

@testable import sections

/// Golden output of every format for one small database of awkward values.
@Suite(.timeLimit(.minutes(10))) struct QueryFormatsTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.makeDatabase(
      #"""
      CREATE TABLE item(id INTEGER PRIMARY KEY, kind, "a ""b""", value);
      INSERT INTO item VALUES
        (1, 'Text', 'plain', 'café'), (2, 'Text', 'controls', char(27) || '[1m' || char(9, 10)),
        (3, 'Text', 'quotes', 'a,"b"\'), (4, 'Text', '日本', '👩‍👩‍👧 <b>|*'),
        (5, NULL, 'min', -9223372036854775808), (6, NULL, 'exact', 9007199254740993),
        (7, '', 'tenth', 0.1), (8, '', 'whole', 2.0), (9, '', 'huge', 1e300),
        (10, 5, 'infinite', 9e999), (11, 5, NULL, NULL), (12, 5, '', x''), (13, 5, 'bytes', x'00FF10');
      """#)
  }

  private func query(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(["query", "a.db", "item"] + arguments, in: folder)
  }

  @Test func json() async throws {
    try await query("--by", "kind", "--format", "json").expect(
      #"""
      [
      {"section":null,"title":"","indexTitle":null,"count":2,"rows":[
      {"id":5,"kind":null,"a \"b\"":"min","value":-9223372036854775808},
      {"id":6,"kind":null,"a \"b\"":"exact","value":9007199254740993}
      ]},
      {"section":5,"title":"5","indexTitle":"5","count":4,"rows":[
      {"id":10,"kind":5,"a \"b\"":"infinite","value":null},
      {"id":11,"kind":5,"a \"b\"":null,"value":null},
      {"id":12,"kind":5,"a \"b\"":"","value":{"base64":""}},
      {"id":13,"kind":5,"a \"b\"":"bytes","value":{"base64":"AP8Q"}}
      ]},
      {"section":"","title":"","indexTitle":null,"count":3,"rows":[
      {"id":7,"kind":"","a \"b\"":"tenth","value":0.1},
      {"id":8,"kind":"","a \"b\"":"whole","value":2.0},
      {"id":9,"kind":"","a \"b\"":"huge","value":1e+300}
      ]},
      {"section":"Text","title":"Text","indexTitle":"T","count":4,"rows":[
      {"id":1,"kind":"Text","a \"b\"":"plain","value":"café"},
      {"id":2,"kind":"Text","a \"b\"":"controls","value":"\u001b[1m\t\n"},
      {"id":3,"kind":"Text","a \"b\"":"quotes","value":"a,\"b\"\\"},
      {"id":4,"kind":"Text","a \"b\"":"日本","value":"👩‍👩‍👧 <b>|*"}
      ]}
      ]

      """#)
  }

  @Test func jsonWithoutSections() async throws {
    try await query("--limit", "1", "--columns", "id", "--format", "json").expect(
      """
      [
      {"section":null,"title":null,"indexTitle":null,"count":1,"rows":[
      {"id":1}
      ]}
      ]

      """)
  }

  @Test func ndjson() async throws {
    try await query("--by", "kind", "--offset", "5", "--format", "ndjson").expect(
      #"""
      {"section":5,"row":{"id":13,"kind":5,"a \"b\"":"bytes","value":{"base64":"AP8Q"}}}
      {"section":"","row":{"id":7,"kind":"","a \"b\"":"tenth","value":0.1}}
      {"section":"","row":{"id":8,"kind":"","a \"b\"":"whole","value":2.0}}
      {"section":"","row":{"id":9,"kind":"","a \"b\"":"huge","value":1e+300}}
      {"section":"Text","row":{"id":1,"kind":"Text","a \"b\"":"plain","value":"café"}}
      {"section":"Text","row":{"id":2,"kind":"Text","a \"b\"":"controls","value":"\u001b[1m\t\n"}}
      {"section":"Text","row":{"id":3,"kind":"Text","a \"b\"":"quotes","value":"a,\"b\"\\"}}
      {"section":"Text","row":{"id":4,"kind":"Text","a \"b\"":"日本","value":"👩‍👩‍👧 <b>|*"}}

      """#)
    try await query("--limit", "1", "--columns", "id", "--format", "ndjson")
      .expect("{\"section\":null,\"row\":{\"id\":1}}\n")
  }

  @Test func csv() async throws {
    try await query("--by", "kind", "--format", "csv").expect(
      #"""
      section,id,kind,"a ""b""",value
      ,5,,min,-9223372036854775808
      ,6,,exact,9007199254740993
      5,10,5,infinite,Inf
      5,11,5,,
      5,12,5,"",""
      5,13,5,bytes,AP8Q
      "",7,"",tenth,0.1
      "",8,"",whole,2.0
      "",9,"",huge,1e+300
      Text,1,Text,plain,café
      Text,2,Text,controls,"\#u{1B}[1m\#t
      "
      Text,3,Text,quotes,"a,""b""\"
      Text,4,Text,日本,👩‍👩‍👧 <b>|*

      """#)
  }

  @Test func tsv() async throws {
    let text = """
      section\tid\tkind\ta "b"\tvalue
      \t5\t\tmin\t-9223372036854775808
      \t6\t\texact\t9007199254740993
      5\t10\t5\tinfinite\tInf
      5\t11\t5\t\t
      5\t12\t5\t\t
      5\t13\t5\tbytes\tAP8Q
      \t7\t\ttenth\t0.1
      \t8\t\twhole\t2.0
      \t9\t\thuge\t1e+300
      Text\t1\tText\tplain\tcafé
      Text\t2\tText\tcontrols\t\u{1B}[1m\\t\\n
      Text\t3\tText\tquotes\ta,"b"\\\\
      Text\t4\tText\t日本\t👩‍👩‍👧 <b>|*

      """
    try await query("--by", "kind", "--format", "tsv").expect(text)
    // The default of a pipe.
    try await query("--by", "kind").expect(text)
  }

  @Test func table() async throws {
    try await query("--by", "kind", "--index", "--offset", "4", "--format", "table").expect(
      """
      Index: 5 T

      id │ kind │ a "b"    │ value
      ───┼──────┼──────────┼───────────────
      5 (2)
      12 │ 5    │          │ <blob 0 bytes>
      13 │ 5    │ bytes    │ <blob 3 bytes>

      "" (3)
       7 │      │ tenth    │ 0.1
       8 │      │ whole    │ 2.0
       9 │      │ huge     │ 1e+300

      Text (4)
       1 │ Text │ plain    │ café
       2 │ Text │ controls │ ␛[1m␉␊
       3 │ Text │ quotes   │ a,"b"\\
       4 │ Text │ 日本     │ 👩‍👩‍👧 <b>|*

      """)
  }

  @Test func aTableFitsTheWidthThatIsAskedFor() async throws {
    try await query("--where", "id < 5", "--format", "table", "--width", "24").expect(
      """
      id │ kind │ a "b" │ val…
      ───┼──────┼───────┼─────
       1 │ Text │ plain │ café
       2 │ Text │ cont… │ ␛[1…
       3 │ Text │ quot… │ a,"…
       4 │ Text │ 日本  │ 👩‍👩‍👧 …
      (4 rows)

      """)
  }

  @Test func list() async throws {
    try await query("--by", "kind", "--limit", "3", "--format", "list").expect(
      """
      NULL (2)
        5 · NULL · min · -9223372036854775808
        6 · NULL · exact · 9007199254740993

      5 (1)
        10 · 5 · infinite · Inf

      """)
  }

  @Test func markdown() async throws {
    try await query("--by", "kind", "--index", "--offset", "9", "--format", "markdown").expect(
      """
      Index: T

      ## Text (4)

      | id | kind | a "b" | value |
      | --- | --- | --- | --- |
      | 1 | Text | plain | café |
      | 2 | Text | controls | ␛\\[1m\t<br> |
      | 3 | Text | quotes | a,"b"\\\\ |
      | 4 | Text | 日本 | 👩‍👩‍👧 \\<b\\>\\|\\* |

      """)
  }

  @Test func html() async throws {
    let result = try await query("--by", "kind", "--index", "--offset", "11", "--format", "html")
    #expect(result.status == 0)
    #expect(result.stdout.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">\n"))
    #expect(
      result.stdout.hasSuffix(
        """
        <body>
        <nav><a href="#index-0">T</a></nav>
        <section id="index-0">
        <h2><bdi>Text</bdi> <small>(2)</small></h2>
        <table>
        <thead><tr><th scope="col">id</th><th scope="col">kind</th><th scope="col">a "b"</th>\
        <th scope="col">value</th></tr></thead>
        <tbody>
        <tr><td class="number">3</td><td>Text</td><td>quotes</td><td>a,"b"\\</td></tr>
        <tr><td class="number">4</td><td>Text</td><td>日本</td><td>👩‍👩‍👧 &lt;b&gt;|*</td></tr>
        </tbody>
        </table>
        </section>
        </body>
        </html>

        """))
  }

  @Test(arguments: [
    (OutputFormat.json, "[]\n"), (.ndjson, ""), (.csv, "section,id\n"), (.tsv, "section\tid\n"),
    (.table, "id\n──\n(0 rows)\n"), (.list, ""), (.markdown, "| id |\n| --- |\n"),
  ])
  func noRowsMakeNoSections(_ format: OutputFormat, _ expected: String) async throws {
    try await query(
      "--by", "kind", "--where", "0", "--columns", "id", "--format", format.rawValue
    ).expect(expected)
  }

  @Test func noRowsWithoutSectionsAreOneEmptySection() async throws {
    try await query("--where", "0", "--format", "json").expect(
      """
      [
      {"section":null,"title":null,"indexTitle":null,"count":0,"rows":[]}
      ]

      """)
    try await query("--limit", "0", "--columns", "id", "--format", "csv").expect("id\n")
  }

  @Test func colourIsThereWhenItIsAskedForAndNotInAPipe() async throws {
    let plain = try await query("--format", "table")
    #expect(!plain.stdout.contains("\u{1B}"))
    let always = try await query("--format", "table", "--color", "always")
    #expect(always.stdout.contains("\u{1B}[1mkind"))
    let forced = try await Tool.run(
      ["query", "a.db", "item", "--format", "table"], in: folder,
      environment: ["CLICOLOR_FORCE": "1"])
    #expect(forced.stdout == always.stdout)
    let none = try await Tool.run(
      ["query", "a.db", "item", "--format", "table"], in: folder,
      environment: ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"])
    #expect(none.stdout == plain.stdout)
    let machine = try await query("--format", "csv", "--color", "always")
    #expect(!machine.stdout.contains("\u{1B}[0m"))
  }

  @Test(arguments: OutputFormat.allCases)
  func controlCharactersAndOverridesDoNotReachPeople(_ format: OutputFormat) async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE "t\u{1B}[2J"("c\u{9B}31m\u{202E}" TEXT);
      INSERT INTO "t\u{1B}[2J"
      SELECT char(value) || 'x' FROM (
        WITH RECURSIVE c(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM c WHERE value < 159)
        SELECT value FROM c) WHERE value < 32 OR value > 126;
      """, named: "evil.db")
    let result = try await Tool.run(
      [
        "query", "evil.db", "t\u{1B}[2J", "--by", "c\u{9B}31m\u{202E}", "--format", format.rawValue,
      ] + (format.hasIndex ? ["--index"] : []), in: folder)
    #expect(result.status == 0)
    switch format {
    case .json, .ndjson, .csv, .tsv: break  // Programs get what is there.
    case .table, .list, .markdown, .html:
      let isText = format == .markdown || format == .html
      let allowed: Set<Unicode.Scalar> = isText ? ["\n", "\t"] : ["\n"]
      let reached = result.stdout.unicodeScalars.filter {
        $0.needsVisibleEscape && !allowed.contains($0)
      }
      #expect(reached.isEmpty)
    }
  }
}
