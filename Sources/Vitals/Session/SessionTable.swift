// All measurement sessions of a hub: one per sensor and one per person, many in parallel. The hub passes in events and
// time; the table returns what each session requires.

/// Answer of one session: the actions of the hub, with the sensor and person concerned.
public struct SessionStep<Device: Hashable & Sendable, Person: Hashable & Sendable>: Sendable {
  public let id: UInt64
  /// Sensor of the session.
  public let device: Device
  /// Person of the session; nil: unknown.
  public let person: Person?
  /// Answer to the event, and actions of the hub.
  public let outcome: SessionOutcome
}

/// Open sessions. A session occupies its sensor and its person until it is terminated; then it is removed.
public struct SessionTable<Device: Hashable & Sendable, Person: Hashable & Sendable>: Sendable {
  /// Answer of one session.
  public typealias Step = SessionStep<Device, Person>

  /// Open session.
  public struct Entry: Sendable {
    public let id: UInt64
    /// Sensor of the session.
    public let device: Device
    /// nil if the wearer is unknown.
    public let person: Person?
    /// State machine of the session.
    public internal(set) var session: MeasurementSession
  }

  /// Three times the links that a controller holds at a time (20): the other sessions wait for their sensor.
  public static var defaultLimit: Int { 64 }

  /// Open sessions in the order in which they were made.
  public private(set) var entries: [Entry] = []
  /// Id of the next session; grows by one with each.
  public private(set) var nextID: UInt64
  /// Sessions refused because `limit` was reached, since the start.
  public private(set) var refusedByLimit: UInt64 = 0
  /// Events for sessions that are not open, since the start.
  public private(set) var strayed: UInt64 = 0
  /// Whether all sessions are being ended, so that no further one is opened.
  public private(set) var isEnding = false
  /// Maximum number of sessions that may be open at a time, at least 1.
  public let limit: Int

  /// - Parameter firstID: chosen so that no id is repeated after a restart.
  public init(firstID: UInt64 = 1, limit: Int = Self.defaultLimit) {
    nextID = firstID
    self.limit = max(1, limit)
  }

  /// Whether all sessions have ended.
  public var isEmpty: Bool { entries.isEmpty }

  /// The session of this number, if any.
  public subscript(id: UInt64) -> Entry? { place(id).map { entries[$0] } }

  /// The session of a sensor, if any.
  public func session(of device: Device) -> Entry? { entries.first { $0.device == device } }

  /// Opens a session.
  ///
  /// - Parameter patience: microseconds that the first connection may take.
  /// - Throws: 7009 if the sensor or the person already has one, or `limit` is reached; 6004 while all are being ended.
  public mutating func open(
    _ device: Device, _ person: Person?, at moment: SessionMoment,
    patience: Int64 = MeasurementSession.Limit.connection
  ) throws(SessionRefusal) -> Step {
    guard !isEnding else { throw SessionRefusal(.startUntimely) }
    guard !entries.contains(where: { $0.device == device || (person != nil && $0.person == person) }) else {
      throw SessionRefusal(.sessionConcurrent)
    }
    guard entries.count < limit else {
      Self.count(&refusedByLimit)
      throw SessionRefusal(.sessionConcurrent)
    }
    let session = MeasurementSession(at: moment, patience: patience)
    let entry = Entry(id: nextID, device: device, person: person, session: session)
    nextID &+= 1
    entries.append(entry)
    return Step(
      id: entry.id, device: device, person: person, outcome: SessionOutcome(.accepted, [.openSensor]))
  }

  /// Passes an event to one session; nil, and counted, if it is not open.
  public mutating func handle(_ event: SessionEvent, _ id: UInt64, at moment: SessionMoment) -> Step? {
    guard let place = place(id) else {
      Self.count(&strayed)
      return nil
    }
    return step(event, place, moment)
  }

  /// Passes an event to the session of a sensor; nil without a session, which is normal: most links have no session.
  public mutating func handle(_ event: SessionEvent, of device: Device, at moment: SessionMoment) -> Step? {
    entries.firstIndex { $0.device == device }.map { step(event, $0, moment) }
  }

  /// Ends all sessions through their states, because the hub stops. Complete when `isEmpty`.
  public mutating func endAll(at moment: SessionMoment) -> [Step] {
    isEnding = true
    return all(moment) { _ in .terminate }
  }

  /// Ends the session of a sensor that the hub no longer serves. A running measurement has no results.
  public mutating func forget(_ device: Device, at moment: SessionMoment) -> Step? {
    handle(.terminate, of: device, at: moment)
  }

  /// Monotonic time in microseconds when `due` must be called next.
  public var nextDeadline: Int64? { entries.compactMap { $0.session.deadline?.time }.min() }

  /// Passes due events to the sessions. An event that becomes due by that is handled in the next call.
  public mutating func due(at moment: SessionMoment) -> [Step] {
    all(moment) { session in
      guard let deadline = session.deadline, deadline.time <= moment.monotonic else { return nil }
      return deadline.event
    }
  }

  private mutating func all(_ moment: SessionMoment, _ event: (MeasurementSession) -> SessionEvent?) -> [Step] {
    entries.map(\.id).compactMap { id in
      guard let place = place(id), let event = event(entries[place].session) else { return nil }
      return step(event, place, moment)
    }
  }

  private mutating func step(_ event: SessionEvent, _ place: Int, _ moment: SessionMoment) -> Step {
    let outcome = entries[place].session.handle(event, at: moment)
    let entry = entries[place]
    if entry.session.state == .terminated { entries.remove(at: place) }
    return Step(id: entry.id, device: entry.device, person: entry.person, outcome: outcome)
  }

  private func place(_ id: UInt64) -> Int? { entries.firstIndex { $0.id == id } }

  private static func count(_ counter: inout UInt64) { counter = counter == .max ? .max : counter + 1 }
}
