import Foundation

/// A drawing of how costs grow, both axes logarithmic, as an SVG that is readable on a light and on a
/// dark background.
struct GrowthPlot {
  /// One line.
  struct Series {
    let name: String
    let color: String
    /// What it was measured at, and how long it took, in microseconds.
    let points: [(x: Double, microseconds: Double)]
  }

  let title: String
  /// What grows to the right.
  let xLabel: String
  let series: [Series]

  private let width = 740.0
  private let height = 420.0
  private let left = 76.0
  private let right = 150.0
  private let top = 48.0
  private let bottom = 56.0
  /// Gray enough for white and for black.
  private let ink = "#808890"

  private var points: [(x: Double, microseconds: Double)] { series.flatMap(\.points) }
  private var xDecades: ClosedRange<Int> { decades(of: points.map(\.x)) }
  private var yDecades: ClosedRange<Int> { decades(of: points.map(\.microseconds)) }

  private func decades(of values: [Double]) -> ClosedRange<Int> {
    let logarithms = values.filter { $0 > 0 }.map { log10($0) }
    let first = Int((logarithms.min() ?? 0).rounded(.down))
    return first...max(first + 1, Int((logarithms.max() ?? 1).rounded(.up)))
  }

  private func x(_ value: Double) -> Double {
    position(of: value, in: xDecades, from: left, to: width - right)
  }

  private func y(_ value: Double) -> Double {
    position(of: value, in: yDecades, from: height - bottom, to: top)
  }

  private func position(
    of value: Double, in decades: ClosedRange<Int>, from start: Double, to end: Double
  ) -> Double {
    let part =
      (log10(value) - Double(decades.lowerBound)) / Double(decades.upperBound - decades.lowerBound)
    return start + part * (end - start)
  }
}

// MARK: - SVG

extension GrowthPlot {
  /// The drawing.
  var svg: String {
    let lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(width)) \(number(height))" \
      font-family="system-ui, sans-serif" font-size="13" fill="\(ink)">
      """,
      "<title>\(title)</title>",
      text(title, left, 24, "font-size=\"15\" font-weight=\"600\""),
    ]
    let axis = text(
      xLabel, (left + width - right) / 2, height - 14, "text-anchor=\"middle\"")
    return (lines + xGrid + yGrid + [axis] + series.flatMap(draw) + labels + ["</svg>"])
      .joined(separator: "\n") + "\n"
  }

  private var xGrid: [String] {
    xDecades.flatMap { decade in
      let place = x(pow(10, Double(decade)))
      return [
        line(place, top, place, height - bottom),
        text(
          Int(pow(10, Double(decade))).formatted(), place, height - bottom + 20,
          "text-anchor=\"middle\""),
      ]
    }
  }

  private var yGrid: [String] {
    yDecades.flatMap { decade in
      let place = y(pow(10, Double(decade)))
      return [
        line(left, place, width - right, place),
        text(
          pow(10, Double(decade)).asDuration, left - 8, place + 4, "text-anchor=\"end\""),
      ]
    }
  }

  private func draw(_ series: Series) -> [String] {
    let places = series.points.sorted { $0.x < $1.x }
      .map { (x: x($0.x), y: y($0.microseconds)) }
    let path = places.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
    let dots = places.map {
      "<circle cx=\"\(number($0.x))\" cy=\"\(number($0.y))\" r=\"3.5\" fill=\"\(series.color)\"/>"
    }
    return [
      """
      <polyline points="\(path)" fill="none" stroke="\(series.color)" stroke-width="2.5" \
      stroke-linejoin="round"/>
      """
    ] + dots
  }

  /// The names at the ends of the lines, none on top of another one.
  private var labels: [String] {
    var lowest = 0.0
    let ends = series.compactMap { series in
      series.points.max { $0.x < $1.x }.map { (series, x: x($0.x), y: y($0.microseconds) + 4) }
    }
    return ends.sorted { $0.y < $1.y }.map { series, x, y in
      lowest = max(y, lowest + 17)
      return text(
        series.name, x + 10, lowest, "fill=\"\(series.color)\" font-weight=\"600\"")
    }
  }

  private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    """
    <line x1="\(number(x1))" y1="\(number(y1))" x2="\(number(x2))" y2="\(number(y2))" \
    stroke="\(ink)" stroke-opacity="0.3"/>
    """
  }

  private func text(_ text: String, _ x: Double, _ y: Double, _ attributes: String) -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\" \(attributes)>\(text)</text>"
  }

  private func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
