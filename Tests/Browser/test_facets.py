"""Tests of the values of columns beside the list."""

import json

from case import PageCase
from chromium import Tab

COUNTS = "document.querySelector('#counts').textContent"


class FacetCase(PageCase):
    """What tests of the panel beside the list have in common."""

    def values(self, column: str) -> str:
        """The values that are shown of a column, each with its count and a mark if it is chosen."""
        return f"""[...document.querySelectorAll('#facets section[aria-label="{column}"] .value')].map((one) =>
          [one.querySelector('.name').textContent, one.querySelector(':scope > .count').textContent,
            one.querySelector('input')?.checked ? 'chosen' : ''].join(' ').trim())"""

    def note(self, column: str) -> str:
        return f"document.querySelector('#facets section[aria-label=\"{column}\"] [role=status]').textContent"

    def press(self, tab: Tab, column: str, value: str) -> None:
        tab.run(f"""[...document.querySelectorAll('#facets section[aria-label="{column}"] .value')]
          .find((one) => one.querySelector('.name').textContent === {json.dumps(value)}).querySelector('input').click()""")

    def assertValues(self, tab: Tab, column: str, values: list[str]) -> None:
        found = f"JSON.stringify({self.values(column)})"
        wanted = json.dumps(values, separators=(",", ":"), ensure_ascii=False)
        try:
            tab.wait(f"{found} === {json.dumps(wanted)}")
        except AssertionError:
            self.assertEqual(tab.run(self.values(column)), values)


