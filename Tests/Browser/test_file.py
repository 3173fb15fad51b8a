"""Tests of what the page reads again when the file has changed, and that it reads nothing otherwise."""

import json
import time
from urllib.parse import urlencode

from case import LETTERS, LIVE
from chromium import Tab
from test_facets import FacetCase
from test_ranges import SALES

ASKED = "performance.getEntriesByType('resource').map(({ name }) => name)"


class FileTests(FacetCase):
    """Counts, names and ranges, which depend on more than the rows of the list."""

    def assertCount(self, tab: Tab, source: str, count: str, seconds: float = 4) -> None:
        """Waits until the side says how many rows a table has."""
        link = f"document.querySelector('#sources a[title={source}] .count')?.textContent"
        tab.wait(f"{link} === {json.dumps(count)}", seconds)

    def test_nothing_is_asked_for_while_nobody_writes(self) -> None:
        store = self.store(SALES)
        server = self.serve(store)
        lists = [
            [("source", "sale"), ("by", "customer"), ("facet", "amount"), ("facet", "customer"), ("row", "5")],
            [("sql", "SELECT id, name FROM customer")],
        ]
        tabs = [self.browser.open(f"{server.address}/?{urlencode(parameters)}") for parameters in lists]
        for tab in tabs:
            self.addCleanup(tab.close)
        tabs[1].click("#sql-run")
        tabs[1].wait("document.querySelector('#sql-upkeep .verdict') !== null")
        for tab in tabs:
            tab.wait(LIVE)
        time.sleep(2)
        before = [tab.run(ASKED) for tab in tabs]
        time.sleep(5.5)  # The longest pause between two requests was five seconds.
        self.assertEqual([tab.run(ASKED) for tab in tabs], before)
        self.assertEqual([tab.problems for tab in tabs], [[], []])

    def test_tables_at_the_side_follow_the_file(self) -> None:
        store, server, tab = self.words()
        # One page has a list, one has not run its SQL, and the list of one is refused.
        idle = self.browser.open(f"{server.address}/?sql=")
        self.addCleanup(idle.close)
        idle.wait("document.querySelector('#sql-text')?.offsetHeight > 0")
        refused = self.open(server, [("source", "word")])
        refused.run("history.pushState({}, '', '?source=word&sort=missing'); dispatchEvent(new PopStateEvent('popstate'))")
        refused.wait("document.querySelector('#state')?.dataset.state === 'refused'")
        tabs = [tab, idle, refused]
        store.write("CREATE TABLE other(x); INSERT INTO other VALUES (1)")
        for one in tabs:
            self.assertCount(one, "other", "1")
        store.write("INSERT INTO other VALUES (2); DELETE FROM word WHERE id > 10")
        for one in tabs:
            self.assertCount(one, "other", "2")
            self.assertCount(one, "word", "10")
        # A list that comes later has the stream of before.
        idle.run("document.querySelector('#sources a[title=other]').click()")
        idle.wait(LIVE)
        store.write("DROP TABLE word")
        idle.wait("document.querySelector('#sources a[title=word]') === null")
        self.assertEqual(idle.problems, [])

    def test_tables_follow_in_windows_without_a_stream_of_their_own(self) -> None:
        store = self.store(LETTERS)
        server = self.serve(store)
        tabs = []
        for number in range(6):
            query = "sql=" if number == 5 else f"source=word&where=id:gt:{number}"
            tab = self.browser.open(f"{server.address}/?{query}")
            self.addCleanup(tab.close)
            tab.wait(LIVE if number < 5 else "document.querySelector('#sql-text')?.offsetHeight > 0")
            tabs.append(tab)
        for count in ("1", "2"):
            store.write("CREATE TABLE IF NOT EXISTS other(x); INSERT INTO other VALUES (1)")
            for tab in tabs:
                self.assertCount(tab, "other", count)

    def test_paused_page_keeps_the_counts_until_it_continues(self) -> None:
        store, _, tab = self.words()
        tab.click("#pause")
        tab.wait("document.querySelector('#state').dataset.state === 'paused'")
        store.write("CREATE TABLE other(x)")
        tab.run("new Promise((done) => setTimeout(done, 1500))")
        self.assertIsNone(tab.run("document.querySelector('#sources a[title=other]')"))
        tab.click("#pause")
        self.assertCount(tab, "other", "0")

    def test_ranges_count_rows_that_the_list_does_not_have(self) -> None:
        store = self.store(SALES)
        server = self.serve(store)
        chosen = [("source", "sale"), ("where", "amount:within:100:150"), ("facet", "amount")]
        tab = self.open(server, chosen)
        ranges = [f"{low} – {low + 50} 100{' chosen' if low == 100 else ''}" for low in range(0, 500, 50)]
        self.assertValues(tab, "amount", ranges)
        # The list has none of these rows, so it does not change.
        store.write("INSERT INTO sale VALUES (2000, 1, 10, NULL, 'a')")
        self.assertValues(tab, "amount", ["0 – 50 101", *ranges[1:]])
        # Nor does one that does not show the column.
        hidden = [("source", "sale"), ("columns", "id"), ("columns", "kind"), ("facet", "amount")]
        tab = self.open(server, hidden)
        plain = [text.removesuffix(" chosen") for text in ranges]
        self.assertValues(tab, "amount", ["0 – 50 101", *plain[1:]])
        store.write("UPDATE sale SET amount = 60 WHERE id = 2000")
        self.assertValues(tab, "amount", [plain[0], "50 – 100 101", *plain[2:]])

    def test_menu_of_values_counts_rows_that_the_list_does_not_have(self) -> None:
        store, _, tab = self.words(("where", "letter:eq:B"))
        tab.run("document.querySelector('[aria-label=\"Values of letter\"]').click()")
        values = "[...document.querySelectorAll('#values .value')].map((one) => one.textContent)"
        tab.wait(f"{values}.includes('A50')")
        store.write("INSERT INTO word VALUES (1000, 'A', 'new', 1)")
        tab.wait(f"{values}.includes('A51')", 4)

    def test_links_of_the_open_row_follow_the_file(self) -> None:
        store = self.store(SALES)
        tab = self.open(self.serve(store), [("source", "customer"), ("row", "1")])
        referring = "document.querySelector('#detail .referring a')?.textContent"
        tab.wait(f"{referring} === 'sale 400'")
        store.write("INSERT INTO sale VALUES (2000, 1, 10, NULL, 'a')")
        tab.wait(f"{referring} === 'sale 401'", 4)
        tab.go(tab.run("location.origin") + "/?source=sale&row=1")
        link = "document.querySelector('#detail dd .link:not(.filter)')?.textContent"
        tab.wait(f"{link} === 'customer: Ella'")
        store.write("UPDATE customer SET name = 'Anna' WHERE id = 1")
        tab.wait(f"{link} === 'customer: Anna'", 4)
        # So does the name in the cell.
        tab.wait("document.querySelector('#track > .row').textContent.includes('Anna')", 4)
        store.write("DELETE FROM customer WHERE id = 1")
        tab.wait(f"{link} === 'customer'", 4)
        self.assertEqual(tab.problems, [])
