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
    case .trainingDetection: settings.trainingDetection?.isOn = isOn
    case .telemetry: settings.telemetry = isOn
    case .usb: settings.usb = isOn
    }
  }
}

extension PolarDriver {
  public var switches: [WearableSwitch] {
    PolarSwitch.allCases.map { WearableSwitch($0.rawValue, $0.summary) }
      + [WearableSwitch(PolarSession.sleepRecording, "Recording sleep beyond the visit in which it is seen: its results come then.")]
  }
}

/// The file of settings: what is ordered is brought about and read back; what was off by order and is not any more is on again.
@LoopActor
final class PolarSettings {
  private let transfer: PSFTPClient
  private let link: any WearableLink
  /// What it did not take in this visit, for people.
  private(set) var refused: [String] = []

  private static let offNote = "off"

  init(_ transfer: PSFTPClient, _ link: any WearableLink) {
    self.transfer = transfer
    self.link = link
  }

  /// What this hub has switched off on it.
  private var switchedOff: Set<PolarSwitch> {
    get { Set((link.remembered(Self.offNote) ?? "").split(separator: " ").compactMap { PolarSwitch(rawValue: String($0)) }) }
    set { link.remember(Self.offNote, newValue.isEmpty ? nil : newValue.map(\.rawValue).sorted().joined(separator: " ")) }
  }

  /// nil where it has none. An H10 has another place for them; it is no wearable of this driver's files.
  func read() async throws(VisitTrouble) -> Polar.DeviceSettings? {
    guard let bytes = try await transfer.get(Polar.DeviceSettings.path(.v2)) else { return nil }
    guard let settings = bytes.withUnsafeBytes({ try? Polar.DeviceSettings($0) }) else { throw .unsupported("its settings cannot be read") }
    return settings
  }

  /// Within a sync.
  func keep() async throws(VisitTrouble) {
    refused = []
    let off = Set(link.orders.switchedOff.compactMap { PolarSwitch(rawValue: $0) })
    let concerned = off.union(switchedOff)
    if concerned.isEmpty { return }
    do throws(VisitTrouble) {
      guard var settings = try await read() else {
        refused = ["it has no settings"]
        return
      }
      let before = settings
      for one in PolarSwitch.allCases where concerned.contains(one) && one.isOn(settings) == off.contains(one) { one.set(!off.contains(one), in: &settings) }
      if settings != before {
        guard let bytes = try? settings.encode() else { throw .unsupported("its settings are of a newer kind") }
        try await transfer.put(Polar.DeviceSettings.path(.v2), bytes)
        settings = try await read() ?? before
      }
      // What it has not is as good as off.
      refused = PolarSwitch.allCases.filter { off.contains($0) && $0.isOn(settings) == true }.map { "\($0.rawValue) stays on" }
      switchedOff = off
    } catch {
      guard let why = error.refusal else { throw error }
      refused = [why]
    }
  }
}
