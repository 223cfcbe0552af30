// Coverage as text: a strip for each series, and its gaps with their reasons.

import Drawing
import EventLoop
import Health
import HubProtocol
import StoreDocuments

/// Columns of a table row before its strip, without the name: `   97.3 %     3     12 min  `.
private let fixedWidth = 2 + 7 + 2 + 4 + 2 + 11 + 2
/// Maximum number of gaps listed for a series; the document has up to a thousand.
private let listLimit = 200

func render(
  _ coverage: CoverageDocument, _ time: HubTime, _ style: Style, _ chart: ChartStyle, allGaps: Bool
) -> String {
  guard let span = coverage.window else { return line("\(coverage.device)   no span of time") }
  let name = [coverage.wearer, coverage.device].compactMap { $0 }.joined(separator: "   ")
  let head = "\(time.span(coverage.since, coverage.until)) \(time.zone.name)"
  if coverage.worn?.isEmpty ?? false {
    return style.bold(String(line("\(coverage.device)   \(head)").dropLast())) + "\nwore no wearable in this time\n"
  }
  var text = style.bold(String(line("\(name)   \(head)").dropLast())) + "\n" + wornLines(coverage, span, time)
  if coverage.series.isEmpty { return text + "no value came in this time, nor in the week before\n" }
  let bars = Bars(isASCII: chart.isASCII)
  let nameWidth = max(10, coverage.series.map { columns(harmless($0.series)) }.max() ?? 0)
  let width = max(10, chart.width - fixedWidth - nameWidth)
  let axis = TimeAxis(span, zone: time.zone, room: max(1, width / 8))
  let columnNames =
    "\(cell("SERIES", nameWidth))  \(cell("COVERED", 7, right: true))  GAPS  \(cell("LONGEST", 11, right: true))"
  text += line("\(columnNames)  \(timeLabels(axis, width: width))")
  let steady = coverage.series.filter { !$0.occasional }
  for series in steady {
    let longest = series.gaps.max { $0.seconds < $1.seconds }
    let cells = [
      cell(series.series, nameWidth), cell(series.share.map(percent) ?? "-", 7, right: true),
      cell("\(series.gaps.count + series.gapsLeftOut)", 4, right: true),
      cell(longest.map { gapLength($0.seconds) } ?? "-", 11, right: true),
    ]
    let strip = bars.strip(series.covered(in: coverage.counted), of: span, width: width)
    text += line(cells.joined(separator: "  ") + "  " + strip)
  }
  if let series = steady.first, steady.count == 1, span.upperBound - span.lowerBound > dayStripsFrom {
    text += "\n" + dayStrips(series, coverage.counted, span, time, bars, chart.width)
  }
  for series in coverage.series where series.occasional && series.samples > 0 {
    let newest = series.last.map { "newest \(time.text($0))" } ?? "none"
    text += line("\(cell(series.series, nameWidth))  now and then: \(counted(series.samples, "value")), \(newest)")
  }
  text += gapLists(steady, time, nameWidth, allGaps: allGaps)
  for series in coverage.series where series.damaged > 0 {
    text +=
      style.attention("\(series.series): \(counted(series.damaged, "chunk")) cannot be read; see hearth events")
      + "\n"
  }
  return text
}

/// The times of wearing, unless that is the whole span.
private func wornLines(_ coverage: CoverageDocument, _ span: Range<Int64>, _ time: HubTime) -> String {
  guard let worn = coverage.worn, coverage.counted != [span] else { return "" }
  let lines = worn.prefix(wornLimit).map { line("worn \(time.span($0.from, $0.to))") }.joined()
  let rest = worn.count - wornLimit
  return lines + (rest > 0 ? line("and \(counted(rest, "later time")) of wearing: --json has all") : "")
}

/// Maximum number of times of wearing that are listed.
private let wornLimit = 20

/// Length from which each local day has a strip of its own if only one series is shown.
private let dayStripsFrom: Int64 = 129_600_000_000

private func dayStrips(
  _ series: CoverageDocument.Line, _ parts: [Range<Int64>], _ span: Range<Int64>, _ time: HubTime, _ bars: Bars,
  _ width: Int
) -> String {
  let covered = series.covered(in: parts)
  let stripWidth = max(10, width - 22)
  var text = ""
  var moment = span.lowerBound
  // The request is bounded to 400 days.
  while moment < span.upperBound {
    let date = time.zone.date(of: moment)
    let day = time.zone.span(of: date)
    if text.isEmpty {
      let axis = TimeAxis(day, zone: time.zone, room: max(1, stripWidth / 8))
      text += line("\(cell("DATE", 10))  \(cell("COVERED", 7, right: true))  \(timeLabels(axis, width: stripWidth))")
    }
    func onDay(_ spans: [Range<Int64>]) -> [Range<Int64>] {
      spans.compactMap { part in part.overlaps(day) ? part.clamped(to: day) : nil }
    }
    let (here, length) = (onDay(covered), onDay(parts).length)
    let share = length > 0 ? percent(Double(here.length) / Double(length)) : "-"
    text += line(
      "\(cell(date.text, 10))  \(cell(share, 7, right: true))  \(bars.strip(here, of: day, width: stripWidth))"
    )
    if day.upperBound <= moment { break }
    moment = day.upperBound
  }
  return text
}

