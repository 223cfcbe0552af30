// The settings of a wearable: read whole, changed in one place, written back whole.

public import Bluetooth
internal import PolarMessages
public import Wearable

extension Polar {
  /// The content of the file of settings. What is not changed here stays as it was read, also what no version of the definitions knows.
  public struct DeviceSettings: Sendable, Equatable {
    private var message: PbUserDeviceSettings

    /// Where the file is.
    public static func path(_ system: FileSystem) -> String { system == .h10 ? "/UDEVSET.BPB" : "/U/0/S/UDEVSET.BPB" }

    /// Where a switch of the log of sensors is kept; polar-ble-sdk 8.0.0 reads and writes it as a whole.
    public static let sensorLogPath = "/SDLOGS.BPB"

    /// - Throws: `outOfRange` for what is no such message.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      do throws(MalformedMessage) { message = try PbUserDeviceSettings(wire: bytes) } catch { throw .outOfRange }
    }

    /// For the file.
    ///
    /// - Throws: `outOfRange` where the file as it was read had no required part, or holds a value of newer firmware in a place that was changed: that would
    ///   go on to count.
    public func encode() throws(DecodeError) -> [UInt8] {
      let bytes: [UInt8]
      // Each with the field that is an enumeration: an unknown value of it is kept behind the one that was set.
      let parts: [(bytes: [UInt8], field: UInt64)]
      do throws(MalformedMessage) {
        bytes = try message.wire()
        let automatic = message.automaticMeasurementSettings
        parts = [
          (try message.generalSettings.wire(), 15), (try message.usbConnectionSettings.wire(), 1), (try automatic.automaticOhrMeasurement.wire(), 1),
          (try automatic.automaticTrainingDetectionSettings.wire(), 1),
        ]
      } catch { throw .outOfRange }
      for part in parts where part.bytes.withUnsafeBytes({ Self.occurrences(of: part.field, in: $0) }) > 1 { throw .outOfRange }
      return bytes
    }

