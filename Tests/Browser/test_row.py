"""Tests of the open row."""

from case import PIXEL, PageCase


class OpenRowTests(PageCase):
    """The panel with all of one row."""

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

    def test_people_are_known_by_their_names(self) -> None:
        store = self.store("""
            CREATE TABLE employee(id INTEGER PRIMARY KEY, LastName TEXT, FirstName TEXT, Title TEXT, Email TEXT);
            INSERT INTO employee VALUES (1, 'Peacock', 'Jane', 'Sales Agent', 'jane@example.org');
            CREATE TABLE customer(id INTEGER PRIMARY KEY, agent INTEGER REFERENCES employee);
            INSERT INTO customer VALUES (7, 1);
        """)
        tab = self.open(self.serve(store), [("source", "customer"), ("row", "7")])
        self.assertShows(tab, "7|Peacock 1")
        tab.wait("document.querySelector('#detail dd .link:not(.filter)').textContent === 'employee: Peacock'")
