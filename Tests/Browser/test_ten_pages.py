"""Ten pages beside a steady writer, and then beside a storm.

SECTIONS_PAGES_MINUTES says for how long; without it, nothing runs. It prints its figures. It needs a machine that does
nothing else, and a release build: what has no processor is behind.
"""

import os
import random
import sqlite3
import threading
import time
import unittest
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlencode

from case import LIVE, PageCase
from chromium import Tab
from served import Server, Store

MINUTES = float(os.environ.get("SECTIONS_PAGES_MINUTES", 0))
ROWS = 100_000
RATE = 50  # Commits a second; none waits in the storm, which is the last tenth of the time.
CHANGES = 5  # Sales that a commit changes, beside the one that it adds and the one that it removes.
LATE = 5  # Seconds after which all pages show what is in the file.
LOG = 64_000_000  # Bytes.
SHOP = f"""
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO customer SELECT i, 'Customer ' || i FROM n;
CREATE TABLE sale(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer, amount INTEGER, day TEXT, status TEXT, note TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS})
INSERT INTO sale SELECT i, 1 + i * 7 % 40, i * 37 % 10007, date('2020-01-01', i % 1500 || ' days'),
  CASE i % 4 WHEN 0 THEN 'new' WHEN 1 THEN 'paid' WHEN 2 THEN 'sent' ELSE 'done' END, 'note ' || i FROM n;
CREATE INDEX sale_status ON sale(status);
CREATE INDEX sale_customer ON sale(customer, amount);
CREATE VIEW turnover AS SELECT customer, count(*) AS sales, sum(amount) AS amount FROM sale GROUP BY customer;
CREATE TABLE quiet(id INTEGER PRIMARY KEY, text TEXT);
INSERT INTO quiet VALUES (1, 'nobody writes this');
"""
SALE = [("source", "sale")]
PAGES = {
    "by amount": [*SALE, ("sort", "amount:desc")],
    "newest": [*SALE, ("sort", "id:desc")],
    "as stored": SALE,
    "by customer": [*SALE, ("by", "customer"), ("total", "sum:amount")],
    "ranges": [*SALE, ("where", "amount:within:100:300"), ("facet", "amount"), ("facet", "day")],
    "values": [*SALE, ("where", "status:eq:done"), ("facet", "status"), ("facet", "customer")],
    "search": [*SALE, ("where", ":contains:note 77"), ("sort", "id:desc")],
    "view": [("source", "turnover")],
    "SQL": [("sql", "SELECT status, count(*) AS sales, sum(amount) AS amount FROM sale GROUP BY status")],
    "quiet": [("source", "quiet")],
}


def shown_number(number: int) -> str:
    """A number as a cell has it: one of four digits may be a year."""
    return f"{number:,}" if number >= 10_000 else str(number)


class Writer(threading.Thread):
    """Changes some sales with each commit, adds one and removes one. It never waits for a lock."""

    def __init__(self, store: Store) -> None:
        super().__init__(daemon=True)
        self.store, self.pause = store, 1 / RATE
        self.commits = self.slowest = 0.0
        self.failures: list[str] = []
        self.ends = threading.Event()

    def run(self) -> None:
        connection = sqlite3.connect(self.store.path, isolation_level=None, timeout=0)
        chance = random.Random(7)
        next_time = time.monotonic()
        while not self.ends.is_set():
            start = time.monotonic()
            try:
                connection.execute("BEGIN IMMEDIATE")
                for _ in range(CHANGES):
                    change = (chance.choice(["new", "paid", "sent", "done"]), chance.randint(1, ROWS))
                    connection.execute("UPDATE sale SET amount = amount + 1, status = ? WHERE id = ?", change)
                connection.execute("INSERT INTO sale SELECT max(id) + 1, 1, 5, '2024-02-03', 'new', 'added' FROM sale")
                connection.execute(f"DELETE FROM sale WHERE id = (SELECT min(id) FROM sale WHERE id > {ROWS})")
                connection.execute("COMMIT")
                self.commits += 1
            except sqlite3.OperationalError as error:
                self.failures.append(str(error))
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            self.slowest = max(self.slowest, time.monotonic() - start)
            next_time = max(next_time + self.pause, time.monotonic() - 1)
            self.ends.wait(max(0, next_time - time.monotonic()) if self.pause else 0)
        connection.close()


@dataclass
class Figures:
    """What was measured, in bytes."""

    log: list[int] = field(default_factory=list)
    server: list[int] = field(default_factory=list)
    heaps: list[dict[str, int]] = field(default_factory=list)  # Of each page, after its garbage is collected.
    nodes: list[dict[str, int]] = field(default_factory=list)


