"""Tests of how the page looks, and of those who cannot see it: contrast, names, order of the Tab key."""

import importlib.util
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from case import LETTERS, LIVE, PageCase
from chromium import Tab
from served import Server, Store

# The package on PyPI that carries the file of axe-core.
AXE = "axe-selenium-python"
WIDE = "CREATE TABLE wide(id INTEGER PRIMARY KEY, %s); INSERT INTO wide(id) VALUES (1), (2), (3);" % (
    ", ".join(f"c{number}" for number in range(60))
)


@cache
def axe() -> str | None:
    """The script of axe-core: of the installed package, or else of one that pip downloads."""
    name = "axe_selenium_python/node_modules/axe-core/axe.min.js"
    if found := importlib.util.find_spec("axe_selenium_python"):
        return (Path(found.origin).parent.parent / name).read_text()
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--retries", "1", "-d", folder, AXE]
        if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            return None
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            return wheel.read(name).decode()


class DesignTests(PageCase):
    """Rules for everybody's page, where things are, and what is announced."""

    def assertAccessible(self, tab: Tab, what: str) -> None:
        """Checks the rules of axe-core."""
        tab.run(axe())
        report = tab.run("""axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
          violations.flatMap(({ id, nodes }) => nodes.map(({ html, any, all, none }) =>
            `${id}: ${html.slice(0, 120)} ${[...any, ...all, ...none].map(({ message }) => message)}`)))""")
        self.assertEqual(report, [], what)

    def test_rules_for_accessibility_find_nothing(self) -> None:
        # Not before: other tests need no package.
        if axe() is None:
            self.skipTest(f"{AXE} is not installed, and pip cannot download it")
        store = self.store(LETTERS + "CREATE TABLE other(id INTEGER PRIMARY KEY, word REFERENCES word);")
        store.write("UPDATE word SET text = NULL WHERE id % 7 = 0; INSERT INTO other VALUES (1, 1)")
        server = self.serve(store)
        for settings in [{}, {"dark": True}, {"width": 390}, {"width": 390, "dark": True}]:
            with self.subTest(settings=settings):
                self.check_states(store, server, settings)
        plain = self.open(server, [("source", "word")], scripts=False)
        plain.send("Emulation.setScriptExecutionDisabled", value=False)
        self.assertAccessible(plain, "without scripts")

    def check_states(self, store: Store, server: Server, settings: dict) -> None:
        # Nothing moves or fades: the colours are those that stay.
        list = [("source", "word"), ("by", "letter"), ("where", "size:gt:1")]
        tab = self.browser.open(f"{server.address}/?{urlencode(list)}", still=True, **settings)
        tab.wait(LIVE)
        self.assertAccessible(tab, "list")
        tab.run("document.querySelector('#track > .row:not(.section) .cell').click()")
        tab.wait("!document.querySelector('#detail').hidden")
        self.assertAccessible(tab, "row")
        tab.press("Escape")
        tab.run("document.querySelector('[aria-label=\"Values of letter\"]').click()")
        tab.wait("document.querySelector('#values a') !== null")
        self.assertAccessible(tab, "values")
        tab.press("Escape")
        tab.run("document.querySelector('#filters .label').click()")
        tab.wait("document.querySelector('#filter-menu').matches(':popover-open')")
        self.assertAccessible(tab, "filter")
        tab.press("Escape")
        tab.run("document.querySelector('#facet-menu summary').click()")
        tab.run("document.querySelector('#facet-menu [data-name=letter]').click()")
        tab.wait("document.querySelectorAll('#facets .value').length === 6")
        self.assertAccessible(tab, "facets")
        tab.run("document.querySelector('#facets > header button').click()")
        tab.run("document.querySelector('#columns summary').click()")
        tab.run("document.querySelector('#pause').click()")
        tab.wait("document.querySelector('#state').dataset.state === 'paused'")
        self.assertAccessible(tab, "paused")
        tab.go(f"{server.address}/?source=nothing")
        self.assertAccessible(tab, "failure")
        tab.go(f"{server.address}/?source=other")
        tab.wait(LIVE)
        store.write("ALTER TABLE other RENAME TO others")
        tab.wait("!document.querySelector('#problem').hidden")
        self.assertAccessible(tab, "late")
        store.write("ALTER TABLE others RENAME TO other")
        tab.close()

    def test_controls_have_borders_that_are_seen(self) -> None:
        _, server, _ = self.words()
        for dark in (False, True):
            tab = self.open(server, [("source", "word")], dark=dark)
            ratios = tab.run("""['#search', '#columns summary', '#filter button'].map((selector) => {
              const light = (text) => {
                const [r, g, b] = text.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
                  .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
              };
              document.querySelector('#add-filter').click();
              const { borderTopColor, color } = getComputedStyle(document.querySelector(selector));
              const line = selector.includes('summary') ? color : borderTopColor;
              const [low, high] = [line, getComputedStyle(document.body).backgroundColor].map(light).sort();
              return (high + 0.05) / (low + 0.05);
            })""")
            self.assertGreaterEqual(min(ratios), 3, ratios)

    def test_tools_are_one_line_and_conditions_another(self) -> None:
        _, _, tab = self.words(("by", "letter"), ("where", "size:gt:1"))
        middles = """[...document.querySelector('#tools').children].filter((one) => one.offsetWidth > 0)
          .map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => Math.round((top + bottom) / 2))"""
        places = tab.run(middles)
        self.assertEqual(len(set(places[:-1])), 1, places)
        self.assertGreater(places[-1], places[0] + 20)
        tab.click("#filters .remove")
        tab.wait(f"{middles}.length === {len(places) - 1}")

    def test_mark_of_the_values_is_beside_its_own_column(self) -> None:
        _, _, tab = self.words()
        places = tab.run("""[...document.querySelectorAll('#head .head')].map((head) => {
          const [name, values] = ['.name', '.values'].map((one) => head.querySelector(one).getBoundingClientRect());
          return [Math.max(values.left - name.right, name.left - values.right),
            getComputedStyle(head.querySelector('.values')).opacity];
        })""")
        self.assertEqual(len(places), 4)
        for distance, opacity in places:
            self.assertLess(distance, 12)
            self.assertEqual(opacity, "1")

    def test_open_row_moves_no_row_and_leads_to_the_next(self) -> None:
        _, _, tab = self.words(("by", "letter"), width=1100)
        boxes = """[...document.querySelectorAll('#track .cell')].map((one) => {
          const { x, y, width } = one.getBoundingClientRect();
          return [x, y, width].join();
        }).join(' ')"""
        before = tab.run(boxes)
        tab.click("#track > .row:not(.section) .cell")
        tab.wait("!document.querySelector('#detail').hidden")
        self.assertEqual(tab.run(boxes), before)
        opened = "document.querySelector('#detail dd:nth-of-type(3)').textContent"
        self.assertEqual(tab.run(opened), "word 006")
        tab.run("document.querySelector('#detail [aria-label=\"Next row\"]').focus()")
        tab.press("Enter")
        tab.wait(f"{opened} === 'word 012'")
        # The focus stays on the button.
        self.assertEqual(tab.run("document.activeElement.ariaLabel"), "Next row")
        for _ in range(49):
            tab.run("document.querySelector('#detail [aria-label=\"Next row\"]').click()")
        tab.wait(f"{opened} === 'word 001'")  # The first one of the next section.
        tab.run("document.querySelector('#detail [aria-label=\"Row before\"]').click()")
        tab.wait(f"{opened} === 'word 300'")

    def tab_to(self, tab: Tab, condition: str, most: int) -> int:
        """Presses the Tab key until a condition is true of what has the focus."""
        for number in range(1, most + 1):
            tab.press("Tab")
            if tab.run(condition):
                return number
        raise AssertionError(f"not after {most} stops: {condition}")

    def test_panel_of_a_wide_table_is_near(self) -> None:
        tab = self.open(self.serve(self.store(WIDE)), [("source", "wide")])
        tab.run("document.querySelector('#list').focus()")
        tab.press("Enter")
        tab.wait("!document.querySelector('#detail').hidden")
        inside = "document.querySelector('#detail').contains(document.activeElement)"
        self.assertLessEqual(self.tab_to(tab, inside, 10), 5)
        # Enter on the row that is open goes there at once.
        tab.run("document.querySelector('#list').focus()")
        tab.press("Enter")
        self.assertTrue(tab.run(inside))
        tab.press("Escape")
        self.assertEqual(tab.run("document.activeElement.id"), "list")
        # The heads are one stop, and arrows go from one to the other.
        tab.press("Tab")
        self.assertEqual(tab.run("document.activeElement.dataset.name"), "id")
        for key, name in [("ArrowRight", "id values"), ("ArrowRight", "c0"), ("ArrowLeft", "id values")]:
            tab.press(key)
            self.assertEqual(tab.run("document.activeElement.dataset.name"), name)

    def test_first_stop_leads_to_the_rows(self) -> None:
        _, _, tab = self.words()
        tab.press("Tab")
        self.assertEqual(tab.run("document.activeElement.textContent"), "Skip to the rows")
        tab.press("Enter")
        tab.wait("document.activeElement.id === 'list'")
        self.assertEqual(tab.run("document.querySelector('#state').dataset.state"), "live")

    def test_changes_and_rows_that_are_opened_are_announced(self) -> None:
        store, _, tab = self.words(("sort", "text"))
        news = "document.querySelector('#news').textContent"
        names = "[...document.querySelectorAll('[role=columnheader]')].map((one) => one.ariaLabel)"
        self.assertEqual(tab.run(names), ["id", "letter", "text", "size"])
        tab.run("document.querySelector('#list').focus()")
        tab.press("ArrowDown")
        tab.press("Enter")
        tab.wait(f"{news} === 'Row 2 is open'")
        store.write("UPDATE word SET size = 99 WHERE id < 4; INSERT INTO word VALUES (999, 'A', 'word 001a', 1)")
        tab.wait(f"{news} === '3 rows updated, 1 row inserted' || {news} === '1 row inserted, 3 rows updated'", 6)
        tab.run("document.querySelector('[aria-label=\"Values of letter\"]').click()")
        tab.wait("document.querySelector('#values').contains(document.activeElement)")
        self.assertEqual(tab.run("document.querySelector('#values').ariaLabel"), "Values of letter")

    def test_a_finger_reaches_everything_on_a_phone(self) -> None:
        _, _, tab = self.words(("by", "letter"), width=390, height=700)
        outside = tab.run("""['#search', '#add-filter', '#group', '#columns summary', '#export summary', '#pause',
          '#menu', '#rail'].filter((selector) => {
            const box = document.querySelector(selector).getBoundingClientRect();
            return box.width === 0 || box.left < 0 || box.right > innerWidth || box.top < 0 || box.bottom > innerHeight;
          })""")
        self.assertEqual(outside, [])
        self.assertLess(tab.run("document.querySelector('#bar').offsetHeight"), 200)
        tab.click("#track > .row:not(.section) .cell")
        tab.wait("!document.querySelector('#detail').hidden")
        box = tab.run("(({ top, bottom, width }) => [top, bottom, width])"
                      "(document.querySelector('#detail').getBoundingClientRect())")  # fmt: skip
        self.assertGreater(box[0], 50)
        self.assertEqual(box[1:], [700, 390])

    def test_text_from_right_to_left_is_shown_so(self) -> None:
        store = self.store(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT);"
            "INSERT INTO t VALUES (1, 'שלום world'), (2, 'hello')"
        )
        tab = self.open(self.serve(store), [("source", "t")])
        directions = "[...document.querySelectorAll('#track .cell:nth-child(2)')].map((one) => getComputedStyle(one).direction)"
        self.assertEqual(tab.run(directions), ["rtl", "ltr"])
