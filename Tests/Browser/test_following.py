"""Tests that the page shows what is in the file."""

import os
import random

from case import LETTERS, VISIBLE, PageCase
from chromium import Tab
from served import Store


class FollowingTests(PageCase):
    """The page beside other processes that write."""

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

    def test_window_does_without_a_stream_that_has_just_ended(self) -> None:
        store = self.store(LETTERS)
        server = self.serve(store)
        state = "document.querySelector('#state').dataset.state"
        for number in range(6):
            tab = self.browser.open(f"{server.address}/?source=word&where=id:gt:{number}")
            self.addCleanup(tab.close)
            tab.wait(f"{state} === 'live'")
        # Its window in the stream of another one, and that of the file, are closed. The next one is opened.
        refused = tab.answer("*/api/windows/*", 404, times=3)
        tab.click("#head .cell:nth-child(4) button")
        self.assertShows(tab, "50|C|word 050|0")
        self.assertTrue(any("?" in address for address in refused), refused)
        tab.wait(f"{state} === 'live'")
        store.write("UPDATE word SET text = 'changed' WHERE id = 50")
        self.assertShows(tab, "50|C|changed|0")
