// Stored states of a wearable that have no file of their own, see FORMAT.md.

package import EventLoop
package import StateCodec

/// An operator's choice whether its advertised values are stored.
package struct ListeningChoice: RememberedState {
  package static let name = "listening"
  package var isOn: Bool

  package init(isOn: Bool) { self.isOn = isOn }

  package func write(to fields: inout FieldWriter) { fields.put(1, flag: isOn) }

  package init?(_ fields: inout FieldReader, version: UInt16) {
    var isOn: Bool?
    while let tag = fields.next() { if tag == 1 { fields.read(&isOn) } }
    guard let isOn else { return nil }
    self.isOn = isOn
  }
}

/// The interval of its advertisements.
package struct AdvertisingInterval: RememberedState {
  package static let name = "advertising"
  package var milliseconds: UInt32

  package init(milliseconds: UInt32) { self.milliseconds = milliseconds }

  package func write(to fields: inout FieldWriter) { fields.put(1, milliseconds) }

  package init?(_ fields: inout FieldReader, version: UInt16) {
    var milliseconds: UInt32?
    while let tag = fields.next() { if tag == 1 { fields.read(&milliseconds) } }
    guard let milliseconds else { return nil }
    self.milliseconds = milliseconds
  }
}

/// The name that it advertised last. Many send it only in scan responses, which are requested only during an enrolment.
package struct AdvertisedName: RememberedState {
  package static let name = "advertised-name"
  /// Limit in bytes of UTF-8: advertising data has no room for more.
  package static let limit = 248
  package var text: String

  package init(_ text: String) { self.text = text }

  package func write(to fields: inout FieldWriter) { fields.put(1, text) }

  package init?(_ fields: inout FieldReader, version: UInt16) {
    var text: String?
    while let tag = fields.next() { if tag == 1 { fields.read(&text, atMost: Self.limit) } }
    guard let text, !text.isEmpty else { return nil }
    self.text = text
  }
}

/// The link stayed open, so it is among the first that a starting hub makes. Written when that first holds. If it no
/// longer holds, deleted when the hub is stopped. Bands that take turns on a full adapter would otherwise cost the card
/// a page for each turn.
package struct EarlyLink: RememberedFlag {
  package static let name = "link"

  package init() {}
}

/// Proven reputation: it delivered a value or completed a visit, and was not repeatedly unresponsive since.
package struct ProvenWearable: RememberedFlag {
  package static let name = "proven"

  package init() {}
}

/// Stable link: the wearable streams as long as it is linked. It goes before others after a restart.
package struct StableWearable: RememberedFlag {
  package static let name = "steady"

  package init() {}
}

/// The wearable is on for seconds after it measured, by its advertisements; stored for the time of its absence.
package struct ShortPresenceVisitor: RememberedFlag {
  package static let name = "brief"

  package init() {}
}

/// A clock that cannot be read has agreed with the hub's at two times.
package struct AgreedClock: RememberedState, Equatable {
  package static let name = "clock-agreed"
  /// Time that it showed at the first of them, µs.
  package let shown: Int64

  package init(_ shown: Int64) { self.shown = shown }

  package func write(to fields: inout FieldWriter) { fields.put(1, shown) }

  package init?(_ fields: inout FieldReader, version: UInt16) {
    var shown: Int64?
    while let tag = fields.next() { if tag == 1 { fields.read(&shown) } }
    guard let shown else { return nil }
    self.init(shown)
  }
}

/// Readings of a clock that proved not to be a clock.
package struct DisownedClock: RememberedState, Equatable {
  package static let name = "clock-disowned"
  /// Number of the last visit with such readings.
  package let visit: UInt64

  package init(upTo visit: UInt64) { self.visit = visit }

  package func write(to fields: inout FieldWriter) { fields.put(1, visit) }

  package init?(_ fields: inout FieldReader, version: UInt16) {
    var visit: UInt64?
    while let tag = fields.next() { if tag == 1 { fields.read(&visit) } }
    guard let visit else { return nil }
    self.init(upTo: visit)
  }
}

/// The firmware does not support the profile idle.
package struct IdleRefusal: RememberedState, Equatable {
  package static let name = "idle-refused"
  /// `refused`, `ignored`.
  package var what: String
  package var firmware: String

  package init(_ what: String, firmware: String) {
    self.what = what
    self.firmware = firmware
  }

  package func write(to fields: inout FieldWriter) {
    fields.put(1, what)
    fields.put(2, firmware)
  }

  package init?(_ fields: inout FieldReader, version: UInt16) {
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

/// Time of its last sign, and of its last battery reading.
package struct LastSeen: RememberedState {
  package static let name = "last-seen"
  package var time: WallTime
  package var batteryRead: WallTime?

  package init(time: WallTime, batteryRead: WallTime?) {
    self.time = time
    self.batteryRead = batteryRead
  }

  package func write(to fields: inout FieldWriter) {
    fields.put(1, time.microseconds)
    if let batteryRead { fields.put(2, batteryRead.microseconds) }
  }

  package init?(_ fields: inout FieldReader, version: UInt16) {
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
package struct AbsenceChoice: RememberedState {
  package static let name = "absent-after"
  /// 0: for ever.
  package var seconds: UInt32

  package init(seconds: UInt32) { self.seconds = seconds }

  package func write(to fields: inout FieldWriter) { fields.put(1, seconds) }

  package init?(_ fields: inout FieldReader, version: UInt16) {
    var seconds: UInt32?
    while let tag = fields.next() { if tag == 1 { fields.read(&seconds) } }
    guard let seconds else { return nil }
    self.seconds = seconds
  }
}
