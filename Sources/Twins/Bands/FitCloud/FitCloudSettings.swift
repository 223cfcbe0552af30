// Owner of a FitCloud band, its settings, and its answers besides recorded data.

import EventLoop
import Health
import Simulation

extension VirtualFitCloud {
  /// Results of binding, login and unbinding.
  private enum Answer {
    static let accepted: UInt8 = 0, failed: UInt8 = 1, cancelled: UInt8 = 2, late: UInt8 = 3, taken: UInt8 = 5
  }

  // MARK: Binding

  func obeyAuthentication(_ key: UInt8, _ value: [UInt8]) {
    let isOld = make.isOldGeneration
    switch key {
    case isOld ? 0x01 : 0x11: bind(value, isOld ? 0x02 : 0x12)
    case isOld ? 0x03 : 0x13: logIn(value, isOld ? 0x04 : 0x14)
    case isOld ? 0x05 : 0x15: unbind(isOld ? 0x08 : 0x16)
    default: break
    }
  }

  /// User in the host's value; the last bytes name the phone. nil: no such value.
  private func user(_ value: [UInt8]) -> [UInt8]? {
    if make.isOldGeneration { return value.count == 32 && value[29] == 1 ? Array(value[..<4]) : nil }
    return value.isEmpty ? nil : Array(value.prefix(28))
  }

  private func answer(_ key: UInt8, _ result: UInt8) {
    if result != Answer.accepted { ledger.refusals += 1 }
    say(3, key, [result])
  }

  private func bind(_ value: [UInt8], _ reply: UInt8) {
    guard asking == nil else { return }
    guard let user = user(value), batteryLevel >= 10 else { return answer(reply, Answer.failed) }
    if owner == user { return enter(user, reply) }
    if owner != nil { return answer(reply, Answer.taken) }
    let isCancelled = cancelled < traits.cancelsBindings
    let isIgnored = !isCancelled && ignored < traits.ignoresBindings
    asking = world.loop.schedule(after: isIgnored ? traits.asksFor : traits.wearerTakes) { [weak self] in
      guard let self else { return }
      asking = nil
      if isCancelled { cancelled += 1 }
      if isIgnored { ignored += 1 }
      if isCancelled || isIgnored { return answer(reply, isCancelled ? Answer.cancelled : Answer.late) }
      // Values measured under a former owner do not belong to the new one.
      if let formerOwner, formerOwner != user { recorder.reset(at: world.loop.now) }
      enter(user, reply)
    }
  }

  private func enter(_ user: [UInt8], _ reply: UInt8) {
    owner = user
    ledger.bindings += 1
    isEntered = true
    noteEntered()
    answer(reply, Answer.accepted)
  }

  private func logIn(_ value: [UInt8], _ reply: UInt8) {
    guard let owner, user(value) == owner else { return answer(reply, Answer.failed) }
    ledger.logins += 1
    isEntered = true
    noteEntered()
    answer(reply, Answer.accepted)
  }

  private func unbind(_ reply: UInt8) {
    guard isEntered else { return answer(reply, Answer.failed) }
    ledger.unbindings += 1
    (formerOwner, owner) = (owner, nil)
    endTransfer(false)
    if make.forgetsWithOwner { recorder.reset(at: world.loop.now) }
    answer(reply, Answer.accepted)
    isEntered = false
  }

  // MARK: Settings

  func obeySetting(_ key: UInt8, _ value: [UInt8]) {
    switch (key, make.isOldGeneration) {
    case (0x01, _):
      guard let seconds = FitCloudWire.seconds(value) else { return ledger.faults.append(.malformed) }
      recorder.setClock(seconds, at: world.loop.now)
    case (0x10, false) where value.isEmpty: say(2, 0x11, deviceInfo())
    case (0x11, true) where value.isEmpty: say(2, 0x12, deviceInfo())
    case (0x1B, false), (0x14, true): tellBattery()
    case (0x22, false), (0x1C, true): takeCommon(value)
    case (0x1E, true): say(2, 0x1F, allSettings())
    case (0x23, false): say(2, 0x24, common())
    case (0xCB, false) where make.hasTypedMonitors: takeTyped(value)
    case (0xCC, false) where make.hasTypedMonitors: say(2, 0xCD, typed(value))
    case (0x47, false), (0x4A, false): say(2, key + 1, kept[key - 1] ?? [0, 120, 0, 160])
    case (0xE1, false): say(2, 0xE2, [restingToday()])
    default: if !value.isEmpty { kept[key] = value }
    }
  }

