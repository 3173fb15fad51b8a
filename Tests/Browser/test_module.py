"""Tests of the client for other pages: sections.js, its types, and its store."""

import json
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from case import LETTERS, PageCase
from chromium import Tab
from served import PROJECT, Store

PAGE = PROJECT / "Sources/SectionsServer/Page"
TYPED = """
import { live, type State } from "./sections.js";
const list = live<{ id: number, text: string | null }>("http://localhost", { source: "word", where: ["id:gt:1"], total: "sum:size" });
const open = list.window(0, 60, (window, marks) => {
  for (const { key, row, header, rowKey } of window.items) {
    const text: string | null = row !== undefined ? row.text : header.title;
    console.log(text, marks.get(key) === "inserted", rowKey);
  }
}, (state: State, error) => console.log(state, error?.message));
open.move(60, 60);
const store = list.store(0, 10);
const end: () => void = store.subscribe(() => console.log(store.getSnapshot().window?.rows));
end();
"""


class ModuleTests(PageCase):
    """What another page gets."""

    def module(self) -> tuple[Store, Tab]:
        store = self.store(LETTERS)
        tab = self.browser.open(f"{self.serve(store).address}/?source=word")
        self.addCleanup(tab.close)
        return store, tab

    def begin(self, tab: Tab, script: str) -> None:
        tab.run(
            "import('/assets/sections.js').then(({ live }) => {"
            " const list = live(location.origin, { source: 'word', sort: 'text' });"
            f" {script} }})"
        )

    def test_store_has_one_snapshot_until_the_next_change(self) -> None:
        store, tab = self.module()
        self.begin(tab, """
          window.store = list.store(0, 5); window.calls = 0;
          window.first = store.getSnapshot();
          window.end = store.subscribe(() => { calls += 1; });
        """)
        self.assertEqual(tab.run("[first.window, first.state]"), [None, "connecting"])
        tab.wait("store.getSnapshot().window?.rows === 300 && store.getSnapshot().state === 'live'")
        self.assertTrue(tab.run("store.getSnapshot() === store.getSnapshot() && store.getSnapshot() !== first"))
        before = tab.run("window.before = store.getSnapshot(); calls")
        store.write("UPDATE word SET size = -1 WHERE id = 2")
        tab.wait("store.getSnapshot().window.items[1].row.size === -1")
        self.assertEqual(tab.run("[calls, before.window.items[1].row.size]"), [before + 1, 14])
        self.assertEqual(tab.run("[...store.getSnapshot().marks.values()]"), ["updated"])
        tab.run("store.move(100, 5)")
        tab.wait("store.getSnapshot().window.from === 100")
        # Without a subscriber it is not connected; the next one begins where it was.
        tab.run("end(); window.calls = 0")
        store.write("UPDATE word SET size = -2 WHERE id = 101")
        tab.run("new Promise((done) => setTimeout(done, 300))")
        self.assertEqual(tab.run("[calls, store.getSnapshot().window.items[0].row.size]"), [0, 7])
        tab.run("window.end = store.subscribe(() => { calls += 1; })")
        tab.wait("store.getSnapshot().window.items[0].row.size === -2 && calls > 0")
        tab.run("end()")

    def test_window_is_rendered_once_a_frame(self) -> None:
        store, tab = self.module()
        self.begin(tab, """
          window.frame = 0; window.rendered = []; window.marked = new Set();
          const count = () => { frame += 1; requestAnimationFrame(count); };
          requestAnimationFrame(count);
          list.window(0, 50, (window, marks) => {
            rendered.push(frame); for (const key of marks.keys()) marked.add(key);
          });
        """)
        tab.wait("rendered.length > 0")
        with store.writing("UPDATE word SET size = size + 1 WHERE id = ?", 400, 40):
            tab.wait("marked.size === 40")
        frames = tab.run("rendered")
        self.assertEqual(len(set(frames)), len(frames))

    def test_integers_are_exact_in_older_browsers_too(self) -> None:
        _, tab = self.module()
        texts = [
            '{"a":9007199254740993,"b":-12345678901234567890,"c":1e20,"d":0.1234567890123456789}',
            '["12345678901234567890","\\\\\\"9007199254740993",9007199254740991,1234567890123456.5]',
        ]
        script = """import('/assets/answers.js?%s').then(({ parseExactly }) => %s.map((text) =>
          JSON.stringify(parseExactly(text), (_, value) => (typeof value === 'bigint' ? `${value}n` : value))))"""
        expected = [
            '{"a":"9007199254740993n","b":"-12345678901234567890n","c":100000000000000000000,"d":0.12345678901234568}',
            '["12345678901234567890","\\\\\\"9007199254740993",9007199254740991,1234567890123456.5]',
        ]
        self.assertEqual(tab.run(script % ("new", json.dumps(texts))), expected)
        tab.run("""(() => { const parse = JSON.parse;
          JSON.parse = (text, reviver) => parse(text, reviver && ((key, value) => reviver(key, value))); })()""")
        self.assertEqual(tab.run(script % ("old", json.dumps(texts))), expected)

    def test_numbers_without_their_digits_are_reals_in_conditions(self) -> None:
        _, tab = self.module()
        script = """import('/assets/condition.js').then(({ exactText }) =>
          [12, 12n, 9007199254740991, 9007199254740993n, 1e20, -1e300, 0.5].map(exactText))"""
        self.assertEqual(
            tab.run(script),
            ["12", "12", "9007199254740991", "9007199254740993", "r100000000000000000000", "r-1e+300", "r0.5"],
        )

    def test_end_of_a_long_event_is_looked_for_once(self) -> None:
        _, tab = self.module()
        script = """import('/assets/events.js').then(async ({ serverEvents }) => {
          const event = (text) => `id: a 1\\nevent: window\\ndata: {"text":"${text}"}\\n\\n`;
          const bytes = new TextEncoder().encode(`:\\n\\n${event("ä".repeat(2_000_000))}${event("b")}${event("c".repeat(%d))}`);
          let start = 0;
          const body = new ReadableStream({ pull(controller) {
            if (start < bytes.length) controller.enqueue(bytes.slice(start, start + %d)); else controller.close();
            start += %d;
          } });
          window.fetch = async () => new Response(body);
          const { split } = String.prototype;
          let searched = 0;
          String.prototype.split = function (...rest) { searched += this.length; return split.apply(this, rest); };
          const found = [];
          for await (const { name, id, data } of serverEvents("/", {}, {}, () => {})) found.push([name, id, data.text.length]);
          String.prototype.split = split;
          return [found, searched < 20_000_000];
        })"""
        for length, size in [(1, 65_535), (300_000, 65_536), (2, 4_000_051)]:
            found = tab.run(script % (length, size, size))
            events = [["window", "a 1", count] for count in (2_000_000, 1, length)]
            self.assertEqual(found, [events, True])
        # The end is divided.
        found = tab.run((script % (5, 1, 1)).replace("2_000_000", "7"))
        self.assertEqual(found[0], [["window", "a 1", count] for count in (7, 1, 5)])

    def test_types_name_what_the_module_exports(self) -> None:
        types = (PAGE / "sections.d.ts").read_text()
        for name in ("live", "LineWindow", "ServerError", "parseExactly"):
            self.assertRegex(types, rf"export (function|class) {name}\b")
        code = (PAGE / "sections.js").read_text() + (PAGE / "lines.js").read_text()
        for name in re.findall(r"^  readonly (\w+)", types.split("class LineWindow")[1].split("\n}")[0], re.M):
            self.assertRegex(code, rf"(this\.{name}\b|get {name}\()")

    @unittest.skipUnless(shutil.which("tsc"), "tsc is not installed")
    def test_types_are_valid(self) -> None:
        folder = self.store("").folder
        shutil.copy(PAGE / "sections.d.ts", folder)
        (folder / "use.ts").write_text(TYPED)
        command = ["tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "es2022",
                   "--moduleResolution", "node", str(Path(folder) / "use.ts")]  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(result.stdout, "")
