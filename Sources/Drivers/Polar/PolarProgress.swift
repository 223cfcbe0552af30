// Stored progress of a file that still changes, as part of the custody. A later look stores only what is new.

import CivilTime
import Health
import Wearable

/// Progress of a file.
enum PolarProgress: Hashable, Sendable {
  /// Mark that all values that ended by this time of the wearable's clock (µs since 1970) are stored; `sum` is a check
  /// value of them.
  ///
  /// - Parameter isAtRest: the file was complete, and its last minute and class of activity are stored too.
  case until(Int64, sum: UInt32, isAtRest: Bool = false)
  /// A file that is written as a whole: its check value, and for a night the end of its last stage, else `.min`.
  case night(sum: UInt32, end: Int64)
  case sessions(PolarSessions)
  case totals(PolarTotals)

  private static let (untilTag, nightTag, sessionsTag, totalsTag): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 3, 4)
  private static let restTag: UInt8 = 5

  var bytes: [UInt8] {
    switch self {
    case .until(let time, let sum, let isAtRest):
      [isAtRest ? Self.restTag : Self.untilTag] + Self.octets(time) + Self.octets(sum)
    case .night(let sum, let end): [Self.nightTag] + Self.octets(end) + Self.octets(sum)
    case .sessions(let sessions): [Self.sessionsTag] + sessions.bytes
    case .totals(let totals): [Self.totalsTag] + totals.bytes
    }
  }

  /// nil for malformed bytes; the progress is then unknown.
  init?(_ bytes: [UInt8]) {
    guard let tag = bytes.first else { return nil }
    let rest = bytes.dropFirst()
    switch tag {
    case Self.untilTag, Self.restTag, Self.nightTag:
      guard rest.count == 12 else { return nil }
      let time = Int64(bitPattern: Self.number(rest.prefix(8)))
      let sum = UInt32(truncatingIfNeeded: Self.number(rest.dropFirst(8)))
      self = tag == Self.nightTag ? .night(sum: sum, end: time) : .until(time, sum: sum, isAtRest: tag == Self.restTag)
    case Self.sessionsTag:
      guard let sessions = PolarSessions(rest) else { return nil }
      self = .sessions(sessions)
    case Self.totalsTag:
      guard let totals = PolarTotals(rest) else { return nil }
      self = .totals(totals)
    default: return nil
    }
  }

  static func octets(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
  /// Whether a file of unchanged size has no more values to store.
  var hasAll: Bool {
    switch self {
    case .until(_, _, let isAtRest): isAtRest
    case .night: true
    case .sessions, .totals: false
    }
  }

  /// Little-endian.
  static func number(_ octets: some BidirectionalCollection<UInt8>) -> UInt64 {
    octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Number of stored values for each of a day's sessions around the clock. Sessions appear when they are over, possibly
/// before others that are stored already. Each is therefore identified by its kind and start, not by its position.
struct PolarSessions: Hashable, Sendable {
  struct Key: Hashable, Sendable, Comparable {
    /// True for pulse intervals, false for heart rate.
    let isIntervals: Bool
    /// Number of the trigger that began it.
    let trigger: UInt8
    /// ms since midnight.
    let begins: UInt32

    static func < (a: Key, b: Key) -> Bool {
      (a.begins, a.isIntervals ? 1 : 0, a.trigger) < (b.begins, b.isIntervals ? 1 : 0, b.trigger)
    }
  }

  let day: LocalDate
  private(set) var counts: [Key: Int] = [:]

  /// Maximum number of sessions with progress; the values of further ones wait for the end of the day.
  static let limit = (ItemVerdict.progressLimit - 9) / entrySize
  private static let entrySize = 9

  init(day: LocalDate) { self.day = day }

  func knows(_ key: Key) -> Bool { counts[key] != nil }
  var isFull: Bool { counts.count >= Self.limit }
  func count(_ key: Key) -> Int { counts[key] ?? 0 }

  mutating func note(_ key: Key, _ count: Int) { if count > 0, knows(key) || !isFull { counts[key] = count } }

  fileprivate var bytes: [UInt8] {
    PolarProgress.octets(day.dayNumber)
      + counts.sorted { $0.key < $1.key }.flatMap { key, count in
        [key.trigger & 0x7F | (key.isIntervals ? 0x80 : 0)] + PolarProgress.octets(key.begins)
          + PolarProgress.octets(UInt32(clamping: count))
      }
  }

  fileprivate init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 8, (bytes.count - 8) % Self.entrySize == 0 else { return nil }
    let number = Int64(bitPattern: PolarProgress.number(bytes.prefix(8)))
    guard number.magnitude < 1 << 40 else { return nil }
    self.init(day: LocalDate(dayNumber: number))
    var rest = bytes.dropFirst(8)
    while let head = rest.first {
      let numbers = rest.dropFirst().prefix(8)
      let key = Key(
        isIntervals: head & 0x80 != 0, trigger: head & 0x7F,
        begins: UInt32(truncatingIfNeeded: PolarProgress.number(numbers.prefix(4))))
      counts[key] = Int(PolarProgress.number(numbers.dropFirst(4)))
      rest = rest.dropFirst(Self.entrySize)
    }
  }
}
