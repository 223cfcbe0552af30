// The time that a hub gave an insole, carried on by the hub's monotonic clock for as long as its machine runs.

import Wearable

/// What the insole's clock shows if it is the one that this hub set. The insole falls back every 512 s, so it has to be told again and again; and a hub without a
/// time server, which may not spoil a clock that somebody else has set, has to know its own across links and restarts.
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

  static let note = "clock"

  /// nil: of another boot, or of none.
  init?(remembered text: String?, _ now: HubTime) {
    let words = (text ?? "").split(separator: " ")
    guard words.count == 2, let boot = now.boot, words[0] == boot, let offset = Int64(words[1]) else { return nil }
    (self.boot, self.offset) = (boot, offset)
  }

  var text: String { "\(boot) \(offset)" }

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
    guard falls * wrap <= running + wrap, abs(behind - falls * wrap) <= 10 + min(100, running / 10_000) else { return nil }
    return device + falls * wrap
  }
}
