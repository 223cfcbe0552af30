// Clock of a band: the time that it should show, and how far it may be off before it is set.

public import CivilTime
import EventLoop
public import Wearable

/// Bounds and conversions that all three families share.
public enum BandClock {
  /// Seconds by which a clock may be off before it is set. A watch crystal is within 100 ppm, which is 8.6 s a day. A
  /// band that is seen daily is therefore not set daily. Items are minutes apart.
  public static let tolerance: Int64 = 15

  /// Time that a correct band shows, µs: the hub's wall time in the hub's zone, counted as if it were UTC.
  @LoopActor
  public static func local(_ link: any WearableLink) -> Int64 { local(link.hubTime.wall.microseconds, link.zone) }

  /// Local time in a zone, in microseconds since 1970 as if it were UTC.
  public static func local(_ wall: Int64, _ zone: TimeZoneRules) -> Int64 {
    wall.addingReportingOverflow(Int64(zone.offset(at: wall)) * 1_000_000).partialValue
  }
}
