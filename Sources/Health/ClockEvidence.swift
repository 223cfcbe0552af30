// Readings of a wearable's clock beside the hub's, and the correction of its times.

/// Reading of a wearable's clock beside the hub's, made in a visit. Each visit has one at its start and one before its
/// end.
public struct ClockEvidence: Sendable, Hashable {
  /// Wearable's clock, microseconds since 1970 as it means it.
  public let device: Int64
  /// Hub's monotonic clock at that moment, nanoseconds.
  public let monotonic: Int64
  /// Hub's wall clock at that moment, microseconds since 1970.
  public let wall: Int64
  /// Whether a time source disciplined the hub's wall clock then.
  public let isTrusted: Bool
  /// Minutes east of UTC, if the wearable reports local time with its offset; nil: no offset, or UTC.
  public let offset: Int?

  /// Whether the clock shows fractions of a second. The error is then that of a request, not of a second.
  public var isSharp: Bool { device % 1_000_000 != 0 }

  /// A reading: `device` and `wall` in microseconds since 1970, `monotonic` in nanoseconds, `offset` in minutes east of
  /// UTC.
  public init(device: Int64, monotonic: Int64, wall: Int64, isTrusted: Bool, offset: Int? = nil) {
    self.device = device
    self.monotonic = monotonic
    self.wall = wall
    self.isTrusted = isTrusted
    self.offset = offset
  }
}

/// Reason why two readings do not yield one correction.
public enum ClockDoubt: Error, Sendable, Equatable {
  /// The hub's clock went back between them, or forward by more than `ClockCorrection.longestBaseline`.
  case hubClock
  /// The wearable's clock moved by this much more or less than the hub's (µs), so it was set in between. Earlier
  /// records are corrected by the first reading alone, later ones by the second.
  case deviceClockSet(by: Int64)
}

/// Converts times of a wearable's clock to times of the hub's: a line through one or two readings.
///
/// The map never decreases and is exact at the readings. Outside of two readings it continues with their drift if they
/// are at least `driftBaseline` apart. Otherwise it continues without drift, since some wearables show only whole
/// seconds.
public struct ClockCorrection: Sendable, Equatable {
  /// Largest error of one reading, µs: clocks in whole seconds at both ends, and the radio's delay.
  public static let readingError: Int64 = 2_000_000
  /// Largest drift of a working clock, parts per million. Watch crystals are within 100 over all temperatures.
  public static let driftLimit: Int64 = 500
  /// Distance of readings, µs (6 hours), from which their errors change the drift by less than 100 ppm.
  public static let driftBaseline: Int64 = 6 * 3_600_000_000
  /// Longest distance of two readings of one line, µs: 366 days.
  public static let longestBaseline: Int64 = 366 * 86_400_000_000
  /// Largest distance of a time from the readings, µs: 366 days. Times beyond it were not measured by the clock as it
  /// is set now.
  public static let reach: Int64 = 366 * 86_400_000_000

  private struct Point: Sendable, Equatable {
    let device, hub: Int64
  }
  /// Ascending in both times; equal if there is only one reading.
  private let first, second: Point
  /// Elapsed time of hub and wearable between the readings, for use outside of them; 1 and 1 without drift.
  private let hubElapsed, deviceElapsed: Int64
  /// Whether the hub's wall clock was disciplined at the reading to which the line is fixed.
  public let isTrusted: Bool

  /// Correction from one reading: the same difference at all times.
  public init(_ evidence: ClockEvidence) {
    first = Point(device: evidence.device, hub: evidence.wall)
    second = first
    (hubElapsed, deviceElapsed) = (1, 1)
    isTrusted = evidence.isTrusted
  }

  /// Correction from two readings within one boot of the hub, such as those of one visit. Elapsed time is that of the
  /// monotonic clock, so a setting of the hub's wall clock in between has no effect. The line is fixed to the second
  /// reading's wall clock, unless only the first was trusted.
  ///
  /// - Throws: `hubClock` if the hub's clock went back or the readings are more than `longestBaseline` apart.
  ///   `deviceClockSet` if the wearable's clock was set in between.
  public init(_ open: ClockEvidence, _ close: ClockEvidence) throws(ClockDoubt) {
    let hub = (Int128(close.monotonic) - Int128(open.monotonic)) / 1000
    try self.init(open, close, hubElapsed: hub, hangsOnFirst: open.isTrusted && !close.isTrusted)
  }

