// What happens to a measurement session, and what the hub has to do about it.

/// A call of somebody, or something that befell the sensor or the hub.
public enum SessionEvent: Sendable, Hashable {
  // Calls.
  /// Measure for so many microseconds.
  case start(duration: Int64)
  /// End the measurement early; its results stand. Also when the one reading came that a sensor measures.
  case stop
  /// End the session.
  case terminate

  // What the hub reports.
  /// The sensor is connected and streams.
  case sensorReady
  case sensorLost
  /// The sensor was reached and the driver does not take it: 8004, 8005 or 8006.
  case sensorRefused(SessionCode)
  /// The first connection took too long.
  case connectionTimedOut
  /// All is prepared for the measurement.
  case prepared
  /// The measurement has run for so many microseconds.
  case elapsed(Int64)
  /// An error that ends a measurement, such as 3003.
  case fault(SessionCode)
  /// Results are there, or what was measured is thrown away.
  case computed
  /// The sensor is let go.
  case closed
}

/// What the hub does, in the order in which it stands.
public enum SessionEffect: Sendable, Hashable {
  /// Connect the sensor, or wait until it is back. Answer: `sensorReady`, `sensorRefused`, `connectionTimedOut`.
  case openSensor
  /// Tell listeners of an error.
  case announce(SessionCode)
  /// Write it down and tell listeners.
  case state(StateChange)
  /// Prepare the measurement. Answer: `prepared`.
  case prepare(Measurement)
  /// The session is to end: nothing needs to be prepared any more. Answer: `prepared`, at once.
  case hurry
  /// Compute the final results. Answer: `computed`, in the same turn of the loop.
  case compute(Measurement)
  /// Throw away what was measured. Answer: `computed`, as after `compute`.
  case abandon(Measurement)
  /// Deliver the final results to listeners and to the store. Comes once a measurement, before the state that follows.
  case deliver(Measurement)
  /// There are no final results. Comes in place of `deliver`.
  case discard(Measurement)
  /// Close the streams and let the sensor go. Answer: `closed`.
  case closeSensor
}

/// How an event was taken.
public enum SessionAnswer: Sendable, Hashable {
  case accepted
  /// It will be carried out as soon as the session is ready or initializing.
  case deferred
  /// A call that changed nothing.
  case refused(SessionCode)
  /// Not expected in this state; counted.
  case ignored
}

/// What came of one event.
public struct SessionOutcome: Sendable, Hashable {
  public var answer: SessionAnswer
  public var effects: [SessionEffect]

  public init(_ answer: SessionAnswer, _ effects: [SessionEffect] = []) {
    self.answer = answer
    self.effects = effects
  }
}

/// Why a measurement ended.
public enum MeasurementEnd: Sendable, Hashable {
  /// The requested duration was reached.
  case duration
  /// A person stopped it, or the one reading came that the sensor measures.
  case stop
  case error(SessionCode)
  /// The session was to end.
  case terminated

  /// Whether there are final results.
  public var keepsResults: Bool { self == .duration || self == .stop }
}

/// One measurement of a session, from `start` to its results.
public struct Measurement: Sendable, Hashable {
  /// Within its session, from 1.
  public let number: UInt32
  /// Microseconds.
  public let requested: Int64
  /// When `start` was accepted.
  public let ordered: SessionMoment
  /// When processing began; nil if it never did.
  public internal(set) var began: SessionMoment?
  /// When processing, or preparing, ended; nil before.
  public internal(set) var ended: SessionMoment?
  public internal(set) var end: MeasurementEnd?

  /// Microseconds that were measured.
  public var actual: Int64 {
    guard let began, let ended else { return 0 }
    return ended.since(began)
  }
}