  func tellBattery() {
    guard isEntered else { return }
    say(2, make.isOldGeneration ? 0x15 : 0x1C, [UInt8(batteryLevel), isCharging ? 1 : 0])
  }

  /// Project 6, features 4, pages 4, patch 6, flash 4, app 4, serial 4.
  private func deviceInfo() -> [UInt8] {
    let serial = FitCloudWire.big(UInt32(truncatingIfNeeded: address.value))
    let parts: [[UInt8]] = [
      [0, 0, 0x11, 0x22, 0x33, 0x44], FitCloudWire.big(make.features), [0, 0, 0, 0x3F], [0, 0, 0, 0, 0, 7],
      [0, 0, 1, 2], [0, 1, 4, 2], serial,
    ]
    return parts.flatMap { $0 }
  }

  private func restingToday() -> UInt8 {
    let today = recorder.clock.seconds(at: world.loop.now).floored(by: 86_400)
    let found = recorder.items.last { $0.kind == .resting }
    return found.map { $0.shown.floored(by: 86_400) == today ? UInt8(clamping: $0.value) : 0 } ?? 0
  }

  // MARK: Automatic measuring

  /// `[on, start u16, end u16]` in minutes after midnight; newer bands add the interval in minutes, u16.
  private func takeCommon(_ value: [UInt8]) {
    guard value.count == (make.hasMonitorInterval ? 7 : 5) else { return ledger.faults.append(.malformed) }
    setCommon(schedule(value, 0) ?? commonSchedule)
  }

  func setCommon(_ schedule: BandSchedule) {
    commonSchedule = schedule
    for series in make.series {
      var own = schedule
      if !make.hasMonitorInterval { own.interval = recorder.schedules[series]?.interval ?? 10 }
      recorder.setSchedule(own, of: series, at: world.loop.now)
    }
  }

  /// 53 bytes: notifications 4, display 2, features 2, versions 32, schedule 5, sedentary 5, pressure 2, drinking 1.
  private func allSettings() -> [UInt8] {
    [0, 0, 0, 0x7F, 0, 1, 0, 2] + deviceInfo() + common() + [0, 0, 0, 0, 0, 120, 80, 0]
  }

  private func common() -> [UInt8] {
    Array(bytes(commonSchedule).prefix(make.hasMonitorInterval ? 7 : 5))
  }

  private func schedule(_ value: [UInt8], _ at: Int) -> BandSchedule? {
    guard value.count >= at + 5 else { return nil }
    let interval = value.count >= at + 7 ? Int(FitCloudWire.u16(value, at + 5)) : commonSchedule.interval
    return BandSchedule(
      isOn: value[at] != 0, start: Int(FitCloudWire.u16(value, at + 1)), end: Int(FitCloudWire.u16(value, at + 3)),
      interval: max(1, interval))
  }

  private func bytes(_ schedule: BandSchedule) -> [UInt8] {
    [schedule.isOn ? 1 : 0] + FitCloudWire.big(UInt16(clamping: schedule.start))
      + FitCloudWire.big(UInt16(clamping: schedule.end)) + FitCloudWire.big(UInt16(clamping: schedule.interval))
  }

  private static let typedSeries: [(type: UInt8, series: Series)] = [
    (1, .heartRate), (2, .spo2), (3, .systolicPressure), (4, .skinTemperature), (5, .stress),
  ]

  /// Blocks of a type and its schedule, 8 bytes each.
  private func takeTyped(_ value: [UInt8]) {
    guard value.count % 8 == 0 else { return ledger.faults.append(.malformed) }
    for at in stride(from: 0, to: value.count, by: 8) {
      guard let series = Self.typedSeries.first(where: { $0.type == value[at] })?.series, make.series.contains(series),
        let schedule = schedule(value, at + 1)
      else { continue }
      recorder.setSchedule(schedule, of: series, at: world.loop.now)
    }
  }

  /// - Parameter asked: types; all types if empty.
  private func typed(_ asked: [UInt8]) -> [UInt8] {
    Self.typedSeries.flatMap { type, series -> [UInt8] in
      guard asked.isEmpty || asked.contains(type), let schedule = recorder.schedules[series] else { return [] }
      return [type] + bytes(schedule)
    }
  }
}
