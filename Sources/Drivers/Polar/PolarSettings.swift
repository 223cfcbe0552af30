// Features of the wearable that can be off, and what its settings say.

import Bluetooth
import EventLoop
public import Wearable

/// What can be switched off, by the names that orders have.
enum PolarSwitch: String, CaseIterable {
  case dayAndNight = "day-and-night"
  case trainingDetection = "training-detection"
  case telemetry
  case usb

  var summary: String {
    switch self {
    case .dayAndNight: "Measuring the heart rate day and night; costs battery and memory."
    case .trainingDetection: "Beginning trainings that it notices by itself."
    case .telemetry: "Traces for the vendor."
    case .usb: "Data over USB."
    }
  }

  /// False only of a model that is known not to have it.
  func mayBeOf(_ model: String) -> Bool {
    switch self {
    case .dayAndNight: Polar.mayMeasure(.heartRate, by: model)
    case .trainingDetection: Polar.measuresDays(model) ?? true
    case .telemetry, .usb: true
    }
  }

  /// nil where the file does not say: then there is nothing to switch.
  func isOn(_ settings: Polar.DeviceSettings) -> Bool? {
    switch self {
    case .dayAndNight: settings.measuresDayAndNight
    case .trainingDetection: settings.trainingDetection?.isOn
    case .telemetry: settings.telemetry
    case .usb: settings.usb
    }
  }

  func set(_ isOn: Bool, in settings: inout Polar.DeviceSettings) {
    switch self {
    case .dayAndNight: settings.measuresDayAndNight = isOn
    case .trainingDetection: settings.detectTrainings(isOn)
    case .telemetry: settings.telemetry = isOn
    case .usb: settings.usb = isOn
    }
  }
}

extension PolarDriver {
  /// Those of its model; of one that is in no table, all.
  public func switches(of wearable: KnownWearable) -> [WearableSwitch] {
    let model = wearable.polarModel
    let inFile = PolarSwitch.allCases.filter { $0.mayBeOf(model) }.map { WearableSwitch($0.rawValue, $0.summary) }
    let sleep = WearableSwitch(
      PolarSession.sleepRecording, "Recording sleep beyond the visit in which it is seen: its results come then.")
    return inFile + (Polar.mayMeasure(.sleepStage, by: model) ? [sleep] : [])
  }
}

/// The file of settings: what is ordered is brought about and read back; what was changed by order and is not ordered
/// any more is as it was before.
@LoopActor
final class PolarSettings {
  private let transfer: PSFTPClient
  private let link: any WearableLink
  /// What it did not take in this visit, for people.
  private(set) var refused: [String] = []
  /// The same of measuring day and night where that is ordered as monitoring.
  private(set) var monitoringRefused: String?
  /// How it measures day and night, as it was read last.
  private(set) var monitoring: MonitoringState?

  /// The next change of the clocks where it is, of which the hub tells it by itself; nil: nothing is said of that.
  var change: PolarClockChange?

  init(_ transfer: PSFTPClient, _ link: any WearableLink) {
    self.transfer = transfer
    self.link = link
  }

  /// nil where it has none. An H10 has another place for them; it is no wearable of this driver's files.
  func read() async throws(VisitTrouble) -> Polar.DeviceSettings? {
    guard let bytes = try await transfer.get(Polar.DeviceSettings.path(.v2)) else { return nil }
    guard let settings = bytes.withUnsafeBytes({ try? Polar.DeviceSettings($0) }) else {
      throw .unsupported("its settings cannot be read")
    }
    return settings
  }

  /// As it is ordered, or as it was before where it is not any more.
  private func bringAbout(_ choice: PolarChoice, in settings: inout Polar.DeviceSettings, _ before: inout PolarBefore) {
    let name = choice.rawValue
    if let wanted = link.orders.settings[name] {
      let value = choice.value(in: settings)
      if value != wanted, choice.set(wanted, in: &settings) { before.keep(name, value) }
    } else if let was = before.values[name], !was.isEmpty, choice.value(in: settings) != was {
      choice.restore(was, in: &settings)
    }
  }

  private func turn(
    _ one: PolarSwitch, isOff: Bool, in settings: inout Polar.DeviceSettings, _ switched: inout [PolarSwitch: [UInt8]]
  ) {
    if isOff {
      let said = one == .dayAndNight ? settings.dayAndNight : []
      switched[one] = said.count <= PolarSwitchedOff.saidLimit ? said : []
      one.set(false, in: &settings)
    } else if one == .dayAndNight, let said = switched[one], !said.isEmpty {
      settings.restoreDayAndNight(said)
    } else {
      one.set(true, in: &settings)
    }
  }

