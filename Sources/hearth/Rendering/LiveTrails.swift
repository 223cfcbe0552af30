// Small curves of each series' newest values at the end of its lines, on a terminal with room for them.

import Drawing
import HubProtocol

/// Keeps some values of each series of each wearable.
struct LiveTrails {
  private let bars: Bars
  /// nil: not a terminal, and lines stay unchanged.
  private let width: Int?
  private var values: [String: [Double]] = [:]

  /// Fewer columns show no trend, and more are not useful.
  private static let room = 5...40
  /// Maximum number of series with kept values; a hub has a few hundred.
  private static let limit = 2000

  init(_ chart: ChartStyle, width: Int?) {
    bars = Bars(isASCII: chart.isASCII)
    self.width = width
  }

  /// Adds a trail to a line on a terminal with room for it, else returns the line.
  mutating func extend(_ line: String, _ sample: JSON) -> String {
    guard let width else { return line }
    let text = line.hasSuffix("\n") ? String(line.dropLast()) : line
    let room = min(width - columns(text) - 2, Self.room.upperBound)
    guard room >= Self.room.lowerBound, let value = Self.number(sample["value"]) else { return line }
    let key = "\(sample["device"]?.text ?? "") \(sample["series"]?.text ?? "")"
    if values[key] == nil, values.count >= Self.limit { return line }
    var newest = values[key] ?? []
    newest.append(value)
    if newest.count > Self.room.upperBound { newest.removeFirst() }
    values[key] = newest
    return "\(text)  \(bars.trail(newest, width: room))\n"
  }

  private static func number(_ value: JSON?) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .decimal(let text): Double(text)
    default: nil
    }
  }
}
