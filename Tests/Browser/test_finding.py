"""Tests of searching, and of what leads to other rows."""

import json

from case import LIVE, VISIBLE, PageCase


class FindingTests(PageCase):
    """The search field, values as filters, and links."""

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

    def test_rows_that_are_shown_can_be_exported(self) -> None:
        _, _, tab = self.words(("sort", "text"), ("where", "letter:eq:B"), ("columns", "text"))
        csv = tab.run("fetch(document.querySelector('#csv').href).then((body) => body.text())")
        self.assertEqual(csv.split("\n")[:3], ["text", "word 001", "word 007"])
        self.assertEqual(len(csv.splitlines()), 51)

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
