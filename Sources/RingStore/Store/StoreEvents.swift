// What happened: events, visits, receipts, who was given what, and this run of the hub.

public import EventLoop
public import Reasons

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
    let all = events.waiting.filter { event in before.map { event.number < $0 } ?? true }
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
    guard let environment = disk.environment else {
      throw HearthError(.storeFailing, "\(disk.options.path) is not open")
    }
    do { return try body(TableLists(environment: environment)) } catch {
      throw HearthError(.storeInputOutput, "\(disk.options.path): \(error.text)")
    }
  }

  /// Notes that something happened. The event waits in memory for the next commit, a minute at most; at most 256 do,
  /// beyond it the oldest are dropped and counted in `droppedEvents`.
  ///
  /// - Parameter time: when it happened; nil: now.
  public func noteEvent(
    _ reason: Reason, at time: WallTime? = nil, wearable: WearableID? = nil, text: String, span: EventSpan = EventSpan()
  ) {
    events.note(reason, at: time, wearable: wearable, text: text, span: span)
  }

  /// Since start: events that were dropped because the disk did not take them.
  public var droppedEvents: UInt64 { events.dropped }

  /// Notes that somebody was given something. Who wore the wearable in that time is looked up here. A new record is
  /// durable a minute later at most, one that grows once an hour and when the store is closed.
  public func noteAccess(_ note: AccessNote) {
    accessLog.note(note)
  }

  /// Records of the newest days, at most 10,000, the newest first; those that wait for their write as they are now.
  public func accesses(_ limit: Int) throws(HearthError) -> [AccessRecord] {
    try accessLog.records(limit)
  }

  /// The mark of the run before until `keepRun`; of this one then. nil: the store knows of no run.
  public var run: RunMark? { registry.run }

  /// Sets the mark of this run. It goes with the next commit, after a minute on its own; `writeRun` does not wait. A
  /// store that is closed says in it when that was.
  public func keepRun(_ mark: RunMark) {
    registry.keepRun(mark)
  }

  /// Makes mark and events durable now.
  ///
  /// - Throws: why the disk refused; they wait on then.
  public func writeRun() async throws(HearthError) {
    try await events.write()
  }
}
