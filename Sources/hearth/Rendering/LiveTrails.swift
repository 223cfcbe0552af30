// The newest values of each series behind its lines, on a terminal that has room for them.

import Drawing
import HubProtocol

/// Keeps some values of each series of each wearable.
struct LiveTrails {
  private let bars: Bars
  /// nil: no terminal, and lines stay as they are.
  private let width: Int?
  private var values: [String: [Double]] = [:]

  /// Fewer columns show no course; more of them no eye needs.
  private static let room = 5...40
  /// Series of wearables whose values are kept; a hub has some hundred.
  private static let limit = 2000

  init(_ chart: ChartStyle, width: Int?) {
    bars = Bars(isASCII: chart.isASCII)
    self.width = width
  }

  /// A line with a trail at its end where there is a terminal with room for it, else as it is.
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