  /// Correction from two readings of different boots. Elapsed time is that of the wall clock, so both must have been
  /// trusted.
  ///
  /// - Throws: as for readings of one boot; `hubClock` also if a reading was not trusted.
  public init(acrossBoots earlier: ClockEvidence, _ later: ClockEvidence) throws(ClockDoubt) {
    guard earlier.isTrusted, later.isTrusted else { throw .hubClock }
    try self.init(earlier, later, hubElapsed: Int128(later.wall) - Int128(earlier.wall), hangsOnFirst: false)
  }

  private init(_ open: ClockEvidence, _ close: ClockEvidence, hubElapsed: Int128, hangsOnFirst: Bool) throws(ClockDoubt)
  {
    guard hubElapsed >= 0, hubElapsed <= Int128(Self.longestBaseline) else { throw .hubClock }
    let hub = Int64(hubElapsed)
    let deviceElapsed = Int128(close.device) - Int128(open.device)
    let difference = deviceElapsed - hubElapsed
    guard difference.magnitude <= UInt128(Self.readingError + hub / 1_000_000 * Self.driftLimit) else {
      throw .deviceClockSet(by: Int64(clamping: difference))
    }
    let anchor = hangsOnFirst ? open : close
    isTrusted = anchor.isTrusted
    // A coarse clock may seem to stand still, or to go back a little: then only one reading is usable.
    guard deviceElapsed > 0, hub > 0 else {
      first = Point(device: anchor.device, hub: anchor.wall)
      second = first
      (self.hubElapsed, self.deviceElapsed) = (1, 1)
      return
    }
    let (otherWall, overflow) =
      hangsOnFirst ? open.wall.addingReportingOverflow(hub) : close.wall.subtractingReportingOverflow(hub)
    if overflow { throw .hubClock }
    first = Point(device: open.device, hub: hangsOnFirst ? open.wall : otherWall)
    second = Point(device: close.device, hub: hangsOnFirst ? otherWall : close.wall)
    let knowsDrift = hub >= Self.driftBaseline
    (self.hubElapsed, self.deviceElapsed) = knowsDrift ? (hub, Int64(deviceElapsed)) : (1, 1)
  }

  /// Distance of the two readings that determine the clock's rate, µs; less than `driftBaseline` if the rate is
  /// unknown.
  var baseline: Int64 { hubElapsed }

  /// The same readings, with the rate of `other` outside of them, or the hub's rate without it.
  func going(like other: ClockCorrection?) -> ClockCorrection {
    ClockCorrection(
      first: first, second: second, hubElapsed: other?.hubElapsed ?? 1, deviceElapsed: other?.deviceElapsed ?? 1,
      isTrusted: isTrusted)
  }

  /// µs by which the wearable's clock advances in that time of the hub's, by the drift between the readings.
  func deviceTime(after hub: Int64) -> Int64 {
    Int64(clamping: floorQuotient(Int128(hub) * Int128(deviceElapsed), Int128(hubElapsed)))
  }

  private init(first: Point, second: Point, hubElapsed: Int64, deviceElapsed: Int64, isTrusted: Bool) {
    (self.first, self.second, self.hubElapsed, self.deviceElapsed, self.isTrusted) = (
      first, second, hubElapsed, deviceElapsed, isTrusted
    )
  }

  /// Parts per million by which the wearable's clock is fast (above 0) or slow; nil if the readings are too close
  /// together.
  public var driftPPM: Double? {
    guard hubElapsed >= Self.driftBaseline else { return nil }
    return Double(deviceElapsed - hubElapsed) / Double(hubElapsed) * 1_000_000
  }

  /// Hub's wall time (µs) at a time of the wearable's clock (µs); nil if further from the readings than `reach`.
  public func hubTime(of device: Int64) -> Int64? {
    let time = Int128(device)
    let hub: Int128
    if device < first.device {
      hub = Int128(first.hub) + scaled(time - Int128(first.device), hubElapsed, deviceElapsed)
      guard Int128(first.device) - time <= Int128(Self.reach) else { return nil }
    } else if device >= second.device {
      hub = Int128(second.hub) + scaled(time - Int128(second.device), hubElapsed, deviceElapsed)
      guard time - Int128(second.device) <= Int128(Self.reach) else { return nil }
    } else {
      // Between two different readings.
      let passed = (hub: Int128(second.hub) - Int128(first.hub), device: Int128(second.device) - Int128(first.device))
      hub = Int128(first.hub) + floorQuotient((time - Int128(first.device)) * passed.hub, passed.device)
    }
    return Int64(exactly: hub)
  }

  private func scaled(_ distance: Int128, _ hub: Int64, _ device: Int64) -> Int128 {
    floorQuotient(distance * Int128(hub), Int128(device))
  }

  private func floorQuotient(_ value: Int128, _ divisor: Int128) -> Int128 {
    value / divisor - (value % divisor < 0 ? 1 : 0)
  }
}
