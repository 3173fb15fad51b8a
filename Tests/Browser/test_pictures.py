"""Writes the pictures of Documentation/Images."""

from case import LIVE, PageCase
from chromium import Tab
from served import PROJECT, Server, Store


class PictureTests(PageCase):
    """The pictures of the documentation."""

    def test_pictures(self) -> None:
        parameters = [
            ("source", "cover_list"), ("by", "artist"), ("sort", "position"),
            ("where", "artist:lt:W"),
        ]  # fmt: skip
        columns = "id label release_year position"
        pictures = [
            ("page-light.png", columns, {"width": 1080, "height": 640}),
            ("page-dark.png", columns, {"width": 1080, "height": 640, "dark": True}),
            ("page-narrow.png", "label release_year", {"width": 390, "height": 640}),
        ]
        for name, columns, settings in pictures:
            store = Store.demo()
            self.addCleanup(store.remove)
            server = self.serve(store)
            shown = [("columns", column) for column in columns.split()]
            tab = self.open(server, parameters + shown, still=True, **settings)
            store.write("""
                UPDATE cover SET release_year = 1990 WHERE id = 1;
                INSERT INTO cover(artist_id, label, release_year, position, small_image_url,
                  large_image_url) SELECT artist_id, 'Take 2', 2026, 'n1a0', '', ''
                  FROM cover WHERE id = 4;
            """)
            tab.wait("document.querySelector('#sources a[title=cover_list] .count').textContent === '42'")
            tab.wait("document.querySelectorAll('.row.inserted, .cell.updated').length === 2")
            self.picture(tab, name)
        tab = self.open(server, [("source", "track"), ("sort", "name")], width=1080, height=420)
        tab.run("document.querySelector('[aria-label=\"Values of rating\"]').click()")
        tab.wait("document.querySelector('#values ul') !== null")
        self.picture(tab, "page-values.png")
        values = [("where", "rating:eq:5"), ("or", "rating:eq:4"), ("facet", "rating"), ("facet", "cover_id")]
        facets = self.open(server, [("source", "track"), ("sort", "name"), *values], width=1080, height=560)
        facets.wait("document.querySelectorAll('#facets .name.named').length > 5")
        self.picture(facets, "page-facets.png")
        values = [("where", "milliseconds:within:250000:300000"), ("facet", "milliseconds"), ("facet", "cover_id")]
        ranges = self.open(server, [("source", "track"), ("by", "cover_id"), *values], width=1080, height=560)
        ranges.wait("document.querySelectorAll('#facets .value').length > 12")
        ranges.wait("document.querySelectorAll('#facets .name.named').length > 5")
        self.picture(ranges, "page-ranges.png")
        self.typed_picture(store, server)
        tab.run("document.querySelector('#values').hidePopover()")
        store.write("ALTER TABLE track RENAME TO gone")
        tab.wait("document.querySelector('#state').dataset.state === 'late'")
        tab.wait("document.querySelector('#sources a[title=gone]') !== null")
        # Otherwise each run would make another picture.
        tab.run("document.querySelector('#state').textContent = 'Not updated since 10:30:00 AM'")
        self.picture(tab, "page-late.png")

    def typed_picture(self, store: Store, server: Server) -> None:
        tab = self.browser.open(f"{server.address}/?sql=", width=1080, height=600, still=True)
        self.addCleanup(tab.close)
        tab.wait("document.querySelector('#sql-text')?.offsetHeight > 0")
        self.typed(tab, "SELECT rating, count(*) AS tracks, max(milliseconds) / 60000 AS minutes\nFROM track\n"
                        "GROUP BY rating")
        tab.wait(f"{LIVE} && document.querySelectorAll('#sql-upkeep .index').length > 0")
        tab.run("document.activeElement.blur()")
        store.write("UPDATE track SET rating = 5 WHERE id = (SELECT id FROM track WHERE rating = 2)")
        tab.wait("document.querySelectorAll('.cell.updated').length > 1")
        self.picture(tab, "page-sql.png")

    def picture(self, tab: Tab, name: str) -> None:
        path = PROJECT / "Documentation/Images" / name
        tab.screenshot(path)
        self.assertGreater(path.stat().st_size, 10_000)
