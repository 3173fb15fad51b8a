"""Tests of the keyboard, and of the page for those who see it otherwise."""

from case import PageCase


class KeyboardTests(PageCase):
    """Keys, the clipboard, the theme, and a page without scripts."""

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
