// The values of one recording, computed again from the function of its sensor.

import EventLoop
import Health
import PolarTwin

/// Files that a recording wrote. The recording's own clock is not set while it runs.
struct PolarRecorded {
  let series: Series
  /// Time of its values, ns.
  let span: Range<Int64>
  var began: Int64 { run.began.nanoseconds }
  private let run: PolarRun
  /// Ends of intervals: the end of each, by the recording's clock.
  private let ends: [Int64]

  /// nil for a recording without values, or without values of the health model.
  init?(_ run: PolarRun) {
    guard let count = run.delivered.last?.upperBound, count > 0, let series = Self.series(of: run.signal.kind) else {
      return nil
    }
    self.run = run
    self.series = series
    var ends: [Int64] = []
    if run.signal.kind == .ppi {
      var end = run.begin
      for index in 0..<count {
        end += Int64(run.signal.sample(index)[1]) * 1_000_000
        ends.append(end)
      }
    }
    self.ends = ends
    let times = [0, count - 1].map { run.clock.instant(of: ends.isEmpty ? run.time(of: $0) : ends[$0]).nanoseconds }
    span = times[0]..<times[1] + 1
  }

  /// - Parameter body: gets the moment, ns, and the value, folded.
  func forEach(in window: Range<Int64>, _ body: (Int64, Int64) -> Void) {
    for range in run.delivered {
      let (first, end) = (place(window.lowerBound, range), place(window.upperBound, range))
      for index in first..<end {
        if let value = Self.stored(run.signal.kind, run.signal.sample(index)) { body(moment(index), folded(value)) }
      }
    }
  }

  private func moment(_ index: Int) -> Int64 {
    run.clock.instant(of: ends.isEmpty ? run.time(of: index) : ends[index]).nanoseconds
  }

  /// The first of a range that was not measured before a moment.
  private func place(_ moment: Int64, _ range: Range<Int>) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if self.moment(middle) < moment { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func series(of kind: PolarKind) -> Series? {
    switch kind {
    case .acc: .acc
    case .ppg: .ppg
    case .gyro: .gyro
    case .magnetometer: .mag
    case .ppi: .ppi
    case .heartRate: .heartRate
    case .skinTemperature: .skinTemperature
    case .ecg, .pressure: nil
    }
  }

  /// Values in the form of the health model; nil if invalid.
  private static func stored(_ kind: PolarKind, _ sample: [Int32]) -> [Int64]? {
    func scaled(_ factor: Float, _ scale: Float) -> [Int64] {
      sample.map { Int64((Float($0) * factor * scale).rounded()) }
    }
    switch kind {
    case .acc, .ppg: return sample.map { Int64($0) }
    case .gyro: return scaled(0.061, 1000)
    case .magnetometer: return scaled(0.0015, 10_000)
    case .ppi: return sample.dropFirst().map { Int64($0) }
    case .heartRate: return sample[0] > 0 ? [Int64(sample[0])] : nil
    case .skinTemperature: return [Int64((Float(sample[0]) / 100 * 1000).rounded())]
    case .ecg, .pressure: return nil
    }
  }
}
