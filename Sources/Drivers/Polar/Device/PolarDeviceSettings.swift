// The settings file of a wearable: read, changed in one place, and written back as a whole.

public import Bluetooth
internal import PolarMessages
public import Wearable

extension Polar {
  /// The content of the settings file. All that is not changed here keeps its bytes, including fields that no known
  /// version of the definitions has.
  public struct DeviceSettings: Sendable, Equatable {
    private var fields: WireFields

    /// Path of the settings file: at the root of an H10's file system, else in the folder of system files.
    public static func path(_ system: FileSystem) -> String { system == .h10 ? "/UDEVSET.BPB" : "/U/0/S/UDEVSET.BPB" }

    /// A numeric field, by the nested messages that contain it (polar-ble-sdk 8.0.0, PbUserDeviceSettings).
    private struct Place {
      let messages: [UInt32]
      let field: UInt32

      static let location = Place(messages: [1], field: 15)
      static let usb = Place(messages: [27], field: 1)
      static let telemetry = Place(messages: [26], field: 1)
      static let dayAndNight = Place(messages: dayAndNightMessages, field: 1)
      static let detection = Place(messages: [21, 2], field: 1)
      static let sensitivity = Place(messages: [21, 2], field: 2)
      static let minimum = Place(messages: [21, 2], field: 3)
      static let all = [location, usb, telemetry, dayAndNight, detection, sensitivity, minimum]

      /// automatic_measurement_settings.automatic_ohr_measurement, and the two messages with its times.
      static let dayAndNightMessages: [UInt32] = [21, 1]
      static let dayAndNightTimes: [UInt32] = [2, 3]
      /// daylight_saving: the time of the next clock change, and the shift.
      static let clockChange: UInt32 = 17
      /// Required fields of the file: general_settings and last_modified.
      static let required: [UInt32] = [1, 101]
    }

    // Values of the definitions: off and on of most fields, and of data over USB.
    private static let off: UInt64 = 0, on: UInt64 = 1, usbOff: UInt64 = 1, usbOn: UInt64 = 2

