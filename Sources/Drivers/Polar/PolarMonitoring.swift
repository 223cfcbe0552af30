// Measuring the heart rate day and night, ordered as monitoring: the one series that a wearable of Polar can be told to
// measure by itself. The same switch is one of the features that can be off (`PolarSwitch.dayAndNight`).

import EventLoop
import Health
import PolarMessages
import StateCodec
public import Wearable

/// What a pass through the file of settings has to do for the order.
@LoopActor
struct PolarDayAndNight {
  /// nil: nobody ordered it.
  let order: Bool?
  /// What the file said before this hub switched it on.
  private let before: PolarSwitchedOn?

  init(_ link: any WearableLink) {
    order = link.orders.monitoring[.heartRate]?.isOn
    before = link.remembered(PolarSwitchedOn.self)
  }

  var isConcerned: Bool { order == true || before != nil }

  /// It was off before this hub switched it on, which nobody orders any more: so it is off again, as it was said then.
  ///
  /// - Returns: there is nothing more to be switched.
  func isRestored(in settings: inout Polar.DeviceSettings) -> Bool {
    guard order != true, let before else { return false }
    if settings.measuresDayAndNight { settings.restoreDayAndNightOff(before.said) }
    return true
  }

  /// What is to be remembered before the file is written; nil: nothing.
  ///
  /// - Parameter wasSwitchedOff: by this hub; it was on before.
  func before(_ found: Polar.DeviceSettings, wasSwitchedOff: Bool) -> PolarSwitchedOn? {
    if order != true || wasSwitchedOff || found.measuresDayAndNight { return before }
    // The first change counts: later ones are between two orders.
    return before ?? PolarSwitchedOn(found)
  }

  /// Why it is not as it was ordered; nil: it is, or nobody ordered it.
  func refusal(in settings: Polar.DeviceSettings) -> String? {
    guard let order, order != settings.measuresDayAndNight else { return nil }
    return "day and night stays \(order ? "off" : "on")"
  }
}

/// What the file said of measuring day and night before this hub switched it on.
struct PolarSwitchedOn: RememberedState {
  static let name = "polar-switched-on"
  /// Empty: more than is kept, which is off.
  let said: [UInt8]

  init(_ settings: Polar.DeviceSettings) {
    let said = settings.dayAndNight
    self.said = said.count <= PolarSwitchedOff.saidLimit ? said : []
  }

  func write(to fields: inout FieldWriter) { fields.put(1, said) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var said: [UInt8]?
    while let tag = fields.next() { if tag == 1 { fields.read(&said, atMost: PolarSwitchedOff.saidLimit) } }
    guard let said else { return nil }
    self.said = said
  }
}

extension Polar.DeviceSettings {
  /// How it measures the heart rate by itself. The vendor's kit switches it on and off; one that is timed says when.
  var monitoring: MonitoringOrder {
    var said = MonitoringOrder()
    said.isOn = measuresDayAndNight
    if let kept = try? PbAutomaticMeasurementSettings(wire: dayAndNight), kept.state == .timed {
      func minute(_ time: PbTime) -> Int { Int(time.hour) * 60 + Int(time.minute) }
      said.window = MonitoringWindow(
        begin: minute(kept.timedSettings.startTime), end: minute(kept.timedSettings.endTime))
    }
    return said
  }

  /// - Parameter said: as it was said when it was off; empty: no more is known than that.
  fileprivate mutating func restoreDayAndNightOff(_ said: [UInt8]) {
    if said.isEmpty { measuresDayAndNight = false } else { restoreDayAndNight(said) }
  }
}

extension PolarDriver: MonitoringDriver {
  /// Models that are known not to keep the heart rate of days measure nothing by themselves.
  public func monitoring(of wearable: KnownWearable) -> [MonitoringChoice] {
    let measures = Polar.mayMeasure(.heartRate, by: wearable.polarModel)
    return measures ? [MonitoringChoice(.heartRate, .isOn, feature: PolarSwitch.dayAndNight.rawValue)] : []
  }
}

extension PolarSession: MonitoringSession {
  var monitoring: [MonitoringState] { settings.monitoring.map { [$0] } ?? [] }

  func readMonitoring() async throws(VisitTrouble) -> [MonitoringState] {
    guard transfer.isPresent, exercises == nil else { throw .unsupported("it keeps no settings in files") }
    try await inFiles { () throws(VisitTrouble) in try await settings.lookAtMonitoring() }
    return monitoring
  }
}
