"""Tests of SQL that is typed."""

from urllib.parse import urlencode

from case import LETTERS, LIVE, PageCase


class SQLTests(PageCase):
    """The page where a SELECT is typed."""

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

    def test_list_is_shown_as_sql(self) -> None:
        store, _, tab = self.words(("where", "letter:eq:B"), ("sort", "size:desc"), ("columns", "id"), ("columns", "size"))
        before = self.texts(tab)
        tab.click("#sources .sql")
        tab.wait(f"document.querySelector('#title').textContent === 'SQL' && {LIVE}")
        self.assertEqual(
            tab.run("document.querySelector('#sql-text').value"),
            'SELECT "id", "size"\nFROM "word"\nWHERE "letter" = \'B\'\nORDER BY "size" DESC',
        )
        self.assertEqual(self.texts(tab)[: len(before) - 6], before[: len(before) - 6])
        store.write("UPDATE word SET size = 123456 WHERE id = 1")
        self.assertShows(tab, "1|123,456")
        # Another one begins with no SQL.
        tab.click("#sources .sql")
        tab.wait("document.querySelector('#sql-text').value === ''")
        self.assertEqual(tab.problems, [])