    /// - Throws: `outOfRange` for bytes that are not such a message.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      do throws(MalformedMessage) {
        _ = try PbUserDeviceSettings(wire: bytes)
        fields = try WireFields(bytes)
        for place in Place.all { _ = try Self.number(place.messages[...], place.field, in: fields) }
      } catch { throw .outOfRange }
    }

    /// Encodes the file.
    ///
    /// - Throws: `outOfRange` if the file, as read, lacked a required field.
    public func encode() throws(DecodeError) -> [UInt8] {
      guard Place.required.allSatisfy(fields.has) else { throw .outOfRange }
      return fields.bytes
    }

    // MARK: Numbers in messages

    private static func number(_ messages: ArraySlice<UInt32>, _ field: UInt32, in fields: WireFields)
      throws(MalformedMessage) -> UInt64?
    {
      guard let first = messages.first else { return try fields.number(field) }
      guard let inner = try fields.message(first) else { return nil }
      return try number(messages.dropFirst(), field, in: inner)
    }

    /// nil if the file does not have the field. The initialiser has checked that each field can be read.
    private func number(_ place: Place) -> UInt64? { try? Self.number(place.messages[...], place.field, in: fields) }

    private static func edit(
      _ messages: ArraySlice<UInt32>, in fields: inout WireFields, _ change: (inout WireFields) -> Void
    ) {
      guard let first = messages.first else { return change(&fields) }
      var inner = (try? fields.message(first)) ?? WireFields()
      edit(messages.dropFirst(), in: &inner, change)
      fields.set(first, message: inner)
    }

    /// Removes the message that contains the field.
    private mutating func clear(_ place: Place) {
      guard let last = place.messages.last else { return }
      Self.edit(place.messages.dropLast(), in: &fields) { $0.clear(last) }
    }

    private mutating func set(_ place: Place, _ number: UInt64) {
      if self.number(place) == number { return }
      Self.edit(place.messages[...], in: &fields) { $0.set(place.field, number: number) }
    }

    private static let placeNames = [
      "nowhere in particular", "elsewhere", "left wrist", "right wrist", "necklace", "chest", "upper back", "left foot",
      "right foot", "left lower arm",
      "right lower arm", "left upper arm", "right upper arm", "bicycle",
    ]

    /// Name for people; nil for an unknown number.
    static func placeName(_ number: Int) -> String? { placeNames.indices.contains(number) ? placeNames[number] : nil }

    /// Name in an order: `left-wrist`.
    static func place(_ number: Int) -> String? {
      placeName(number).map { $0.split(separator: " ").joined(separator: "-") }
    }

    static func placeNumber(_ place: String) -> Int? { placeNames.indices.first { Self.place($0) == place } }

    /// Places that can be ordered.
    static let places = placeNames.indices.compactMap { place($0) }

    /// Body location of the wearable; nil if the file does not say. 0 undefined, 1 other, 2 and 3 wrist, 4 necklace, 5
    /// chest, 6 upper back, 7 and 8 foot. 9 and 10 are lower arm, 11 and 12 upper arm, 13 bicycle. Of each pair the
    /// left one is first.
    public var location: Int? { number(.location).flatMap { Int(exactly: $0) } }

    /// - Returns: false for an undefined location; the file is then unchanged.
    public mutating func setLocation(_ number: Int) -> Bool {
      guard Self.placeNames.indices.contains(number) else { return false }
      set(.location, UInt64(number))
      return true
    }

    /// Restores the earlier value, which may be unknown to this hub.
    mutating func restoreLocation(_ number: UInt8) { set(.location, UInt64(number)) }

    /// Data over USB; nil if the file does not say.
    public var usb: Bool? {
      get {
        switch number(.usb) {
        case Self.usbOn: true
        case Self.usbOff: false
        default: nil
        }
      }
      set { if let newValue { set(.usb, newValue ? Self.usbOn : Self.usbOff) } else { clear(.usb) } }
    }

    /// Traces for the vendor; nil if the file does not say.
    public var telemetry: Bool? {
      get { number(.telemetry).map { $0 != Self.off } }
      set { if let newValue { set(.telemetry, newValue ? Self.on : Self.off) } else { clear(.telemetry) } }
    }

    /// Whether heart rate is measured day and night. The default is on. Switching it off also removes the times of the
    /// measurement, as the vendor's own programs do. `dayAndNight` has what to store for restoring them.
    public var measuresDayAndNight: Bool {
      get { number(.dayAndNight) != Self.off }
      set {
        if newValue == measuresDayAndNight { return }
        Self.edit(Place.dayAndNightMessages[...], in: &fields) { message in
          message.set(Place.dayAndNight.field, number: newValue ? Self.on : Self.off)
          if !newValue { Place.dayAndNightTimes.forEach { message.clear($0) } }
        }
      }
    }

    /// The file's whole message about measuring day and night; empty if it is missing.
    var dayAndNight: [UInt8] {
      var found = fields
      for message in Place.dayAndNightMessages { found = (try? found.message(message)) ?? WireFields() }
      return found.bytes
    }

    /// Restores a message that `dayAndNight` returned.
    mutating func restoreDayAndNight(_ bytes: [UInt8]) {
      guard let said = try? WireFields(bytes) else {
        measuresDayAndNight = true
        return
      }
      Self.edit(Place.dayAndNightMessages[...], in: &fields) { $0 = said }
    }

    /// Automatic detection of trainings.
    public struct TrainingDetection: Sendable, Hashable {
      /// True if trainings are detected.
      public var isOn: Bool
      /// 0-100.
      public var sensitivity: UInt32
      /// Shortest training that is stored, in seconds.
      public var minimumDuration: UInt32

      /// `sensitivity` is cut to 100; `minimumDuration` in the unit of the property.
      public init(isOn: Bool, sensitivity: UInt32, minimumDuration: UInt32) {
        self.isOn = isOn
        self.sensitivity = min(100, sensitivity)
        self.minimumDuration = minimumDuration
      }
    }

    /// nil if the file does not say. Missing parts read as 0, and are not written unless another number is set.
    public var trainingDetection: TrainingDetection? {
      get {
        guard let state = number(.detection) else { return nil }
        func part(_ place: Place) -> UInt32 { UInt32(clamping: number(place) ?? 0) }
        return TrainingDetection(
          isOn: state == Self.on, sensitivity: part(.sensitivity), minimumDuration: part(.minimum))
      }
      set {
        guard let newValue else { return clear(.detection) }
        detectTrainings(newValue.isOn)
        if newValue.sensitivity != trainingDetection?.sensitivity { set(.sensitivity, UInt64(newValue.sensitivity)) }
        if newValue.minimumDuration != trainingDetection?.minimumDuration {
          set(.minimum, UInt64(newValue.minimumDuration))
        }
      }
    }

    /// Switches detection, even if the file did not have it.
    public mutating func detectTrainings(_ isOn: Bool) { set(.detection, isOn ? Self.on : Self.off) }

    /// The next clock change in the wearable's zone.
    public struct DaylightSaving: Sendable, Hashable {
      /// s since 1970, UTC.
      public var next: Int64
      /// s by which clocks are put forward then; negative: back. The definitions only call it an offset in seconds. The
      /// field is signed, which the offset that applies after the change would not need to be.
      public var shift: Int32

      /// `next`: time of the change; `shift`: offset to be added; units as in the properties.
      public init(next: Int64, shift: Int32) {
        self.next = next
        self.shift = shift
      }
    }

    /// nil if the file does not say, or has an invalid date.
    public var daylightSaving: DaylightSaving? {
      get {
        guard let said = try? fields.message(Place.clockChange),
          let told = try? PbUserDeviceDaylightSaving(wire: said.bytes),
          let time = ClockFace(told.nextDaylightSavingTime.date, told.nextDaylightSavingTime.time)?.microseconds
        else { return nil }
        return DaylightSaving(next: time / 1_000_000, shift: told.offset)
      }
      set {
        guard let newValue else { return fields.clear(Place.clockChange) }
        if newValue == daylightSaving { return }
        var told = PbUserDeviceDaylightSaving()
        told.nextDaylightSavingTime = PbSystemDateTime(seconds: newValue.next)
        told.offset = newValue.shift
        guard let bytes = try? told.wire(), let wanted = try? WireFields(bytes) else { return }
        Self.edit([Place.clockChange], in: &fields) { message in
          for field in wanted.numbers { message.take(field, from: wanted) }
        }
      }
    }
  }
}
