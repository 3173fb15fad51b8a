"""Tests of what a reader of the page does with rows and columns."""

from case import PageCase
from chromium import Tab


class ReadingTests(PageCase):
    """Copying, choosing values and columns, closing what is open, and the index."""

    def copied(self, tab: Tab) -> str:
        """What Ctrl+C copies."""
        tab.run(
            "addEventListener('copy', (event) =>"
            " window.copied = event.clipboardData.getData('text/plain'), { once: true })"
        )
        tab.press("c", commands=["copy"])
        return tab.run("window.copied")

    def test_selected_rows_are_copied_as_lines_with_tabs(self) -> None:
        store, _, tab = self.words(("by", "letter"))
        store.write("UPDATE word SET text = 'a \"b\"' || char(10) || 'c' WHERE id = 12")
        self.assertShows(tab, "12|A|a")
        tab.run("document.querySelector('#list').focus()")
        select = """(() => {
          const rows = document.querySelectorAll('#track > .row');
          const [from, to] = [rows[%d].children[%d], rows[%d].children[%d]];
          getSelection().setBaseAndExtent(from, 0, to, %d);
        })()"""
        tab.run(select % (0, 0, 3, 3, 1))
        self.assertEqual(
            self.copied(tab), 'A\n6\tA\tword 006\t42\n12\tA\t"a ""b""\nc"\t34\n18\tA\tword 018\t26'
        )
        # Whole lines end before the first letter of the next one.
        tab.run(select % (1, 1, 3, 0, 0))
        self.assertEqual(self.copied(tab), '\tA\tword 006\t42\n12\tA\t"a ""b""\nc"\t34')
        tab.run(select % (1, 2, 1, 2, 1))
        self.assertEqual(self.copied(tab), "")  # The browser copies the text that is selected.

    def test_values_that_differ_by_their_type_are_different_filters(self) -> None:
        store = self.store("""
            CREATE TABLE thing(id INTEGER PRIMARY KEY, x, n INTEGER);
            INSERT INTO thing(x, n) VALUES (1, 1), (1, 1), (1, 2), ('1', 1), ('1', 1), (1.5, 1);
        """)
        server = self.serve(store)
        counts = "document.querySelector('#counts').textContent"
        for column, value, rows, label in [
            ("x", "0", "3 rows", "x = 1"), ("x", "1", "2 rows", 'x = "1"'), ("x", "2", "1 row", "x = 1.5"),
            ("n", "0", "5 rows", "n = 1"),
        ]:  # fmt: skip
            tab = self.open(server, [("source", "thing")])
            tab.run(f"document.querySelector('[aria-label=\"Values of {column}\"]').click()")
            tab.wait("document.querySelector('#values a') !== null")
            tab.run(f"document.querySelectorAll('#values a')[{value}].click()")
            tab.wait(f"{counts} === '{rows}'")
            self.assertEqual(tab.run("document.querySelector('#filters .label').textContent"), label)

    def test_panel_has_the_columns_in_their_order(self) -> None:
        store = self.store(
            'CREATE TABLE t(id INTEGER PRIMARY KEY, "b" TEXT, "2024" TEXT, "1" TEXT);'
            "INSERT INTO t VALUES (7, 'x', 'y', 'z')"
        )
        tab = self.open(self.serve(store), [("source", "t")])
        tab.click("#track > .row .cell")
        tab.wait("!document.querySelector('#detail').hidden")
        names = "[...document.querySelectorAll('#detail dt')].map((one) => one.firstChild.data)"
        self.assertEqual(tab.run(names), ["id", "b", "2024", "1"])
        tab.run("document.querySelector('#list').focus()")
        tab.run(
            "addEventListener('copy', (event) =>"
            " window.copied = event.clipboardData.getData('text/plain'))"
        )
        tab.click("#detail .copy")
        tab.wait("document.querySelector('#detail .copy').textContent === 'Copied'")
        text = tab.run("window.copied")
        self.assertEqual(text, '{\n  "id": 7,\n  "b": "x",\n  "2024": "y",\n  "1": "z"\n}')

    def test_escape_closes_one_thing_after_the_other(self) -> None:
        _, _, tab = self.words()
        tab.click("#track > .row .cell")
        tab.wait("!document.querySelector('#detail').hidden")
        detail = "document.querySelector('#detail').hidden"
        tab.run("document.querySelector('[aria-label=\"Values of letter\"]').click()")
        tab.wait("document.querySelector('#values a') !== null")
        tab.press("Escape")
        tab.wait("document.querySelector(':popover-open') === null")
        self.assertFalse(tab.run(detail))
        tab.click("#columns summary")
        tab.run("document.querySelector('#column-list input').focus()")
        tab.press("Escape")
        tab.wait("!document.querySelector('#columns').open")
        self.assertEqual(tab.run("document.activeElement.tagName"), "SUMMARY")
        self.assertFalse(tab.run(detail))
        tab.press("/")
        tab.send("Input.insertText", text="abc")
        tab.press("Escape")
        self.assertFalse(tab.run(detail))
        self.assertEqual(tab.run("document.activeElement.value"), "")
        tab.press("Escape")
        tab.wait(detail)

    def test_columns_that_are_hidden_are_one_step_and_keep_the_place(self) -> None:
        _, _, tab = self.words()
        self.scroll(tab, 3200)
        self.assertShows(tab, "101|F|")
        tab.click("#columns summary")
        for count, number in [(3, 2), (2, 4)]:
            tab.click(f"#column-list label:nth-child({number})")
            tab.wait(f"document.querySelectorAll('#head .cell').length === {count}")
        self.assertShows(tab, "101|word 101")
        boxes = "[...document.querySelectorAll('#column-list input')].map((box) => box.checked)"
        self.assertEqual(tab.run(boxes), [True, False, True, False])
        tab.run("history.back()")
        tab.wait("document.querySelectorAll('#head .cell').length === 4")
        self.assertEqual(tab.run(boxes), [True] * 4)
        self.assertShows(tab, "101|F|word 101")
        tab.run("history.forward()")
        tab.wait("document.querySelectorAll('#head .cell').length === 2")
        self.assertShows(tab, "101|word 101")

    def test_line_of_the_address_is_shown_with_scripts_too(self) -> None:
        _, server, tab = self.words(("from", "200"))
        self.assertShows(tab, "201|D|word 201")
        self.assertNotIn("word 200", "".join(self.texts(tab)))
        last = self.open(server, [("source", "word"), ("from", "5000")])
        self.assertShows(last, "word 300")

    def test_index_of_numbers_has_whole_numbers(self) -> None:
        _, server, tab = self.words(("by", "size"))
        tab.wait("document.querySelectorAll('#rail button').length > 20")
        titles = "[...document.querySelectorAll('#rail button')].map((one) => one.textContent)"
        self.assertTrue({"0", "12", "48"} <= set(tab.run(titles)) or len(tab.run(titles)) < 50)
        cut = "[...document.querySelectorAll('#rail button')].filter((b) => b.scrollWidth > b.clientWidth)"
        self.assertEqual(tab.run(f"{cut}.length"), 0)
        store = self.store(
            "CREATE TABLE day(id INTEGER PRIMARY KEY, at TEXT);"
            "INSERT INTO day(at) VALUES ('2026-01-30'), ('2026-02-28'), ('2026-11-29')"
        )
        tab = self.open(self.serve(store), [("source", "day"), ("by", "at")])
        tab.wait("document.querySelectorAll('#rail button').length === 3")
        self.assertEqual(tab.run(titles), ["2026-01-30", "2026-02-28", "2026-11-29"])
        self.assertEqual(tab.run(f"{cut}.length"), 0)
