// Days as bars: steps; and ranges from the lowest to the highest value, with a mark at the mean.

import Drawing
import HubProtocol
import StoreDocuments

/// `2026-11-21  `
private let dateWidth = 12

/// Bars for the lines of days: steps and heart rate.
func renderBars(_ days: DaysDocument, _ style: Style, _ chart: ChartStyle) -> String {
  var steps: [(date: String, value: Double)] = []
  var hearts: [(date: String, low: Double, mean: Double?, high: Double)] = []
  for day in days.lines {
    if let count = day.steps { steps.append((day.date, Double(count))) }
    if let low = day.lowestHeartRate, let high = day.highestHeartRate {
      hearts.append((day.date, Double(low), day.meanHeartRate, Double(high)))
    }
  }
  return amountBars("steps", steps, style, chart) + rangeBars("heart rate, bpm", hearts, style, chart)
}

/// Bars for the tables of series: sums for series that add up, else ranges.
func renderSeriesBars(_ days: DaysDocument, _ style: Style, _ chart: ChartStyle) -> String {
  days.series.map { series in
    let title = series.series + (series.unit.isEmpty ? "" : ", \(series.unit)")
    let sums = series.days.compactMap { day in day.sum.map { (date: day.date, value: $0) } }
    if !sums.isEmpty { return amountBars(title, sums, style, chart) }
    let ranges = series.days.compactMap { day -> (date: String, low: Double, mean: Double?, high: Double)? in
      guard let low = day.minimum, let high = day.maximum else { return nil }
      return (day.date, low, day.mean, high)
    }
    return rangeBars(title, ranges, style, chart)
  }.joined()
}

private func amountBars(
  _ title: String, _ days: [(date: String, value: Double)], _ style: Style, _ chart: ChartStyle
) -> String {
  guard let most = days.map(\.value).filter(CurveColumns.drawable.contains).max(), most > 0 else { return "" }
  let texts = days.map { number(($0.value * 10).rounded() / 10) }
  let room = max(8, chart.width - dateWidth - 1 - (texts.map(\.count).max() ?? 0))
  let bars = Bars(isASCII: chart.isASCII)
  var text = "\n" + style.bold(title) + "\n"
  for (day, value) in zip(days, texts) {
    text += line("\(cell(day.date, 10))  \(bars.amount(day.value, of: most, width: room)) \(value)")
  }
  return text
}

private func rangeBars(
  _ title: String, _ days: [(date: String, low: Double, mean: Double?, high: Double)], _ style: Style,
  _ chart: ChartStyle
) -> String {
  let days = days.filter { CurveColumns.drawable.contains($0.low) && CurveColumns.drawable.contains($0.high) }
  guard let low = days.map(\.low).min(), let high = days.map(\.high).max() else { return "" }
  let width = max(8, chart.width - dateWidth)
  let axis = NumberAxis(from: low, to: high, marks: max(1, width / 12))
  let bars = Bars(isASCII: chart.isASCII)
  var text = "\n" + style.bold(title) + "\n" + line(String(repeating: " ", count: dateWidth) + labels(axis, width))
  for day in days {
    text += line("\(cell(day.date, 10))  \(bars.range(day.low, day.mean, day.high, on: axis, width: width))")
  }
  return text
}

/// Labels of an axis in one line, each around its mark if there is room.
private func labels(_ axis: NumberAxis, _ width: Int) -> String {
  var text = ""
  for mark in axis.marks {
    let label = axis.label(mark)
    let middle = Int((axis.place(mark) * Double(width - 1)).rounded())
    let start = min(max(0, middle - label.count / 2), width - label.count)
    guard start >= text.count + (text.isEmpty ? 0 : 1) else { continue }
    text += String(repeating: " ", count: start - text.count) + label
  }
  return text
}
