// Life cycle of a measurement session as a pure state machine: one event in, an answer and effects in order out. It
// does no I/O, computes no vital signs and reads no clock. `deadline` says which event is due when if no other comes.

/// Session of one person with one sensor, for one measurement after the other. A new session is initializing; its first
/// effect is `openSensor`.
///
/// Guarantees:
/// - Final results are delivered once, before the state that follows. After an error there are none.
/// - A termination is never refused and ends in terminated, as long as the hub answers the effects.
public struct MeasurementSession: Sendable, Equatable {
  /// Range of a measurement's duration in microseconds: 20 to 180 s.
  public static let durations: ClosedRange<Int64> = 20_000_000...180_000_000

  /// Timeouts of the hub, microseconds.
  public enum Limit {
    /// Limit of the first connection, 60 s. After it, the sensor may stay away for any time.
    public static let connection: Int64 = 60_000_000
    /// The same for a sensor that measures once and advertises afterwards. Putting on a cuff takes a minute, inflating
    /// and deflating it another. Equal to the longest measurement.
    public static let singleReading: Int64 = 180_000_000
    /// The same for a sensor that searches for the pulse for 25 s before its first batch. Its link alone may need all
    /// of `connection`. The rest is reserve, also for sensors that send rates instead of batches.
    public static let batches: Int64 = 120_000_000
    /// Preparing: a stream of optical intervals sends its first batch after about 25 s and needs 20 s more if it had to
    /// be restarted. The rest is reserve. A sensor that sends no data by then counts as lost.
    public static let preparation: Int64 = 60_000_000
    /// Disconnecting a sensor: two requests that time out after 4 s each on a bad link, rounded up.
    public static let closing: Int64 = 10_000_000
  }

  /// State that the session has reached.
  public private(set) var state: SessionState = .initializing
  /// Moment when `state` was reached.
  public private(set) var since: SessionMoment
  /// The measurement in progress: from starting to stopping.
  public private(set) var measurement: Measurement?
  /// Number of measurements started.
  public private(set) var measurements: UInt32 = 0
  /// Events that their state does not expect, counted and without effect.
  public private(set) var ignored: UInt64 = 0
  /// Microseconds that the first connection may take.
  private let patience: Int64
  private var isSensorThere = false
  private var wasSensorThere = false
  /// Whether a termination was deferred.
  public private(set) var isEnding = false
  private var effects: [SessionEffect] = []

  /// - Parameters:
  ///   - at: when the session was made; the hub starts to connect now.
  ///   - patience: microseconds that the first connection may take.
  public init(at moment: SessionMoment, patience: Int64 = Limit.connection) {
    since = moment
    self.patience = patience
  }

  /// The event that is due if no other comes, and its monotonic time in microseconds.
  ///
  /// Nil while stopping: results are computed in the turn in which they are requested.
  public var deadline: (time: Int64, event: SessionEvent)? {
    func after(_ microseconds: Int64) -> Int64 { SessionMoment.time(since.monotonic, plus: microseconds) }
    switch state {
    case .initializing: return wasSensorThere ? nil : (after(patience), .connectionTimedOut)
    case .starting: return (after(Limit.preparation), .sensorLost)
    case .processing: return measurement.map { (after($0.requested), .elapsed($0.requested)) }
    case .terminating: return (after(Limit.closing), .closed)
    case .ready, .stopping, .terminated: return nil
    }
  }

  /// Handles one event. Never fails: an unsuitable call is refused, any other event is ignored and counted.
  public mutating func handle(_ event: SessionEvent, at moment: SessionMoment) -> SessionOutcome {
    effects = []
    let answer = take(event, moment)
    if answer == .ignored { ignored = ignored == .max ? .max : ignored + 1 }
    defer { effects = [] }
    return SessionOutcome(answer, effects)
  }

  private mutating func take(_ event: SessionEvent, _ moment: SessionMoment) -> SessionAnswer {
    switch event {
    case .start(let duration): start(duration, moment)
    case .stop: stop(moment)
    case .terminate: terminate(moment)
    case .sensorReady: sensorReady(moment)
    case .sensorLost: sensorLost(moment)
    case .sensorRefused(let code): sensorRefused(code, moment)
    case .connectionTimedOut: connectionTimedOut(moment)
    case .prepared: prepared(moment)
    case .elapsed(let microseconds): elapsed(microseconds, moment)
    case .fault(let code): fault(code, moment)
    case .computed: computed(moment)
    case .closed: closed(moment)
    }
  }

  // MARK: Calls

  private mutating func start(_ duration: Int64, _ moment: SessionMoment) -> SessionAnswer {
    guard state == .ready else { return .refused(.startUntimely) }
    guard Self.durations.contains(duration) else { return .refused(.durationBeyond) }
    measurements &+= 1
    let next = Measurement(number: measurements, requested: duration, ordered: moment)
    measurement = next
    go(.starting, moment)
    effects.append(.prepare(next))
    return .accepted
  }

