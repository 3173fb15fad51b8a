"""Tests of the page of `sections serve` in Chromium, while this process writes the database.

    make test-browser

SECTIONS is the tool to test (.build/debug/sections), CHROMIUM the browser. The last test writes the
pictures of Documentation/Images.
"""

import json
import os
import random
import shutil
import subprocess
import threading
import unittest
from functools import partialmethod
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from case import LETTERS, LIVE, PIXEL, VISIBLE, PageCase
from chromium import Tab, executable
from served import PROJECT, TOOL, Network, Server, Store, free_port

MILLION = """
CREATE TABLE event(id INTEGER PRIMARY KEY, day TEXT, amount REAL, note TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
INSERT INTO event SELECT i, printf('2026-%02d', 1 + i / 100000), i * 37 % 10007 / 100.0,
  'note ' || i FROM n;
"""
NGINX = PROJECT / "Examples/Serve/nginx.conf"


class ExamplePage(SimpleHTTPRequestHandler):
    """The files of Examples/Serve."""

    __init__ = partialmethod(
        SimpleHTTPRequestHandler.__init__, directory=str(PROJECT / "Examples/Serve")
    )

    def log_message(self, format: str, *arguments: object) -> None:
        pass


class PageTests(PageCase):
    """The list, its failures and its pictures."""

    # Scrolling

    def test_million_rows_scroll_to_the_end_and_back(self) -> None:
        tab = self.open(self.serve(self.store(MILLION)), [("source", "event")])
        tab.run("document.querySelector('#list').focus()")
        tab.press("End")
        self.assertShows(tab, "1000000|", seconds=3)
        self.assertLess(tab.run("document.querySelectorAll('#track > .row').length"), 80)
        tab.press("Home")
        self.assertShows(tab, "1|2026-01|", seconds=3)
        list_height = tab.run("document.querySelector('#list').scrollHeight")
        self.scroll(tab, list_height / 2)
        tab.wait(
            f"(() => {{ const id = Number({VISIBLE}[0]?.[0].split('|')[0]);"
            " return id > 490000 && id < 510000; })()",
            seconds=3,
        )
        self.assertEqual(tab.problems, [])

    def test_every_line_is_reached_by_small_steps(self) -> None:
        tab = self.open(self.serve(self.store(MILLION)), [("source", "event")])
        seen = set()
        for _ in range(40):
            seen.update(int(text.split("|")[0]) for text in self.texts(tab))
            self.scroll(tab, tab.run("document.querySelector('#list').scrollTop") + 500)
            tab.wait(f"{VISIBLE}.length > 15 && !document.querySelector('.blank')")
        self.assertEqual(sorted(seen), list(range(1, max(seen) + 1)))
        self.assertGreater(max(seen), 500)

    # Changes

    def test_commit_of_another_process_is_marked_without_a_reload(self) -> None:
        store, _, tab = self.words(("sort", "text"))
        tab.run("window.isSamePage = true")
        store.write("INSERT INTO word VALUES (1000, 'A', 'a new word', 1);")
        tab.wait(
            "document.querySelector('#track > .row.inserted')?.textContent.includes('a new word')"
        )
        store.write("UPDATE word SET size = 4711 WHERE id = 2")
        tab.wait("document.querySelector('#track .cell.updated')?.textContent === '4711'")
        store.write("UPDATE word SET text = 'word 003a' WHERE id = 9")
        tab.wait("document.querySelector('#track > .row.moved')?.textContent.includes('word 003a')")
        tab.wait("document.getAnimations().some((one) => one.id === 'move')")
        store.write("DELETE FROM word WHERE id = 1000")
        tab.wait(f"!{VISIBLE}.some(([text]) => text.includes('a new word'))")
        tab.wait("!document.querySelector('.inserted, .updated, .moved, .leaving')")
        self.assertTrue(tab.run("window.isSamePage"))
        self.assertEqual(tab.problems, [])

    def test_nothing_moves_for_who_wants_less_motion(self) -> None:
        store, _, tab = self.words(("sort", "text"), still=True)
        store.write("UPDATE word SET text = 'a first word' WHERE id = 9")
        tab.wait("document.querySelector('#track > .row.moved') !== null")
        self.assertFalse(tab.run("document.getAnimations().some((one) => one.id === 'move')"))

    def test_visible_rows_keep_their_place_when_rows_come_above(self) -> None:
        store, _, tab = self.words(("sort", "text"), ("by", "letter"))
        self.scroll(tab, 4005)
        self.assertShows(tab, "|C|")
        before = tab.run(VISIBLE)
        store.write(
            "INSERT INTO word VALUES (1001, 'A', 'x', 1), (1002, 'A', 'y', 1), (1003, 'B', 'z', 1)"
        )
        tab.wait("!document.querySelector('#newer').hidden")
        self.assertEqual(tab.run("document.querySelector('#newer').textContent"), "↑ 3 newer above")
        self.settle(tab)
        self.assertEqual(tab.run(VISIBLE), before)
        store.write("DELETE FROM word WHERE letter = 'A' AND id < 100")
        tab.wait("document.querySelector('#newer').hidden")
        self.settle(tab)
        self.assertEqual(tab.run(VISIBLE), before)
        self.scroll(tab, 0)
        self.assertShows(tab, "|A|")

    def test_place_holds_in_a_list_longer_than_the_browser_allows(self) -> None:
        store = self.store(MILLION)
        tab = self.open(self.serve(store), [("source", "event")])
        self.scroll(tab, 0.7 * tab.run("document.querySelector('#list').scrollHeight"))
        tab.wait(f"{VISIBLE}.length > 15 && Number({VISIBLE}[3][0].split('|')[0]) > 690000")
        tab.wait(LIVE)
        self.settle(tab)
        before = tab.run(VISIBLE)
        store.write("DELETE FROM event WHERE id <= 20; INSERT INTO event VALUES (-1, 'x', 1, 'x')")
        tab.wait("document.querySelector('#counts').textContent.includes('999,981')")
        self.settle(tab)
        self.assertEqual(tab.run(VISIBLE), before)

    def test_page_shows_the_rows_of_the_file_after_random_changes(self) -> None:
        seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
        with self.subTest(SEED=seed):
            chance = random.Random(seed)
            store, _, tab = self.words(("sort", "text"), ("by", "letter"))
            for number in range(60):
                store.write(self.random_change(chance, number))
                if number % 6 == 5:
                    self.assertAgrees(tab, store)
                    self.scroll(tab, chance.randrange(10_500))
            for top in [0, 3000, 7000, 12_000]:
                self.scroll(tab, top)
                self.assertAgrees(tab, store)
            # A version may be gone before the page asks for its lines; it asks for the newest then.
            self.assertEqual([one for one in tab.problems if "status of 410" not in one], [])

    def assertAgrees(self, tab: Tab, store: Store) -> None:
        """Waits until the visible rows are those of the file."""
        rows = store.rows("SELECT id, letter, text, size FROM word ORDER BY letter, text, id")
        expected = ["|".join(map(str, row)) for row in rows]

        def agrees() -> bool:
            self.shown = [text for text in self.texts(tab) if "|" in text]
            start = expected.index(self.shown[0]) if self.shown and self.shown[0] in expected else 0
            return len(self.shown) > 8 and self.shown == expected[start : start + len(self.shown)]

        try:
            tab.poll(agrees, "the rows of the file", seconds=8)
        except AssertionError:
            self.assertEqual(self.shown, expected)

    @staticmethod
    def random_change(chance: random.Random, number: int) -> str:
        """A transaction of some inserts, updates, moves and deletes."""
        changes = []
        for _ in range(chance.randrange(1, 6)):
            some, letter = chance.randrange(1, 330), chance.choice("ABCDEFGH")
            changes.append(chance.choice([
                f"INSERT OR IGNORE INTO word VALUES ({1000 + number * 10 + some % 10}, '{letter}',"
                f" 'word {some:03} new', {number})",
                f"UPDATE word SET size = {number} WHERE id BETWEEN {some} AND {some + 3}",
                f"UPDATE word SET letter = '{letter}' WHERE id = {some}",
                f"UPDATE word SET text = 'word {chance.randrange(330):03}b' WHERE id = {some}",
                f"DELETE FROM word WHERE id = {some}",
                f"DELETE FROM word WHERE letter = '{letter}' AND id % 7 = {some % 7}",
            ]))  # fmt: skip
        return f"BEGIN; {';'.join(changes)}; COMMIT"

    def test_two_tabs_agree(self) -> None:
        store, server, one = self.words(("sort", "text"), ("by", "letter"))
        other = self.open(server, [("source", "word"), ("sort", "text"), ("by", "letter")])
        for number in range(5):
            store.write(
                f"UPDATE word SET letter = 'A', text = 'a{number}' WHERE id = {number * 11 + 5};"
                f"DELETE FROM word WHERE id = {number * 6 + 6}"
            )
        for tab in (one, other):
            tab.wait("document.querySelector('#counts').textContent.startsWith('295 rows')")
            self.settle(tab)
        fresh = self.open(server, [("source", "word"), ("sort", "text"), ("by", "letter")])
        self.assertEqual(self.texts(one), self.texts(fresh))
        self.assertEqual(self.texts(other), self.texts(fresh))

    def test_more_windows_than_a_browser_has_connections_follow_the_file(self) -> None:
        store = self.store(LETTERS)
        server = self.serve(store)
        state = "document.querySelector('#state').dataset.state"
        tabs = []
        for number in range(7):
            tab = self.browser.open(f"{server.address}/?source=word&where=id:gt:{number}&facet=letter")
            self.addCleanup(tab.close)
            tab.wait(f"{state} === 'live'")
            tabs.append(tab)
        store.write("UPDATE word SET text = 'changed', letter = 'Z' WHERE id = 11")
        for tab in tabs:
            self.assertShows(tab, "11|Z|changed|27", seconds=2)
            tab.wait("document.querySelector('#facets ul').textContent.includes('Z1')")
        # Windows that had events from the stream of one that is closed find another.
        for number in range(2):
            tabs[number].run("location.assign('about:blank')")
            others = tabs[number + 1 :]
            store.write(f"UPDATE word SET text = 'again {number}' WHERE id = 11")
            for tab in others:
                self.assertShows(tab, f"11|Z|again {number}|27", seconds=4)
                tab.wait(f"{state} === 'live'")
        # They move, and follow a row.
        others[-1].press("End")
        self.assertShows(others[-1], "300|A|word 300|0")
        others[-1].run("document.querySelector('#track > .row:last-child .cell').click()")
        others[-1].wait("!document.querySelector('#detail').hidden")
        store.write("UPDATE word SET text = 'last' WHERE id = 300")
        others[-1].wait("document.querySelector('#detail dl').textContent.includes('last')")
        for tab in others:
            self.assertEqual(tab.problems, [])

    # Failures

    def test_page_recovers_when_the_server_restarts(self) -> None:
        store, server, tab = self.words(("sort", "text"))
        tab.run("window.isSamePage = true")
        self.scroll(tab, 1605)
        self.assertShows(tab, "word 060")
        server.kill()
        tab.wait("document.querySelector('#state').dataset.state === 'reconnecting'")
        before = tab.run(VISIBLE)
        store.write(
            "INSERT INTO word VALUES (1000, 'A', 'a new word', 1);"
            "UPDATE word SET text = 'word 060!' WHERE id = 60"
        )
        self.serve(store, port=server.port)
        tab.wait(LIVE)
        self.assertShows(tab, "word 060!")
        self.settle(tab)
        self.assertEqual(tab.run(VISIBLE)[0], before[0])
        store.write("UPDATE word SET text = 'word 060!!' WHERE id = 60")
        self.assertShows(tab, "word 060!!")
        self.assertTrue(tab.run("window.isSamePage"))

    def test_page_says_since_when_the_rows_are_not_those_of_the_file(self) -> None:
        store, _, tab = self.words(("sort", "text"))
        store.write("ALTER TABLE word RENAME TO words")
        tab.wait("document.querySelector('#state').dataset.state === 'late'")
        self.assertIn("Not updated since", tab.run("document.querySelector('#state').textContent"))
        problem = "document.querySelector('#problem')"
        self.assertFalse(tab.run(f"{problem}.hidden"))
        self.assertShows(tab, "word 001")
        # A page that is opened now says the same.
        late = self.browser.open(tab.run("location.href"))
        self.addCleanup(late.close)
        late.wait("document.querySelector('#state').dataset.state !== 'live'")
        store.write("ALTER TABLE words RENAME TO word; DELETE FROM word WHERE id = 1")
        tab.wait(LIVE)
        tab.wait(f"{problem}.hidden")
        self.assertShows(tab, "word 002")

    def test_rows_that_are_shown_can_be_exported(self) -> None:
        _, _, tab = self.words(("sort", "text"), ("where", "letter:eq:B"), ("columns", "text"))
        csv = tab.run("fetch(document.querySelector('#csv').href).then((body) => body.text())")
        self.assertEqual(csv.split("\n")[:3], ["text", "word 001", "word 007"])
        self.assertEqual(len(csv.splitlines()), 51)

    def test_text_is_found_in_any_column(self) -> None:
        _, _, tab = self.words(("sort", "text"))
        tab.press("/")
        tab.send("Input.insertText", text="word 01")
        tab.wait("document.querySelector('#counts').textContent.startsWith('10 rows')")
        self.assertEqual(tab.run("document.activeElement.id"), "search")
        # What is typed after it is no further step of the history.
        tab.send("Input.insertText", text="5")
        tab.wait("document.querySelector('#counts').textContent.startsWith('1 row')")
        self.assertIn("where=%3Acontains%3Aword+015", tab.run("location.search"))
        self.assertEqual(tab.run("document.querySelector('#filters').textContent"), "")
        tab.run("history.back()")
        tab.wait("document.querySelector('#counts').textContent.startsWith('300 rows')")
        tab.run("history.forward()")
        tab.wait("document.querySelector('#search').value === 'word 015'")
        self.search(tab, "")
        tab.wait("document.querySelector('#counts').textContent.startsWith('300 rows')")

    def test_words_are_found_by_a_full_text_index(self) -> None:
        store, server, tab = self.words(("sort", "text"))
        store.write(
            "CREATE VIRTUAL TABLE words USING fts5(text, content=word, content_rowid=id);"
            "INSERT INTO words(words) VALUES ('rebuild');"
        )
        tab = self.open(server, [("source", "word"), ("sort", "text")])
        operators = "[...document.querySelector('#filter .operator').options].map((o) => o.value)"
        self.search(tab, "01 word")
        tab.wait("document.querySelector('#counts').textContent.startsWith('0 rows')")
        self.search(tab, "word 01")
        tab.wait("document.querySelector('#counts').textContent.startsWith('10 rows')")
        self.assertIn("where=%3Amatches%3Aword+01", tab.run("location.search"))
        # A column can be compared in all other ways.
        tab.click("#add-filter")
        self.choose(tab, "#filter .column", "")
        self.assertEqual(tab.run(operators), ["contains", "not-contains", "matches", "not-matches"])
        self.choose(tab, "#filter .operator", "matches")
        self.choose(tab, "#filter .column", "text")
        self.assertEqual(tab.run("document.querySelector('#filter .operator').value"), "contains")
        self.assertNotIn("matches", tab.run(operators))

    def test_value_of_a_row_is_a_filter(self) -> None:
        _, _, tab = self.words(("sort", "text"))
        tab.run("document.querySelector('#list').focus()")
        tab.press("ArrowDown")
        tab.press("Enter")
        tab.wait("!document.querySelector('#detail').hidden")
        letter = tab.run("document.querySelectorAll('#detail dd')[1].textContent")
        tab.run("document.querySelectorAll('#detail .link')[1].click()")
        tab.wait("document.querySelector('#counts').textContent.startsWith('50 rows')")
        self.assertIn(f"where=letter%3Aeq%3A{letter}", tab.run("location.search"))

    def test_most_frequent_values_of_a_column_are_filters(self) -> None:
        store, _, tab = self.words(("where", "id:le:50"))
        values = """[...document.querySelectorAll('#values .value')]
          .map((value) => [...value.children].map((part) => part.textContent).join('|'))"""
        tab.run("document.querySelector('[aria-label=\"Values of letter\"]').click()")
        tab.wait(f"{values}.length === 6")
        self.assertEqual(tab.run(values)[:2], ["|B|9", "|C|9"])
        tab.wait("document.activeElement === document.querySelector('#values a')")
        store.write("UPDATE word SET letter = NULL WHERE id IN (1, 2, 3)")
        tab.wait(f"{values}.includes('|NULL|3')")
        self.assertTrue(tab.run("document.querySelector('#values').contains(document.activeElement)"))
        tab.run("[...document.querySelectorAll('#values .value')].at(-1).click()")
        tab.wait("document.querySelector('#counts').textContent === '3 rows'")
        self.assertIn("where=letter%3Anull", tab.run("location.search"))
        # Another value of the column takes its place.
        tab.run("document.querySelector('[aria-label=\"Values of letter\"]').click()")
        tab.wait(f"{values}.length === 7")
        tab.run("document.querySelector('#values .value').click()")
        tab.wait("document.querySelector('#counts').textContent !== '3 rows'")
        self.assertNotIn("null", tab.run("location.search"))
        self.assertEqual(tab.problems, [])

    def test_address_names_the_open_row(self) -> None:
        store, server, tab = self.words(("by", "letter"), ("sort", "text"))
        tab.run("document.querySelectorAll('#track > .row')[2].click()")
        tab.wait("new URLSearchParams(location.search).get('row') === '12'")
        row = [("source", "word"), ("by", "letter"), ("sort", "text"), ("row", "250")]
        other = self.open(server, row)
        opened = "document.querySelector('#detail dd:nth-of-type(3)')?.textContent"
        other.wait(f"{opened} === 'word 250'")
        self.assertShows(other, "250|E|word 250|0")
        other.run("document.querySelector('#detail [aria-label=Close]').click()")
        other.wait("!location.search.includes('row=')")
        tab.run("document.querySelector('#track > .row:nth-child(4)').click()")
        tab.wait("new URLSearchParams(location.search).get('row') === '18'")
        store.write("DELETE FROM word WHERE id = 250")
        gone = self.open(server, row)
        gone.wait("document.querySelector('#detail .gone')?.textContent.includes('not in the list')")
        self.assertShows(gone, "6|A|word 006|42")

    def test_open_row_follows_its_row_wherever_the_list_is(self) -> None:
        store, _, tab = self.words(("sort", "text"), ("where", "size:lt:49"))
        tab.run("document.querySelectorAll('#track > .row')[2].click()")
        opened = "document.querySelector('#detail dd:nth-of-type(3)')?.textContent"
        gone = "document.querySelector('#detail .gone')?.textContent"
        tab.wait(f"{opened} === 'word 003'")
        self.scroll(tab, 6400)
        self.assertShows(tab, "word 210")
        store.write("UPDATE word SET text = 'word 003!' WHERE id = 3")
        tab.wait(f"{opened} === 'word 003!'")
        # It moves away, and other rows come to its line.
        store.write("UPDATE word SET text = 'word 299!' WHERE id = 3; DELETE FROM word WHERE id < 3")
        tab.wait(f"{opened} === 'word 299!'")
        self.scroll(tab, 0)
        self.assertShows(tab, "word 004")
        self.assertEqual(tab.run(opened), "word 299!")
        store.write("UPDATE word SET size = 49 WHERE id = 3")
        tab.wait(f"{gone} === 'This row has left this list.'")
        store.write("UPDATE word SET size = 1 WHERE id = 3")
        tab.wait(f"{gone} === undefined")
        store.write("DELETE FROM word WHERE id = 3")
        tab.wait(f"{gone} === 'This row was deleted.'")
        self.assertEqual(tab.run(opened), "word 299!")

    def test_end_of_the_list_is_followed(self) -> None:
        store, _, tab = self.words()
        tab.run("document.querySelector('#list').focus()")
        tab.press("End")
        self.assertShows(tab, "300|A|word 300|0")
        for number in range(301, 340):
            store.write(f"INSERT INTO word VALUES ({number}, 'Z', 'new', 1)")
        self.assertShows(tab, "339|Z|new|1")
        # Not once the user has left the end.
        self.scroll(tab, 3000)
        self.assertShows(tab, "100|E|word 100|0")
        before = self.texts(tab)
        store.write("INSERT INTO word VALUES (340, 'Z', 'new', 1)")
        tab.wait("document.querySelector('#counts').textContent === '340 rows'")
        self.assertEqual(self.texts(tab), before)

    def test_double_click_fits_what_is_shown(self) -> None:
        store, _, tab = self.words()
        store.write("UPDATE word SET text = 'a much longer text than those of the first rows' WHERE id = 200")
        tab.run("document.querySelector('#list').scrollTop = 195 * 32")
        self.assertShows(tab, "a much longer text")
        cell = "[...document.querySelectorAll('#track .cell')].find((cell) => cell.textContent.startsWith('a much'))"
        tab.run("document.querySelector('.head:nth-child(3) .grip').dispatchEvent(new MouseEvent('dblclick'))")
        tab.wait(f"{cell}.scrollWidth <= {cell}.clientWidth")
        width = tab.run(f"{cell}.clientWidth")
        self.scroll(tab, 0)
        tab.run("document.querySelector('.head:nth-child(3) .grip').dispatchEvent(new MouseEvent('dblclick'))")
        tab.wait(f"document.querySelector('.head:nth-child(3)').offsetWidth < {width}")

    def test_foreign_keys_are_links(self) -> None:
        store = self.store("""
            CREATE TABLE Artist(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE album(id INTEGER PRIMARY KEY, title TEXT, artist INTEGER REFERENCES artist);
            INSERT INTO Artist VALUES (1, 'Ella'), (2, 'Nina');
            INSERT INTO album VALUES (1, 'a', 2), (2, 'b', 1), (3, 'c', 2), (4, 'd', NULL);
        """)
        tab = self.open(self.serve(store), [("source", "album"), ("where", "title:ge:c")])
        self.assertShows(tab, "3|c|Nina 2")
        tab.click("#track > .row .cell")
        tab.wait("!document.querySelector('#detail').hidden")
        tab.run("document.querySelector('#detail dd:last-of-type .link').click()")
        self.assertShows(tab, "2|Nina")
        self.assertEqual(len(self.texts(tab)), 1)
        tab.click("#track > .row .cell")
        tab.wait("document.querySelector('#detail .referring') !== null")
        tab.run("document.querySelector('#detail .referring a').click()")
        self.assertShows(tab, "1|a|Nina 2")
        self.assertEqual(len(self.texts(tab)), 2)

    # Other servers and pages

    @unittest.skipUnless(shutil.which("nginx"), "nginx is not installed")
    def test_page_is_live_behind_nginx(self) -> None:
        store = self.store(LETTERS)
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        server = self.serve(store, "--allow-origin", address)
        lines = NGINX.read_text().replace("http://127.0.0.1:8080", server.address)
        self.proxy(store.folder, lines, port)
        tab = self.browser.open(f"{address}/?source=word&sort=text")
        self.addCleanup(tab.close)
        tab.wait(LIVE)
        store.write("UPDATE word SET text = 'word 001!' WHERE id = 1")
        self.assertShows(tab, "word 001!", seconds=3)
        server.kill()
        tab.wait("document.querySelector('#state').dataset.state === 'reconnecting'")
        self.serve(store, "--allow-origin", address, port=server.port)
        tab.wait(LIVE)

    @unittest.skipUnless(shutil.which("nginx"), "nginx is not installed")
    def test_page_shows_one_version_of_one_of_two_replicas(self) -> None:
        stores = [self.store(LETTERS + "UPDATE word SET size = 0;") for _ in range(2)]
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        servers = [self.serve(store, "--allow-origin", address) for store in stores]
        replicas = "".join(f"server 127.0.0.1:{server.port};" for server in servers)
        lines = NGINX.read_text().replace("http://127.0.0.1:8080", "http://replicas")
        lines = lines.replace("proxy_http_version", "proxy_set_header Host localhost; proxy_http_version")
        self.proxy(stores[0].folder, f"upstream replicas {{ {replicas} }} {lines}", port)
        tab = self.browser.open(f"{address}/?source=word&sort=text")
        self.addCleanup(tab.close)
        tab.wait(LIVE)
        generator = random.Random(7)

        checked = 0

        def check() -> None:
            nonlocal checked
            sizes = {text.rsplit("|", 1)[1] for text in self.texts(tab) if text}
            self.assertLessEqual(len(sizes), 1)
            checked += len(sizes)

        for number in range(1, 31):
            for store in generator.sample(stores, 2):
                # One replica is behind the other for a moment.
                store.write(f"UPDATE word SET size = {number}")
                self.scroll(tab, generator.uniform(0, 9000))
                check()
            if number == 20:
                servers[0].kill()
        self.scroll(tab, 0)
        self.assertShows(tab, "1|B|word 001|30")
        check()
        self.assertGreater(checked, 20)

    def test_page_of_another_origin_follows_a_list(self) -> None:
        with ThreadingHTTPServer(("127.0.0.1", 0), ExamplePage) as site:
            threading.Thread(target=site.serve_forever, daemon=True).start()
            self.addCleanup(site.shutdown)
            origin = f"http://127.0.0.1:{site.server_port}"
            store = Store.demo()
            self.addCleanup(store.remove)
            server = self.serve(store, "--allow-origin", origin)
            tab = self.browser.open(f"{origin}/index.html?server={server.address}")
            self.addCleanup(tab.close)
            text = "document.querySelector('#rows').textContent"
            tab.wait("document.querySelector('#state').textContent === 'live'")
            store.write("UPDATE track SET name = 'AAA first', rating = NULL WHERE id = 7")
            tab.wait(f"{text}.includes('AAA first')")
            server.kill()
            tab.wait("document.querySelector('#state').textContent === 'reconnecting'")
            store.write("UPDATE track SET name = 'AAA second' WHERE id = 7")
            self.serve(store, "--allow-origin", origin, port=server.port)
            tab.wait(f"{text}.includes('AAA second')")
            # No page of another origin reads anything.
            elsewhere = f"http://localhost:{site.server_port}"
            other = self.browser.open(f"{elsewhere}/index.html?server={server.address}")
            self.addCleanup(other.close)
            other.wait("document.querySelector('h1') !== null")
            self.assertEqual(other.run(text), "")

    def test_window_that_the_server_does_not_know_is_opened_again(self) -> None:
        store, _, tab = self.words()
        refused = tab.answer("*/api/windows/*", 404)
        self.scroll(tab, 6400)
        self.assertShows(tab, "word 210")
        self.assertEqual(len(refused), 1)
        tab.wait(LIVE)
        store.write("UPDATE word SET text = 'changed' WHERE id = 210")
        self.assertShows(tab, "210|A|changed")

    def test_busy_server_is_asked_again(self) -> None:
        _, _, tab = self.words()
        refused = tab.answer("*/api/windows/*", 503, headers={"Retry-After": "1"})
        self.scroll(tab, 6400)
        tab.wait("document.querySelector('#state').textContent.includes('busy')")
        self.assertShows(tab, "word 210")
        self.assertEqual(len(refused), 1)
        tab.wait(LIVE)

    def network(self, server: Server, trip: float = 0) -> Network:
        network = Network(server, trip)
        self.addCleanup(network.stop)
        return network

    def test_rows_come_one_round_trip_after_a_jump_while_somebody_writes(self) -> None:
        for trip, rate in ((0, 200), (0.04, 50), (0.1, 10), (0.2, 5), (0.2, 100)):
            with self.subTest(trip=trip, rate=rate):
                store = self.store(MILLION.replace("1000000", "50000"))
                network = self.network(self.serve(store), trip)
                tab = self.browser.open(f"{network.address}/?source=event")
                self.addCleanup(tab.close)
                tab.wait(LIVE)
                self.settle(tab)
                with store.writing("UPDATE event SET amount = amount + 1 WHERE id = ?", rate, 50):
                    # From the scroll event to the frame without a blank line.
                    times = tab.run("""(async () => {
                      const list = document.querySelector('#list');
                      const times = [];
                      for (const share of [0.5, 0.1, 0.9]) {
                        const start = performance.now();
                        list.scrollTop = list.scrollHeight * share;
                        do {
                          await new Promise(requestAnimationFrame);
                        } while (performance.now() < start + 50 || (performance.now() < start + 9000
                          && document.querySelector('#track > .row.blank')));
                        times.push(performance.now() - start);
                        await new Promise((done) => setTimeout(done, 300));
                      }
                      return times;
                    })()""")
                self.assertLess(max(times), 1000 * (trip + 0.5), f"{times} ms")
                self.assertEqual(tab.problems, [])

    def test_page_says_since_when_nothing_has_come(self) -> None:
        store = self.store(LETTERS)
        network = self.network(self.serve(store))
        tab = self.browser.open(f"{network.address}/?source=word")
        self.addCleanup(tab.close)
        tab.wait(LIVE)
        network.holds = True
        tab.wait("document.querySelector('#state').dataset.state === 'late'", 40)
        self.assertIn("Not updated since", tab.run("document.querySelector('#state').textContent"))
        store.write("UPDATE word SET text = 'later' WHERE id = 2")
        network.holds = False
        self.assertShows(tab, "2|C|later|14")
        tab.wait(LIVE)

    def test_column_is_as_wide_as_it_is_dragged(self) -> None:
        _, _, tab = self.words()
        head = "document.querySelector('#head .cell:nth-child(3)')"
        width = f"{head}.getBoundingClientRect().width"
        before = tab.run(width)
        grip = (
            f"(() => {{ const box = {head}.querySelector('.grip').getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        edge, middle = tab.run(grip)

        def mouse(kind: str, x: float, clicks: int = 1) -> None:
            tab.send("Input.dispatchMouseEvent", type=kind, x=x, y=middle, button="left",
                     buttons=1, clickCount=clicks)  # fmt: skip

        mouse("mousePressed", edge)
        mouse("mouseMoved", edge - 30)
        mouse("mouseMoved", edge - 60)
        mouse("mouseReleased", edge - 60)
        mouse("mouseMoved", edge)
        self.assertAlmostEqual(tab.run(width), before - 60, delta=1)
        cell = "document.querySelector('#track .cell:nth-child(3)').getBoundingClientRect().width"
        self.assertAlmostEqual(tab.run(cell), before - 60, delta=1)
        self.assertAlmostEqual(tab.run(grip)[0], edge - 60, delta=1)
        # It was no click on the head, and it stays in another order.
        self.assertEqual(tab.run("location.search"), "?source=word")
        tab.click("#head .cell:nth-child(2) button")
        tab.wait("document.querySelector('#head .cell:nth-child(2)').ariaSort === 'ascending'")
        self.assertAlmostEqual(tab.run(width), before - 60, delta=1)
        edge, _ = tab.run(grip)
        for clicks in (1, 2):
            mouse("mousePressed", edge, clicks)
            mouse("mouseReleased", edge, clicks)
        # The texts are short.
        tab.wait(f"{width} < {before} - 62")
        self.assertEqual(tab.problems, [])

    def test_lists_of_a_configuration_are_at_the_side(self) -> None:
        store = self.store(LETTERS)
        config = store.folder / "lists.yaml"
        config.write_text(
            'all: {source: word}\nby letter:\n  source: SELECT * FROM word WHERE size > 3\n'
            '  by: letter\n  sort: [letter:desc]\n  key: id\n'
        )
        server = self.serve(store, "--config", str(config))
        tab = self.browser.open(server.address)
        self.addCleanup(tab.close)
        tab.wait(LIVE)
        self.assertEqual(tab.run("document.querySelector('#sources h2').textContent"), "Lists")
        tab.click("#sources li:nth-child(2) a")
        tab.wait("document.querySelector('#counts').textContent.includes('sections')")
        self.assertEqual(
            tab.run("location.search"), "?source=by+letter&by=letter&sort=letter%3Adesc"
        )

    def test_page_says_after_a_second_that_it_reads(self) -> None:
        _, _, tab = self.words()
        tab.answer("*/api/events*", 503, times=1000, headers={"Retry-After": "1"})
        tab.click("#head .cell:nth-child(4) button")
        tab.wait("document.querySelector('#list').ariaBusy === 'true'")
        label = "getComputedStyle(document.querySelector('#place'), '::after')"
        self.assertEqual(tab.run(f"{label}.opacity"), "0")
        tab.wait(f"{label}.opacity === '1'")
        tab.refusals = 0
        tab.wait("document.querySelector('#list').ariaBusy === 'false'")
        self.assertEqual(tab.run(f"{label}.content"), "none")

    def test_rows_never_stand_under_the_name_of_another_list(self) -> None:
        store = self.store(LETTERS + "CREATE TABLE other(id INTEGER PRIMARY KEY, note TEXT);")
        store.write("INSERT INTO other VALUES (1, 'a note')")
        tab = self.open(self.serve(store), [("source", "word")])
        rows = "document.querySelectorAll('#track > .row, #head > .cell').length"
        tab.answer("*/api/events*", 503, times=1000, headers={"Retry-After": "1"})
        tab.run("document.querySelector('#sources a[title=other]').click()")
        tab.wait("document.querySelector('#title').textContent === 'other'")
        self.assertEqual(tab.run(rows), 0)
        tab.refusals = 0
        self.assertShows(tab, "1|a note")
        # Nor do those of another order or filter for long.
        tab.answer("*/api/events*", 503, times=1000, headers={"Retry-After": "1"})
        tab.click("#head .cell:nth-child(2) button")
        tab.wait(f"{rows} === 0", 5)
        tab.refusals = 0
        self.assertShows(tab, "1|a note")
        self.assertEqual([one for one in tab.problems if "status of 503" not in one], [])

    def test_query_that_is_too_slow_is_called_that_and_not_sent_again(self) -> None:
        store = self.store(LETTERS + """
            CREATE VIEW slow AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c
              WHERE i < 1000000000) SELECT count(*) AS n FROM c;
        """)
        tab = self.open(self.serve(store, "--timeout", "0.5"), [("source", "word")])
        tab.run("document.querySelector('#sources a[title=slow]').click()")
        state = "document.querySelector('#state').dataset.state"
        tab.wait(f"{state} === 'refused'")
        problem = tab.run("document.querySelector('#problem').innerText")
        self.assertIn("The query took longer than 0.5 s", problem)
        asked = "performance.getEntriesByType('resource').filter(({ name }) => name.includes('events')).length"
        before = tab.run(asked)
        tab.run("new Promise((done) => setTimeout(done, 2000))")
        self.assertEqual(tab.run(asked), before)
        self.assertEqual(tab.run(state), "refused")
        # The user may ask again, on the same page.
        tab.run("window.isSame = true")
        tab.click("#problem button")
        tab.wait(f"{asked} > {before} && {state} === 'refused'")
        self.assertTrue(tab.run("window.isSame"))
        self.assertEqual(tab.run("document.querySelector('#problem button').textContent"), "Try again")

    def test_typed_sql_that_is_too_slow_can_be_run_again(self) -> None:
        _, _, tab = self.sql_page(LETTERS, "--timeout", "0.5")
        self.typed(tab, "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 1000000000)"
                        " SELECT count(*) AS n FROM c")
        state = "document.querySelector('#state').dataset.state"
        tab.wait(f"{state} === 'refused'")
        problem = tab.run("document.querySelector('#problem').innerText")
        self.assertIn("The query took longer than 0.5 s", problem)
        self.assertIn("Try again", problem)
        # The SQL is not wrong.
        self.assertTrue(tab.run("document.querySelector('#sql-error').hidden"))

    def test_number_is_never_cut(self) -> None:
        _, _, tab = self.words()
        head = "#head .cell:nth-child(1)"
        edge, middle = tab.run(
            f"(() => {{ const box = document.querySelector('{head} .grip').getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind, x in (("mousePressed", edge), ("mouseMoved", edge - 90), ("mouseReleased", edge - 90)):
            tab.send("Input.dispatchMouseEvent", type=kind, x=x, y=middle, button="left", buttons=1,
                     clickCount=1)  # fmt: skip
        tab.run("document.querySelector('#list').scrollTop = 6400")
        self.assertShows(tab, "word 210")
        cut = "[...document.querySelectorAll('#track .cell.numeric')]"
        self.assertEqual(tab.run(f"{cut}.filter((one) => one.scrollWidth > one.clientWidth).length"), 0)

    def test_refused_connection_is_explained(self) -> None:
        _, _, tab = self.words()
        tab.answer("*/api/windows/*", 401, times=1000)
        self.scroll(tab, 6400)
        tab.wait("document.querySelector('#state').dataset.state === 'refused'")
        self.assertIn(
            "A test refused this", tab.run("document.querySelector('#problem').innerText")
        )

    def test_theme_is_kept(self) -> None:
        _, server, tab = self.words()
        self.assertEqual(
            tab.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)"
        )
        tab.click("#theme")
        dark = tab.run("getComputedStyle(document.body).backgroundColor")
        self.assertNotEqual(dark, "rgb(255, 255, 255)")
        other = self.open(server, [("source", "word")])
        self.assertEqual(other.run("getComputedStyle(document.body).backgroundColor"), dark)
        other.click("#theme")

    def test_column_that_does_not_exist_is_named_with_the_next_step(self) -> None:
        _, _, tab = self.words()
        tab.run("history.pushState({}, '', '?source=word&sort=nothing'); history.back()")
        tab.run("history.forward()")
        tab.wait("document.querySelector('#problem').textContent.includes('nothing')")
        tab.click("#problem button")
        self.assertShows(tab, "word 001")
        self.assertEqual(tab.run("location.search"), "?source=word")

    # What the file holds is text

    def test_hostile_names_and_values_stay_text(self) -> None:
        image = "<img src=x onerror=alert(1)>"
        script = "<script>document.title = `taken`</script>"
        store = self.store(f"""
            CREATE TABLE "{image}"("{script}" TEXT, "a:b%c" TEXT, "{{{{first}}}}" TEXT);
            INSERT INTO "{image}" VALUES ('{script}', '{image}', '</script><script>alert(2)</script>'),
              ('{image}', '"''&amp;', '[{{"x": "{image}"}}]');
        """)
        server = self.serve(store)
        tab = self.open(server, [("source", image), ("by", script), ("where", "a%3Ab%25c:notnull")])
        self.assertShows(tab, script)
        self.assertShows(tab, image)
        tab.click("#track > .row:not(.section) .cell")
        tab.wait("!document.querySelector('#detail').hidden")
        self.assertEqual(
            tab.run("document.querySelectorAll('main img, nav img, aside img').length"), 0
        )
        self.assertEqual(
            tab.run("document.querySelectorAll('script:not([src], [type*=json])').length"), 0
        )
        self.assertTrue(tab.run("document.title").startswith(image))
        self.assertEqual(tab.problems, [])
        plain = self.open(server, [("source", image)], scripts=False)
        self.assertEqual(plain.problems, [])

    # The URL

    def test_filter_order_and_sections_are_steps_of_the_history(self) -> None:
        _, _, tab = self.words()
        self.add_filter(tab, "letter", "eq", "B")
        tab.wait("document.querySelector('#counts').textContent === '50 rows'")
        self.assertEqual(
            tab.run("new URLSearchParams(location.search).getAll('where')"), ["letter:eq:B"]
        )
        tab.click("#head .cell:nth-child(4) button")
        tab.wait("document.querySelector('#head .cell:nth-child(4)').ariaSort === 'ascending'")
        tab.click("#head .cell:nth-child(4) button")
        tab.wait("document.querySelector('#head .cell:nth-child(4)').ariaSort === 'descending'")
        tab.wait(f"{VISIBLE}[0][0].endsWith('|49')")
        self.choose(tab, "#group", "size")
        tab.wait("document.querySelector('#counts').textContent === '50 rows · 25 sections'")
        address = tab.run("location.href")
        lines = self.texts(tab)
        for _ in range(4):
            tab.run("history.back()")
            tab.wait(f"location.href !== {json.dumps(tab.run('location.href'))} || true")
        tab.wait("document.querySelector('#counts').textContent === '300 rows'")
        self.assertEqual(tab.run("location.search"), "?source=word")
        fresh = self.browser.open(address)
        self.addCleanup(fresh.close)
        fresh.wait(LIVE)
        self.assertEqual(self.texts(fresh), lines)

    def test_columns_are_hidden_and_shown(self) -> None:
        _, _, tab = self.words()
        tab.click("#columns summary")
        tab.click("#column-list label:nth-child(2)")
        tab.wait("document.querySelectorAll('#head .cell').length === 3")
        self.assertEqual(
            tab.run("new URLSearchParams(location.search).getAll('columns')"),
            ["id", "text", "size"],
        )
        self.assertShows(tab, "1|word 001|7")
        tab.run("history.back()")
        tab.wait("document.querySelectorAll('#head .cell').length === 4")

    # The keyboard, and readers without a mouse or a script

    def test_keys_move_the_focus_and_show_a_row(self) -> None:
        _, _, tab = self.words()
        for key in ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft"]:
            tab.press(key)
        focus = (
            "document.getElementById(document.querySelector('#list')"
            ".getAttribute('aria-activedescendant'))"
        )
        self.assertEqual(tab.run(f"{focus}.ariaColIndex"), "2")
        self.assertEqual(tab.run(f"{focus}.parentElement.ariaRowIndex"), "4")
        tab.press("Enter")
        tab.wait("document.querySelector('#detail')?.textContent.includes('word 003')")
        self.assertEqual(
            tab.run("document.querySelector('#detail').getBoundingClientRect().bottom - innerHeight"), 0
        )
        tab.press("PageDown")
        tab.wait("!document.querySelector('#detail').textContent.includes('word 003')")
        tab.press("End")
        tab.wait("document.querySelector('#detail').textContent.includes('word 300')")
        tab.press("Escape")
        tab.wait("document.querySelector('#detail').hidden")
        self.assertEqual(tab.run("document.activeElement.id"), "list")
        self.assertEqual(tab.run("document.querySelector('#list').ariaRowCount"), "301")

    def test_a_cell_and_a_row_are_copied(self) -> None:
        store = self.store(f"""
            CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT, number INTEGER, more TEXT);
            INSERT INTO note VALUES (1, 'two' || char(10) || 'lines', 9007199254740993, NULL),
              (2, 'x' || replace(hex(zeroblob(20000)), '0', 'long ') || 'end', 2, 'b');
        """)
        tab = self.open(self.serve(store), [("source", "note")])
        self.assertShows(tab, "two")
        # Called after the page's own listener.
        tab.run(
            "addEventListener('copy', (event) =>"
            " window.copied = event.clipboardData.getData('text/plain'))"
        )
        tab.run("document.querySelector('#list').focus()")
        for column, text in enumerate(["1", "two\nlines", "9007199254740993"]):
            tab.press("c", commands=["copy"])
            self.assertEqual(tab.run("window.copied"), text, column)
            tab.press("ArrowRight")
        tab.press("Enter")
        tab.wait("!document.querySelector('#detail').hidden")
        tab.click("#detail .copy")
        tab.wait("document.querySelector('#detail .copy').textContent === 'Copied'")
        self.assertEqual(
            tab.run("window.copied"),
            '{\n  "id": 1,\n  "text": "two\\nlines",\n  "number": 9007199254740993,\n  "more": null\n}',
        )
        tab.run("document.querySelector('#list').focus()")
        tab.press("ArrowDown")
        tab.wait("document.querySelector('#detail .more') !== null")
        tab.click("#detail .copy")
        tab.wait("window.copied.includes('long end\",')")
        self.assertEqual(tab.run("JSON.parse(window.copied).text.length"), 200_004)
        # What is selected comes first.
        tab.run("getSelection().selectAllChildren(document.querySelector('#detail h2'))")
        tab.press("c", commands=["copy"])
        self.assertEqual(tab.run("window.copied"), "")

    def test_focus_stays_on_what_was_chosen(self) -> None:
        _, _, tab = self.words()
        focus = "document.activeElement"
        tab.run("document.querySelector('#head [data-name=text]').focus()")
        for order in ["ascending", "descending"]:
            tab.press("Enter")
            tab.wait(f"{focus}.parentElement.getAttribute('aria-sort') === '{order}'")
            tab.wait("document.querySelector('#state').dataset.state === 'live'")
            self.assertEqual(tab.run(f"{focus}.dataset.name"), "text")
        tab.click("#columns summary")
        tab.run("document.querySelector('#column-list [data-name=letter]').focus()")
        for count in [3, 4]:
            tab.press(" ")
            tab.wait(f"document.querySelectorAll('#head .cell').length === {count}")
            self.assertEqual(tab.run(f"{focus}.dataset.name"), "letter")
        self.assertTrue(tab.run("document.querySelector('#detail').hidden"))

    def test_sections_by_null_and_by_the_empty_text_have_names(self) -> None:
        store = self.store(
            "CREATE TABLE word(id INTEGER PRIMARY KEY, letter TEXT);"
            "INSERT INTO word VALUES (1, NULL), (2, ''), (3, 'a')"
        )
        server = self.serve(store)
        tab = self.open(server, [("source", "word"), ("by", "letter")])
        titles = "[...document.querySelectorAll('#track .section .name')].map((one) => one.textContent)"
        tab.wait(f"{titles}.join() === 'NULL,(empty),a'")

    def test_section_index_goes_to_a_section(self) -> None:
        _, _, tab = self.words(("by", "letter"))
        tab.wait("document.querySelectorAll('#rail button').length === 6")
        tab.click("#rail button:nth-child(4)")
        self.assertShows(tab, "|D|")
        tab.wait("document.querySelector('#sticky .name').textContent === 'D'")

    def typed(self, tab: Tab, sql: str) -> None:
        """Types SQL and runs it, with the keyboard."""
        tab.run("document.querySelector('#sql-text').select()")
        tab.send("Input.insertText", text=sql)
        tab.run("document.querySelector('#sql-text').dispatchEvent(new KeyboardEvent("
                "'keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }))")

    def sql_page(self, script: str = LETTERS, *options: str) -> tuple[Store, Server, Tab]:
        store = self.store(script)
        server = self.serve(store, *options)
        tab = self.browser.open(f"{server.address}/?sql=")
        self.addCleanup(tab.close)
        tab.wait("document.querySelector('#sql-text')?.offsetHeight > 0")
        return store, server, tab

    def test_typed_sql_is_live_and_explained(self) -> None:
        store, server, tab = self.sql_page(LETTERS + "CREATE INDEX word_letter ON word(letter);")
        sql = "SELECT letter, count(*) AS words, sum(size) AS total\nFROM word GROUP BY letter"
        self.typed(tab, sql)
        tab.wait(LIVE)
        self.assertShows(tab, "A|50|")
        self.assertEqual(tab.run("new URLSearchParams(location.search).get('sql')"), sql)
        upkeep = "document.querySelector('#sql-upkeep').innerText"
        tab.wait(f"{upkeep}.includes('Only changed rows are looked up')")
        store.write("INSERT INTO word VALUES (301, 'A', 'zebra', 1000000)")
        self.assertShows(tab, "A|51|1,0")
        # Reloading runs what this browser has run; the result can be sorted like a table.
        tab.go(server.address + "/?" + urlencode({"sql": sql, "sort": "words:desc"}))
        tab.wait(LIVE)
        self.assertShows(tab, "A|51|1,0")
        self.assertTrue(self.texts(tab)[0].startswith("A|51|1,0"))
        self.assertEqual(tab.problems, [])

    def test_advice_is_gone_when_its_index_is_there(self) -> None:
        store, _, tab = self.sql_page("CREATE TABLE a(id INTEGER PRIMARY KEY, x);"
                                      "CREATE TABLE b(id INTEGER PRIMARY KEY, x, y);"
                                      "INSERT INTO a VALUES (1, 2); INSERT INTO b VALUES (1, 2, 3);")
        self.typed(tab, "SELECT a.id, b.id AS other, y FROM a JOIN b ON a.x = b.x")
        self.assertShows(tab, "1|1|3")
        tab.wait("document.querySelectorAll('#sql-upkeep .index').length > 0")
        for index in tab.run("[...document.querySelectorAll('#sql-upkeep .index code')].map((one) => one.textContent)"):
            store.write(index)
        tab.wait("document.querySelector('#sql-upkeep .verdict').dataset.quality === 'good'")
        self.assertEqual(tab.run("document.querySelectorAll('#sql-upkeep .index').length"), 0)

    def test_error_of_typed_sql_is_shown_where_it_is(self) -> None:
        _, _, tab = self.sql_page()
        self.typed(tab, "SELECT id,\n  txt\nFROM word")
        error = "document.querySelector('#sql-error').innerText"
        tab.wait(f"{error}.includes('no such column: txt')")
        self.assertIn("line 2, column 3", tab.run(error))
        self.assertEqual(tab.run("document.querySelector('#sql-error mark').textContent"), "txt")
        tab.click("#sql-error button")
        self.assertEqual(tab.run("getSelection().toString()"), "txt")
        # The rows of the SQL before are not shown under the new one.
        self.typed(tab, "SELECT id, text FROM word")
        self.assertShows(tab, "word 001")
        self.typed(tab, "DELETE FROM word")
        tab.wait(f"{error}.includes('must only read')")
        self.assertEqual(self.texts(tab), [])
        self.typed(tab, "SELECT '" + "x" * 20_000 + "'")
        tab.wait(f"{error}.includes('too long')")

    def test_controls_of_a_list_are_there_if_there_is_one(self) -> None:
        _, server, tab = self.sql_page()
        shown = ("['#tools', '#pause', '#filters'].filter((one) =>"
                 " document.querySelector(one).checkVisibility())")
        self.assertEqual(tab.run(shown), [])
        self.typed(tab, "SELECT id FROM missing")
        tab.wait("document.querySelector('#sql-error').innerText.includes('no such table')")
        self.assertEqual(tab.run(shown), [])
        self.typed(tab, "SELECT id, text FROM word")
        self.assertShows(tab, "word 001")
        self.assertEqual(tab.run(shown), ["#tools", "#pause"])
        # A condition that is wrong can be removed.
        address = urlencode({"sql": "SELECT id, text FROM word", "where": "gone:eq:1"})
        tab.go(f"{server.address}/?{address}")
        tab.wait("document.querySelector('#sql-error').innerText.includes('gone')")
        self.assertEqual(tab.run(shown), ["#tools", "#pause", "#filters"])
        tab.click("#filters .remove")
        self.assertShows(tab, "word 001")

    def test_sql_of_a_link_waits_for_the_user(self) -> None:
        store = self.store(LETTERS)
        server = self.serve(store)
        tab = self.browser.open(server.address + "/?" + urlencode({"sql": "SELECT text FROM word"}))
        self.addCleanup(tab.close)
        tab.wait("document.querySelector('#sql-note').textContent.includes('Read it before')")
        self.assertEqual(tab.run("document.querySelector('#sql-text').value"), "SELECT text FROM word")
        asked = "performance.getEntriesByType('resource').filter(({ name }) => name.includes('sql=')).length"
        self.assertEqual(tab.run(asked), 0)
        tab.click("#sql-run")
        self.assertShows(tab, "word 001")
        tab.go(server.address + "/?" + urlencode({"sql": "SELECT text FROM word"}))
        self.assertShows(tab, "word 001")

    def test_queries_are_kept_with_names(self) -> None:
        _, server, tab = self.sql_page()
        self.typed(tab, "SELECT count(*) AS number FROM word")
        self.assertShows(tab, "300")
        tab.run("document.querySelector('#sql-name').value = 'How many'")
        tab.click("#sql-save")
        self.typed(tab, "SELECT max(size) AS most FROM word")
        self.assertShows(tab, "49")
        tab.go(f"{server.address}/?sql=")
        tab.wait("document.querySelector('#sql-text')?.offsetHeight > 0")
        tab.click("#sql-menu summary")
        items = "[...document.querySelectorAll('#sql-list a')].map((one) => one.textContent)"
        tab.wait(f"{items}.length > 2")
        self.assertEqual(tab.run(items), [
            "How many", "SELECT max(size) AS most FROM word", "SELECT count(*) AS number FROM word"])
        tab.click("#sql-list a")
        self.assertShows(tab, "300")
        self.assertEqual(tab.run("document.querySelector('#sql-name').value"), "How many")
        tab.run("history.back()")
        tab.wait("document.querySelector('#sql-text').value === ''")
        tab.click("#sql-menu summary")
        tab.wait(f"document.querySelector('#sql-menu').open && {items}.length > 2")
        tab.click("#sql-list button")
        tab.wait(f"{items}.length === 2")

    def test_page_without_sql_has_no_editor(self) -> None:
        store = self.store(LETTERS)
        tab = self.open(self.serve(store, "--no-sql"), [("source", "word")])
        self.assertFalse(tab.run("document.querySelector('#sources .sql') !== null"))

    def test_pane_lists_what_any_process_changes(self) -> None:
        store, server, tab = self.words(("sort", "text"))
        store.write("CREATE TABLE other(id INTEGER PRIMARY KEY, x)")
        tab.click("#show-changes")
        lines = "[...document.querySelectorAll('#changes-list li')].map((one) => one.innerText.replace(/\\s+/g, ' '))"

        def shows(text: str) -> None:
            tab.wait(f"{lines}.some((line) => line.includes({json.dumps(text)}))")

        # The first change may come before the file is followed.
        tab.poll(lambda: (store.write("UPDATE word SET size = size + 1 WHERE id = 1"), tab.run(lines))[1], "a line")
        store.write("UPDATE word SET text = 'changed', size = 3 WHERE id = 200")
        shows("200 text word 200 → changed size")
        self.assertIn("Last change", tab.run("document.querySelector('#changes-when').textContent"))
        store.write("INSERT INTO other VALUES (7, 'new'); DELETE FROM word WHERE id = 201")
        shows("201 id 201 letter")
        self.assertFalse(any("other" in line for line in tab.run(lines)))
        self.choose(tab, "#changes-scope", "all")
        shows("other 7 id 7 x new")
        # The pane stays with another list, and a line leads to its row.
        tab.click("#changes-list [data-name='other 7']")
        tab.wait("document.querySelector('#detail').innerText.includes('new')")
        self.assertIn("source=other", tab.run("location.search"))
        shows("other 7")
        self.assertEqual(tab.problems, [])

    def test_title_of_a_hidden_tab_counts_the_changes(self) -> None:
        store, _, tab = self.words()
        tab.click("#show-changes")
        lines = "document.querySelectorAll('#changes-list li').length"
        tab.poll(lambda: (store.write("UPDATE word SET size = size + 1 WHERE id = 1"), tab.run(lines))[1], "a line")
        store.write("UPDATE word SET text = 'last' WHERE id = 300")
        tab.wait("document.querySelector('#changes-list').innerText.includes('last')")
        title = tab.run("document.title")
        hidden = "Object.defineProperty(document, 'hidden', {{ value: {}, configurable: true }});" \
            "document.dispatchEvent(new Event('visibilitychange'))"
        tab.run(hidden.format("true"))
        store.write("UPDATE word SET size = -1 WHERE id < 4")
        tab.wait(f"document.title === {json.dumps('3 changes while you were away · ' + title)}")
        tab.run(hidden.format("false"))
        self.assertEqual(tab.run("document.title"), title)

    def test_totals_are_chosen_and_drawn(self) -> None:
        store, _, tab = self.words(("by", "letter"))
        tab.click("#totals summary")
        tab.click("[data-name='sum:size']")
        tab.wait("document.querySelector('#list').innerText.includes('sum(size)')")
        tab.click("#show-chart")
        bars = "document.querySelectorAll('#chart .bar').length"
        tab.wait(f"{bars} === 6")
        self.assertEqual(tab.run("document.querySelector('#chart-measure').value"), "sum(size)")
        label = "document.querySelector('#chart svg').getAttribute('aria-label')"
        self.assertIn("sum(size) by letter. A: ", tab.run(label))
        store.write("INSERT INTO word VALUES (301, 'G', 'new', 123456)")
        tab.wait(f"{bars} === 7")
        tab.wait(f"{label}.includes('G: 123,456')")
        # A bar leads to its section.
        tab.run("[...document.querySelectorAll('#chart .target')].at(-1).dispatchEvent(new MouseEvent('click'))")
        tab.wait("document.querySelector('#list').innerText.includes('new')")
        self.assertIn("total=sum%3Asize", tab.run("location.search"))
        self.assertEqual(tab.problems, [])

    def test_sections_by_date_are_a_line(self) -> None:
        store = self.store("CREATE TABLE sale(id INTEGER PRIMARY KEY, day TEXT, amount INTEGER);"
                           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)"
                           "INSERT INTO sale SELECT i, printf('2026-01-%02d', 1 + i % 20), i * 7 % 40 - 10 FROM n;"
                           "INSERT INTO sale VALUES (99, NULL, 5);")
        tab = self.open(self.serve(store), [("source", "sale"), ("by", "day"), ("total", "sum:amount")])
        tab.click("#show-chart")
        tab.wait("document.querySelector('#chart .curve') !== null")
        self.assertIn("without NULL", tab.run("document.querySelector('#chart').innerText"))
        self.assertEqual(tab.run("document.querySelectorAll('#chart .target').length"), 20)

    def test_first_screen_is_there_without_scripts(self) -> None:
        _, _, tab = self.words(("by", "letter"), scripts=False)
        tab.send("Emulation.setScriptExecutionDisabled", value=False)
        table = tab.run("document.querySelector('#list table').innerText")
        self.assertIn("word 006", table)
        self.assertIn(
            "sort=text", tab.run("document.querySelector('#list th:nth-child(3) a').href")
        )
        self.assertEqual(
            tab.run("document.querySelector('#sources a').innerText.split(/\\s/)[0]"), "word"
        )

    def test_long_texts_blobs_and_json_are_shown_on_demand(self) -> None:
        store = self.store(f"""
            CREATE TABLE thing(id INTEGER PRIMARY KEY, long TEXT, data BLOB, object TEXT, none);
            INSERT INTO thing VALUES (9007199254740993, printf('%.3000c', 'x') || 'end',
              x'{PIXEL}',
              '{{"name": "a", "list": [1, 2]}}', NULL);
        """)
        tab = self.open(self.serve(store), [("source", "thing")])
        text = self.texts(tab)[0]
        self.assertTrue(text.startswith("9007199254740993|xxx"))
        self.assertTrue(text.endswith("|{ name, list }|NULL"))
        tab.click("#track > .row .cell")
        tab.wait("document.querySelector('#detail img')?.naturalWidth === 1")
        tab.click("#detail .more")
        tab.wait("document.querySelector('#detail').textContent.includes('xend')")
        tab.click("#detail .json .json summary")
        tab.wait("document.querySelector('#detail .json .json').open")
        self.assertEqual(tab.problems, [])

    # The pictures of the documentation

    def test_pictures(self) -> None:
        parameters = [
            ("source", "cover_list"), ("by", "artist"), ("sort", "position"),
            ("where", "artist:lt:W"),
        ]  # fmt: skip
        columns = "id label release_year position"
        pictures = [
            ("page-light.png", columns, {"width": 1080, "height": 640}),
            ("page-dark.png", columns, {"width": 1080, "height": 640, "dark": True}),
            ("page-narrow.png", "label release_year", {"width": 390, "height": 640}),
        ]
        for name, columns, settings in pictures:
            store = Store.demo()
            self.addCleanup(store.remove)
            server = self.serve(store)
            shown = [("columns", column) for column in columns.split()]
            tab = self.open(server, parameters + shown, still=True, **settings)
            store.write("""
                UPDATE cover SET release_year = 1990 WHERE id = 1;
                INSERT INTO cover(artist_id, label, release_year, position, small_image_url,
                  large_image_url) SELECT artist_id, 'Take 2', 2026, 'n1a0', '', ''
                  FROM cover WHERE id = 4;
            """)
            tab.wait("document.querySelectorAll('.row.inserted, .cell.updated').length === 2")
            self.picture(tab, name)
        tab = self.open(server, [("source", "track"), ("sort", "name")], width=1080, height=420)
        tab.run("document.querySelector('[aria-label=\"Values of rating\"]').click()")
        tab.wait("document.querySelector('#values ul') !== null")
        self.picture(tab, "page-values.png")
        values = [("where", "rating:eq:5"), ("or", "rating:eq:4"), ("facet", "rating"), ("facet", "cover_id")]
        facets = self.open(server, [("source", "track"), ("sort", "name"), *values], width=1080, height=560)
        facets.wait("document.querySelectorAll('#facets .name.named').length > 5")
        self.picture(facets, "page-facets.png")
        values = [("where", "milliseconds:within:250000:300000"), ("facet", "milliseconds"), ("facet", "cover_id")]
        ranges = self.open(server, [("source", "track"), ("by", "cover_id"), *values], width=1080, height=560)
        ranges.wait("document.querySelectorAll('#facets .value').length > 12")
        ranges.wait("document.querySelectorAll('#facets .name.named').length > 5")
        self.picture(ranges, "page-ranges.png")
        self.typed_picture(store, server)
        tab.run("document.querySelector('#values').hidePopover()")
        store.write("ALTER TABLE track RENAME TO gone")
        tab.wait("document.querySelector('#state').dataset.state === 'late'")
        # Otherwise each run would make another picture.
        tab.run("document.querySelector('#state').textContent = 'Not updated since 10:30:00 AM'")
        self.picture(tab, "page-late.png")

    def typed_picture(self, store: Store, server: Server) -> None:
        tab = self.browser.open(f"{server.address}/?sql=", width=1080, height=600, still=True)
        self.addCleanup(tab.close)
        tab.wait("document.querySelector('#sql-text')?.offsetHeight > 0")
        self.typed(tab, "SELECT rating, count(*) AS tracks, max(milliseconds) / 60000 AS minutes\nFROM track\n"
                        "GROUP BY rating")
        tab.wait(f"{LIVE} && document.querySelectorAll('#sql-upkeep .index').length > 0")
        tab.run("document.activeElement.blur()")
        store.write("UPDATE track SET rating = 5 WHERE id = (SELECT id FROM track WHERE rating = 2)")
        tab.wait("document.querySelectorAll('.cell.updated').length > 1")
        self.picture(tab, "page-sql.png")

    def picture(self, tab: Tab, name: str) -> None:
        path = PROJECT / "Documentation/Images" / name
        tab.screenshot(path)
        self.assertGreater(path.stat().st_size, 10_000)


if __name__ == "__main__":
    if executable() is None or not TOOL.exists():
        raise SystemExit("test_page: Chromium or the tool is missing; use make test-browser")
    # With the tests of the other files, which can be named as those of this one.
    from test_design import *  # noqa: F403
    from test_facets import *  # noqa: F403
    from test_filters import *  # noqa: F403
    from test_index import *  # noqa: F403
    from test_module import *  # noqa: F403
    from test_ranges import *  # noqa: F403
    from test_reading import *  # noqa: F403
    from test_schema import *  # noqa: F403
    from test_truth import *  # noqa: F403
    from test_values import *  # noqa: F403

    unittest.main()
