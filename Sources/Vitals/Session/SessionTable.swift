// All measurement sessions of a hub: one per sensor and one per person, many side by side. The hub hands it every event
// and the time; it says what each session wants done.

/// One session's part of an answer: what the hub has to do, and for whom.
public struct SessionStep<Device: Hashable & Sendable, Person: Hashable & Sendable>: Sendable {
  public let id: UInt64
  public let device: Device
  public let person: Person?
  public let outcome: SessionOutcome
}

/// The open sessions. A session takes up its sensor and its person until it is terminated, then it is forgotten.
public struct SessionTable<Device: Hashable & Sendable, Person: Hashable & Sendable>: Sendable {
  public typealias Step = SessionStep<Device, Person>

  /// One open session.
  public struct Entry: Sendable {
    public let id: UInt64
    public let device: Device
    /// nil where nobody is known to wear the sensor.
    public let person: Person?
    public internal(set) var session: MeasurementSession
  }

  /// Three times the links that a controller holds at a time (20): the others wait for their sensor.
  public static var defaultLimit: Int { 64 }

  /// Open sessions in the order in which they were made.
  public private(set) var entries: [Entry] = []
  /// The next session's.
  public private(set) var nextID: UInt64
  /// Sessions that were refused because there were `limit` already.
  public private(set) var refusedByLimit: UInt64 = 0
  /// Events for sessions that are not there, or not any more.
  public private(set) var strayed: UInt64 = 0
  /// All sessions are being ended, and none is opened any more.
  public private(set) var isEnding = false
  public let limit: Int

  /// - Parameter firstID: so that no id comes again after a restart.
  public init(firstID: UInt64 = 1, limit: Int = Self.defaultLimit) {
    nextID = firstID
    self.limit = max(1, limit)
  }

  /// Nothing is left to end.
  public var isEmpty: Bool { entries.isEmpty }

  public subscript(id: UInt64) -> Entry? { place(id).map { entries[$0] } }

  public func session(of device: Device) -> Entry? { entries.first { $0.device == device } }

  /// A new session.
  ///
  /// - Parameter patience: microseconds that the first connection may take.
  /// - Throws: 7009 if the sensor or the person has one, or if there are `limit` of them; 6004 while all are ended.
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

  /// Hands an event to one session; nil, and counted, if it is not open.
  public mutating func handle(_ event: SessionEvent, _ id: UInt64, at moment: SessionMoment) -> Step? {
    guard let place = place(id) else {
      Self.count(&strayed)
      return nil
    }
    return step(event, place, moment)
  }

  /// Hands an event to the session of a sensor; nil if it has none, which is no fault: most links are not measured.
  public mutating func handle(_ event: SessionEvent, of device: Device, at moment: SessionMoment) -> Step? {
    entries.firstIndex { $0.device == device }.map { step(event, $0, moment) }
  }

  /// The hub stops: each session goes to its end through its states. Done when `isEmpty`.
  public mutating func endAll(at moment: SessionMoment) -> [Step] {
    isEnding = true
    return all(moment) { _ in .terminate }
  }

  /// The sensor is no longer the hub's: its session is ended. A running measurement has no results.
  public mutating func forget(_ device: Device, at moment: SessionMoment) -> Step? {
    handle(.terminate, of: device, at: moment)
  }

  /// When `due` has something to do, a monotonic time in microseconds.
  public var nextDeadline: Int64? { entries.compactMap { $0.session.deadline?.time }.min() }

  /// Hands each session what its deadline says, where that has passed. What then is due at once again is so in the next
  /// call.
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
