// The wearable's settings file: features that can be off, and ordered settings.

import Bluetooth
import EventLoop
public import Wearable

/// Features that can be switched off, by their names in orders.
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

  /// False only for a model that is known not to have the feature.
  func mayBeOf(_ model: String) -> Bool {
    switch self {
    case .dayAndNight: Polar.mayMeasure(.heartRate, by: model)
    case .trainingDetection: Polar.measuresDays(model) ?? true
    case .telemetry, .usb: true
    }
  }

  /// nil if the file does not have the feature, which then cannot be switched.
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
  /// Features of its model; all features if no table has the model.
  public func switches(of wearable: KnownWearable) -> [WearableSwitch] {
    let model = wearable.polarModel
    let inFile = PolarSwitch.allCases.filter { $0.mayBeOf(model) }.map { WearableSwitch($0.rawValue, $0.summary) }
    let sleep = WearableSwitch(
      PolarSession.sleepRecording, "Recording sleep beyond the visit in which it is seen: its results come then.")
    return inFile + (Polar.mayMeasure(.sleepStage, by: model) ? [sleep] : [])
  }
}

/// The settings file: orders are written and read back, and values of ended orders are restored.
@LoopActor
final class PolarSettings {
  private let transfer: PSFTPClient
  private let link: any WearableLink
  /// Refusals of this visit, for people.
  private(set) var refused: [String] = []
  /// The same for measuring day and night if it is ordered as monitoring.
  private(set) var monitoringRefused: String?
  /// Monitoring day and night, as last read.
  private(set) var monitoring: MonitoringState?

  /// The next clock change in the wearable's zone, which the hub writes without an order; nil to leave the file as it
  /// is.
  var change: PolarClockChange?

  init(_ transfer: PSFTPClient, _ link: any WearableLink) {
    self.transfer = transfer
    self.link = link
  }

  /// nil if there is no such file. An H10 has it at another path, and does not use this driver's files.
  func read() async throws(VisitTrouble) -> Polar.DeviceSettings? {
    guard let bytes = try await transfer.get(Polar.DeviceSettings.path(.v2)) else { return nil }
    guard let settings = bytes.withUnsafeBytes({ try? Polar.DeviceSettings($0) }) else {
      throw .unsupported("its settings cannot be read")
    }
    return settings
  }

  /// Sets the ordered value, or restores the value from before an ended order.
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

  /// Executes the orders. Only within a sync.
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
        // Stored before the write, so that a lost link does not lose the earlier values.
        try link.remember(PolarFileBefore(before))
        try link.remember(PolarSwitchedOff(switched))
        if let switchedOn { try link.remember(switchedOn) }
        try await transfer.put(Polar.DeviceSettings.path(.v2), bytes)
        settings = try await read() ?? found
      }
      // A feature that is missing counts as off.
      refused = PolarSwitch.allCases.filter { named.contains($0) && $0.isOn(settings) == true }.map {
        "\($0.rawValue) stays on"
      }
      refused += ordered.compactMap { refusal(of: $0, in: settings) }
      // Restoring the earlier value is tried once, as no order asks for it.
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
      // The clock change is not an order.
      if isOrdered { refuseAll(why) } else { link.note("the next clock change is not written: \(why)") }
    }
  }

  /// Reads the monitoring day and night. Only within a sync.
  func lookAtMonitoring() async throws(VisitTrouble) {
    guard let settings = try await read() else { throw .unsupported("it has no settings") }
    let says = settings.monitoring
    monitoring = monitoring?.read(says) ?? MonitoringState(.heartRate, asked: nil, says: says)
  }
}