class FacetTests(FacetCase):
    """Values with the numbers of their rows, which follow the file, and of which several can be chosen."""

    def test_values_of_columns_follow_the_file(self) -> None:
        store, _, tab = self.words(("where", "id:le:50"), ("facet", "letter"), ("facet", "size"))
        self.assertValues(tab, "letter", ["B 9", "C 9", "A 8", "D 8", "E 8", "F 8"])
        tab.wait(f"{self.values('size')}.length === 10")
        self.assertEqual(tab.run(self.note("size")), "The most frequent of 50 values")
        tab.run("[...document.querySelectorAll('#facets section:last-child button')].at(-1).click()")
        tab.wait(f"{self.values('size')}.length === 50")
        store.write("UPDATE word SET letter = NULL WHERE id < 11; UPDATE word SET letter = 'Z' WHERE id > 50")
        self.assertValues(tab, "letter", ["NULL 10", "A 7", "B 7", "C 7", "F 7", "D 6", "E 6"])
        # No other request than the one stream and what opens its windows.
        requests = tab.run("""performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
          .filter((path) => path.startsWith('/api/'))""")
        self.assertEqual({path.rsplit("/", 1)[0] for path in requests}, {"/api/windows"})
        self.assertEqual(tab.problems, [])

    def test_several_values_are_chosen(self) -> None:
        store, server, tab = self.words(("facet", "letter"))
        tab.wait(f"{self.values('letter')}.length === 6")
        self.press(tab, "letter", "B")
        tab.wait(f"{COUNTS} === '50 rows'")
        self.press(tab, "letter", "D")
        tab.wait(f"{COUNTS} === '100 rows'")
        self.assertValues(tab, "letter", ["A 50", "B 50 chosen", "C 50", "D 50 chosen", "E 50", "F 50"])
        chips = "[...document.querySelectorAll('#filters .label')].map((one) => one.textContent)"
        self.assertEqual(tab.run(chips), ["letter = B or D"])
        address = "?source=word&where=letter%3Aeq%3AB&or=letter%3Aeq%3AD&facet=letter"
        self.assertEqual(tab.run("location.search"), address)
        self.assertEqual(tab.run("document.activeElement.dataset.name"), None)
        # Who opens the address has the same, and a value that no row has stays chosen.
        store.write("UPDATE word SET letter = NULL WHERE letter = 'D'")
        other = self.browser.open(server.address + "/" + address)
        self.addCleanup(other.close)
        self.assertValues(other, "letter", ["D 0 chosen", "NULL 50", "A 50", "B 50 chosen", "C 50", "E 50", "F 50"])
        self.press(other, "letter", "D")
        self.press(other, "letter", "NULL")
        other.wait(f"{COUNTS} === '100 rows'")
        self.assertEqual(other.run(chips), ["letter = B or NULL"])
        for value in ["B", "NULL"]:
            self.press(other, "letter", value)
        other.wait(f"{COUNTS} === '300 rows'")
        self.assertEqual(other.run("location.search"), "?source=word&facet=letter")
        self.assertEqual(other.problems, [])

    def test_other_choices_apply_to_the_counts(self) -> None:
        _, _, tab = self.words(("facet", "letter"), ("facet", "size"), ("where", "size:eq:7"), ("where", "id:lt:200"))
        tab.wait(f"{self.values('letter')}.length > 0")
        self.assertEqual(sum(int(one.split()[1]) for one in tab.run(self.values("letter"))), 4)
        tab.wait(f"{self.values('size')}.length > 5")
        sizes = tab.run(self.values("size"))
        self.assertEqual(sum("chosen" in one for one in sizes), 1)

    def test_values_are_searched(self) -> None:
        store, _, tab = self.words(("facet", "text"))
        tab.wait(f"{self.note('text')} === 'The most frequent of 300 values'")
        tab.run("document.querySelector('#facets input[type=search]').focus()")
        tab.send("Input.insertText", text="d 29")
        tab.wait(f"{self.note('text')} === '10 values'")
        store.write("UPDATE word SET text = 'word 299' WHERE id < 4")
        tab.wait(f"{self.values('text')}[0] === 'word 299 4'")
        self.assertEqual(tab.run(self.note("text")), "10 values")

    def test_search_by_names_is_made_again_after_an_error(self) -> None:
        store = self.store("""
            CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE album(id INTEGER PRIMARY KEY, artist INTEGER REFERENCES artist);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
            INSERT INTO artist SELECT i, printf('name %02d', i) FROM n;
            INSERT INTO album SELECT id, id FROM artist;
        """)
        tab = self.open(self.serve(store), [("source", "album"), ("facet", "artist")])
        tab.wait(f"{self.values('artist')}.length === 10")
        refused = tab.answer("*/api/names*contains=*", 503, headers={"Retry-After": "1"})
        tab.run("document.querySelector('#facets input[type=search]').focus()")
        tab.send("Input.insertText", text="name 07")
        self.assertValues(tab, "artist", ["name 07 7 1"])
        self.assertEqual(len(refused), 1)

    def test_columns_are_shown_and_hidden(self) -> None:
        store = self.store("""
            CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE album(id INTEGER PRIMARY KEY, title TEXT, artist INTEGER REFERENCES artist, x);
            INSERT INTO artist VALUES (1, 'Ella'), (2, 'Nina');
            INSERT INTO album VALUES (1, 'a', 2, 1), (2, 'b', 1, '1'), (3, 'c', 2, x'00'), (4, 'd', NULL, '1');
        """)
        tab = self.open(self.serve(store), [("source", "album"), ("columns", "title")])
        self.assertTrue(tab.run("document.querySelector('#facets').hidden"))
        tab.click("#facet-menu summary")
        tab.click("#facet-menu [data-name=artist]")
        tab.click("#facet-menu [data-name=x]")
        # Foreign keys have names; a number is told from a text of its digits, and a blob cannot be chosen.
        self.assertValues(tab, "artist", ["Nina 2 2", "NULL 1", "Ella 1 1"])
        self.assertValues(tab, "x", ["1 2", "1 1", "Blob · 1 byte 1"])
        self.press(tab, "x", "1")
        tab.wait(f"{COUNTS} === '2 rows'")
        self.assertIn("where=x%3Ais%3A%271%27", tab.run("location.search"))
        self.assertValues(tab, "artist", ["NULL 1", "Ella 1 1"])
        tab.run("document.querySelector('#facets section button').click()")
        tab.wait("document.querySelectorAll('#facets section').length === 1")
        tab.click("#facets > header button")
        tab.wait("document.querySelector('#facets').hidden")
        self.assertNotIn("facet", tab.run("location.search"))
        tab = self.open(self.serve(store), [("source", "album")])
        tab.run("document.querySelector('[aria-label=\"Values of title\"]').click()")
        tab.wait("document.querySelector('#values .keep') !== null")
        tab.run("document.querySelector('#values .keep').click()")
        tab.wait(f"{self.values('title')}.length === 4")
        self.assertEqual(tab.problems, [])

    def test_values_of_typed_sql_and_of_a_paused_page(self) -> None:
        store, server, tab = self.words(("facet", "letter"))
        tab.wait(f"{self.values('letter')}.length === 6")
        tab.run("document.querySelector('#pause').click()")
        tab.wait("document.querySelector('#state').dataset.state === 'paused'")
        store.write("DELETE FROM word WHERE letter = 'A'")
        tab.run("new Promise((done) => setTimeout(done, 700))")
        self.assertIn("A 50", tab.run(self.values("letter")))
        tab.run("document.querySelector('#pause').click()")
        self.assertValues(tab, "letter", ["B 50", "C 50", "D 50", "E 50", "F 50"])
        # A column that does not exist is said, and nothing else fails.
        other = self.open(server, [("source", "word"), ("facet", "nothing")])
        other.wait(f"{self.note('nothing')}.startsWith('there is no column nothing')")
        self.assertEqual(other.run("document.querySelector('#state').dataset.state"), "live")
