// Drawings of a day's page, each an SVG element.

import Drawing
import Health
import HubProtocol
import StoreDocuments

func heartDrawing(_ report: ReportDay) -> String {
  let axis = NumberAxis(from: report.heart.low ?? 40, to: report.heart.high ?? 120, marks: 5)
  var panel = SVGPanel(
    report.span, zone: report.time.zone, values: axis, width: ReportSize.width, height: ReportSize.heart,
    right: report.zones == nil ? 8 : 46)
  if let zones = report.zones {
    let edges = zones.edges
    for (number, (from, to)) in zip(edges, edges.dropFirst()).enumerated() {
      let (low, high) = (max(from, axis.low), min(to, axis.high))
      guard low < high else { continue }
      panel.band("zone\(number + 1)", from: low, to: high)
      // A name only if the band is as high as its letters.
      if panel.y(low) - panel.y(high) >= 11 {
        let middle = (panel.y(low) + panel.y(high)) / 2 + 3.5
        panel.drawing.text("label", panel.right + 5, middle, "zone \(number + 1)")
      }
    }
  }
  panel.curve("heart", report.heart, bridge: report.heartBridge)
  return panel.drawing.element(named: "Heart rate over the day, bpm")
}

/// Stages of the night only, from awake at the top to deep at the bottom.
func sleepDrawing(_ night: [ReportDay.Stage], _ report: ReportDay) -> String {
  let from = night.map(\.span.lowerBound).min() ?? report.span.lowerBound
  let to = night.map(\.span.upperBound).max() ?? report.span.upperBound
  var panel = SVGPanel(
    from..<max(to, from + 1), zone: report.time.zone, values: nil, width: ReportSize.width, height: ReportSize.sleep)
  // Numbers of `sleep_stage`, from the top down.
  let rows = [(1, "awake"), (2, "REM"), (3, "light"), (4, "deep")]
  let height = (panel.bottom - panel.top) / Double(rows.count)
  for (index, (stage, name)) in rows.enumerated() {
    let top = panel.top + Double(index) * height
    panel.drawing.text("label", panel.left - 5, top + height / 2 + 3.5, name, .end)
    for part in night where part.stage == stage {
      let (left, right) = (panel.x(part.span.lowerBound), panel.x(part.span.upperBound))
      panel.drawing.rectangle("stage\(stage)", left, top + 2, right - left, height - 3)
    }
  }
  return panel.drawing.element(named: "Stages of sleep")
}

func stepsDrawing(_ report: ReportDay) -> String {
  let most = report.steps.compactMap { $0 }.max() ?? 0
  let axis = NumberAxis(from: 0, to: max(most, 1), marks: 3)
  var panel = SVGPanel(
    report.span, zone: report.time.zone, values: axis, width: ReportSize.width, height: ReportSize.steps)
  for (hour, value) in report.steps.enumerated() {
    guard let value, value > 0 else { continue }
    let start = report.span.lowerBound + Int64(hour) * 3_600_000_000
    panel.bar("bar", start..<min(start + 3_600_000_000, report.span.upperBound), value)
  }
  return panel.drawing.element(named: "Steps in each hour")
}

/// Drawings of skin temperature and oxygen, as far as there is data, side by side.
func smallDrawings(_ report: ReportDay) -> String {
  let all = [
    ("Skin temperature", "degC", "warm", report.skin, Int64(900_000_000)),
    // Measured on request, so that the values are single points, not a curve.
    ("Oxygen saturation", "%", "blue", report.oxygen, Int64(60_000_000)),
  ]
  let shown = all.filter { $0.3.count > 0 }
  if shown.isEmpty { return "" }
  let width = shown.count == 1 ? ReportSize.width : ReportSize.width / 2
  let parts = shown.map { name, unit, kind, curve, bridge in
    let axis = NumberAxis(from: curve.low ?? 0, to: curve.high ?? 1, marks: 3)
    var panel = SVGPanel(
      report.span, zone: report.time.zone, values: axis, width: width, height: ReportSize.small)
    panel.curve(kind, curve, bridge: bridge)
    return "<section><h2>\(escaped(name)) <span>\(escaped(unit))</span></h2>"
      + panel.drawing.element(named: "\(name), \(unit)") + "</section>"
  }
  return "<div class=\"pair\">\(parts.joined())</div>\n"
}

/// A strip for each series, filled for times with values.
func coverageDrawing(_ report: ReportDay) -> String {
  let steady = report.coverage.series.filter { !$0.occasional }
  guard report.coverage.window != nil, !steady.isEmpty else {
    return "<p class=\"about\">no series has values of this day</p>"
  }
  let shown = steady.prefix(ReportSize.strips)
  let names = 104.0
  var panel = SVGPanel(
    report.span, zone: report.time.zone, values: nil, width: ReportSize.width - 46,
    height: Double(shown.count) * ReportSize.strip + 24, left: names)
  var whole = SVGDrawing(width: ReportSize.width, height: panel.drawing.height)
  for (row, series) in shown.enumerated() {
    let top = panel.top + Double(row) * ReportSize.strip
    let height = ReportSize.strip - 5
    let covered = series.covered(in: report.coverage.counted)
    panel.drawing.text("label", names - 5, top + height - 2, series.series, .end)
    // For a day that is not over, only the part that has passed.
    for part in report.coverage.counted {
      let (begin, end) = (panel.x(part.lowerBound), panel.x(part.upperBound))
      panel.drawing.rectangle("uncovered", begin, top, end - begin, height)
    }
    for part in covered {
      let (from, to) = (panel.x(part.lowerBound), panel.x(part.upperBound))
      panel.drawing.rectangle("covered", from, top, to - from, height)
    }
    whole.text("label", ReportSize.width - 4, top + height - 2, series.share.map(percent) ?? "-", .end)
  }
  let rest = steady.count - shown.count
  let more = rest > 0 ? "<p class=\"about\">\(rest) more with hearth coverage</p>" : ""
  return whole.element(named: "Coverage", below: panel.drawing) + more
}