  private func refusal(of choice: PolarChoice, in settings: Polar.DeviceSettings) -> String? {
    let value = choice.value(in: settings)
    if value == link.orders.settings[choice.rawValue] { return nil }
    return value.map { "\(choice.rawValue) stays \($0)" } ?? "it does not say what its \(choice.rawValue) is"
  }

  /// Within a sync.
  func keep() async throws(VisitTrouble) {
    (refused, monitoringRefused) = ([], nil)
    let day = PolarDayAndNight(link)
    let named = Set(link.orders.switchedOff.compactMap { PolarSwitch(rawValue: $0) })
    let off = day.order == false ? named.union([.dayAndNight]) : named
    var switched = link.remembered(PolarSwitchedOff.self)?.features ?? [:]
    var concerned = off.union(switched.keys)
    if day.isConcerned { concerned.insert(.dayAndNight) }
    var before = link.remembered(PolarFileBefore.self)?.before ?? PolarBefore()
    let ordered = PolarChoice.allCases.filter { link.orders.settings[$0.rawValue] != nil }
    let isOrdered = !concerned.isEmpty || !ordered.isEmpty || !before.values.isEmpty
    guard isOrdered || change != nil else { return }
    func refuseAll(_ why: String) {
      if day.order != nil { monitoringRefused = why }
      if day.order == nil || !named.isEmpty || !ordered.isEmpty { refused = [why] }
    }
    do throws(VisitTrouble) {
      guard var settings = try await read() else {
        if isOrdered { refuseAll("it has no settings") }
        return
      }
      let found = settings
      let switchedOn = day.before(found, wasSwitchedOff: switched[.dayAndNight] != nil)
      if day.isRestored(in: &settings) { concerned.remove(.dayAndNight) }
      for choice in PolarChoice.allCases { bringAbout(choice, in: &settings, &before) }
      for one in PolarSwitch.allCases where concerned.contains(one) && one.isOn(settings) == off.contains(one) {
        turn(one, isOff: off.contains(one), in: &settings, &switched)
      }
      change?.bringAbout(in: &settings)
      if settings != found {
        guard let bytes = try? settings.encode() else { throw .unsupported("its settings are of a newer kind") }
        // First, so that a link that is lost in between forgets nothing.
        try link.remember(PolarFileBefore(before))
        try link.remember(PolarSwitchedOff(switched))
        if let switchedOn { try link.remember(switchedOn) }
        try await transfer.put(Polar.DeviceSettings.path(.v2), bytes)
        settings = try await read() ?? found
      }
      // What it has not is as good as off.
      refused = PolarSwitch.allCases.filter { named.contains($0) && $0.isOn(settings) == true }.map {
        "\($0.rawValue) stays on"
      }
      refused += ordered.compactMap { refusal(of: $0, in: settings) }
      // What was before is nobody's order: it is tried once.
      for one in PolarSwitch.allCases where switched[one] != nil && !off.contains(one) && one.isOn(settings) == false {
        link.note("\(one.rawValue) stays off")
      }
      try link.remember(PolarSwitchedOff(switched.filter { off.contains($0.key) }))
      if day.order != true { link.forget(PolarSwitchedOn.self) }
      monitoringRefused = day.refusal(in: settings)
      monitoring = MonitoringState(.heartRate, asked: link.orders.monitoring[.heartRate], says: settings.monitoring)
      for choice in PolarChoice.allCases where !ordered.contains(choice) { before.forget(choice.rawValue) }
      try link.remember(PolarFileBefore(before))
      if let change, !change.isMade(in: settings) { link.note("it does not keep when clocks change") }
    } catch {
      guard let why = error.refusal else { throw error }
      // That clocks change is nobody's order.
      if isOrdered { refuseAll(why) } else { link.note("when clocks change it is not told: \(why)") }
    }
  }

  /// How it measures day and night, read within a sync.
  func lookAtMonitoring() async throws(VisitTrouble) {
    guard let settings = try await read() else { throw .unsupported("it has no settings") }
    let says = settings.monitoring
    monitoring = monitoring?.read(says) ?? MonitoringState(.heartRate, asked: nil, says: says)
  }
}
