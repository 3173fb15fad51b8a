"""Tests of a server that is away, slow or busy."""

from case import LETTERS, LIVE, VISIBLE, PageCase


class ConnectionTests(PageCase):
    """What the page says when it cannot show the newest rows."""

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
        asked = "performance.getEntriesByType('resource').filter(({ name }) => name.includes('source=slow')).length"
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

    def test_refused_connection_is_explained(self) -> None:
        _, _, tab = self.words()
        tab.answer("*/api/windows/*", 401, times=1000)
        self.scroll(tab, 6400)
        tab.wait("document.querySelector('#state').dataset.state === 'refused'")
        self.assertIn(
            "A test refused this", tab.run("document.querySelector('#problem').innerText")
        )

    def test_column_that_does_not_exist_is_named_with_the_next_step(self) -> None:
        _, _, tab = self.words()
        tab.run("history.pushState({}, '', '?source=word&sort=nothing'); history.back()")
        tab.run("history.forward()")
        tab.wait("document.querySelector('#problem').textContent.includes('nothing')")
        tab.click("#problem button")
        self.assertShows(tab, "word 001")
        self.assertEqual(tab.run("location.search"), "?source=word")
