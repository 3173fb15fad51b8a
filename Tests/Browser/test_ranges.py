"""Tests of numbers and dates as ranges beside the list, and of names in place of foreign keys."""

import json

from test_facets import COUNTS, FacetCase

SALES = """
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO customer VALUES (1, 'Ella'), (2, 'Nina'), (3, 'Stella'), (4, 'Miles');
CREATE TABLE sale(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer, amount REAL, day TEXT, kind TEXT);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
INSERT INTO sale SELECT i + 1, 1 + (i % 10 > 3) + (i % 10 > 6) + (i % 10 > 8), i * 0.5,
  date('2023-01-01', i || ' days'), CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END FROM n;
"""
CHIPS = "[...document.querySelectorAll('#filters .label')].map((one) => one.textContent)"


class RangeTests(FacetCase):
    """What is beside the list in place of single values."""

    def sales(self, *parameters: tuple[str, str]):
        store = self.store(SALES)
        server = self.serve(store)
        return store, server, self.open(server, [("source", "sale"), *parameters])

    def test_numbers_are_divided_into_ranges(self) -> None:
        store, server, tab = self.sales(("facet", "amount"))
        ranges = [f"{low} – {low + 50} 100" for low in range(0, 500, 50)]
        self.assertValues(tab, "amount", ranges)
        self.press(tab, "amount", "100 – 150")
        tab.wait(f"{COUNTS} === '100 rows'")
        self.assertEqual(tab.run(CHIPS), ["amount = 100 – 150"])
        self.press(tab, "amount", "0 – 50")
        tab.wait(f"{COUNTS} === '200 rows'")
        self.assertEqual(tab.run(CHIPS), ["amount = 100 – 150 or 0 – 50"])
        address = tab.run("location.search")
        self.assertIn("where=amount%3Awithin%3A100%3A150&or=amount%3Awithin%3A0%3A50&facet=amount", address)
        # They follow the file, other conditions apply, and NULL can be chosen.
        store.write("UPDATE sale SET amount = NULL WHERE id <= 40; UPDATE sale SET amount = 499 WHERE id = 41")
        wanted = ["0 – 50 59 chosen", "50 – 100 100", "100 – 150 100 chosen", *ranges[3:9], "450 – 500 101", "NULL 40"]
        self.assertValues(tab, "amount", wanted)
        tab.wait(f"{COUNTS} === '159 rows'")
        self.press(tab, "amount", "NULL")
        tab.wait(f"{COUNTS} === '199 rows'")
        # Who opens the address has the same; the condition can be changed by hand.
        other = self.browser.open(server.address + "/" + address)
        self.addCleanup(other.close)
        self.assertValues(other, "amount", wanted)
        other.click("#filters .label")
        other.wait("document.querySelector('#filter .operator')?.value === 'within'")
        values = "[...document.querySelectorAll('#filter .condition:first-child input')].map(({ value }) => value)"
        self.assertEqual(other.run(values), ["100", "150"])
        self.assertEqual(tab.problems + other.problems, [])

    def test_ranges_of_another_list_are_not_shown_beside_an_error(self) -> None:
        _, _, tab = self.sales(("facet", "amount"))
        self.assertValues(tab, "amount", [f"{low} – {low + 50} 100" for low in range(0, 500, 50)])
        tab.answer("*/api/ranges*where=*", 504)
        self.add_filter(tab, "kind", "eq", "a")
        tab.wait(f"{COUNTS} === '500 rows'")
        tab.wait(f"{self.note('amount')}.includes('refused')")
        self.assertValues(tab, "amount", [])

    def test_dates_are_divided_into_periods(self) -> None:
        store, _, tab = self.sales(("facet", "day"), ("facet", "kind"))
        self.assertValues(tab, "day", ["2023 365", "2024 366", "2025 269"])
        self.assertValues(tab, "kind", ["a 500", "b 500"])
        self.press(tab, "day", "2024")
        tab.wait(f"{COUNTS} === '366 rows'")
        self.assertEqual(tab.run(CHIPS), ["day = 2024"])
        self.press(tab, "kind", "a")
        tab.wait(f"{COUNTS} === '183 rows'")
        self.assertValues(tab, "day", ["2023 183", "2024 183 chosen", "2025 134"])
        # Less time has shorter periods.
        store.write("DELETE FROM sale WHERE day NOT BETWEEN '2024-01-30' AND '2024-03-05'")
        self.assertValues(tab, "day", ["2024 0 chosen", "Jan 2024 1", "Feb 2024 15", "Mar 2024 2"])
        self.assertEqual(tab.problems, [])

    def test_seconds_are_divided_into_periods_too(self) -> None:
        store = self.store("""
            CREATE TABLE event(id INTEGER PRIMARY KEY, created_at INTEGER, kind TEXT);
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
            INSERT INTO event SELECT i + 1, unixepoch('2023-01-01') + i * 86400 + 7, 'a' FROM n;
        """)
        server = self.serve(store)
        tab = self.open(server, [("source", "event"), ("facet", "created_at")])
        self.assertValues(tab, "created_at", ["2023 365", "2024 366", "2025 269"])
        self.press(tab, "created_at", "2024")
        tab.wait(f"{COUNTS} === '366 rows'")
        self.assertEqual(tab.run(CHIPS), ["created_at = 2024"])
        self.assertIn("created_at%3Awithin%3A1704067200%3A1735689600", tab.run("location.search"))
        store.write("DELETE FROM event WHERE created_at NOT BETWEEN unixepoch('2024-01-30') AND unixepoch('2024-03-05')")
        self.assertValues(tab, "created_at", ["2024 0 chosen", "Jan 2024 2", "Feb 2024 29", "Mar 2024 4"])
        # Ends that begin no periods are shown as times.
        other = self.open(server, [("source", "event"), ("where", "created_at:within:1706572800:1706572861")])
        self.assertEqual(other.run(CHIPS), ["created_at = 2024-01-30 00:00:00 – 2024-01-30 00:01:01"])
        self.assertEqual(tab.problems + other.problems, [])

    def test_each_value_can_be_shown_in_place_of_ranges(self) -> None:
        store, _, tab = self.sales(("facet", "amount"), ("facet", "kind"))
        switch = "[...document.querySelectorAll('#facets [data-name=switch]')].map((one) => one.hidden || one.textContent)"
        tab.wait(f"{self.values('amount')}.length === 10")
        self.assertEqual(tab.run(switch), ["Show values", True])
        tab.click("#facets [data-name=switch]")
        tab.wait(f"{self.note('amount')} === 'The most frequent of 1,000 values'")
        self.assertEqual(tab.run(switch), ["Show ranges", True])
        tab.click("#facets [data-name=switch]")
        tab.wait(f"{self.values('amount')}.length === 10")
        # There are none any more if all values are one.
        store.write("UPDATE sale SET amount = 7")
        self.assertValues(tab, "amount", ["7 1,000"])
        tab.wait(f"JSON.stringify({switch}) === '[true,true]'")

    def test_foreign_keys_are_found_by_their_names(self) -> None:
        _, _, tab = self.sales(("facet", "customer"))
        self.assertValues(tab, "customer", ["Ella 1 400", "Nina 2 300", "Stella 3 200", "Miles 4 100"])
        field = "document.querySelector('#facets section[aria-label=customer] input[type=search]')"
        tab.run(f"{field}.hidden = false; {field}.focus()")

        def search(text: str) -> None:
            tab.run(f"{field}.value = {json.dumps(text)}; {field}.dispatchEvent(new Event('input'))")

        search("ELLA")
        self.assertValues(tab, "customer", ["Ella 1 400", "Stella 3 200"])
        self.press(tab, "customer", "Stella 3")
        tab.wait(f"{COUNTS} === '200 rows'")
        search("nobody")
        self.assertValues(tab, "customer", ["Stella  chosen"])
        self.assertEqual(tab.run(CHIPS), ["customer = Stella"])
        search("")
        self.assertValues(tab, "customer", ["Ella 1 400", "Nina 2 300", "Stella 3 200 chosen", "Miles 4 100"])
        self.assertEqual(tab.problems, [])

    def test_header_that_gets_another_name_keeps_the_cursor(self) -> None:
        store, _, tab = self.sales(("by", "customer"))
        name = "document.querySelector('#track > .section .name').textContent"
        tab.wait(f"{name} === 'Ella 1'")
        store.write("UPDATE customer SET name = 'Anna' WHERE id = 1")
        tab.wait(f"{name} === 'Anna 1'")
        cursor = "document.getElementById(document.querySelector('#list').getAttribute('aria-activedescendant'))"
        self.assertIn("Anna", tab.run(f"{cursor}?.textContent") or "")

    def test_names_stand_for_foreign_keys_in_all_places(self) -> None:
        store, _, tab = self.sales(("by", "customer"), ("total", "sum:amount"))
        head = "document.querySelector('.head:nth-child(2)').classList.contains('numeric')"
        tab.run("document.querySelector('[aria-label=\"Values of customer\"]').click()")
        names = "[...document.querySelectorAll('#values .value > .name')].map((one) => one.textContent).join()"
        tab.wait(f"{names} === 'Ella 1,Nina 2,Stella 3,Miles 4'")
        tab.press("Escape")
        tab.click("#show-chart")
        label = "document.querySelector('#chart svg')?.getAttribute('aria-label')"
        tab.wait(f"{label}?.startsWith('sum(amount) by customer. Ella: ')")
        self.assertEqual(tab.run("document.querySelectorAll('#chart .bar').length"), 4)
        rail = "[...document.querySelectorAll('#rail button')].map((one) => one.textContent).join()"
        tab.wait(f"{rail} === 'Ella,Nina,Stella,Miles'")
        # A name begins where the head of its column does.
        self.assertFalse(tab.run(head))
        store.write("UPDATE customer SET name = 'Anna' WHERE id = 1")
        tab.wait(f"{rail} === 'Anna,Nina,Stella,Miles'")
        tab.wait(f"{label}.includes('Anna: ')")
        # No sum of keys is offered.
        tab.click("#totals summary")
        boxes = "[...document.querySelectorAll('#total-list input')].map(({ value }) => value)"
        self.assertNotIn("sum:customer", tab.run(boxes))
        self.assertIn("sum:amount", tab.run(boxes))
        self.assertEqual(tab.problems, [])
