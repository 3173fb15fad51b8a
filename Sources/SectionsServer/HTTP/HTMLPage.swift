import NIOHTTP1

/// A page that the server writes as a whole, and that can be read without JavaScript.
struct HTMLPage {
  let title: String
  /// The names of the style sheets.
  let styles: [String]
  let bodyClass: String
  /// The content, as HTML.
  let body: String

  /// Whether it has the button that switches between light and dark. Other pages have no script.
  var hasThemeButton = true

  static let type = "text/html; charset=utf-8"

  /// The content security policy: it loads nothing but the files of the server, and sends nothing.
  var policy: String {
    """
    default-src 'none'; \(hasThemeButton ? "script-src 'self'; " : "")style-src 'self'; img-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'
    """
  }

  /// The button that switches between light and dark, if there is JavaScript.
  static let themeButton = """
    <button id="theme" class="plain" type="button" aria-label="Switch between light and dark" hidden>◐</button>
    """

  /// The answer with the page.
  func answer(_ more: HTTPHeaders = [:]) -> Answer {
    var headers = more
    headers.add(name: "Content-Security-Policy", value: policy)
    return .answer(type: Self.type, bytes, headers)
  }

  var bytes: [UInt8] {
    var links = styles.map { "<link rel=\"stylesheet\" href=\"assets/\($0)\">" }
    if hasThemeButton { links.append("<script type=\"module\" src=\"assets/theme.js\"></script>") }
    let html = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(HTML.escaped(title))</title>
      <link rel="icon" href="assets/icon.svg" type="image/svg+xml">
      \(links.joined(separator: "\n"))
      </head>
      <body class="\(bodyClass)">
      \(body)
      </body>
      </html>

      """
    return Array(html.utf8)
  }
}

package enum HTML {
  /// Text as HTML, in an element or an attribute.
  package static func escaped(_ text: String) -> String {
    var html = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      case "'": html += "&#39;"
      case "\0": html += "\u{FFFD}"
      default: html.unicodeScalars.append(scalar)
      }
    }
    return html
  }
}
