// Lists of the small tables, the same from an open store and from one whose daemon is down; and the events that a store
// notes.

public import EventLoop
public import Reasons

/// What may be listed of an environment, each list in one short read transaction.
struct TableLists {
  let environment: Environment

  /// Longer lists are cut: a hundred records are a screen, this many are read in milliseconds.
  static let limit = 10_000

  func visits(_ limit: Int) throws(DatabaseFailure) -> [VisitRecord] {
    try environment.read { transaction throws(DatabaseFailure) in
      try Visits.latest(transaction, limit: min(limit, Self.limit))
    }
  }

  func events(_ limit: Int, before: UInt64?) throws(DatabaseFailure) -> [StoreEvent] {
    try environment.read { transaction throws(DatabaseFailure) in
      try Events.latest(transaction, limit: min(limit, Self.limit), before: before)
    }
  }

  func receipts(of wearable: WearableID, _ limit: Int) throws(DatabaseFailure) -> [Receipt] {
    try environment.read { transaction throws(DatabaseFailure) in
      try Receipts.latest(transaction, of: wearable, limit: min(limit, Self.limit))
    }
  }

  func custody(of wearable: WearableID) throws(DatabaseFailure) -> [CustodyRecord] {
    try environment.read { transaction throws(DatabaseFailure) in try CustodyTable.all(transaction, of: wearable) }
  }

  func staged(_ wearable: WearableID, _ id: String) throws(DatabaseFailure) -> [UInt8] {
    try environment.read { transaction throws(DatabaseFailure) in
      try Staged.soundBytes(transaction, StagedItem(wearable: wearable, id: id))
    }
  }

  func readers() throws(DatabaseFailure) -> [ExportReader] {
    try environment.read { transaction throws(DatabaseFailure) in try Readers.all(transaction).records }
  }
}

extension Store {
  /// The newest visits, at most 10,000, the newest first.
  ///
  /// - Throws: `storeInputOutput`; `storeFailing` while the store is being opened again, or is closed. So do all lists
  ///   here.
  public func recentVisits(_ limit: Int) throws(HearthError) -> [VisitRecord] {
    try list { lists throws(DatabaseFailure) in try lists.visits(limit) }
  }

  /// The newest events, at most 10,000, the newest first; those that wait for a commit too.
  ///
  /// - Parameter before: only such as have a lower number, for the next page.
  public func recentEvents(_ limit: Int, before: UInt64? = nil) throws(HearthError) -> [StoreEvent] {
    let all = registry.events.waiting.filter { event in before.map { event.number < $0 } ?? true }
    let waiting = all.suffix(max(0, limit)).reversed()
    return try waiting
      + list { lists throws(DatabaseFailure) in try lists.events(limit - waiting.count, before: before) }
  }

  /// The newest receipts of a wearable, at most 10,000, the newest first.
  public func recentReceipts(of wearable: WearableID, limit: Int) throws(HearthError) -> [Receipt] {
    try list { lists throws(DatabaseFailure) in try lists.receipts(of: wearable, limit) }
  }

  /// The export cursors, by name.
  public func readers() throws(HearthError) -> [ExportReader] {
    try list { lists throws(DatabaseFailure) in try lists.readers() }
  }

  private func list<T>(_ body: (TableLists) throws(DatabaseFailure) -> T) throws(HearthError) -> T {
    guard let environment else { throw HearthError(.storeFailing, "\(options.path) is not open") }
    do { return try body(TableLists(environment: environment)) } catch {
      throw HearthError(.storeInputOutput, "\(options.path): \(error.text)")
    }
  }

  // MARK: events

  /// How long an event waits for a commit of samples to take it along before it is written alone: on a busy hub none
  /// ever is, on a quiet one a write of its own costs 25 KB of flash.
  static let eventPatience: Duration = .seconds(60)

  /// Notes that something happened. The event waits in memory for the next commit, a minute at most; at most 256 do,
  /// beyond it the oldest are dropped and counted in `droppedEvents`.
  ///
  /// - Parameter time: when it happened; nil: now.
  public func noteEvent(
    _ reason: Reason, at time: WallTime? = nil, wearable: WearableID? = nil, text: String, span: EventSpan = EventSpan()
  ) {
    latestStatus.events[reason.rawValue, default: 0] += 1
    registry.events.add(time: time ?? loop.wall, reason: reason.rawValue, wearable: wearable, text: text, span: span)
    armEventTimer()
  }

