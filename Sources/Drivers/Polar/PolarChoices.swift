// Settings of a Polar wearable that can be ordered, by their names in orders: those of its settings file, and its radio
// switches.

public import Health
public import Wearable

/// Settings in the file, besides features that can be off (`PolarSwitch`).
enum PolarChoice: String, CaseIterable {
  case worn
  case trainingDetection = "training-detection"
  case trainingSensitivity = "training-sensitivity"
  case trainingMinimum = "training-minimum"

  /// Seconds: the longest useful minimum of a training.
  private static let longest = 86_400

  var setting: WearableSetting {
    switch self {
    case .worn:
      WearableSetting(
        rawValue, .words(Polar.DeviceSettings.places),
        "The place where it is worn; it computes its values for this place.")
    case .trainingDetection:
      WearableSetting(rawValue, .words(["on", "off"]), "Beginning trainings that it notices by itself.")
    case .trainingSensitivity:
      WearableSetting(rawValue, .number(0...100, unit: ""), "How readily it detects a training.")
    case .trainingMinimum:
      WearableSetting(rawValue, .number(0...Self.longest, unit: "s"), "The shortest training that it keeps.")
    }
  }

  /// The value in the form of an order; nil if the file does not have it.
  func value(in settings: Polar.DeviceSettings) -> String? {
    switch self {
    case .worn: settings.location.map { Polar.DeviceSettings.place($0) ?? "\($0)" }
    case .trainingDetection: settings.trainingDetection.map { $0.isOn ? "on" : "off" }
    case .trainingSensitivity: settings.trainingDetection.map { "\($0.sensitivity)" }
    case .trainingMinimum: settings.trainingDetection.map { "\($0.minimumDuration)" }
    }
  }

  /// - Returns: false if it cannot be set; the file is then unchanged.
  func set(_ value: String, in settings: inout Polar.DeviceSettings) -> Bool {
    switch self {
    case .worn:
      guard let number = Polar.DeviceSettings.placeNumber(value) else { return false }
      return settings.setLocation(number)
    case .trainingDetection:
      settings.detectTrainings(value == "on")
      return true
    case .trainingSensitivity, .trainingMinimum:
      // A wearable without this feature in its file has no detection to tune.
      guard let number = UInt32(value), var detection = settings.trainingDetection else { return false }
      if self == .trainingSensitivity {
        detection.sensitivity = min(100, number)
      } else {
        detection.minimumDuration = number
      }
      settings.trainingDetection = detection
      return true
    }
  }

  /// Restores the value from before the order.
  func restore(_ value: String, in settings: inout Polar.DeviceSettings) {
    if self == .worn, let number = UInt8(value) {
      settings.restoreLocation(number)
    } else {
      _ = set(value, in: &settings)
    }
  }

  /// Settings of a model. Models that are known not to measure activity do not detect trainings.
  static func all(of key: String) -> [PolarChoice] {
    let detects = Polar.measuresDays(key) ?? true
    return allCases.filter { $0 == .worn || detects }
  }
}

extension Polar.Switch {
  /// Name in orders.
  var name: String {
    switch self {
    case .broadcast: "broadcast"
    case .transmission5kHz: "5-khz"
    case .whisper: "low-power-radio"
    case .multiConnection: "second-link"
    case .antPlus: "ant-plus"
    case .sensorInitiatedSecurity: "sensor-security"
    }
  }

  init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  private var summary: String {
    switch self {
    case .broadcast: "Sending the heart rate to all receivers around, without a link."
    case .transmission5kHz: "Sending the heart rate to older treadmills, at 5 kHz."
    case .whisper: "Less transmission power if that is enough."
    case .multiConnection: "Taking a second Bluetooth link beside the hub's."
    case .antPlus: "Sending the heart rate to machines that have ANT+."
    case .sensorInitiatedSecurity: "Letting the wearable ask for encryption by itself."
    }
  }

  /// The switches that can be ordered. Security is excluded: off, or on without a way to pair, it would lock the hub
  /// out.
  static let orderable = allCases.filter { $0 != .sensorInitiatedSecurity }

  var setting: WearableSetting { WearableSetting(name, .words(["on", "off"]), summary) }
}

extension Polar {
  /// Streams that can be ordered of a model; all streams if the model is not in the table. Heart rate needs no order.
  static func orderableStreams(of key: String) -> [Series] {
    let all = PMD.MeasurementType.allCases.filter { $0 != .offlineHR }.compactMap(\.series.first)
    guard let streams = streams(of: key) else { return all }
    let offered = Set((streams.live + streams.liveInSDKMode).map(\.series))
    return all.filter { offered.contains($0) }
  }
}

extension PolarDriver: ConfigurableDriver, StreamingDriver {
  /// Offers all radio switches, as only a link shows which of them the wearable has.
  public func settings(of wearable: KnownWearable) -> [WearableSetting] {
    PolarChoice.all(of: wearable.polarModel).map(\.setting) + Polar.Switch.orderable.map(\.setting)
  }

  /// Streams that may be ordered; nil: the model is unknown.
  public func streams(of wearable: KnownWearable) -> [Series]? { Polar.orderableStreams(of: wearable.polarModel) }
}

extension PolarStrapDriver: ConfigurableDriver, StreamingDriver {
  /// Switches of the radio that may be ordered.
  public func settings(of wearable: KnownWearable) -> [WearableSetting] { Polar.Switch.orderable.map(\.setting) }

  /// A strap's features are only settings of its radio.
  public func switches(of wearable: KnownWearable) -> [WearableSwitch] { [] }

  /// Streams that may be ordered; nil: the model is unknown.
  public func streams(of wearable: KnownWearable) -> [Series]? { Polar.orderableStreams(of: wearable.polarModel) }
}

/// Values of settings before this hub changed them.
struct PolarBefore {
  /// Values by name; empty if the wearable did not report a value.
  private(set) var values: [String: String] = [:]

  /// Stores the value of the first change only: later changes are from one order to another.
  mutating func keep(_ name: String, _ value: String?) { if values[name] == nil { values[name] = value ?? "" } }

  mutating func forget(_ name: String) { values[name] = nil }
}
