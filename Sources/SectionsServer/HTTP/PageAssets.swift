/// The files of the page, which are in the binary.
enum PageAssets {
  /// A file with its type and its tag.
  struct File: Sendable {
    let bytes: [UInt8]
    let type: String
    let tag: String
  }

  /// The files at `/assets/`, by their names.
  static let files: [String: File] = Dictionary(
    uniqueKeysWithValues: content.map { name, bytes in
      let type =
        if name.hasSuffix(".js") {
          "text/javascript; charset=utf-8"
        } else if name.hasSuffix(".css") {
          "text/css; charset=utf-8"
        } else if name.hasSuffix(".ts") {
          "text/plain; charset=utf-8"
        } else {
          "image/svg+xml"
        }
      return (name, File(bytes: bytes, type: type, tag: Answer.tag(of: bytes)))
    })

  /// The scripts of the page as links, so that a browser asks for all of them at once: otherwise it finds them one after
  /// the other, as they import each other.
  static let modules = files.keys.filter { $0.hasSuffix(".js") }.sorted()
    .map { "<link rel=\"modulepreload\" href=\"assets/\($0)\">" }.joined(separator: "\n")

  static let template = String(decoding: PackageResources.page_html, as: UTF8.self)

  private static let content: [String: [UInt8]] = [
    "address.js": PackageResources.address_js,
    "answers.js": PackageResources.answers_js,
    "bar.js": PackageResources.bar_js,
    "catalog.js": PackageResources.catalog_js,
    "cells.js": PackageResources.cells_js,
    "changes.css": PackageResources.changes_css,
    "changes.js": PackageResources.changes_js,
    "chart.js": PackageResources.chart_js,
    "columns.js": PackageResources.columns_js,
    "condition.js": PackageResources.condition_js,
    "copy.js": PackageResources.copy_js,
    "detail.js": PackageResources.detail_js,
    "events.js": PackageResources.events_js,
    "facet.js": PackageResources.facet_js,
    "facets.css": PackageResources.facets_css,
    "facets.js": PackageResources.facets_js,
    "file.js": PackageResources.file_js,
    "filters.js": PackageResources.filters_js,
    "follow.js": PackageResources.follow_js,
    "formats.js": PackageResources.formats_js,
    "frames.js": PackageResources.frames_js,
    "grid.js": PackageResources.grid_js,
    "guide.js": PackageResources.guide_js,
    "headers.js": PackageResources.headers_js,
    "icon.svg": PackageResources.icon_svg,
    "keys.js": PackageResources.keys_js,
    "lines.js": PackageResources.lines_js,
    "listview.js": PackageResources.listview_js,
    "motion.js": PackageResources.motion_js,
    "names.js": PackageResources.names_js,
    "newer.js": PackageResources.newer_js,
    "news.js": PackageResources.news_js,
    "openrow.js": PackageResources.openrow_js,
    "page.css": PackageResources.page_css,
    "page.js": PackageResources.page_js,
    "print.js": PackageResources.print_js,
    "queries.js": PackageResources.queries_js,
    "rail.js": PackageResources.rail_js,
    "ranges.js": PackageResources.ranges_js,
    "references.js": PackageResources.references_js,
    "request.js": PackageResources.request_js,
    "schema.css": PackageResources.schema_css,
    "scroll.js": PackageResources.scroll_js,
    "search.js": PackageResources.search_js,
    "sections.d.ts": PackageResources.sections_d_ts,
    "sections.js": PackageResources.sections_js,
    "sharing.js": PackageResources.sharing_js,
    "slot.js": PackageResources.slot_js,
    "sources.js": PackageResources.sources_js,
    "sql.css": PackageResources.sql_css,
    "sql.js": PackageResources.sql_js,
    "state.js": PackageResources.state_js,
    "stream.js": PackageResources.stream_js,
    "theme.js": PackageResources.theme_js,
    "timers.js": PackageResources.timers_js,
    "toggle.js": PackageResources.toggle_js,
    "totals.css": PackageResources.totals_css,
    "totals.js": PackageResources.totals_js,
    "types.js": PackageResources.types_js,
    "upkeep.js": PackageResources.upkeep_js,
    "values.js": PackageResources.values_js,
    "views.js": PackageResources.views_js,
    "windows.js": PackageResources.windows_js,
  ]
}
