// Which live samples are taken: what a wearable can have measured, and what is not too much.

import Bluetooth
import EventLoop
import Health

extension LiveIntake {
  /// Counts what no wearable can have measured (`Series.bounds`): it goes nowhere.
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

  /// Holds a series to its pace and the wearable to its share; counts what is left out.
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

  /// What can be, and is not too much.
  func takes(_ series: Series, _ values: UnsafeBufferPointer<Int64>, _ byteCount: Int) -> Bool {
    canBe(series, series.canBe(values)) && admits(series, values.count, byteCount)
  }
}

extension FloodGuard {
  /// Lets a steady `valuesPerSecond` pass, after a gap ten seconds' worth at once (what a wearable may have kept while
  /// the air was
  /// busy), and takes a minute's worth dropped without a rest for a flood.
  init(valuesPerSecond: Int) {
    self.init(perPDU: .seconds(1) / max(1, valuesPerSecond), perByte: .zero, burst: .seconds(10), hangUp: .seconds(60))
  }
}