@unittest.skipUnless(MINUTES, "SECTIONS_PAGES_MINUTES says how long it runs")
class TenPageTests(PageCase):
    """Nothing grows, nobody waits, and no page is behind at the end."""

    def test_ten_pages_follow_a_steady_writer_and_a_storm(self) -> None:
        store = self.store(SHOP)
        server = self.serve(store)
        tabs = {name: self.page(server, name) for name in PAGES}
        writer = Writer(store)
        writer.start()
        self.addCleanup(writer.join)
        self.addCleanup(writer.ends.set)
        figures = Figures()
        start = time.monotonic()
        length = 60 * MINUTES
        # Until the first measure of the pages, they read and draw what they need.
        for share, pause in ((0.3, 1 / RATE), (0.6, 1 / RATE), (0.9, 1 / RATE), (1, 0)):
            writer.pause = pause
            while time.monotonic() < start + share * length:
                self.measure(figures, store, server)
                time.sleep(min(1, length / 50))
            self.measure_pages(figures, tabs)
        writer.ends.set()
        writer.join()
        late = self.time_until_all_are_there(store, tabs)
        # What has been replaced on a page is there until the browser has the time to collect it.
        time.sleep(2)
        self.measure_pages(figures, tabs)
        self.report(figures, writer)
        print(f"all pages are there after {late:.1f} s")
        self.assertEqual(writer.failures, [])
        self.assertGreater(writer.commits, length * RATE / 4)
        self.assertLess(max(figures.log), LOG)
        self.assertLess(max(figures.server), 1.2 * max(figures.server[: len(figures.server) // 3]) + 50e6)
        for name in PAGES:
            heaps = [heap[name] for heap in figures.heaps]
            self.assertLess(heaps[-1], 1.3 * heaps[0] + 4e6, f"{name}: {heaps}")
            nodes = [count[name] for count in figures.nodes]
            self.assertLess(nodes[-1], 1.3 * nodes[0] + 500, f"{name}: {nodes}")
        self.assertLess(late, LATE)
        for name, tab in tabs.items():
            self.assertEqual(tab.problems, [], name)

    def page(self, server: Server, name: str) -> Tab:
        """Opens one of the pages."""
        tab = self.browser.open(f"{server.address}/?{urlencode(PAGES[name])}")
        self.addCleanup(tab.close)
        # Of several tabs, a browser shows one; a page that nobody sees has no stream for long.
        tab.send("Emulation.setFocusEmulationEnabled", enabled=True)
        if name == "SQL":
            tab.click("#sql-run")
        tab.wait(LIVE, 60)
        if name == "by amount":
            tab.click("#show-changes")
            self.choose(tab, "#changes-scope", "all")
        elif name == "by customer":
            tab.click("#show-chart")
        elif name == "newest":
            tab.run("document.querySelector('#track > .row .cell').click()")
        elif name == "as stored":
            tab.run("document.querySelector('#list').scrollTop = document.querySelector('#list').scrollHeight / 2")
        return tab

    def measure(self, figures: Figures, store: Store, server: Server) -> None:
        figures.log.append(os.path.getsize(f"{store.path}-wal"))
        with open(f"/proc/{server.process.pid}/statm") as statm:
            figures.server.append(int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE"))

    def measure_pages(self, figures: Figures, tabs: dict[str, Tab]) -> None:
        figures.heaps.append({})
        figures.nodes.append({})
        for name, tab in tabs.items():
            tab.send("HeapProfiler.collectGarbage")
            tab.send("Performance.enable")
            values = {one["name"]: int(one["value"]) for one in tab.send("Performance.getMetrics")["metrics"]}
            figures.heaps[-1][name] = values["JSHeapUsedSize"]
            figures.nodes[-1][name] = values["Nodes"]

    def time_until_all_are_there(self, store: Store, tabs: dict[str, Tab]) -> float:
        """Writes once more, and returns after how many seconds each page shows what is in the file."""
        start = time.monotonic()
        store.write(f"""
            INSERT INTO sale SELECT max(id) + 1, 1, 1000000, '2024-02-03', 'done', 'note 77 the end' FROM sale;
            UPDATE sale SET note = 'the end' WHERE id BETWEEN {ROWS // 2 - 500} AND {ROWS // 2 + 500};
        """)
        count: Callable[[str], int] = lambda sql: store.rows(f"SELECT count(*) FROM sale WHERE {sql}")[0][0]
        counts = {
            "by amount": "true", "newest": "true", "as stored": "true", "by customer": "true",
            "ranges": "amount >= 100 AND amount < 300", "values": "status = 'done'", "search": "note LIKE '%note 77%'",
        }  # fmt: skip
        texts = {
            "by amount": "the end", "newest": "the end", "as stored": "the end", "search": "the end",
            "view": f"1|{shown_number(count('customer = 1'))}|", "SQL": f"done|{shown_number(count(counts['values']))}|",
            "quiet": "nobody writes this",
        }  # fmt: skip
        for name, tab in tabs.items():
            if name in counts:
                rows = count(counts[name])
                shown = "document.querySelector('#counts').textContent"
                tab.wait(f"{shown}.startsWith('{rows:,} row')", 60)
            if name in texts:
                self.assertShows(tab, texts[name], 60)
            self.assertTrue(tab.run(LIVE), name)
        # Ranges, which are counted again after a rest, have all rows.
        whole = "[...document.querySelectorAll('#facets section:first-of-type .value > .count')]" \
            ".reduce((sum, one) => sum + Number(one.textContent.replaceAll(',', '')), 0)"
        tabs["ranges"].wait(f"{whole} === {count('true')}", 60)
        late = time.monotonic() - start
        # Of many rows that change at once, the pane has some.
        store.write("UPDATE quiet SET text = 'written once'")
        self.assertShows(tabs["quiet"], "written once", 60)
        tabs["by amount"].wait("document.querySelector('#changes-list').textContent.includes('written once')", 60)
        return late

    def report(self, figures: Figures, writer: Writer) -> None:
        mega = lambda size: f"{size / 1e6:.0f} MB"
        third = len(figures.server) // 3
        print(f"\n{MINUTES:g} minutes: {writer.commits:.0f} commits, {len(writer.failures)} failed, "
              f"slowest {writer.slowest * 1000:.0f} ms")
        print(f"log: {mega(max(figures.log))} at most; server: {mega(max(figures.server[:third]))} at most in the first "
              f"third, {mega(max(figures.server[third:]))} later, {mega(figures.server[-1])} at the end")
        for name in PAGES:
            heaps = ", ".join(f"{heap[name] / 1e6:.1f}" for heap in figures.heaps)
            nodes = ", ".join(str(count[name]) for count in figures.nodes)
            print(f"{name}: {heaps} MB, {nodes} nodes")
