// What people are told of the battery of an enrolled wearable.

import EventLoop
import Reasons

extension EnrolledWearable {
  /// Takes a reading; says in the log what changed by it.
  func noteBattery(_ percent: Int, _ context: HubContext) {
    let before = batteryCharge(context)
    live.noteBattery(percent, BatteryCharge.of(percent, after: live.charge, context.options.battery), context.loop.wall)
    let charge = batteryCharge(context)
    if charge == before { return }
    if let trouble = batteryTrouble(context) {
      let (code, text) = (trouble.reason.code, "\(trouble.reason.code) \(trouble.reason.text.area): \(trouble.detail)")
      context.logger.log(
        level: charge == .critical ? .warning : .notice, "\(text)",
        metadata: ["CODE": "\(code)", "DEVICE": "\(name)"])
    } else if before == .low || before == .critical {
      context.logger.info("\(name): battery \(percent) %, no longer low", metadata: ["DEVICE": "\(name)"])
    }
    context.changes.raise(.shown)
  }

  /// nil: never read, or too long ago to say anything of now.
  func batteryCharge(_ context: HubContext) -> BatteryCharge? {
    guard let percent = live.battery, let read = live.batteryRead, context.loop.wall - read <= BatteryCharge.age else {
      return nil
    }
    return live.charge ?? BatteryCharge.of(percent, after: nil, context.options.battery)
  }

  /// What people are told of it; nil where it is enough, or nobody knows.
  func batteryTrouble(_ context: HubContext) -> HearthError? {
    guard let percent = live.battery else { return nil }
    switch batteryCharge(context) {
    case .critical: return HearthError(.batteryCritical, "\(name): battery \(percent) %")
    case .low: return HearthError(.batteryLow, "\(name): battery \(percent) %")
    case .enough, nil: return nil
    }
  }
}