/// The longest gap of each series, or all gaps.
private func gapLists(_ series: [CoverageDocument.Line], _ time: HubTime, _ nameWidth: Int, allGaps: Bool) -> String {
  let withGaps = series.filter { !$0.gaps.isEmpty }
  if withGaps.isEmpty { return "" }
  var text = "\n"
  for series in withGaps {
    if allGaps {
      text += line(
        "\(series.series)   gaps are longer than \(gapLength(series.toleranceS ?? 0))"
          + (series.periodS.map { ", values usually \(gapLength($0)) apart" } ?? ""))
    }
    let shown = allGaps ? series.gaps : series.gaps.max { $0.seconds < $1.seconds }.map { [$0] } ?? []
    for gap in shown.prefix(listLimit) {
      let head = allGaps ? "" : cell(series.series, nameWidth) + "  "
      text += line(
        "\(allGaps ? "  " : "")\(head)\(time.span(gap.from, gap.to))   \(gapLength(gap.seconds))   \(why(gap, time))")
    }
    let rest = max(0, shown.count - listLimit) + (allGaps ? series.gapsLeftOut : 0)
    if rest > 0 { text += line("  and \(counted(rest, "shorter or later gap")): --json has more") }
  }
  if !allGaps, withGaps.contains(where: { $0.gaps.count > 1 }) {
    text += "  the longest of each; all of them with --gaps, or with a series\n"
  }
  return text
}

/// `out of reach (H2104)`; with several reasons, each with its begin.
func why(_ gap: CoverageDocument.Gap, _ time: HubTime) -> String {
  gap.causes.enumerated().map { index, cause in
    let words = causeText(cause.cause) + (cause.code.map { " (\($0))" } ?? "")
    let from = WallTime(rfc3339: cause.from).map { time.clock($0) } ?? "?"
    return index == 0 ? words : "from \(from) \(words)"
  }.joined(separator: ", ")
}

/// A reason in plain words.
func causeText(_ cause: Words.GapReason) -> String {
  switch cause {
  case .evicted: "lost: evicted to make room"
  case .notEnrolled: "not enrolled then"
  case .hubDown: "the hub was not running"
  case .radioDown: "the radio was down"
  case .noSlot: "no free slot"
  case .visitFailed: "its visit failed"
  case .outOfReach: "out of reach"
  case .byOrder: "not taken, by order"
  case .notRecording: "it did not record this"
  case .notFetched: "not fetched yet"
  case .charging: "charged meanwhile"
  case .unknown: "unknown"
  // From a newer daemon.
  default: cause.rawValue.split(separator: "_").joined(separator: " ")
  }
}

/// `97.3 %`. An incomplete share is never shown as 100, and a share above zero never as 0.
func percent(_ share: Double) -> String {
  let tenths = (share * 1000).rounded()
  if tenths >= 1000, share < 1 { return "99.9 %" }
  if tenths <= 0, share > 0 { return "0.1 %" }
  return tenths >= 1000 ? "100 %" : "\(number(max(0, tenths) / 10)) %"
}

/// `40 ms`, `1.5 s`, `12 min`, `3 h 5 min`.
func gapLength(_ seconds: Double) -> String {
  if seconds < 1 { return "\(number((seconds * 1000).rounded())) ms" }
  if seconds < 10 { return "\(number((seconds * 10).rounded() / 10)) s" }
  return span(Int(min(seconds.rounded(), 1e12)))
}

extension CoverageDocument {
  /// The window in microseconds since 1970; nil if its times are invalid.
  var window: Range<Int64>? {
    guard let from = WallTime(rfc3339: since)?.microseconds, let to = WallTime(rfc3339: until)?.microseconds, from < to
    else { return nil }
    return from..<to
  }
}

extension CoverageDocument {
  /// The times that count, ascending: for a wearable the whole window, for a person the times of wearing.
  var counted: [Range<Int64>] {
    guard let window else { return [] }
    guard let worn else { return [window] }
    return worn.compactMap { part -> Range<Int64>? in
      guard let from = WallTime(rfc3339: part.from)?.microseconds, let to = WallTime(rfc3339: part.to)?.microseconds,
        from < to
      else { return nil }
      return from..<to
    }.joined(within: 0)
  }
}

extension CoverageDocument.Line {
  /// The stretches between the gaps.
  func covered(in parts: [Range<Int64>]) -> [Range<Int64>] {
    let gaps = gaps.compactMap { gap -> Range<Int64>? in
      guard let from = WallTime(rfc3339: gap.from)?.microseconds, let to = WallTime(rfc3339: gap.to)?.microseconds,
        from < to
      else { return nil }
      return from..<to
    }.joined(within: 0)
    return parts.flatMap { gaps.gaps(in: $0) }
  }
}
