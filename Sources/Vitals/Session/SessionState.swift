// The seven states of a measurement session, their order, and the moment when a state was reached.

/// | state | meaning | calls that it takes |
/// |---|---|---|
/// | initializing | the sensor is being connected, its streams enabled | terminate |
/// | ready | the stream runs | start, terminate |
/// | starting | a measurement is prepared | terminate, deferred |
/// | processing | a measurement runs, values are shown | stop; terminate, deferred |
/// | stopping | results are computed | terminate, deferred |
/// | terminating | the sensor is being disconnected | terminate, without effect |
/// | terminated | gone for good | terminate, without effect |
public enum SessionState: UInt8, CaseIterable, Sendable, Hashable {
  case initializing = 0
  case ready = 1
  case starting = 2
  case processing = 3
  case stopping = 4
  case terminating = 5
  case terminated = 6

  /// Name in documents, such as `initializing`.
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

  /// States that may come next. Only the loss of the sensor leads from ready back to initializing and from starting to
  /// stopping.
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

/// Moment by two clocks: the monotonic one measures durations; the wall clock has the date and may be set at any time.
public struct SessionMoment: Sendable, Hashable {
  /// Microseconds of a clock that is never set; its zero is arbitrary.
  public let monotonic: Int64
  /// Wall clock, microseconds since 1970.
  public let wall: Int64

  /// `monotonic` and `wall` in microseconds.
  public init(monotonic: Int64, wall: Int64) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// Microseconds from an earlier moment to this one, by the monotonic clock; 0 if it is not earlier.
  public func since(_ earlier: SessionMoment) -> Int64 { Self.distance(earlier.monotonic, monotonic) }

  /// Microseconds from one monotonic time to another; 0 backwards, saturated to 64 bits.
  static func distance(_ from: Int64, _ to: Int64) -> Int64 {
    guard to > from else { return 0 }
    let (result, isOver) = to.subtractingReportingOverflow(from)
    return isOver ? .max : result
  }

  /// A monotonic time plus microseconds, saturated to 64 bits.
  static func time(_ from: Int64, plus microseconds: Int64) -> Int64 {
    let (result, isOver) = from.addingReportingOverflow(microseconds)
    return isOver ? .max : result
  }
}

/// Transition of a session from state to state.
public struct SessionTransition: Sendable, Hashable {
  /// State before the transition.
  public let from: SessionState
  /// State after the transition.
  public let to: SessionState
  /// Moment of the transition.
  public let at: SessionMoment

  /// A transition at one moment.
  public init(from: SessionState, to: SessionState, at: SessionMoment) {
    self.from = from
    self.to = to
    self.at = at
  }
}
