// The time that a hub gave an insole, carried on by the hub's monotonic clock for as long as its machine runs.

import StateCodec
import Wearable

/// What the insole's clock shows if it is the one that this hub set. The insole falls back every 512 s, so it has to be
/// told again and again; and a hub without a time server, which may not spoil a clock that somebody else has set, has
/// to know its own across links and restarts.
struct InsoleEra: Hashable {
  /// Of the hub's machine.
  let boot: String
  /// What the insole's clock showed, or would have, when the hub's monotonic clock began: µs since 1970.
  let offset: Int64

  /// Of a clock that is set to the hub's wall clock now; nil where nobody knows which boot this is.
  init?(_ now: HubTime) {
    guard let boot = now.boot else { return nil }
    let (offset, overflow) = now.wall.microseconds.subtractingReportingOverflow(now.monotonic / 1000)
    if overflow { return nil }
    (self.boot, self.offset) = (boot, offset)
  }

  // MARK: Remembered

  init(boot: String, offset: Int64) {
    self.boot = boot
    self.offset = offset
  }

  /// nil: of another boot, or of none that is known.
  func ofBoot(_ now: HubTime) -> InsoleEra? { now.boot == boot ? self : nil }

  /// So little else than another that remembering it is not worth a write, µs.
  static let sameness: UInt64 = 1_000_000

  func isAbout(_ other: InsoleEra?) -> Bool {
    guard let other, boot == other.boot else { return false }
    let (difference, overflow) = offset.subtractingReportingOverflow(other.offset)
    return !overflow && difference.magnitude < Self.sameness
  }

  // MARK: Time

  /// µs since 1970 at a moment of the hub's monotonic clock, ns.
  func time(at monotonic: Int64) -> Int64 { offset.addingReportingOverflow(monotonic / 1000).partialValue }

  /// What a clock that shows `device` s would show had it not fallen back; nil: it is not this clock.
  func unwrapped(_ device: Int64, at monotonic: Int64) -> Int64? {
    let wrap = Int64(Botz.clockWrap)
    let (behind, overflow) = (time(at: monotonic) / 1_000_000).subtractingReportingOverflow(device)
    guard !overflow, behind.magnitude < 1 << 40 else { return nil }
    let falls = max(0, (behind + wrap / 2) / wrap)
    // It has not fallen more often than the machine has run for, and a crystal is within 100 parts per million.
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

/// A stream that this hub began may run: it goes on across links.
struct BotzStreamsMayRun: RememberedFlag {
  static let name = "botz-streams"
}
