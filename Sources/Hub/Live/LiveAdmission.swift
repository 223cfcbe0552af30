// Admission of live samples: plausible values only, within the limits of rate and volume.

import Bluetooth
import EventLoop
import Health

extension LiveIntake {
  /// Counts values that no wearable can have measured (`Series.bounds`); they are dropped.
  @inline(__always)
  func canBe(_ series: Series, _ answer: Bool) -> Bool {
    if !answer {
      state.counters.impossible += 1
      tellOdd(state.oddities.note(.impossible(series), at: time))
    }
    return answer
  }

  func noteAnomaly(_ what: StaticString) {
    state.counters.anomalies += 1
    tellOdd(state.oddities.note(what, at: time))
  }

  private func tellOdd(_ what: String?) { if let what { events.odd(what) } }

  /// Limits the rate of a series and the share of the wearable; counts what is dropped.
  func admits(_ series: Series, _ valueCount: Int, _ byteCount: Int) -> Bool {
    if !isGuarded { return true }
    switch state.budget.admit(series, SampleBudget.size(valueCount, byteCount), now: time) {
    case .pass: return true
    case .tooFast: state.counters.tooMany += 1
    case .overShare(let isNews):
      state.counters.overShare += 1
      if isNews { events.shareReached() }
    }
    return false
  }

  /// Whether values are plausible and within the limits.
  func takes(_ series: Series, _ values: UnsafeBufferPointer<Int64>, _ byteCount: Int) -> Bool {
    canBe(series, series.canBe(values)) && admits(series, values.count, byteCount)
  }
}

extension FloodGuard {
  /// Passes a steady `valuesPerSecond`. After a gap it passes ten seconds' worth at once, as the wearable may have
  /// buffered while the air was busy. A minute's worth dropped without a rest counts as a flood.
  init(valuesPerSecond: Int) {
    self.init(perPDU: .seconds(1) / max(1, valuesPerSecond), perByte: .zero, burst: .seconds(10), hangUp: .seconds(60))
  }
}
