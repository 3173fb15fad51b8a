"""Tests of how values are written: numbers, dates, links, images and names; and of copies for documents."""

from case import PIXEL, PageCase
from chromium import Tab


class ValueTests(PageCase):
    """What a reader sees in place of what is stored."""

    def open_row(self, tab: Tab, number: int = 1) -> None:
        tab.run(f"document.querySelectorAll('#track > .row:not(.section)')[{number - 1}].firstChild.click()")
        tab.wait("!document.querySelector('#detail').hidden")

    def test_numbers_have_thousands_and_the_same_decimals(self) -> None:
        store = self.store("""
            CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, price REAL, zip INTEGER, year INTEGER, big REAL, at INTEGER);
            INSERT INTO t VALUES (12345, 1234567, 1.5, 12345, 2026, 1e300, 1769000000),
              (12346, 2026, 20000.25, 99999, 1999, 0.5, 1769000001), (12347, -9007199254740993, 3, 1, 1, 2, 3);
        """)
        tab = self.open(
            self.serve(store, "t", "--by", "year", "--total", "sum(n)"), [("source", "t")]
        )
        self.assertEqual(
            self.texts(tab),
            [
                "12345|1,234,567|1.50|12345|2026|1e+300|1769000000",
                "12346|2026|20,000.25|99999|1999|0.5|1769000001",
                "12347|-9,007,199,254,740,993|3.00|1|1|2.0|3",
            ],
        )
        # A number with more decimals than the others has all of them.
        store.write("UPDATE t SET price = 1.0625, n = 123456789012 WHERE id = 12345")
        self.assertShows(tab, "12345|123,456,789,012|1.0625|")
        cut = "[...document.querySelectorAll('#track .numeric')].filter((one) => one.scrollWidth > one.clientWidth)"
        self.assertEqual(tab.run(f"{cut}.length"), 0)
        # What is copied has no thousands.
        tab.run("document.querySelector('#list').focus()")
        tab.run("addEventListener('copy', (event) => window.copied = event.clipboardData.getData('text/plain'))")
        tab.press("ArrowRight")
        tab.press("c", commands=["copy"])
        self.assertEqual(tab.run("window.copied"), "123456789012")

    def test_names_that_only_end_like_one_of_a_key_have_thousands(self) -> None:
        amounts = ["amount_paid", "bid", "grid", "Turkey", "barcode"]
        keys = ["customerId", "orderID", "ZIP", "post_code", "BirthYear"]
        columns = "".join(f", {name} INTEGER" for name in amounts + keys)
        store = self.store(
            f"CREATE TABLE t(n INTEGER{columns}); INSERT INTO t VALUES (0{', 12345' * 10})"
        )
        tab = self.open(self.serve(store), [("source", "t")])
        self.assertEqual(self.texts(tab), ["|".join(["0"] + ["12,345"] * 5 + ["12345"] * 5)])

    def test_sizes_have_three_digits(self) -> None:
        store = self.store(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, b BLOB);"
            "INSERT INTO t VALUES (1, zeroblob(999)), (2, zeroblob(999499)), (3, zeroblob(999500)), (4, zeroblob(1234567))"
        )
        tab = self.open(self.serve(store), [("source", "t")])
        sizes = ["999 bytes", "999 kB", "1.00 MB", "1.23 MB"]
        self.assertEqual(self.texts(tab), [f"{id}|Blob · {size}" for id, size in enumerate(sizes, 1)])

    def test_seconds_are_dates_if_the_name_of_the_column_says_so(self) -> None:
        store = self.store(
            "CREATE TABLE log(id INTEGER PRIMARY KEY, ts INTEGER, created INTEGER, size INTEGER);"
            "INSERT INTO log VALUES (1, 1768469400, 1768469400000, 1768469400)"
        )
        tab = self.open(self.serve(store), [("source", "log")])
        self.assertEqual(self.texts(tab), ["1|1768469400|1768469400000|1,768,469,400"])
        self.open_row(tab)
        dates = """[...document.querySelectorAll('#detail dd')]
          .map((one) => one.querySelector('.readers')?.textContent.slice(0, 21) ?? '')"""
        self.assertEqual(tab.run(dates), ["", "Thu, January 15, 2026", "Thu, January 15, 2026", ""])

    def test_totals_have_thousands_and_no_trace_of_adding(self) -> None:
        store = self.store(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, g TEXT, x REAL);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
            "INSERT INTO t SELECT i, 'a', 0.7 FROM n"
        )
        totals = [("source", "t"), ("by", "g"), ("total", "sum:x"), ("total", "avg:id"), ("total", "min:x")]
        tab = self.open(self.serve(store), totals)
        texts = "[...document.querySelectorAll('#sticky .totals')].map((one) => one.textContent)"
        self.assertEqual(tab.run(texts), ["sum(x) 2,100", "avg(id) 1,500.5", "min(x) 0.7"])
        self.assertIn("2,100", tab.run("document.querySelector('#counts').textContent"))
        # All digits are there for who points at it.
        title = tab.run("document.querySelector('#sticky .totals').title")
        self.assertRegex(title, r"sum\(x\) (2100|2099\.9|2100\.0)")

    def test_dates_links_and_mail_are_the_readers(self) -> None:
        store = self.store("""
            CREATE TABLE t(id INTEGER PRIMARY KEY, day TEXT, at TEXT, zoned TEXT, epoch DATETIME, no TEXT, url TEXT,
              mail TEXT, bad TEXT);
            INSERT INTO t VALUES (1, '2026-01-15', '2026-01-15 09:30', '2026-01-15T09:30:00Z', 1768469400, '2026-02-31',
              'see https://example.com/a?b=1, and (http://example.org).', 'a.b@example.com',
              'javascript:alert(1) <a href="https://x.y">');
        """)
        tab = self.open(self.serve(store), [("source", "t")])
        self.open_row(tab)
        dates = """[...document.querySelectorAll('#detail dd')]
          .map((one) => one.querySelector('.readers')?.textContent ?? '')"""
        found = tab.run(dates)
        self.assertEqual(found[1], "Thu, January 15, 2026")
        self.assertRegex(found[2], r"^Thu, January 15, 2026 at 9:30:00\sAM$")
        zone = tab.run("new Date(1768469400000).toLocaleTimeString('en-US', { timeZoneName: 'short' })")
        for date in found[3:5]:
            self.assertEqual(date, f"Thu, January 15, 2026 at {zone}")
        self.assertEqual(found[5:], ["", "", "", ""])
        links = "[...document.querySelectorAll('#detail dd a')].map((one) => [one.getAttribute('href'), one.rel])"
        rel = "noopener noreferrer"
        self.assertEqual(
            tab.run(links),
            [
                ["https://example.com/a?b=1", rel], ["http://example.org", rel],
                ["mailto:a.b@example.com", rel], ["https://x.y", rel],
            ],  # fmt: skip
        )
        # The text is all that was stored.
        text = "document.querySelector('#detail dd:nth-of-type(7)').textContent"
        self.assertEqual(tab.run(text), "see https://example.com/a?b=1, and (http://example.org).")

    def test_small_images_are_shown_in_cells_and_follow_the_file(self) -> None:
        other = PIXEL.replace("63f8dfc0", "63f8cfc0")
        store = self.store(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, picture BLOB, large BLOB);"
            f"INSERT INTO t VALUES (1, x'{PIXEL}', x'{PIXEL}' || zeroblob(200000))"
        )
        store.write("UPDATE t SET large = CAST(large AS BLOB)")
        tab = self.open(self.serve(store), [("source", "t")])
        image = "document.querySelector('#track img')"
        tab.wait(f"{image}?.naturalWidth === 1")
        self.assertEqual(tab.run("document.querySelectorAll('#track img').length"), 1)
        self.assertIn("PNG", tab.run("document.querySelector('#track .tag').textContent"))
        before = tab.run(f"{image}.src")
        store.write(f"UPDATE t SET picture = x'{other}'")
        tab.wait(f"{image}.src !== {before!r}")
        self.assertEqual([one for one in tab.problems if "decode" not in one], [])

    def test_foreign_keys_have_names_and_counts(self) -> None:
        store = self.store("""
            CREATE TABLE artist(id INTEGER PRIMARY KEY, sort_key TEXT, name TEXT);
            CREATE TABLE album(id INTEGER PRIMARY KEY, title TEXT, artist INTEGER REFERENCES artist);
            INSERT INTO artist VALUES (1, 'x', 'Ella'), (2, 'y', 'Nina');
            INSERT INTO album VALUES (1, 'a', 2), (2, 'b', 1), (3, 'c', 2), (4, 'd', NULL);
        """)
        server = self.serve(store)
        tab = self.open(server, [("source", "album")])
        self.open_row(tab)
        tab.wait("document.querySelector('#detail dd:last-of-type .link').textContent === 'artist: Nina'")
        tab.run("document.querySelector('#detail [aria-label=\"Next row\"]').click()")
        tab.wait("document.querySelector('#detail dd:last-of-type .link').textContent === 'artist: Ella'")
        other = self.open(server, [("source", "artist")])
        self.open_row(other, 2)
        other.wait("document.querySelector('#detail .referring a').textContent === 'album 2'")
        other.run("document.querySelector('#detail .referring a').click()")
        other.wait("document.querySelector('#counts').textContent === '2 rows'")

    def test_selected_cells_are_copied_as_markdown(self) -> None:
        store, _, tab = self.words(("by", "letter"))
        store.write("UPDATE word SET text = 'a|b' || char(10) || 'c' WHERE id = 12")
        self.assertShows(tab, "12|A|a|b")
        self.assertTrue(tab.run("document.querySelector('#selection').hidden"))
        tab.run("document.querySelector('#list').focus()")
        tab.run("""(() => {
          const rows = document.querySelectorAll('#track > .row');
          getSelection().setBaseAndExtent(rows[0].firstChild, 0, rows[2].lastChild, 1);
        })()""")
        tab.wait("!document.querySelector('#selection').hidden")
        self.assertIn("9 cells", tab.run("document.querySelector('#selection').textContent"))
        tab.run("addEventListener('copy', (event) => window.copied = event.clipboardData.getData('text/plain'))")
        tab.click("#selection button:last-child")
        self.assertEqual(
            tab.run("window.copied"),
            "| id | letter | text | size |\n| --: | --- | --- | --: |\n| **A** |  |  |  |\n"
            "| 6 | A | word 006 | 42 |\n| 12 | A | a\\|b<br>c | 34 |",
        )
        tab.click("#selection button")
        self.assertEqual(tab.run("window.copied"), 'A\n6\tA\tword 006\t42\n12\tA\t"a|b\nc"\t34')
        tab.run("getSelection().removeAllRanges()")
        tab.wait("document.querySelector('#selection').hidden")

    def test_cells_have_the_names_of_the_rows_that_they_refer_to(self) -> None:
        store = self.store("""
            CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE album(id INTEGER PRIMARY KEY, title TEXT, artist INTEGER REFERENCES artist);
            INSERT INTO artist VALUES (1, 'Ella'), (2, 'Nina'), (3, NULL);
            INSERT INTO album VALUES (1, 'a', 2), (2, 'b', 1), (3, 'c', 2), (4, 'd', NULL), (5, 'e', 3);
        """)
        tab = self.open(self.serve(store), [("source", "album")])
        self.assertShows(tab, "1|a|Nina 2")
        self.assertEqual(
            self.texts(tab), ["1|a|Nina 2", "2|b|Ella 1", "3|c|Nina 2", "4|d|NULL", "5|e|3"]
        )
        store.write("UPDATE artist SET name = 'Nina Simone and her long name' WHERE id = 2")
        self.assertShows(tab, "1|a|Nina Simone and her long name 2", 5)
        store.write("UPDATE album SET artist = 1 WHERE id = 3; DELETE FROM artist WHERE id = 2")
        self.assertShows(tab, "3|c|Ella 1", 5)
        tab.wait("!document.querySelector('#track').textContent.includes('Nina')", 5)
        # What is copied is what is stored.
        tab.run("addEventListener('copy', (event) => window.copied = event.clipboardData.getData('text/plain'))")
        tab.run("document.querySelector('#list').focus()")
        for key in ["ArrowDown", "ArrowRight", "ArrowRight"]:
            tab.press(key)
        tab.press("c", commands=["copy"])
        self.assertEqual(tab.run("window.copied"), "1")
        tab.run("document.querySelector('#pause').click()")
        tab.wait("document.querySelector('#state').dataset.state === 'paused'")
        store.write("UPDATE artist SET name = 'other'")
        tab.run("new Promise((done) => setTimeout(done, 2500))")
        self.assertIn("2|b|Ella 1", self.texts(tab))

    def test_sections_have_the_names_of_the_rows_that_they_refer_to(self) -> None:
        store = self.store("""
            CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE album(id INTEGER PRIMARY KEY, title TEXT, artist INTEGER REFERENCES artist);
            INSERT INTO artist VALUES (1, 'Ella'), (2, 'Nina');
            INSERT INTO album VALUES (1, 'a', 2), (2, 'b', 1), (3, 'c', 2), (4, 'd', NULL), (5, 'e', 3);
        """)
        tab = self.open(self.serve(store), [("source", "album"), ("by", "artist"), ("columns", "title")])
        headers = "[...document.querySelectorAll('#track > .section')].map((one) => one.textContent)"
        tab.wait(f"{headers}.includes('Nina 22')")
        self.assertEqual(tab.run(headers), ["NULL1", "Ella 11", "Nina 22", "31"])
        store.write("UPDATE artist SET name = 'Nina Simone' WHERE id = 2; INSERT INTO artist VALUES (3, 'Abbey')")
        tab.wait(f"{headers}.includes('Nina Simone 22') && {headers}.includes('Abbey 31')", 5)
        # The one that stays at the top, too.
        store.write("WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 99)"
                    "INSERT INTO album SELECT i, i, 2 FROM n")
        tab.wait("document.querySelector('#counts').textContent.startsWith('95 rows')")
        self.scroll(tab, 1000)
        tab.wait("document.querySelector('#sticky').textContent === 'Nina Simone 292'")
        store.write("UPDATE artist SET name = 'Nina' WHERE id = 2")
        tab.wait("document.querySelector('#sticky').textContent === 'Nina 292'", 5)
        self.assertEqual(tab.problems, [])

    def test_keys_of_several_columns_are_links(self) -> None:
        store = self.store("""
            CREATE TABLE album(artist TEXT, number INTEGER, title TEXT, PRIMARY KEY (artist, number));
            CREATE TABLE track(id INTEGER PRIMARY KEY, artist TEXT, album INTEGER, text,
              FOREIGN KEY (artist, album) REFERENCES album);
            INSERT INTO album VALUES ('Ella', 1, 'Lullabies'), ('Ella', 2, 'Swings'), ('Nina', 1, 'Pastel');
            INSERT INTO track VALUES (1, 'Ella', 2, 'a'), (2, 'Ella', 2, 'b'), (3, 'Nina', 1, 'c'), (4, 'Nina', NULL, 'd');
        """)
        tab = self.open(self.serve(store), [("source", "track")])
        self.open_row(tab)
        tab.wait("document.querySelector('#detail .referring')?.textContent === 'Refers to album: Swings by artist, album'")
        self.open_row(tab, 4)
        tab.wait("document.querySelector('#detail .referring') === null")
        self.open_row(tab, 1)
        tab.wait("document.querySelector('#detail .referring a') !== null")
        tab.run("document.querySelector('#detail .referring a').click()")
        tab.wait("document.querySelector('#counts').textContent === '1 row'")
        self.assertEqual(self.texts(tab), ["Ella|2|Swings"])
        self.open_row(tab)
        tab.wait("document.querySelector('#detail .referring a')?.textContent === 'track 2'")
        tab.run("document.querySelector('#detail .referring a').click()")
        tab.wait("document.querySelector('#counts').textContent === '2 rows'")
        self.assertEqual(self.texts(tab), ["1|Ella|2|a", "2|Ella|2|b"])
        self.assertEqual(tab.problems, [])
