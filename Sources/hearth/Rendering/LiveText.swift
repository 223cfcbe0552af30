// Live values as text: single numbers at once, fast streams as one line per second.

import EventLoop
import Health
import HubProtocol
import StoreDocuments

/// Lines of `hearth live`. They show a technician whether a stream comes, its rate, and whether its values change.
struct LiveLines {
  /// Samples of a wearable and series since its last line.
  fileprivate struct Row {
    let key: String
    let began: Int64
    let components: [String]
    var newest: JSON
    var first: WallTime?
    var last: WallTime?
    var count = 0
    /// Nanoseconds, of a waveform, from sample to sample.
    var period: Double?
    var low: [Double] = []
    var high: [Double] = []
  }

  /// Milliseconds between two lines of one series.
  private static let pace: Int64 = 1000

  let time: HubTime
  private var rows: [Row] = []

  init(_ time: HubTime) { self.time = time }

  /// Text to print for a sample at once; empty for one that waits for its second.
  mutating func take(_ sample: JSON, at now: Int64) -> String {
    guard case .array(let values)? = sample["value"] else { return Self.scalar(sample, time) }
    let name = sample["series"]?.text ?? "?"
    let key = (sample["device"]?.text ?? "?") + " " + name
    let layout = Series(name: name)?.layout
    let place = rows.firstIndex { $0.key == key }
    var row =
      place.map { rows[$0] } ?? Row(key: key, began: now, components: layout?.components ?? [], newest: sample)
    let came = Self.moment(sample)
    row.newest = sample
    row.first = row.first ?? came
    row.last = came
    row.count += 1
    if layout?.name == "waveform" {
      if case .integer(let period)? = sample["period_ns"] { row.period = Double(period) }
      for value in values {
        if case .array(let numbers) = value { row.span(numbers) } else { row.span([value]) }
      }
    }
    if let place { rows[place] = row } else { rows.append(row) }
    return ""
  }

  /// Lines of series with a completed second.
  mutating func due(_ now: Int64) -> String { end { now - $0.began >= Self.pace } }

  /// Lines of all waiting series.
  mutating func rest() -> String { end { _ in true } }

  private mutating func end(_ isOver: (Row) -> Bool) -> String {
    let over = rows.filter(isOver)
    rows.removeAll(where: isOver)
    return over.map(shown).joined()
  }

  private func shown(_ row: Row) -> String {
    var values: [String] = []
    if row.period != nil {
      values = row.low.indices.map { place in
        let name = place < row.components.count && row.low.count > 1 ? row.components[place] + " " : ""
        return "\(name)\(number(row.low[place]))..\(number(row.high[place]))"
      }
    } else if case .array(let numbers)? = row.newest["value"] {
      values = grouped(row.components, numbers.map(Self.text))
    }
    if let unit = row.newest["unit"]?.text, !unit.isEmpty { values.append(unit) }
    if let rate = row.rate { values.append("\(rate)/s") }
    return line(Self.head(row.newest, time) + "  " + values.joined(separator: "  "))
  }

  // MARK: - Pieces

  /// `10:00:00.123 strap-03 heart_rate 72 bpm`: wide enough for RR intervals in 1/1024 s, which have ten decimals in
  /// ms.
  static func scalar(_ sample: JSON, _ time: HubTime) -> String {
    let value = sample["value"].map(text) ?? "-"
    let unit = sample["unit"]?.text ?? ""
    let origin = sample["origin"]?.text == "advertised" ? "  advertised" : ""
    return line(head(sample, time) + "  " + cell(value, 15, right: true) + " " + unit + origin)
  }

  private static func head(_ sample: JSON, _ time: HubTime) -> String {
    [
      cell(moment(sample).map { time.fineClock($0) } ?? "?", 13), cell(sample["device"]?.text ?? "?", 18),
      cell(sample["series"]?.text ?? "?", 15),
    ].joined(separator: "  ")
  }

  private static func moment(_ sample: JSON) -> WallTime? { sample["time"]?.text.flatMap { WallTime(rfc3339: $0) } }

  private static func text(_ value: JSON) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .decimal(let text): Double(text).map(hearth.number) ?? text
    default: "?"
    }
  }

  /// Groups components with the same begin of their name: `right 12 40 55`, `left x 0.1 y 0.2`.
  private func grouped(_ names: [String], _ values: [String]) -> [String] {
    var groups: [(head: String, text: String)] = []
    for (place, value) in values.enumerated() {
      let name = place < names.count ? names[place] : ""
      let (head, tail) = Self.parts(name)
      let text = (tail.isEmpty ? "" : tail + " ") + value
      if let last = groups.last, last.head == head, !head.isEmpty {
        groups[groups.count - 1].text += " " + text
      } else {
        groups.append((head, text))
      }
    }
    return groups.map { $0.head.isEmpty ? $0.text : "\($0.head) \($0.text)" }
  }

  /// `right3`: right; `left_x`: left and x; `contact`: only that.
  private static func parts(_ name: String) -> (head: String, tail: String) {
    if let mark = name.lastIndex(of: "_"), name[mark...].count == 2 {
      return (String(name[..<mark]), String(name[mark...].dropFirst()))
    }
    var head = name[...]
    while head.last?.isNumber == true { head.removeLast() }
    return (String(head), "")
  }
}

extension LiveLines.Row {
  fileprivate mutating func span(_ numbers: [JSON]) {
    for (place, item) in numbers.enumerated() {
      let value: Double
      switch item {
      case .integer(let whole): value = Double(whole)
      case .decimal(let text):
        guard let fraction = Double(text) else { continue }
        value = fraction
      default: continue
      }
      if place < low.count {
        low[place] = min(low[place], value)
        high[place] = max(high[place], value)
      } else if place == low.count {
        low.append(value)
        high.append(value)
      }
    }
  }

  /// Samples per second: by the period of a waveform, else as received.
  fileprivate var rate: Int? {
    if let period { return period > 0 ? Int(exactly: (1e9 / period).rounded()) : nil }
    guard let first, let last, count > 1, last > first else { return nil }
    return Int(exactly: (Double(count - 1) / (last - first).inSeconds).rounded())
  }
}
