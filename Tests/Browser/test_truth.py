"""Tests that nothing on the page is untrue."""

from contextlib import suppress

from case import LETTERS, LIVE, PageCase
from chromium import Tab

STATE = "document.querySelector('#state').textContent"
COUNTS = "document.querySelector('#counts').textContent"
# Numbers that do not fit to where they are shown.
CUT = """[...document.querySelectorAll('#track .cell[data-kind=number]')]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"""


class TruthTests(PageCase):
    """Pausing, counts, numbers, and what became of a row."""

    def pause(self, tab: Tab) -> str:
        """Pauses, and returns the time that the page says."""
        tab.run("document.querySelector('#pause').click()")
        tab.wait(f"{STATE}.startsWith('Paused at ')")
        return tab.run(STATE)

    def test_paused_page_keeps_rows_counts_and_time_wherever_it_scrolls(self) -> None:
        store, _, tab = self.words(("by", "letter"), ("sort", "text"))
        time = self.pause(tab)
        side = "document.querySelector('#sources .count').textContent"
        before = (tab.run(COUNTS), tab.run(side))
        refused = tab.answer("*/api/*", 500, times=1000)
        store.write("DELETE FROM word WHERE letter = 'A'; UPDATE word SET text = 'later' WHERE id = 1")
        shown = set()
        for top in range(0, 10_000, 500):
            self.scroll(tab, top)
            shown |= {text for text in self.texts(tab) if text.count("|") == 3 and text.strip("|")}
        self.assertEqual(
            shown,
            {f"{i}|{'ABCDEF'[i % 6]}|word {i:03}|{i * 7 % 50}" for i in range(1, 301)},
        )
        tab.run("new Promise((done) => setTimeout(done, 1500))")
        self.assertEqual((tab.run(COUNTS), tab.run(side)), before)
        self.assertEqual(tab.run(STATE), time)
        self.assertEqual(refused, [])
        self.assertIn("newest", tab.run("document.querySelector('#export').textContent"))
        tab.refusals = 0
        tab.run("document.querySelector('#pause').click()")
        tab.wait(f"{LIVE} && {COUNTS}.startsWith('250 rows')")
        self.assertNotIn("newest", tab.run("document.querySelector('#export').textContent"))

    def test_lines_that_a_paused_page_does_not_have_say_so(self) -> None:
        store = self.store(
            "CREATE TABLE n(id INTEGER PRIMARY KEY, x);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
            "INSERT INTO n SELECT i, 0 FROM n"
        )
        tab = self.open(self.serve(store), [("source", "n")])
        self.scroll(tab, 32 * 2000)
        self.assertShows(tab, "2001")
        self.pause(tab)
        store.write("UPDATE n SET x = 1")
        self.scroll(tab, 32 * 1700)
        self.assertShows(tab, "1701|0")
        self.scroll(tab, 32 * 4000)
        tab.wait("document.querySelectorAll('#track > .row.blank').length > 10")
        note = "getComputedStyle(document.querySelector('#track > .row.blank'), '::before').content"
        self.assertEqual(tab.run(note), '"Not read while paused"')
        tab.run("document.querySelector('#pause').click()")
        self.assertShows(tab, "4010|1")

    def test_tables_at_the_side_follow_the_file_at_once(self) -> None:
        store, _, tab = self.words()
        side = "document.querySelector('#sources').textContent"
        store.write("CREATE TABLE another(a); INSERT INTO another VALUES (1)")
        tab.wait(f"{side}.includes('another1')", 2)
        store.write("INSERT INTO another VALUES (2)")
        tab.wait(f"{side}.includes('another2')", 2)
        store.write("ALTER TABLE another RENAME TO other")
        tab.wait(f"{side}.includes('other2') && !{side}.includes('another')", 2)

    def test_numbers_are_never_cut(self) -> None:
        store = self.store("""
            CREATE TABLE t(id INTEGER PRIMARY KEY, mixed, name TEXT, kind TEXT);
            INSERT INTO t(mixed, name, kind) VALUES ('a', 'x', 'some kind'), (1, 'x', 'some kind');
        """)
        columns = [("columns", name) for name in ("mixed", "name", "kind")]
        tab = self.open(
            self.serve(store, "t", "--by", "kind", "--total", "sum(id)", "--total", "max(id)"),
            [("source", "t"), ("by", "kind"), *columns], width=500,
        )  # fmt: skip
        store.write("UPDATE t SET mixed = -1234567890123456 WHERE id = 2")
        self.assertShows(tab, "-1234567890123456")
        self.assertEqual(tab.run(CUT), [])
        for width in (1280, 700, 420, 330):
            tab.resize(width, 800)
            tab.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            parts = tab.run("""['#counts > span', '#track .label > span'].flatMap((selector) =>
              [...document.querySelectorAll(selector)].map((part) => {
                const [box, parent] = [part, part.parentElement].map((one) => one.getBoundingClientRect());
                const isHidden = box.top >= parent.bottom - 1;
                const fits = box.right <= Math.min(parent.right, innerWidth) + 1;
                return isHidden || fits || part.classList.contains('name') ? '' : part.textContent;
              })).filter(Boolean)""")
            self.assertEqual(parts, [], width)

    def test_open_row_of_a_window_without_a_stream_is_followed_too(self) -> None:
        store = self.store(LETTERS)
        server = self.serve(store)
        # Another page has the places of all streams, and offers none.
        other = self.browser.open(f"{server.address}/schema")
        self.addCleanup(other.close)
        other.run("""Promise.all([0, 1, 2, 3].map((number) => new Promise((done) =>
          void navigator.locks.request(`sections stream ${number}`, () => { done(); return new Promise(() => {}); }))))
          .then(() => true)""")
        facet = "facet=letter&where=size:lt:49"
        tab = self.browser.open(f"{server.address}/?source=word&sort=text&{facet}")
        self.addCleanup(tab.close)
        tab.wait("document.querySelector('#state').dataset.state === 'polling'")
        # What is beside the list is read as often as the list.
        values = "document.querySelector('#facets ul').textContent"
        tab.wait(f"{values}.includes('A50')")
        store.write("UPDATE word SET letter = 'Z' WHERE id = 6")
        tab.wait(f"{values}.includes('A49')")
        tab.click("#track > .row:nth-child(3) .cell")
        opened = "document.querySelector('#detail dd:nth-of-type(3)')?.textContent"
        gone = "document.querySelector('#detail .gone')?.textContent"
        tab.wait(f"{opened} === 'word 003'")
        store.write("UPDATE word SET text = 'word 999' WHERE id = 3")
        tab.wait(f"{opened} === 'word 999'")
        self.assertIsNone(tab.run(gone))
        store.write("UPDATE word SET size = 49 WHERE id = 3")
        tab.wait(f"{gone} === 'This row has left this list.'")
        store.write("UPDATE word SET size = 1 WHERE id = 3")
        tab.wait(f"{gone} === undefined")
        store.write("DELETE FROM word WHERE id = 3")
        tab.wait(f"{gone} === 'This row was deleted.'")

    def test_page_is_not_live_after_the_computer_slept(self) -> None:
        store, server, tab = self.words()
        for _ in range(5):
            # No timer runs meanwhile: only the clock tells.
            tab.run("(() => { const now = Date.now; Date.now = () => now() + 30_000; })()")
            # A comment of the server may come first. Then the page was never late.
            with suppress(AssertionError):
                tab.wait("document.querySelector('#state').dataset.state === 'late'", 2)
                break
        else:
            self.fail("The page was never late.")
        tab.wait(LIVE, 8)
        server.kill()
        tab.wait("document.querySelector('#state').dataset.state === 'reconnecting'", 3)
