"""Tests of the search and of the conditions of a list."""

from case import PageCase
from chromium import Tab

COUNTS = "document.querySelector('#counts').textContent"
CHIPS = "[...document.querySelectorAll('#filters .label')].map((one) => one.textContent)"


class FilterTests(PageCase):
    """Conditions as chips: made, changed, with alternatives, and removed."""

    def submit(self, tab: Tab) -> None:
        tab.run("document.querySelector('#filter').requestSubmit()")

    def test_chip_is_changed_and_removed(self) -> None:
        _, _, tab = self.words()
        self.add_filter(tab, "letter", "eq", "B")
        tab.wait(f"{COUNTS} === '50 rows'")
        self.assertEqual(tab.run(CHIPS), ["letter = B"])
        tab.click("#filters .label")
        tab.wait("document.activeElement.value === 'B'")
        self.fill(tab, "letter", "ne", "B")
        self.submit(tab)
        tab.wait(f"{COUNTS} === '250 rows'")
        self.assertEqual(tab.run(CHIPS), ["letter ≠ B"])
        tab.click("#filters .label")
        self.fill(tab, "text", "not-contains", "0")
        self.submit(tab)
        tab.wait(f"{COUNTS} === '162 rows'")
        self.assertEqual(tab.run(CHIPS), ["text does not contain 0"])
        tab.click("#filters .remove")
        tab.wait(f"{COUNTS} === '300 rows'")

    def test_condition_has_alternatives(self) -> None:
        _, server, tab = self.words()
        self.add_filter(tab, "letter", "eq", "B")
        tab.wait(f"{COUNTS} === '50 rows'")
        tab.click("#filters .label")
        tab.click("#filter .or")
        tab.wait("document.querySelectorAll('#filter .condition').length === 2")
        self.fill(tab, "id", "between", "1", "12")
        self.submit(tab)
        tab.wait(f"{COUNTS} === '60 rows'")
        self.assertEqual(tab.run(CHIPS), ["letter = B or id is between 1 and 12"])
        self.assertEqual(
            tab.run("location.search"), "?source=word&where=letter%3Aeq%3AB&or=id%3Abetween%3A1%3A12"
        )
        other = self.browser.open(tab.run("location.href"))
        self.addCleanup(other.close)
        other.wait(f"{COUNTS} === '60 rows'")
        # An alternative without a value is not wanted any more.
        other.click("#filters .label")
        self.fill(other, "id", "between", "1", "")
        self.submit(other)
        other.wait(f"{COUNTS} === '50 rows'")

    def test_first_operator_suits_the_column(self) -> None:
        store = self.store("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, day DATE, amount REAL)")
        tab = self.open(self.serve(store), [("source", "t")])
        tab.click("#add-filter")
        tab.wait("document.querySelector('#filter-menu').matches(':popover-open')")
        operator = "document.querySelector('#filter .operator').value"
        self.assertEqual(tab.run(operator), "eq")
        for column, likely in [("name", "contains"), ("day", "ge"), ("amount", "eq"), ("", "contains")]:
            self.choose(tab, "#filter .column", column)
            self.assertEqual(tab.run(operator), likely)
        # One that was chosen stays.
        self.choose(tab, "#filter .column", "name")
        self.choose(tab, "#filter .operator", "begins")
        self.choose(tab, "#filter .column", "day")
        self.assertEqual(tab.run(operator), "begins")
        self.assertEqual(tab.run("document.querySelector('#filter input').placeholder"), "2024-12-31")

    def test_times_that_are_numbers_are_filtered_as_numbers(self) -> None:
        store = self.store(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, created_at INTEGER, changed DATETIME, sentAt INTEGER,"
            " day DATE, population INTEGER, playing_time INTEGER);"
            "INSERT INTO t VALUES (1, 1768469400, 1768469400, 1768469400000, '2026-01-15', 331900000, 562)"
        )
        tab = self.open(self.serve(store), [("source", "t")])
        tab.click("#add-filter")
        tab.wait("document.querySelector('#filter-menu').matches(':popover-open')")
        operator = "document.querySelector('#filter .operator').value"
        hint = "document.querySelector('#filter input').placeholder"
        for column, likely, wanted in [
            ("created_at", "ge", "Seconds since 1970"), ("changed", "ge", "Seconds since 1970"),
            ("sentAt", "ge", "Milliseconds since 1970"), ("day", "ge", "2024-12-31"),
            ("population", "eq", "Value"), ("playing_time", "eq", "Value"),
        ]:  # fmt: skip
            self.choose(tab, "#filter .column", column)
            self.assertEqual((column, tab.run(operator), tab.run(hint)), (column, likely, wanted))
        tab.press("Escape")
        # The sum of times says nothing, that of a duration does.
        tab.click("#totals summary")
        boxes = "[...document.querySelectorAll('#total-list input')].map(({ value }) => value)"
        sums = [box for box in tab.run(boxes) if box.startswith("sum:")]
        self.assertEqual(sums, ["sum:population", "sum:playing_time"])
        # "population" ends as "on", and is no time.
        self.assertIn("331,900,000", self.texts(tab)[0])

    def test_list_without_rows_leads_to_all(self) -> None:
        store, _, tab = self.words(("where", "letter:eq:Z"), ("sort", "text"))
        empty = "document.querySelector('#empty').textContent"
        self.assertEqual(tab.run(empty), "No rows meet the condition.Show all rows")
        self.assertEqual(tab.run("document.querySelector('#track').role"), "presentation")
        tab.click("#empty button")
        tab.wait(f"{COUNTS} === '300 rows'")
        self.assertEqual(tab.run("location.search"), "?source=word&sort=text")
        self.assertEqual(tab.run("document.querySelector('#track').role"), "rowgroup")
        store.write("DELETE FROM word")
        tab.wait("!document.querySelector('#empty').hidden")
        self.assertEqual(tab.run(empty), "No rows.")

    def test_values_with_colons_are_the_ends_of_a_condition(self) -> None:
        store = self.store(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, at TEXT);"
            "INSERT INTO t VALUES (1, '10:00'), (2, '10:30'), (3, '11:00'), (4, '50%')"
        )
        tab = self.open(self.serve(store), [("source", "t")])
        self.add_filter(tab, "at", "between", "10:15", "11:00")
        tab.wait(f"{COUNTS} === '2 rows'")
        self.assertEqual(tab.run(CHIPS), ["at is between 10:15 and 11:00"])
        tab.click("#filters .label")
        tab.wait("document.querySelectorAll('#filter input')[1].value === '11:00'")

    def test_search_follows_what_is_typed_beside_other_conditions(self) -> None:
        store, _, tab = self.words(("where", "letter:eq:B"))
        tab.press("/")
        for letter in "word 00":
            tab.press(letter)
        tab.wait(f"{COUNTS} === '2 rows'")
        self.assertEqual(tab.run("document.querySelector('#search').value"), "word 00")
        self.assertEqual(tab.run("document.activeElement.id"), "search")
        self.assertEqual(tab.run(CHIPS), ["letter = B"])
        store.write("UPDATE word SET text = 'word 009' WHERE id = 13")
        tab.wait(f"{COUNTS} === '3 rows'")
        tab.press("Escape")
        tab.wait(f"{COUNTS} === '50 rows'")
        self.assertEqual(tab.run("location.search"), "?source=word&where=letter%3Aeq%3AB")
        tab.run("history.back()")
        tab.wait("!location.search.includes('contains')")

    def test_operator_that_no_form_offers_stays_when_its_chip_is_opened(self) -> None:
        _, _, tab = self.words(("where", "letter:not-eq:B"), ("where", "text:not-null"))
        tab.wait(f"{COUNTS} === '250 rows'")
        for number, operator in [(1, "not-eq"), (2, "not-null")]:
            tab.click(f"#filters li:nth-child({number}) .label")
            tab.wait(f"document.querySelector('#filter .operator').value === '{operator}'")
            self.assertEqual(tab.run("document.querySelector('#filter input').hidden"), number == 2)
            self.submit(tab)
            tab.wait("!document.querySelector('#filter-menu').matches(':popover-open')")
        self.assertEqual(tab.run(CHIPS), ["letter not-eq B", "text not-null"])
        self.assertEqual(tab.run(COUNTS), "250 rows")
        # Another operator takes its place.
        tab.click("#filters .label")
        self.choose(tab, "#filter .operator", "eq")
        self.submit(tab)
        tab.wait(f"{COUNTS} === '50 rows'")

    def test_exact_value_stays_exact_when_its_chip_is_opened(self) -> None:
        store = self.store(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t(x) VALUES (1), ('1'), ('1')"
        )
        tab = self.open(self.serve(store), [("source", "t"), ("where", "x:is:'1'")])
        tab.wait(f"{COUNTS} === '2 rows'")
        tab.click("#filters .label")
        tab.click("#filter .or")
        self.fill(tab, "id", "eq", "1")
        self.submit(tab)
        tab.wait(f"{COUNTS} === '3 rows'")
        self.assertEqual(tab.run(CHIPS), ['x = "1" or id = 1'])