  /// Since start: events that were dropped because the disk did not take them.
  public var droppedEvents: UInt64 { registry.events.dropped }

  /// All that waits, for the commit that is about to begin. It puts it back if it fails.
  func takeEvents() -> EventBatch { registry.events.take() }

  func putBackEvents(_ batch: EventBatch) {
    registry.events.putBack(batch)
    changedReadings.formUnion(batch.readings.map(\.wearable))
  }

  func armEventTimer() {
    if eventTimer != nil || isClosing { return }
    eventTimer = loop.schedule(after: Self.eventPatience) { [weak self] in
      guard let self else { return }
      self.eventTimer = nil
      if self.registry.events.isEmpty, self.changedReadings.isEmpty { return }
      self.loop.spawn {
        // Trouble is the commits' to report; here it only means another minute.
        do { try await self.writeEvents() } catch { self.armEventTimer() }
      }
    }
  }

  /// Makes the events that wait durable where no commit of samples took them along.
  func writeEvents() async throws(HearthError) {
    await registryTurn.take()
    defer { registryTurn.give() }
    // `close` writes them itself.
    if !isClosing { try await putEvents() }
  }

  /// The caller has the registry's turn.
  func putEvents() async throws(HearthError) {
    if registry.events.isEmpty, changedReadings.isEmpty { return }
    let limit = limits.events
    var batch = EventBatch()
    do {
      let writer = try await openWriter()
      // Here, where the next thing is to give it to the disk: a commit that is begun later comes behind it.
      batch = takeEvents()
      batch.readings = takeChangedReadings()
      if !changedReadings.isEmpty { armEventTimer() }
      if batch.isEmpty { return }
      let ready = batch
      let outcome = try await disk.perform {
        try writer.change(pages: ready.pages) { transaction throws(DatabaseFailure) in
          try Events.put(transaction, ready, limit: limit)
        }.outcome
      }
      note(outcome)
    } catch {
      putBackEvents(batch)
      throw await explain(error)
    }
  }
}

extension StoreReader {
  /// The newest visits, at most 10,000, the newest first.
  ///
  /// - Throws: `storeInUse` if a daemon has been started meanwhile: ask it. `storeInputOutput`. So do all lists here.
  public func recentVisits(_ limit: Int) throws(HearthError) -> [VisitRecord] {
    try list { lists throws(DatabaseFailure) in try lists.visits(limit) }
  }

  /// The newest events, at most 10,000, the newest first.
  public func recentEvents(_ limit: Int, before: UInt64? = nil) throws(HearthError) -> [StoreEvent] {
    try list { lists throws(DatabaseFailure) in try lists.events(limit, before: before) }
  }

  /// The newest receipts of a wearable, at most 10,000, the newest first.
  public func recentReceipts(of wearable: WearableID, limit: Int) throws(HearthError) -> [Receipt] {
    try list { lists throws(DatabaseFailure) in try lists.receipts(of: wearable, limit) }
  }

  /// The export cursors, by name.
  public func readers() throws(HearthError) -> [ExportReader] {
    try list { lists throws(DatabaseFailure) in try lists.readers() }
  }

  /// What is known of the items of a wearable, by id.
  public func custody(of wearable: WearableID) throws(HearthError) -> [CustodyRecord] {
    try list { lists throws(DatabaseFailure) in try lists.custody(of: wearable) }
  }

  /// The bytes that are kept of an item, verified; where some are damaged, those before them.
  public func staged(_ wearable: WearableID, _ id: String) throws(HearthError) -> [UInt8] {
    try list { lists throws(DatabaseFailure) in try lists.staged(wearable, id) }
  }

  /// All wearers, the retired ones too, in the order in which they were made.
  public var wearers: [Wearer] { people.wearers }

  /// In the order of time.
  public func assignments(of wearable: WearableID) -> [Assignment] { people.assignments(of: wearable) }

  /// Whose sample it is that a wearable measured at that time; nil for nobody's.
  public func wearer(of wearable: WearableID, at time: WallTime) -> WearerID? { people.wearer(of: wearable, at: time) }

  private func list<T>(_ body: (TableLists) throws(DatabaseFailure) -> T) throws(HearthError) -> T {
    let result: T
    do { result = try body(TableLists(environment: environment)) } catch {
      throw HearthError(.storeInputOutput, "\(path): \(error.text)")
    }
    // After, not before: a reader without a slot may have read pages that a new daemon wrote over.
    try StoreLock.refuseIfHeld(path)
    return result
  }
}
