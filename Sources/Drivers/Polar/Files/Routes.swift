// Routes of exercises: absolute positions, or differences from restart points.

import Health
public import PolarMessages
import Wearable

/// A position of a route.
public struct RoutePoint: Hashable, Sendable {
  /// µs since the exercise began, or since the first point if the file does not have the start.
  public let time: Int64
  /// Degrees, north and east.
  public let latitude, longitude: Double
  /// Metres.
  public let altitude: Double

  /// nil if the position is not on Earth.
  fileprivate var components: [Int64]? {
    guard abs(latitude) <= 90, abs(longitude) <= 180, let north = stored(latitude, 1e7),
      let east = stored(longitude, 1e7)
    else { return nil }
    return [north, east, stored(altitude) ?? 0, 0]
  }
}

/// Iterates over the points of a route.
private protocol RoutePoints {
  var count: Int { get }
  /// - Parameter index: one more than at the last call.
  mutating func point(_ index: Int) -> RoutePoint
}

private struct RouteRun<Points: RoutePoints>: SampleRun {
  let start: Int64
  var points: Points
  var index = 0

  mutating func next(_ amount: Int, into sink: any ItemSink) -> Bool {
    let end = amount < points.count - index ? index + amount : points.count
    while index < end {
      let point = points.point(index)
      index += 1
      let (time, overflow) = start.addingReportingOverflow(point.time)
      guard !overflow, let components = point.components else {
        sink.noteAnomaly("an invalid position")
        continue
      }
      sink.append(.location, components, bytes: [], at: time, kind: .normal, isManual: false)
    }
    return index < points.count
  }
}

extension RoutePoints {
  fileprivate func runs(start: Int64?) -> [any SampleRun] {
    if count == 0 { return [] }
    guard let start else { return [OddRun(what: "a route without the start of its exercise")] }
    return [RouteRun(start: start, points: self)]
  }

  fileprivate var all: [RoutePoint] {
    var points = self
    return (0..<count).map { points.point($0) }
  }
}

/// Absolute positions. Times count from the exercise's start. Positions without a time or a coordinate are left out.
private struct AbsolutePoints: RoutePoints {
  let file: PbExerciseRouteSamples

  var count: Int { min(file.duration.count, file.latitude.count, file.longitude.count) }

  func point(_ index: Int) -> RoutePoint {
    RoutePoint(
      time: Int64(file.duration[index]) * 1000, latitude: file.latitude[index], longitude: file.longitude[index],
      altitude: index < file.gpsAltitude.count ? Double(file.gpsAltitude[index]) : 0)
  }
}

/// Positions as differences. Times count from the first point, because restart points have satellite time, which
/// differs from the wearable's clock. A point is the last restart point plus all differences since, its own included,
/// in that restart point's granularity.
private struct DifferentPoints: RoutePoints {
  let file: PbExerciseRouteSamples2
  private let sorted: [PbExerciseRouteSyncPoint]
  private var next = 0
  private var restart = PbExerciseRouteSyncPoint()
  /// Sums since the restart point.
  private var (north, east, height, passed) = (Int64(0), Int64(0), Int64(0), Int64(0))
  /// µs at the restart point, and at the first point.
  private var (base, first) = (Int64(0), Int64?.none)

  init(file: PbExerciseRouteSamples2) {
    self.file = file
    sorted = file.syncPoint.sorted { $0.index < $1.index }
  }

  var count: Int { min(file.latitude.count, file.longitude.count) }

  mutating func point(_ index: Int) -> RoutePoint {
    while next < sorted.count, sorted[next].index <= index {
      let before = base &+ passed &* Int64(restart.timestampGranularity) &* 1000
      restart = sorted[next]
      base = (restart.hasGpsDateTime ? restart.gpsDateTime.microseconds : nil) ?? before
      (north, east, height, passed) = (0, 0, 0, 0)
      next += 1
    }
    north &+= file.latitude[index]
    east &+= file.longitude[index]
    if index < file.altitude.count { height &+= file.altitude[index] }
    if index < file.timestamp.count { passed &+= Int64(file.timestamp[index]) }
    let time = base &+ passed &* Int64(restart.timestampGranularity) &* 1000
    if first == nil { first = time }
    let grain = Double(restart.coordinateGranularity) * 1e-9
    return RoutePoint(
      time: time &- (first ?? time), latitude: restart.location.latitude + Double(north) * grain,
      longitude: restart.location.longitude + Double(east) * grain,
      altitude: Double(restart.altitude) / 100 + Double(height) * Double(restart.altitudeGranularity) / 1000)
  }
}

extension PbExerciseRouteSamples {
  /// Points of the route, in order.
  public var points: [RoutePoint] { AbsolutePoints(file: self).all }

  func runs(start: Int64?) -> [any SampleRun] { AbsolutePoints(file: self).runs(start: start) }
}

extension PbExerciseRouteSamples2 {
  /// Points of the route, in order.
  public var points: [RoutePoint] { DifferentPoints(file: self).all }

  func runs(start: Int64?) -> [any SampleRun] { DifferentPoints(file: self).runs(start: start) }
}
