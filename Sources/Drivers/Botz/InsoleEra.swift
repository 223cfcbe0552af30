// Time that a hub gave an insole, carried on by the hub's monotonic clock while its machine runs.

import StateCodec
import Wearable

/// Expected time of an insole's clock that this hub has set. The insole falls back every 512 s, so the hub sets it
/// again and again. A hub without a time server must not change a clock that another device set. Such a hub needs to
/// recognise its own setting across links and restarts.
struct InsoleEra: Hashable {
  /// Boot of the hub's machine.
  let boot: String
  /// Time of the insole's clock when the hub's monotonic clock began, µs since 1970; possibly extrapolated.
  let offset: Int64

  /// Era of a clock that is set to the hub's wall clock now; nil if the boot is unknown.
  init?(_ now: HubTime) {
    guard let boot = now.boot else { return nil }
    let (offset, overflow) = now.wall.microseconds.subtractingReportingOverflow(now.monotonic / 1000)
    if overflow { return nil }
    (self.boot, self.offset) = (boot, offset)
  }

  // MARK: Stored state

  init(boot: String, offset: Int64) {
    self.boot = boot
    self.offset = offset
  }

  /// nil: of another boot, or of an unknown one.
  func ofBoot(_ now: HubTime) -> InsoleEra? { now.boot == boot ? self : nil }

  /// Difference below which an era is not stored again, µs.
  static let sameness: UInt64 = 1_000_000

  func isAbout(_ other: InsoleEra?) -> Bool {
    guard let other, boot == other.boot else { return false }
    let (difference, overflow) = offset.subtractingReportingOverflow(other.offset)
    return !overflow && difference.magnitude < Self.sameness
  }

  // MARK: Time

  /// µs since 1970 at a moment of the hub's monotonic clock, ns.
  func time(at monotonic: Int64) -> Int64 { offset.addingReportingOverflow(monotonic / 1000).partialValue }

  /// Time without falls of a clock that shows `device` s; nil: not this clock.
  func unwrapped(_ device: Int64, at monotonic: Int64) -> Int64? {
    let wrap = Int64(Botz.clockWrap)
    let (behind, overflow) = (time(at: monotonic) / 1_000_000).subtractingReportingOverflow(device)
    guard !overflow, behind.magnitude < 1 << 40 else { return nil }
    let falls = max(0, (behind + wrap / 2) / wrap)
    // The number of falls is limited by the machine's uptime, and a crystal is within 100 parts per million.
    let running = monotonic / 1_000_000_000
    guard falls * wrap <= running + wrap, abs(behind - falls * wrap) <= 10 + min(100, running / 10_000) else {
      return nil
    }
    return device + falls * wrap
  }
}

extension InsoleEra: RememberedState {
  static let name = "botz-clock"

  func write(to fields: inout FieldWriter) {
    fields.put(1, boot)
    fields.put(2, offset)
  }

  init?(_ fields: inout FieldReader, version: UInt16) {
    var boot: String?
    var offset: Int64?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&boot, atMost: 64)
      case 2: fields.read(&offset)
      default: break
      }
    }
    guard let boot, let offset else { return nil }
    self.init(boot: boot, offset: offset)
  }
}

/// A stream started by this hub may be running: streams continue across links.
struct BotzActiveStreamsFlag: RememberedFlag {
  static let name = "botz-streams"
}
