// What a wearable's clock said when the hub's clock said something, and how its times become the hub's.

/// One reading of a wearable's clock beside the hub's, made in a visit. Each visit has one when it begins and one
/// before it ends.
public struct ClockEvidence: Sendable, Hashable {
  /// The wearable's clock, microseconds since 1970 as it means it.
  public let device: Int64
  /// The hub's monotonic clock at that moment, nanoseconds.
  public let monotonic: Int64
  /// The hub's wall clock at that moment, microseconds since 1970.
  public let wall: Int64
  /// A time source disciplined the hub's wall clock then.
  public let isTrusted: Bool
  /// Minutes east of Greenwich by which it says that its time is local; nil: it says none, or shows UTC.
  public let offset: Int?

  /// It shows fractions of a second: then it is wrong by what a request takes, not by a second.
  public var isSharp: Bool { device % 1_000_000 != 0 }

  public init(device: Int64, monotonic: Int64, wall: Int64, isTrusted: Bool, offset: Int? = nil) {
    self.device = device
    self.monotonic = monotonic
    self.wall = wall
    self.isTrusted = isTrusted
    self.offset = offset
  }
}

/// Why two readings do not make one correction.
public enum ClockDoubt: Error, Sendable, Equatable {
  /// The hub's clock went back between them, or forward by more than `ClockCorrection.longestBaseline`.
  case hubClock
  /// The wearable's clock moved by so much more or less than the hub's (µs) that it was set in between. What was
  /// recorded before is corrected by the first reading alone, what was recorded after by the second.
  case deviceClockSet(by: Int64)
}

/// Turns times of a wearable's clock into times of the hub's: a line through one or two readings.
///
/// The map never decreases and is exact at the readings. Outside of two readings it goes on with the drift between them
/// if they are at least `driftBaseline` apart, else without drift: a reading is as coarse as a second on some
/// wearables.
public struct ClockCorrection: Sendable, Equatable {
  /// How much one reading may be wrong, µs: clocks in whole seconds at both ends, and the radio's delay.
  public static let readingError: Int64 = 2_000_000
  /// How fast or slow a working clock may be, parts per million. Watch crystals are within 100 over all temperatures.
  public static let driftLimit: Int64 = 500
  /// From this many µs on (6 hours) the error of the readings changes the drift by less than 100 ppm.
  public static let driftBaseline: Int64 = 6 * 3_600_000_000
  /// The longest time between two readings of one line, µs: 366 days.
  public static let longestBaseline: Int64 = 366 * 86_400_000_000
  /// How far from its readings a time may be, µs: 366 days. What is further away was not measured by the clock as it is
  /// set now.
  public static let reach: Int64 = 366 * 86_400_000_000

  private struct Point: Sendable, Equatable {
    let device, hub: Int64
  }
  /// Ascending in both times; the second equals the first if there is only one.
  private let first, second: Point
  /// Hub and device time that passed between readings, for use outside of them: 1 and 1 without drift.
  private let hubElapsed, deviceElapsed: Int64
  /// The hub's wall clock was disciplined at the reading on which the line hangs.
  public let isTrusted: Bool

  /// Of one reading: the same difference at all times.
  public init(_ evidence: ClockEvidence) {
    first = Point(device: evidence.device, hub: evidence.wall)
    second = first
    (hubElapsed, deviceElapsed) = (1, 1)
    isTrusted = evidence.isTrusted
  }

  /// Of two readings within one boot of the hub, such as those of one visit. The time between them is that of the
  /// monotonic clock, so that a hub whose wall clock was set in between does no harm. The line hangs on the second
  /// reading's wall clock, unless only the first was trusted.
  public init(_ open: ClockEvidence, _ close: ClockEvidence) throws(ClockDoubt) {
    let hub = (Int128(close.monotonic) - Int128(open.monotonic)) / 1000
    try self.init(open, close, hubElapsed: hub, hangsOnFirst: open.isTrusted && !close.isTrusted)
  }

  /// Of two readings of different boots: the time between them is that of the wall clock, so both must have been
  /// trusted.
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
    // A coarse clock may not have moved, or back by a little: then there is only one reading to hang on.
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

  /// How long (µs) the two readings are apart that say how fast the clock goes; less than `driftBaseline` where nothing
  /// says it.
  var baseline: Int64 { hubElapsed }

  /// The same readings; outside of them the clock goes as in `other`, or as the hub's where there is none.
  func going(like other: ClockCorrection?) -> ClockCorrection {
    ClockCorrection(
      first: first, second: second, hubElapsed: other?.hubElapsed ?? 1, deviceElapsed: other?.deviceElapsed ?? 1,
      isTrusted: isTrusted)
  }

  /// µs that the wearable's clock moves on while the hub's does so many, by the drift between the readings.
  func deviceTime(after hub: Int64) -> Int64 {
    Int64(clamping: floorQuotient(Int128(hub) * Int128(deviceElapsed), Int128(hubElapsed)))
  }

  private init(first: Point, second: Point, hubElapsed: Int64, deviceElapsed: Int64, isTrusted: Bool) {
    (self.first, self.second, self.hubElapsed, self.deviceElapsed, self.isTrusted) = (
      first, second, hubElapsed, deviceElapsed, isTrusted
    )
  }

  /// Parts per million by which the wearable's clock is fast (above 0) or slow; nil if the readings are too close to
  /// each other to say.
  public var driftPPM: Double? {
    guard hubElapsed >= Self.driftBaseline else { return nil }
    return Double(deviceElapsed - hubElapsed) / Double(hubElapsed) * 1_000_000
  }

  /// The hub's wall time (µs) at a time of the wearable's clock (µs); nil further away from the readings than `reach`.
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
