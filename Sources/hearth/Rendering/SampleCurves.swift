// Samples as curves: one for each component, with each value at its own time.

import Drawing
import EventLoop
import Health
import HubProtocol

/// Curves of samples; empty for series without numbers.
struct SampleCurves {
  /// Curves, with a name if there are several components.
  private(set) var rows: [(name: String, curve: CurveColumns)]
  /// Microseconds. Values further apart are not joined: three usual intervals, as for coverage.
  let bridge: Int64

  /// A series with a value per second is joined over one missing value.
  private static let leastBridge: Int64 = 2_000_000

  init(_ peek: PeekDocument, columns: Int) {
    let names = Series(name: peek.series)?.layout.components ?? []
    var found: [Row] = names.isEmpty ? [Row(name: "")] : names.map { Row(name: names.count == 1 ? "" : $0) }
    var rhythm = Rhythm()
    var before: Int64?
    for sample in peek.samples {
      guard let time = sample["time"]?.text.flatMap({ WallTime(rfc3339: $0) })?.microseconds else { continue }
      if let before { rhythm.add(time &- before) }
      before = time
      switch sample["value"] {
      case .array(let items) where peek.layout == "waveform":
        let period: Int64 =
          if case .integer(let number) = sample["period_ns"] { Int64(clamping: number) } else { 0 }
        for (place, item) in items.enumerated() {
          let moment = time &+ Int64(place) &* period / 1000
          if case .array(let components) = item { take(components, moment) } else { take([item], moment) }
        }
      case .array(let items): take(items, time)
      case let value?: take([value], time)
      case nil: break
      }
    }
    func take(_ items: [JSON], _ time: Int64) {
      for (index, item) in items.enumerated() where index < found.count {
        guard let value = Self.number(item), CurveColumns.drawable.contains(value),
          Self.times.contains(time)
        else { continue }
        found[index].values.append((time, value))
      }
    }
    let times = found.flatMap { [$0.values.map(\.time).min(), $0.values.map(\.time).max()] }.compactMap { $0 }
    let from = times.min() ?? 0
    // The last value needs a column of its own.
    let span = from..<max((times.max() ?? from) &+ 1, from &+ 1)
    rows = found.filter { !$0.values.isEmpty }.map { row in
      var curve = CurveColumns(span, columns: columns)
      for (time, value) in row.values { curve.add(time, value) }
      return (row.name, curve)
    }
    bridge = max(Self.leastBridge, min(rhythm.period ?? 0, 1 << 60) * 3)
  }

  /// Half of the range of 64 bits, so that the length of any span does not overflow.
  private static let times = -(Int64(1) << 60)...(Int64(1) << 60)

  private struct Row {
    let name: String
    var values: [(time: Int64, value: Double)] = []
  }

  private static func number(_ value: JSON?) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .decimal(let text): Double(text)
    default: nil
    }
  }
}
