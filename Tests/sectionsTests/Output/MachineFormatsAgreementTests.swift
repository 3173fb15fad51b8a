import Foundation
import Testing

@testable import sections

/// What other programs read is exactly what is in the database, on random data.
@Suite(.timeLimit(.minutes(10))) struct MachineFormatsAgreementTests {
  @Test(.enabled(if: OtherProcess.python != nil))
  func pythonReadsTheSameFromEveryFormatAsFromTheDatabase() async throws {
    let folder = try TestFolder()
    let seed = UInt32.random(in: 0...(.max))
    try folder.write(script, to: "agree.py")
    let made = try await Tool.shell("exec python3 agree.py make \(seed)", in: folder)
    #expect(made.status == 0, "seed \(seed): \(made.stderr)")
    for format in [OutputFormat.json, .ndjson, .csv, .tsv] {
      let result = try await Tool.run(
        ["query", "a.db", "t", "--by", "k", "--format", format.rawValue], in: folder)
      #expect(result.status == 0, "seed \(seed): \(result.stderr)")
      try folder.write(result.stdout, to: "output")
      let check = try await Tool.shell("exec python3 agree.py \(format.rawValue)", in: folder)
      #expect(check.status == 0, "seed \(seed): \(check.stdout) \(check.stderr)")
    }
  }
}

private let script = #"""
  import base64, csv, json, math, random, re, sqlite3, struct, sys

  def value(r):
      kind = r.randrange(8)
      if kind == 0: return None
      if kind == 1: return r.randrange(-2**63, 2**63)
      if kind == 2: return r.choice([0, 1, -1, 2**63 - 1, -2**63, 2**53 + 1])
      if kind == 3:
          real = struct.unpack("d", r.randbytes(8))[0]
          return 0.1 if math.isnan(real) else real
      if kind == 4: return r.choice([0.0, -0.0, 1.0, 1e15, 1e16, 0.1, 5e-324, math.inf, -math.inf])
      if kind == 5: return r.randbytes(r.randrange(50))
      if kind == 6: return "".join(chr(r.randrange(128)) for _ in range(r.randrange(20)))
      text = (chr(r.randrange(0x110000)) for _ in range(r.randrange(20)))
      return "".join(c for c in text if not 0xD800 <= ord(c) < 0xE000)

  def make(seed):
      r = random.Random(seed)
      db = sqlite3.connect("a.db")
      db.execute("PRAGMA synchronous = OFF")
      db.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, k, a, b)")
      keys = [value(r) for _ in range(9)]
      for _ in range(500):
          db.execute("INSERT INTO t(k, a, b) VALUES (?, ?, ?)", (r.choice(keys), value(r), value(r)))
      db.commit()

  def same(a, b):
      return type(a) is type(b) and (struct.pack("d", a) == struct.pack("d", b)
                                     if isinstance(a, float) else a == b)

  def as_json(v):
      if isinstance(v, bytes): return {"base64": base64.b64encode(v).decode()}
      return None if isinstance(v, float) and math.isinf(v) else v

  def as_text(v):
      if v is None: return ""
      if isinstance(v, bytes): return base64.b64encode(v).decode()
      if isinstance(v, float) and math.isinf(v): return "Inf" if v > 0 else "-Inf"
      return v if isinstance(v, float) else str(v)

  def same_text(text, v):
      if not isinstance(v, float): return text == v
      return ("." in text or "e" in text) and same(float(text), v)

  def unescape(text):
      names = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
      return re.sub(r"\\(.)", lambda m: names[m[1]], text)

  def check(format):
      db = sqlite3.connect("file:a.db?mode=ro", uri=True)
      rows = db.execute("SELECT k, id, k, a, b FROM t ORDER BY k, id").fetchall()
      with open("output", encoding="utf-8", newline="") as file: text = file.read()
      if format in ("json", "ndjson"):
          if format == "json":
              sections = json.loads(text)
              for section in sections: assert section["count"] == len(section["rows"]), section
              got = [(s["section"], *row.values()) for s in sections for row in s["rows"]]
          else:
              lines = [json.loads(line) for line in text.split("\n")[:-1]]
              got = [(line["section"], *line["row"].values()) for line in lines]
          convert, equal = as_json, same
      else:
          if format == "csv":
              with open("output", encoding="utf-8", newline="") as file: got = list(csv.reader(file))
          else:
              got = [[unescape(f) for f in line.split("\t")] for line in text.split("\n")[:-1]]
          assert got[0] == ["section", "id", "k", "a", "b"], got[0]
          got, convert, equal = got[1:], as_text, same_text
      assert len(got) == len(rows), (len(got), len(rows))
      for g, row in zip(got, rows):
          assert len(g) == len(row), g
          # A section has one key, and 1 and 1.0 are one section.
          pairs = list(zip(g, map(convert, row)))
          for a, b in pairs[1:]: assert equal(a, b), (a, b, row)
          section, key = pairs[0]
          numeric = isinstance(row[0], (int, float)) and not isinstance(section, (dict, type(None)))
          assert equal(section, key) or numeric and float(section) == float(key), (section, key)

  make(int(sys.argv[2])) if sys.argv[1] == "make" else check(sys.argv[1])
  """#
