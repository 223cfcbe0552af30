// Logs: events, visits, receipts, accesses, and this run of the hub.

public import EventLoop
public import Reasons

extension Store {
  /// The newest visits, at most 10,000, in descending order.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func recentVisits(_ limit: Int) throws(HearthError) -> [VisitRecord] {
    try list { lists throws(DatabaseFailure) in try lists.visits(limit) }
  }

  /// The newest events, at most 10,000, in descending order, including those that wait for a commit.
  ///
  /// - Parameter before: only events with a lower number, for the next page.
  /// - Throws: why the store cannot be read, see `Store`.
  public func recentEvents(_ limit: Int, before: UInt64? = nil) throws(HearthError) -> [StoreEvent] {
    let all = events.waiting.filter { event in before.map { event.number < $0 } ?? true }
    let waiting = all.suffix(max(0, limit)).reversed()
    return try waiting
      + list { lists throws(DatabaseFailure) in try lists.events(limit - waiting.count, before: before) }
  }

  /// The newest receipts of a wearable, at most 10,000, in descending order.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func recentReceipts(of wearable: WearableID, limit: Int) throws(HearthError) -> [Receipt] {
    try list { lists throws(DatabaseFailure) in try lists.receipts(of: wearable, limit) }
  }

  /// The export cursors, by name.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
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

  /// Adds an event. Events wait in memory for the next commit, a minute at most. At most 256 wait: further ones
  /// displace the oldest, which count in `droppedEvents`.
  ///
  /// - Parameter time: when it happened; nil for now.
  public func noteEvent(
    _ reason: Reason, at time: WallTime? = nil, wearable: WearableID? = nil, text: String, span: EventSpan = EventSpan()
  ) {
    events.note(reason, at: time, wearable: wearable, text: text, span: span)
  }

  /// Events since start that were dropped because the disk refused writes.
  public var droppedEvents: UInt64 { events.dropped }

  /// Records that a user was given data. The wearers of that time are looked up here. A new record is durable within a
  /// minute; one that grows is written once an hour and when the store is closed.
  public func noteAccess(_ note: AccessNote) {
    accessLog.note(note)
  }

  /// Records of the newest days, at most 10,000, in descending order; waiting ones in their present state.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func accesses(_ limit: Int) throws(HearthError) -> [AccessRecord] {
    try accessLog.records(limit)
  }

  /// The mark of the previous run until `keepRun`, then of this one. nil if the store knows no run.
  public var run: RunMark? { registry.run }

  /// Sets the mark of this run. The next commit writes it, or a write of its own after a minute; `writeRun` does not
  /// wait. Closing the store records that time in it.
  public func keepRun(_ mark: RunMark) {
    registry.keepRun(mark)
  }

  /// Makes mark and events durable now.
  ///
  /// - Throws: the disk's error; both continue to wait then.
  public func writeRun() async throws(HearthError) {
    try await events.write()
  }
}