    /// How often a field is in the bytes of a message, which are well formed.
    private static func occurrences(of field: UInt64, in bytes: RawBytes) -> Int {
      var reader = ByteReader(bytes)
      func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift: UInt64 in stride(from: 0, to: 70, by: 7) {
          guard let byte = reader.u8() else { return nil }
          value |= UInt64(byte & 0x7F) << shift
          if byte & 0x80 == 0 { return value }
        }
        return nil
      }
      var count = 0
      while let tag = varint() {
        if tag >> 3 == field { count += 1 }
        switch tag & 7 {
        case 0: _ = varint()
        case 1: reader.skip(8)
        case 2: if let length = varint(), let size = Int(exactly: length) { reader.skip(size) }
        case 5: reader.skip(4)
        default: return count
        }
      }
      return count
    }

    private static let placeNames = [
      "nowhere in particular", "elsewhere", "left wrist", "right wrist", "necklace", "chest", "upper back", "left foot", "right foot", "left lower arm",
      "right lower arm", "left upper arm", "right upper arm", "bicycle",
    ]

    /// For people; nil for a number of tomorrow.
    static func placeName(_ number: Int) -> String? { placeNames.indices.contains(number) ? placeNames[number] : nil }

    /// As it is ordered: `left-wrist`.
    static func place(_ number: Int) -> String? { placeName(number).map { $0.split(separator: " ").joined(separator: "-") } }

    static func placeNumber(_ place: String) -> Int? { placeNames.indices.first { Self.place($0) == place } }

    /// All that can be ordered.
    static let places = placeNames.indices.compactMap { place($0) }

    /// Where it is worn: 0 undefined, 1 other, 2 and 3 wrist, 4 necklace, 5 chest, 6 upper back, 7 and 8 foot, 9 and 10 lower arm, 11 and 12 upper arm, 13
    /// bicycle, of two the left one first. nil if the file does not say.
    public var location: Int? { message.generalSettings.hasDeviceLocation ? message.generalSettings.deviceLocation.rawValue : nil }

    /// - Returns: false for a place that there is not; nothing is changed then.
    public mutating func setLocation(_ number: Int) -> Bool {
      guard let place = PbDeviceLocation(rawValue: number) else { return false }
      message.generalSettings.deviceLocation = place
      return true
    }

    /// Data over USB. nil if the file does not say.
    public var usb: Bool? {
      get { message.usbConnectionSettings.hasMode && message.usbConnectionSettings.mode != .unknown ? message.usbConnectionSettings.mode == .on : nil }
      set {
        if let newValue { message.usbConnectionSettings.mode = newValue ? .on : .off } else { message.clearUsbConnectionSettings() }
      }
    }

    /// Traces for the vendor. nil if the file does not say.
    public var telemetry: Bool? {
      get { message.telemetrySettings.hasTelemetryEnabled ? message.telemetrySettings.telemetryEnabled : nil }
      set {
        if let newValue { message.telemetrySettings.telemetryEnabled = newValue } else { message.clearTelemetrySettings() }
      }
    }

    /// Heart rate day and night. A file that does not say has it on.
    public var measuresDayAndNight: Bool {
      get { !message.automaticMeasurementSettings.automaticOhrMeasurement.hasState || message.automaticMeasurementSettings.automaticOhrMeasurement.state != .off }
      set {
        message.automaticMeasurementSettings.automaticOhrMeasurement.state = newValue ? .alwaysOn : .off
        if newValue { return }
        message.automaticMeasurementSettings.automaticOhrMeasurement.clearTimedSettings()
        message.automaticMeasurementSettings.automaticOhrMeasurement.clearIntelligentTimedSettings()
      }
    }

    /// Trainings that the wearable notices by itself.
    public struct TrainingDetection: Sendable, Hashable {
      public var isOn: Bool
      /// 0-100.
      public var sensitivity: UInt32
      /// Of a training that is kept, seconds.
      public var minimumDuration: UInt32

      public init(isOn: Bool, sensitivity: UInt32, minimumDuration: UInt32) {
        self.isOn = isOn
        self.sensitivity = min(100, sensitivity)
        self.minimumDuration = minimumDuration
      }
    }

    /// nil if the file does not say.
    public var trainingDetection: TrainingDetection? {
      get {
        let automatic = message.automaticMeasurementSettings
        guard automatic.hasAutomaticTrainingDetectionSettings, automatic.automaticTrainingDetectionSettings.hasState else { return nil }
        let settings = automatic.automaticTrainingDetectionSettings
        return TrainingDetection(isOn: settings.state == .on, sensitivity: settings.sensitivity, minimumDuration: settings.minimumTrainingDurationSeconds)
      }
      set {
        guard let newValue else { return message.automaticMeasurementSettings.clearAutomaticTrainingDetectionSettings() }
        let before = message.automaticMeasurementSettings.automaticTrainingDetectionSettings
        detectTrainings(newValue.isOn)
        // What the file does not say reads as 0, and is left unsaid where nobody wants another number.
        if newValue.sensitivity != before.sensitivity {
          message.automaticMeasurementSettings.automaticTrainingDetectionSettings.sensitivity = newValue.sensitivity
        }
        if newValue.minimumDuration != before.minimumTrainingDurationSeconds {
          message.automaticMeasurementSettings.automaticTrainingDetectionSettings.minimumTrainingDurationSeconds = newValue.minimumDuration
        }
      }
    }

    /// Also where the file did not say.
    public mutating func detectTrainings(_ isOn: Bool) {
      message.automaticMeasurementSettings.automaticTrainingDetectionSettings.state = isOn ? .on : .off
    }

    /// When clocks change next where the wearable is.
    public struct DaylightSaving: Sendable, Hashable {
      /// s since 1970, UTC.
      public var next: Int64
      /// s that clocks are put forward then; negative: back. The description only calls it an offset in seconds; it has a sign, which what applies after a
      /// change would not need.
      public var shift: Int32

      public init(next: Int64, shift: Int32) {
        self.next = next
        self.shift = shift
      }
    }

    /// nil if the file does not say, or says no date.
    public var daylightSaving: DaylightSaving? {
      get {
        guard message.hasDaylightSaving else { return nil }
        let told = message.daylightSaving
        guard let time = CivilTime(told.nextDaylightSavingTime.date, told.nextDaylightSavingTime.time)?.microseconds else { return nil }
        return DaylightSaving(next: time / 1_000_000, shift: told.offset)
      }
      set {
        guard let newValue else { return message.clearDaylightSaving() }
        if newValue == daylightSaving { return }
        message.daylightSaving.nextDaylightSavingTime = PbSystemDateTime(seconds: newValue.next)
        message.daylightSaving.offset = newValue.shift
      }
    }
  }
}
