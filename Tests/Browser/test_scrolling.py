"""Tests of the place in the list."""

from case import LIVE, MILLION, VISIBLE, PageCase


class ScrollingTests(PageCase):
    """Where the list is, while it and the file change."""

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

    def test_section_index_goes_to_a_section(self) -> None:
        _, _, tab = self.words(("by", "letter"))
        tab.wait("document.querySelectorAll('#rail button').length === 6")
        tab.click("#rail button:nth-child(4)")
        self.assertShows(tab, "|D|")
        tab.wait("document.querySelector('#sticky .name').textContent === 'D'")

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
