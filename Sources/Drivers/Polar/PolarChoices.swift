// What people may order of a Polar wearable's own settings, by the names that orders have: what its file keeps, and the
// switches of its radio.

public import Health
public import Wearable

/// What the file of settings keeps, beside features that can be off (`PolarSwitch`).
enum PolarChoice: String, CaseIterable {
  case worn
  case trainingDetection = "training-detection"
  case trainingSensitivity = "training-sensitivity"
  case trainingMinimum = "training-minimum"

  /// Seconds: a training that has to last a day is none.
  private static let longest = 86_400

  var setting: WearableSetting {
    switch self {
    case .worn:
      WearableSetting(
        rawValue, .words(Polar.DeviceSettings.places),
        "Where it is worn; what it measures there is worked out accordingly.")
    case .trainingDetection:
      WearableSetting(rawValue, .words(["on", "off"]), "Beginning trainings that it notices by itself.")
    case .trainingSensitivity:
      WearableSetting(rawValue, .number(0...100, unit: ""), "How readily it takes what it notices for a training.")
    case .trainingMinimum:
      WearableSetting(rawValue, .number(0...Self.longest, unit: "s"), "The shortest training that it keeps.")
    }
  }

  /// As it would be ordered; nil where the file does not say.
  func value(in settings: Polar.DeviceSettings) -> String? {
    switch self {
    case .worn: settings.location.map { Polar.DeviceSettings.place($0) ?? "\($0)" }
    case .trainingDetection: settings.trainingDetection.map { $0.isOn ? "on" : "off" }
    case .trainingSensitivity: settings.trainingDetection.map { "\($0.sensitivity)" }
    case .trainingMinimum: settings.trainingDetection.map { "\($0.minimumDuration)" }
    }
  }

  /// - Returns: false for what cannot be set; nothing is changed then.
  func set(_ value: String, in settings: inout Polar.DeviceSettings) -> Bool {
    switch self {
    case .worn:
      guard let number = Polar.DeviceSettings.placeNumber(value) else { return false }
      return settings.setLocation(number)
    case .trainingDetection:
      settings.detectTrainings(value == "on")
      return true
    case .trainingSensitivity, .trainingMinimum:
      // Of a wearable that does not say whether it detects any there is nothing to tune.
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

  /// As it was before somebody ordered otherwise.
  func restore(_ value: String, in settings: inout Polar.DeviceSettings) {
    if self == .worn, let number = UInt8(value) {
      settings.restoreLocation(number)
    } else {
      _ = set(value, in: &settings)
    }
  }

  /// Models that are known to work out no activity detect no trainings.
  static func all(of key: String) -> [PolarChoice] {
    let detects = Polar.measuresDays(key) ?? true
    return allCases.filter { $0 == .worn || detects }
  }
}

extension Polar.Switch {
  /// By the names that orders have.
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
    case .broadcast: "Telling the heart rate to everybody around, without a link."
    case .transmission5kHz: "Telling the heart rate to older treadmills, at 5 kHz."
    case .whisper: "Less transmission power where that is enough."
    case .multiConnection: "Taking a second Bluetooth link beside the hub's."
    case .antPlus: "Telling the heart rate to machines that have ANT+."
    case .sensorInitiatedSecurity: "Letting the wearable ask for encryption by itself."
    }
  }

  /// What may be ordered. Security is between it and the hub: with it off, or on where nobody can pair, the hub would
  /// be shut out.
  static let orderable = allCases.filter { $0 != .sensorInitiatedSecurity }

  var setting: WearableSetting { WearableSetting(name, .words(["on", "off"]), summary) }
}

extension Polar {
  /// Streams that people may order of a model; where it is not in the table of streams, all that there are. The heart
  /// rate comes by itself.
  static func orderableStreams(of key: String) -> [Series] {
    let all = PMD.MeasurementType.allCases.filter { $0 != .offlineHR }.compactMap(\.series.first)
    guard let streams = streams(of: key) else { return all }
    let offered = Set((streams.live + streams.liveInSDKMode).map(\.series))
    return all.filter { offered.contains($0) }
  }
}

extension PolarDriver: ConfigurableDriver, StreamingDriver {
  /// Which switches of the radio there are is only told over a link.
  public func settings(of wearable: KnownWearable) -> [WearableSetting] {
    PolarChoice.all(of: wearable.polarModel).map(\.setting) + Polar.Switch.orderable.map(\.setting)
  }

  public func streams(of wearable: KnownWearable) -> [Series]? { Polar.orderableStreams(of: wearable.polarModel) }
}

extension PolarStrapDriver: ConfigurableDriver, StreamingDriver {
  public func settings(of wearable: KnownWearable) -> [WearableSetting] { Polar.Switch.orderable.map(\.setting) }

  /// Its features are settings of its radio alone.
  public func switches(of wearable: KnownWearable) -> [WearableSwitch] { [] }

  public func streams(of wearable: KnownWearable) -> [Series]? { Polar.orderableStreams(of: wearable.polarModel) }
}

/// What settings were before this hub changed them.
struct PolarBefore {
  /// By name; an empty value: the wearable did not say.
  private(set) var values: [String: String] = [:]

  /// The first change counts: later ones are between two orders.
  mutating func keep(_ name: String, _ value: String?) { if values[name] == nil { values[name] = value ?? "" } }

  mutating func forget(_ name: String) { values[name] = nil }
}