  private mutating func stop(_ moment: SessionMoment) -> SessionAnswer {
    guard state == .processing else { return .refused(.stopUntimely) }
    finish(.stop, moment)
    return .accepted
  }

  /// Accepted in every state: a daemon must be able to shut down from each of them.
  private mutating func terminate(_ moment: SessionMoment) -> SessionAnswer {
    switch state {
    case .initializing, .ready:
      close(moment)
      return .accepted
    case .starting:
      if !isEnding { effects.append(.hurry) }
      isEnding = true
      return .deferred
    case .processing:
      isEnding = true
      finish(.terminated, moment)
      return .deferred
    case .stopping:
      isEnding = true
      return .deferred
    case .terminating, .terminated: return .accepted
    }
  }

  // MARK: The sensor

  private mutating func sensorReady(_ moment: SessionMoment) -> SessionAnswer {
    guard !isSensorThere else { return .ignored }
    switch state {
    case .initializing:
      isSensorThere = true
      wasSensorThere = true
      go(.ready, moment)
    // The sensor was lost and came back before the measurement was finished.
    case .stopping: isSensorThere = true
    default: return .ignored
    }
    return .accepted
  }

  private mutating func sensorLost(_ moment: SessionMoment) -> SessionAnswer {
    guard isSensorThere else { return .ignored }
    switch state {
    case .ready:
      lose()
      go(.initializing, moment)
    case .starting, .processing:
      lose()
      finish(.error(.sensorDisconnected), moment)
    // The data measured so far is kept.
    case .stopping: lose()
    case .initializing, .terminating, .terminated: return .ignored
    }
    if !isEnding { effects.append(.openSensor) }
    return .accepted
  }

  private mutating func lose() {
    isSensorThere = false
    effects.append(.announce(.sensorDisconnected))
  }

  /// A sensor that the driver rejects counts as a failed connection.
  private mutating func sensorRefused(_ code: SessionCode, _ moment: SessionMoment) -> SessionAnswer {
    guard !isSensorThere else { return .ignored }
    switch state {
    case .initializing:
      effects.append(.announce(code))
      close(moment)
      return .accepted
    case .stopping:
      effects.append(.announce(code))
      isEnding = true
      return .deferred
    default: return .ignored
    }
  }

  private mutating func connectionTimedOut(_ moment: SessionMoment) -> SessionAnswer {
    guard state == .initializing, !wasSensorThere else { return .ignored }
    effects.append(.announce(.connectionTimedOut))
    close(moment)
    return .accepted
  }

  // MARK: The measurement

  private mutating func prepared(_ moment: SessionMoment) -> SessionAnswer {
    guard state == .starting else { return .ignored }
    measurement?.began = moment
    go(.processing, moment)
    if isEnding { finish(.terminated, moment) }
    return .accepted
  }

  private mutating func elapsed(_ microseconds: Int64, _ moment: SessionMoment) -> SessionAnswer {
    guard state == .processing, let measurement else { return .ignored }
    if microseconds >= measurement.requested { finish(.duration, moment) }
    return .accepted
  }

  private mutating func fault(_ code: SessionCode, _ moment: SessionMoment) -> SessionAnswer {
    guard state == .processing else { return .ignored }
    effects.append(.announce(code))
    finish(.error(code), moment)
    return .accepted
  }

  private mutating func computed(_ moment: SessionMoment) -> SessionAnswer {
    guard state == .stopping, let done = measurement else { return .ignored }
    measurement = nil
    effects.append(done.end?.keepsResults == true ? .deliver(done) : .discard(done))
    go(isSensorThere ? .ready : .initializing, moment)
    if isEnding { close(moment) }
    return .accepted
  }

  private mutating func closed(_ moment: SessionMoment) -> SessionAnswer {
    guard state == .terminating else { return .ignored }
    go(.terminated, moment)
    return .accepted
  }

  // MARK: Steps

  private mutating func finish(_ end: MeasurementEnd, _ moment: SessionMoment) {
    guard var done = measurement else { return }
    done.ended = moment
    done.end = end
    measurement = done
    go(.stopping, moment)
    effects.append(end.keepsResults ? .compute(done) : .abandon(done))
  }

  private mutating func close(_ moment: SessionMoment) {
    isSensorThere = false
    isEnding = true
    go(.terminating, moment)
    effects.append(.closeSensor)
  }

  private mutating func go(_ next: SessionState, _ moment: SessionMoment) {
    effects.append(.state(SessionTransition(from: state, to: next, at: moment)))
    state = next
    since = moment
  }
}
