"""Tests of columns and sections."""

from case import PageCase


class ColumnTests(PageCase):
    """The widths of columns, which of them are shown, sections and their totals."""

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

    def test_sections_by_null_and_by_the_empty_text_have_names(self) -> None:
        store = self.store(
            "CREATE TABLE word(id INTEGER PRIMARY KEY, letter TEXT);"
            "INSERT INTO word VALUES (1, NULL), (2, ''), (3, 'a')"
        )
        server = self.serve(store)
        tab = self.open(server, [("source", "word"), ("by", "letter")])
        titles = "[...document.querySelectorAll('#track .section .name')].map((one) => one.textContent)"
        tab.wait(f"{titles}.join() === 'NULL,(empty),a'")

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
