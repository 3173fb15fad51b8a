"""Tests of what has changed."""

import json

from case import PageCase
from served import Store


class ChangePaneTests(PageCase):
    """The pane that lists changes of the file."""

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

    def test_pane_says_how_the_changes_of_a_file_can_be_followed(self) -> None:
        store = Store()  # Not in WAL mode.
        self.addCleanup(store.remove)
        store.write("CREATE TABLE note(id INTEGER PRIMARY KEY)")
        tab = self.open(self.serve(store), [("source", "note")])
        tab.click("#show-changes")
        tab.wait("document.querySelector('#changes-when').textContent.includes('Run PRAGMA journal_mode = WAL')")
        tab.click("#show-changes")  # It is kept for other pages.
