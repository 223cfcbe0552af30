// Transfer of a Moyoung band's measurements into the memory of its firmware, and their removal from it.

import EventLoop
import Health

extension VirtualMoyoungBand {
  /// Stores new measurements, and advances the days.
  func absorb() {
    let items = recorder.items
    while absorbed < items.count {
      let item = items[absorbed]
      absorbed += 1
      // Already deleted by a reset.
      if item.goneAt != nil { continue }
      turn(to: (item.shown + item.length.components.seconds).floored(by: 86_400), item.stretch)
      take(item)
    }
    turn(to: recorder.clock.seconds(at: world.loop.now).floored(by: 86_400), recorder.clock.stretch)
    let totals = MoyoungMemory.totalsBytes(memory.totals(daysAgo: 0))
    if let handle = server.valueHandle(of: MoyoungUUID.totals) { server.setValue(totals, at: handle) }
  }

  /// Turns to a day. Within one stretch of its clock days only advance: stages of a night come later than their times.
  private func turn(to day: Int64, _ newStretch: Int) {
    if newStretch == stretch, day < memory.today { return }
    stretch = newStretch
    gone(memory.turn(to: day))
  }

  private func take(_ item: BandItem) {
    let day = item.shown.floored(by: 86_400)
    let second = Int(item.shown - day * 86_400)
    switch item.series {
    case .heartRate:
      let rate = MoyoungMemory.Rate(value: UInt8(clamping: item.value), item: item.number)
      gone(memory.record(rate, slot: second / 300, on: day) + memory.record(rate, minute: second / 60, on: day))
    case .steps: memory.walk(.init(steps: item.value, items: [item.number]), on: day)
    case .distance: memory.walk(.init(metres: item.value / 10, items: [item.number]), on: day)
    case .calories: memory.walk(.init(calories: item.value / 10, items: [item.number]), on: day)
    case .sleepStage: gone(memory.record(stage: item, hasREM: make.hasREM))
    case .training: takeTraining(item)
    default: gone([item.number])
    }
  }

  private func takeTraining(_ item: BandItem) {
    let length = item.length.components.seconds
    gone(
      memory.record(
        MoyoungMemory.Training(
          start: item.shown, end: item.shown + length, valid: UInt16(clamping: length),
          type: Self.type(item.values[1]), steps: UInt32(clamping: item.values[3] * 4 / 3),
          metres: UInt32(clamping: item.values[3]), calories: UInt16(clamping: item.values[4]), item: item.number)))
    var rates: [MoyoungMemory.Rate?] = []
    for start in stride(from: item.shown, to: item.shown + length, by: 60) {
      guard let number = minuteRate(at: start, of: item) else {
        rates.append(nil)
        continue
      }
      rates.append(MoyoungMemory.Rate(value: UInt8(clamping: self.item(number).value), item: number))
      let day = start.floored(by: 86_400)
      if let rate = rates[rates.count - 1] {
        gone(memory.record(rate, minute: Int(start - day * 86_400) / 60, on: day))
      }
    }
    gone(memory.record(MoyoungMemory.TrainingRates(start: item.shown, rates: rates)))
  }

  /// Rate of one minute of a training: the automatic measurement, if there is one.
  private func minuteRate(at shown: Int64, of training: BandItem) -> Int? {
    let those = recorder.items[..<absorbed].suffix(200)
    if let same = those.last(where: {
      $0.series == .heartRate && $0.shown == shown && $0.stretch == training.stretch
    }) {
      return same.number
    }
    // If an automatic measurement failed, there is no value.
    guard let values = recorder.life.values(of: .heartRate, at: shown, stretch: training.stretch) else { return nil }
    let at = min(training.at + .seconds(shown - training.shown), world.loop.now)
    ownItems.append(
      BandItem(
        number: Self.ownNumbers + ownItems.count, series: .heartRate, kind: .normal, isManual: false, at: at,
        time: recorder.time(of: at), shown: shown, stretch: training.stretch, isClockSet: training.isClockSet,
        settings: training.settings,
        length: .zero, values: values, recordedAt: training.recordedAt, goneAt: nil, end: nil))
    return Self.ownNumbers + ownItems.count - 1
  }

  /// Types of the wire: 0 walk, 1 run, 2 bike.
  static func type(_ sport: Int64) -> UInt8 {
    switch sport {
    case 0x05, 0x09: 1
    case 0x35, 0x1D1: 2
    default: 0
    }
  }

  private func item(_ number: Int) -> BandItem {
    number >= Self.ownNumbers ? ownItems[number - Self.ownNumbers] : recorder.item(number)
  }

  /// Marks these measurements as completely deleted.
  func gone(_ numbers: [Int]) {
    if numbers.isEmpty { return }
    recorder.forget(Set(numbers.filter { $0 < Self.ownNumbers }), at: world.loop.now)
    for number in numbers where number >= Self.ownNumbers { endOwn(number - Self.ownNumbers, .overwritten) }
  }

  func endOwn(_ place: Int, _ end: BandItem.End) {
    if ownItems[place].goneAt != nil { return }
    ownItems[place].goneAt = world.loop.now
    ownItems[place].end = end
  }
}
