// Where an exercise went: positions as they are, and as differences from restart points.

import Health
public import PolarMessages
import Wearable

/// One position of a route.
public struct RoutePoint: Hashable, Sendable {
  /// Microseconds since the exercise began, or since the first point where the file does not know that.
  public let time: Int64
  /// Degrees, north and east.
  public let latitude, longitude: Double
  /// Metres.
  public let altitude: Double

  /// Where there is such a place on Earth.
  fileprivate var components: [Int64]? {
    guard abs(latitude) <= 90, abs(longitude) <= 180, let north = stored(latitude, 1e7),
      let east = stored(longitude, 1e7)
    else { return nil }
    return [north, east, stored(altitude) ?? 0, 0]
  }
}

extension [RoutePoint] {
  fileprivate func append(start: Int64?, to sink: any ItemSink) {
    if isEmpty { return }
    guard let start else { return sink.noteAnomaly("a route without the start of its exercise") }
    for point in self {
      let (time, overflow) = start.addingReportingOverflow(point.time)
      guard !overflow, let components = point.components else {
        sink.noteAnomaly("a position that is none")
        continue
      }
      sink.append(.location, components, bytes: [], at: time, kind: .normal, isManual: false)
    }
  }
}

extension PbExerciseRouteSamples {
  /// Times count from the exercise's start. Positions without a time or a coordinate are left out.
  public var points: [RoutePoint] {
    (0..<min(duration.count, latitude.count, longitude.count)).map { index in
      RoutePoint(
        time: Int64(duration[index]) * 1000, latitude: latitude[index], longitude: longitude[index],
        altitude: index < gpsAltitude.count ? Double(gpsAltitude[index]) : 0)
    }
  }

  func append(start: Int64?, to sink: any ItemSink) { points.append(start: start, to: sink) }
}

extension PbExerciseRouteSamples2 {
  /// Times count from the first point: restart points have the time of the satellites, which is not that of the
  /// wearable's clock. The differences from the last restart point on up to and with a point's own are summed, in its
  /// granularity.
  public var points: [RoutePoint] {
    let sorted = syncPoint.sorted { $0.index < $1.index }
    var next = 0
    var point = PbExerciseRouteSyncPoint()
    // Sums since the restart point; µs at it, and of the first point.
    var (north, east, height, passed) = (Int64(0), Int64(0), Int64(0), Int64(0))
    var (base, first) = (Int64(0), Int64?.none)
    return (0..<min(latitude.count, longitude.count)).map { index in
      while next < sorted.count, sorted[next].index <= index {
        let before = base &+ passed &* Int64(point.timestampGranularity) &* 1000
        point = sorted[next]
        base = (point.hasGpsDateTime ? point.gpsDateTime.microseconds : nil) ?? before
        (north, east, height, passed) = (0, 0, 0, 0)
        next += 1
      }
      north &+= latitude[index]
      east &+= longitude[index]
      if index < altitude.count { height &+= altitude[index] }
      if index < timestamp.count { passed &+= Int64(timestamp[index]) }
      let time = base &+ passed &* Int64(point.timestampGranularity) &* 1000
      if first == nil { first = time }
      let grain = Double(point.coordinateGranularity) * 1e-9
      return RoutePoint(
        time: time &- (first ?? time), latitude: point.location.latitude + Double(north) * grain,
        longitude: point.location.longitude + Double(east) * grain,
        altitude: Double(point.altitude) / 100 + Double(height) * Double(point.altitudeGranularity) / 1000)
    }
  }

  func append(start: Int64?, to sink: any ItemSink) { points.append(start: start, to: sink) }
}
