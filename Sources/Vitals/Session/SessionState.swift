// The seven states of a measurement session, how they follow each other, and when a state was reached.

/// | state | meaning | calls that it takes |
/// |---|---|---|
/// | initializing | the sensor is being connected, its streams enabled | terminate |
/// | ready | the stream runs | start, terminate |
/// | starting | a measurement is prepared | terminate, deferred |
/// | processing | a measurement runs, values are shown | stop; terminate, deferred |
/// | stopping | results are computed | terminate, deferred |
/// | terminating | the sensor is let go | terminate, without effect |
/// | terminated | gone for good | terminate, without effect |
public enum SessionState: UInt8, CaseIterable, Sendable, Hashable {
  case initializing = 0
  case ready = 1
  case starting = 2
  case processing = 3
  case stopping = 4
  case terminating = 5
  case terminated = 6

  /// `initializing`
  public var name: String {
    switch self {
    case .initializing: "initializing"
    case .ready: "ready"
    case .starting: "starting"
    case .processing: "processing"
    case .stopping: "stopping"
    case .terminating: "terminating"
    case .terminated: "terminated"
    }
  }

  /// The states that may come next. From ready back to initializing and from starting to stopping lead only losses of
  /// the sensor.
  public var successors: [SessionState] {
    switch self {
    case .initializing: [.ready, .terminating]
    case .ready: [.initializing, .starting, .terminating]
    case .starting: [.processing, .stopping]
    case .processing: [.stopping]
    case .stopping: [.initializing, .ready]
    case .terminating: [.terminated]
    case .terminated: []
    }
  }
}

/// Now, by two clocks: the one counts distances, the other says which day it is and may be set at any time.
public struct SessionMoment: Sendable, Hashable {
  /// Microseconds of a clock that nobody sets; its zero means nothing.
  public let monotonic: Int64
  /// Microseconds since 1970.
  public let wall: Int64

  public init(monotonic: Int64, wall: Int64) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// Microseconds from an earlier moment to this one, by the monotonic clock; 0 where it is not earlier.
  public func since(_ earlier: SessionMoment) -> Int64 { Self.distance(earlier.monotonic, monotonic) }

  /// Microseconds from one monotonic time to another; 0 backwards, and never beyond what 64 bits hold.
  static func distance(_ from: Int64, _ to: Int64) -> Int64 {
    guard to > from else { return 0 }
    let (result, isOver) = to.subtractingReportingOverflow(from)
    return isOver ? .max : result
  }

  /// A monotonic time and microseconds after it, never beyond what 64 bits hold.
  static func time(_ from: Int64, plus microseconds: Int64) -> Int64 {
    let (result, isOver) = from.addingReportingOverflow(microseconds)
    return isOver ? .max : result
  }
}

/// One step of a session from state to state.
public struct StateChange: Sendable, Hashable {
  public let from: SessionState
  public let to: SessionState
  public let at: SessionMoment

  public init(from: SessionState, to: SessionState, at: SessionMoment) {
    self.from = from
    self.to = to
    self.at = at
  }
}
