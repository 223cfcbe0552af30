// What the last reading of a battery means: enough, low or critical, and for how long that is believed.

import EventLoop
import Reasons

/// Percent at which a battery is low or critical; nil: never.
public struct BatteryBounds: Sendable, Equatable {
  public var low: Int? = 20
  public var critical: Int? = 10

  public init() {}
}

/// How full a battery was when it was read.
public enum BatteryCharge: String, Sendable, CaseIterable {
  case enough, low, critical

  /// A charge is left only this many points above its bound. No standard says how far: gauges go by the cell's voltage,
  /// which rises by itself when a load ends, and a wearable that is loaded passes five points within minutes.
  static let hysteresis = 5
  /// An older reading says nothing of now: within a day most wearables were loaded or are empty.
  static let age: Duration = .seconds(86_400)

  /// What a reading means after one that meant `before`; nil: the first.
  static func of(_ percent: Int, after before: BatteryCharge?, _ bounds: BatteryBounds) -> BatteryCharge {
    func isAtMost(_ bound: Int?, leaving: Bool) -> Bool {
      guard let bound else { return false }
      return leaving ? percent < bound + hysteresis : percent <= bound
    }
    if isAtMost(bounds.critical, leaving: before == .critical) { return .critical }
    if isAtMost(bounds.low, leaving: before == .low || before == .critical) { return .low }
    return .enough
  }
}

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
