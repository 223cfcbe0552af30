// What the hub remembers of a wearable: the kinds of state that are not the business of another file, see FORMAT.md.

import EventLoop
import StateCodec

/// An operator's choice whether values that it advertises are kept.
struct ListeningChoice: RememberedState {
  static let name = "listening"
  var isOn: Bool

  init(isOn: Bool) { self.isOn = isOn }

  func write(to fields: inout FieldWriter) { fields.put(1, flag: isOn) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var isOn: Bool?
    while let tag = fields.next() { if tag == 1 { fields.read(&isOn) } }
    guard let isOn else { return nil }
    self.isOn = isOn
  }
}

/// How often it advertises.
struct AdvertisingInterval: RememberedState {
  static let name = "advertising"
  var milliseconds: UInt32

  init(milliseconds: UInt32) { self.milliseconds = milliseconds }

  func write(to fields: inout FieldWriter) { fields.put(1, milliseconds) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var milliseconds: UInt32?
    while let tag = fields.next() { if tag == 1 { fields.read(&milliseconds) } }
    guard let milliseconds else { return nil }
    self.milliseconds = milliseconds
  }
}

/// The name that it advertised last: many say it in answers to a scan alone, which nobody asks for outside of an
/// enrolment.
struct AdvertisedName: RememberedState {
  static let name = "advertised-name"
  /// Bytes of UTF-8: advertising data have room for no more.
  static let limit = 248
  var text: String

  init(_ text: String) { self.text = text }

  func write(to fields: inout FieldWriter) { fields.put(1, text) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var text: String?
    while let tag = fields.next() { if tag == 1 { fields.read(&text, atMost: Self.limit) } }
    guard let text, !text.isEmpty else { return nil }
    self.text = text
  }
}

/// Its link stayed: a hub that starts makes it anew first. Written when that is first so and, where it is not any more,
/// when the hub is stopped: bands that take turns on a full adapter would cost the card a page for each.
struct KeptLink: RememberedFlag {
  static let name = "link"
}

/// It brought a value or finished a visit, and was not mute again and again since.
struct ProvenWearable: RememberedFlag {
  static let name = "proven"
}

/// It streams as long as it is linked: what goes before others after a restart.
struct SteadyWearable: RememberedFlag {
  static let name = "steady"
}

/// It is there for seconds after it measured, as it advertises; remembered for the time in which it is away.
struct BriefVisitor: RememberedFlag {
  static let name = "brief"
}

/// Profile idle was not to be had of a firmware.
struct IdleRefusal: RememberedState, Equatable {
  static let name = "idle-refused"
  /// `refused`, `ignored`.
  var what: String
  var firmware: String

  init(_ what: String, firmware: String) {
    self.what = what
    self.firmware = firmware
  }

  func write(to fields: inout FieldWriter) {
    fields.put(1, what)
    fields.put(2, firmware)
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var what: String?
    var firmware: String?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&what, atMost: 32)
      case 2: fields.read(&firmware, atMost: 255)
      default: break
      }
    }
    guard let what, let firmware else { return nil }
    self.init(what, firmware: firmware)
  }
}

/// When it was there last, and when its battery was read.
struct LastSeen: RememberedState {
  static let name = "last-seen"
  var time: WallTime
  var batteryRead: WallTime?

  init(time: WallTime, batteryRead: WallTime?) {
    self.time = time
    self.batteryRead = batteryRead
  }

  func write(to fields: inout FieldWriter) {
    fields.put(1, time.microseconds)
    if let batteryRead { fields.put(2, batteryRead.microseconds) }
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var time: Int64?
    var battery: Int64?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&time)
      case 2: fields.read(&battery)
      default: break
      }
    }
    guard let time else { return nil }
    self.init(time: WallTime(microseconds: time), batteryRead: battery.map { WallTime(microseconds: $0) })
  }
}

/// An operator's choice of how long it may be away.
struct AbsenceChoice: RememberedState {
  static let name = "absent-after"
  /// 0: for ever.
  var seconds: UInt32

  init(seconds: UInt32) { self.seconds = seconds }

  func write(to fields: inout FieldWriter) { fields.put(1, seconds) }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var seconds: UInt32?
    while let tag = fields.next() { if tag == 1 { fields.read(&seconds) } }
    guard let seconds else { return nil }
    self.seconds = seconds
  }
}
