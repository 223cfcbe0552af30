// Events of a measurement session, and the actions that it asks of the hub.

/// A call, or an event of the sensor or the hub.
public enum SessionEvent: Sendable, Hashable {
  // Calls.
  /// Measure for this many microseconds.
  case start(duration: Int64)
  /// End the measurement early and keep its results. Also sent when the single reading of a sensor arrived.
  case stop
  /// End the session.
  case terminate

  // What the hub reports.
  /// The sensor is connected and streams.
  case sensorReady
  case sensorLost
  /// The sensor was reached and the driver rejects it: 8004, 8005 or 8006.
  case sensorRefused(SessionCode)
  /// The first connection took too long.
  case connectionTimedOut
  /// The measurement is prepared.
  case prepared
  /// The measurement has run for this many microseconds.
  case elapsed(Int64)
  /// An error that ends a measurement, such as 3003.
  case fault(SessionCode)
  /// Results are ready, or the data was discarded.
  case computed
  /// The sensor is disconnected.
  case closed
}

/// Actions of the hub, in the order in which they are listed.
public enum SessionEffect: Sendable, Hashable {
  /// Connect the sensor, or wait until it is back. Answer: `sensorReady`, `sensorRefused`, `connectionTimedOut`.
  case openSensor
  /// Notify listeners of an error.
  case announce(SessionCode)
  /// Record the change and notify listeners.
  case state(SessionTransition)
  /// Prepare the measurement. Answer: `prepared`.
  case prepare(Measurement)
  /// The session is about to end: skip the preparation. Answer: `prepared`, at once.
  case hurry
  /// Compute the final results. Answer: `computed`, in the same turn of the loop.
  case compute(Measurement)
  /// Discard the measured data. Answer: `computed`, as after `compute`.
  case abandon(Measurement)
  /// Deliver the final results to listeners and to the store. Comes once per measurement, before the state that
  /// follows.
  case deliver(Measurement)
  /// Report that there are no final results. Comes in place of `deliver`.
  case discard(Measurement)
  /// Close the streams and disconnect the sensor. Answer: `closed`.
  case closeSensor
}

/// Answer to an event.
public enum SessionAnswer: Sendable, Hashable {
  case accepted
  /// The call is carried out as soon as the session is ready or initializing.
  case deferred
  /// The call had no effect.
  case refused(SessionCode)
  /// Event not expected in this state; counted.
  case ignored
}

/// Answer and effects of one event.
public struct SessionOutcome: Sendable, Hashable {
  /// Answer to the event.
  public var answer: SessionAnswer
  /// Actions of the hub, in the order in which they must be done.
  public var effects: [SessionEffect]

  /// An answer, with the actions that the hub must do.
  public init(_ answer: SessionAnswer, _ effects: [SessionEffect] = []) {
    self.answer = answer
    self.effects = effects
  }
}

/// Reason why a measurement ended.
public enum MeasurementEnd: Sendable, Hashable {
  /// The requested duration was reached.
  case duration
  /// A person stopped it, or the single reading of the sensor arrived.
  case stop
  case error(SessionCode)
  /// The session was terminated.
  case terminated

  /// Whether there are final results.
  public var keepsResults: Bool { self == .duration || self == .stop }
}

/// Measurement of a session, from `start` to its results.
public struct Measurement: Sendable, Hashable {
  /// Number within its session, from 1.
  public let number: UInt32
  /// Requested duration, microseconds.
  public let requested: Int64
  /// Moment when `start` was accepted.
  public let ordered: SessionMoment
  /// Moment when processing began; nil if it never did.
  public internal(set) var began: SessionMoment?
  /// Moment when processing, or preparing, ended; nil before.
  public internal(set) var ended: SessionMoment?
  /// Reason why it ended; nil: it runs.
  public internal(set) var end: MeasurementEnd?

  /// Microseconds that were measured.
  public var actual: Int64 {
    guard let began, let ended else { return 0 }
    return ended.since(began)
  }
}
