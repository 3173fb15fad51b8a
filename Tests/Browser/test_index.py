"""Tests of several databases at one address."""

import json
import re
import subprocess

from case import LETTERS, PageCase
from chromium import Tab
from served import TOOL

# The page before is there until the next one is loaded.
LIVE = "document.querySelector('#state')?.dataset.state === 'live'"


class IndexTests(PageCase):
    """A page that lists databases, each of which is a page of its own."""

    def serve_all(self, *stores, options: tuple[str, ...] = ()) -> str:
        process = subprocess.Popen(
            [TOOL, "serve", *(store.path for store in stores), "--port", "0", *options],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return re.search(r"http://\S+", process.stdout.readline())[0]

    def follow(self, tab: Tab, selector: str) -> None:
        """Follows a link, wherever it is: the page may be about to get its style."""
        tab.run(f"document.querySelector({json.dumps(selector)}).click()")

    def test_databases_are_listed_and_opened(self) -> None:
        words, other = self.store(LETTERS), self.store("CREATE TABLE one(x); INSERT INTO one VALUES (7)")
        address = self.serve_all(words, other)
        tab = self.browser.open(address)
        self.addCleanup(tab.close)
        rows = "[...document.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((one) => one.textContent))"
        first, second = tab.run(rows)
        self.assertEqual(first[:4], ["demo.sqlite", "1", "0", "300"])
        self.assertEqual(second[:4], ["demo.sqlite", "1", "0", "1"])
        self.follow(tab, "tbody tr:last-child a")
        tab.wait(LIVE)
        self.assertEqual(tab.run("document.querySelector('#title').textContent"), "one")
        self.assertTrue(tab.run("location.pathname").endswith("/demo.sqlite-2/"))
        # Each follows its own file.
        other.write("INSERT INTO one VALUES (8)")
        self.assertShows(tab, "8")
        self.follow(tab, "#sources .index")
        tab.wait("document.querySelector('h1')?.textContent === 'Databases'")
        self.assertEqual(tab.run(rows)[1][3], "2")
        self.follow(tab, "tbody a")
        tab.wait(LIVE)
        self.assertShows(tab, "1|B|word 001|7")
        self.follow(tab, "#sources .schema")
        tab.wait("document.querySelector('h1')?.textContent === 'Schema'")
        self.assertEqual(tab.problems, [])

    def test_one_token_and_one_path_are_for_all(self) -> None:
        stores = self.store(LETTERS), self.store("CREATE TABLE one(x)")
        options = ("--token", "0123456789abcdef", "--base-path", "/db")
        tab = self.browser.open(self.serve_all(*stores, options=options))
        self.addCleanup(tab.close)
        self.assertNotIn("token", tab.run("location.href"))
        for name in ("demo.sqlite", "demo.sqlite-2"):
            self.follow(tab, f"a[href='{name}/']")
            tab.wait(LIVE)
            self.follow(tab, "#sources .index")
            tab.wait("document.querySelector('h1')?.textContent === 'Databases'")
        self.assertEqual(tab.problems, [])
