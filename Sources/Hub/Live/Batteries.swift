// The battery of an enrolled wearable, as people see it.

import EventLoop
import Reasons

extension EnrolledWearable {
  /// Takes a reading, and logs what it changed.
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

  /// nil: never read, or so long ago that the charge of now is unknown.
  func batteryCharge(_ context: HubContext) -> BatteryCharge? {
    guard let percent = live.battery, let read = live.batteryRead, context.loop.wall - read <= BatteryCharge.age else {
      return nil
    }
    return live.charge ?? BatteryCharge.of(percent, after: nil, context.options.battery)
  }

  /// The warning of a low battery; nil if the charge is enough, or unknown.
  func batteryTrouble(_ context: HubContext) -> HearthError? {
    guard let percent = live.battery else { return nil }
    switch batteryCharge(context) {
    case .critical: return HearthError(.batteryCritical, "\(name): battery \(percent) %")
    case .low: return HearthError(.batteryLow, "\(name): battery \(percent) %")
    case .enough, nil: return nil
    }
  }
}
