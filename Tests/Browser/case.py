"""What the tests of the page have in common: a browser, and a store and a server for each."""

import json
import socket
import subprocess
import time
import unittest
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

from chromium import SECONDS, Browser, Tab
from served import Network, Server, Store

LIVE = "document.querySelector('#state').dataset.state === 'live'"
# The text of the lines that are visible, with their places on the screen.
VISIBLE = """(() => {
  const box = document.querySelector('#list').getBoundingClientRect();
  const top = Math.max(...['#heads', '#sticky:not([hidden])'].map((selector) =>
    document.querySelector(selector)?.getBoundingClientRect().bottom ?? 0));
  return [...document.querySelectorAll('#track > .row:not(.leaving)')]
    .map((row) => [row.getBoundingClientRect(), row])
    .filter(([place]) => place.top >= top - 0.5 && place.bottom <= box.bottom + 0.5)
    .map(([place, row]) => [[...row.children].map((cell) => cell.textContent).join('|'), place.top]);
})()"""

LETTERS = """
CREATE TABLE word(id INTEGER PRIMARY KEY, letter TEXT, text TEXT, size INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO word SELECT i, char(65 + i % 6), printf('word %03d', i), i * 7 % 50 FROM n;
"""
MILLION = """
CREATE TABLE event(id INTEGER PRIMARY KEY, day TEXT, amount REAL, note TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
INSERT INTO event SELECT i, printf('2026-%02d', 1 + i / 100000), i * 37 % 10007 / 100.0,
  'note ' || i FROM n;
"""
# A PNG of one pixel.
PIXEL = (
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000"
    "000c49444154789c63f8dfc0000004010180c52a185d0000000049454e44ae426082"
)


class PageCase(unittest.TestCase):
    """Each test has a store and a server; all share one browser."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def serve(self, store: Store, *options: str, port: int = 0) -> Server:
        server = Server(store, *options, port=port)
        self.addCleanup(server.kill)
        return server

    def store(self, script: str) -> Store:
        store = Store(script)
        self.addCleanup(store.remove)
        return store

    def open(self, server: Server, parameters: list[tuple[str, str]], **settings) -> Tab:
        """Opens a list, and waits until it is live."""
        tab = self.browser.open(f"{server.address}/?{urlencode(parameters)}", **settings)
        self.addCleanup(tab.close)
        if settings.get("scripts", True):
            tab.wait(LIVE)
        return tab

    def proxy(self, folder: Path, lines: str, port: int) -> None:
        """Starts nginx with the lines of the example, changed."""
        configuration = folder / "nginx.conf"
        configuration.write_text(f"""
            daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
            events {{}}
            http {{ access_log off; {lines.replace("listen 80;", f"listen 127.0.0.1:{port};")} }}
        """)
        proxy = subprocess.Popen(["nginx", "-p", folder, "-c", configuration])
        self.addCleanup(proxy.wait)
        self.addCleanup(proxy.terminate)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                return
            time.sleep(0.02)
        raise AssertionError(f"nginx does not listen after {SECONDS} seconds")

    def words(self, *parameters: tuple[str, str], **settings) -> tuple[Store, Server, Tab]:
        store = self.store(LETTERS)
        server = self.serve(store)
        return store, server, self.open(server, [("source", "word"), *parameters], **settings)

    def assertShows(self, tab: Tab, text: str, seconds: float = 15) -> None:
        tab.wait(f"{VISIBLE}.some(([text]) => text.includes({json.dumps(text)}))", seconds)

    def texts(self, tab: Tab) -> list[str]:
        return [text for text, _ in tab.run(VISIBLE)]

    def scroll(self, tab: Tab, top: float) -> None:
        """Scrolls as the bar does, and waits until the page has drawn that."""
        tab.run(
            f"document.querySelector('#list').scrollTop = {top};"
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def choose(self, tab: Tab, selector: str, value: str) -> None:
        """Chooses an option, as the user does."""
        tab.run(
            f"(() => {{ const select = document.querySelector('{selector}');"
            f" select.value = {json.dumps(value)}; select.dispatchEvent(new Event('change')); }})()"
        )

    def search(self, tab: Tab, text: str) -> None:
        """Types a text into the search field in place of the one that is there."""
        tab.run("document.querySelector('#search').focus(); document.querySelector('#search').select()")
        if text:
            tab.send("Input.insertText", text=text)
        else:
            tab.press("Escape")

    def add_filter(self, tab: Tab, column: str, operator: str, *values: str) -> None:
        """Adds a filter by the form."""
        tab.click("#add-filter")
        tab.wait("document.querySelector('#filter-menu').matches(':popover-open')")
        self.fill(tab, column, operator, *values)
        tab.run("document.querySelector('#filter').requestSubmit()")

    def fill(self, tab: Tab, column: str, operator: str, *values: str) -> None:
        """Fills the last condition of the form for filters."""
        self.choose(tab, "#filter .condition:nth-last-of-type(2) .column", column)
        self.choose(tab, "#filter .condition:nth-last-of-type(2) .operator", operator)
        for number, value in enumerate(values):
            tab.run(
                "[...document.querySelectorAll('#filter .condition:nth-last-of-type(2) input')]"
                f"[{number}].value = {json.dumps(value)}"
            )

    def settle(self, tab: Tab) -> None:
        """Waits until no line moves, comes or goes, and the place in the list is kept."""
        tab.wait(
            "!document.querySelector('#track > .leaving')"
            # A mark that fades moves nothing: it is an animation of the style sheet.
            " && document.getAnimations().every((one) => one instanceof CSSAnimation"
            " || !one.effect.target.closest('#track'))"
        )

    def network(self, server: Server, trip: float = 0) -> Network:
        network = Network(server, trip)
        self.addCleanup(network.stop)
        return network

    def typed(self, tab: Tab, sql: str) -> None:
        """Types SQL and runs it, with the keyboard."""
        tab.run("document.querySelector('#sql-text').select()")
        tab.send("Input.insertText", text=sql)
        tab.run("document.querySelector('#sql-text').dispatchEvent(new KeyboardEvent("
                "'keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }))")

    def sql_page(self, script: str = LETTERS, *options: str) -> tuple[Store, Server, Tab]:
        store = self.store(script)
        server = self.serve(store, *options)
        tab = self.browser.open(f"{server.address}/?sql=")
        self.addCleanup(tab.close)
        tab.wait("document.querySelector('#sql-text')?.offsetHeight > 0")
        return store, server, tab
