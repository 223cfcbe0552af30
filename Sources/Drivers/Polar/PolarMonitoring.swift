// Heart rate day and night, ordered as monitoring: the only series that a Polar wearable measures by itself on request.
// The same switch is one of the features that can be off (`PolarSwitch.dayAndNight`).

import EventLoop
import Health
import PolarMessages
import StateCodec
public import Wearable

/// The part of a settings update that concerns this order.
@LoopActor
struct PolarDayAndNight {
  /// nil without an order.
  let order: Bool?
  /// The file's content from before this hub switched it on.
  private let before: PolarSwitchedOn?

  init(_ link: any WearableLink) {
    order = link.orders.monitoring[.heartRate]?.isOn
    before = link.remembered(PolarSwitchedOn.self)
  }

  var isConcerned: Bool { order == true || before != nil }

  /// Switches it off again after the end of an order that had switched it on, with the file's earlier content.
  ///
  /// - Returns: whether the order needs no further change.
  func isRestored(in settings: inout Polar.DeviceSettings) -> Bool {
    guard order != true, let before else { return false }
    if settings.measuresDayAndNight { settings.restoreDayAndNightOff(before.said) }
    return true
  }

  /// State to store before the file is written; nil for no state.
  ///
  /// - Parameter wasSwitchedOff: it was on, and this hub has switched it off.
  func before(_ found: Polar.DeviceSettings, wasSwitchedOff: Bool) -> PolarSwitchedOn? {
    if order != true || wasSwitchedOff || found.measuresDayAndNight { return before }
    // The first change counts: later ones are from one order to another.
    return before ?? PolarSwitchedOn(found)
  }

  /// Returns how the file differs from the order; nil if it does not, or without an order.
  func refusal(in settings: Polar.DeviceSettings) -> String? {
    guard let order, order != settings.measuresDayAndNight else { return nil }
    return "day and night stays \(order ? "off" : "on")"
  }
}

/// The file's content about measuring day and night, from before this hub switched it on.
struct PolarSwitchedOn: RememberedState {
  static let name = "polar-switched-on"
  /// Empty if it was too long to store; it is then restored as plainly off.
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
  /// The wearable's present monitoring of heart rate. The vendor's kit switches it on and off; a timed one has a
  /// window.
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

  /// - Parameter said: the file's content when it was off; empty if unknown.
  fileprivate mutating func restoreDayAndNightOff(_ said: [UInt8]) {
    if said.isEmpty { measuresDayAndNight = false } else { restoreDayAndNight(said) }
  }
}

extension PolarDriver: MonitoringDriver {
  /// Models that are known not to store heart rates of days have no monitoring.
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
