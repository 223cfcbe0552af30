// The log of who was given what: kept in memory for a moment, written rarely, never longer than its bound.

internal import EventLoop
public import Reasons

/// Records of today that may still grow, and which of them are to be written.
struct AccessLog: Sendable {
  /// Thirty wearables, read by a dozen users in several ways each.
  static let openLimit = 1024

  private(set) var open: [AccessRecord.Key: AccessRecord] = [:]
  private(set) var dirty: Set<AccessRecord.Key> = []
  /// Since start: what was handed out and is in no record, because too much was open while the disk refused.
  private(set) var dropped: UInt64 = 0
  private var nextNumber: UInt64

  init(nextNumber: UInt64) { self.nextNumber = nextNumber }

  /// Whether this made a new record: then it is to be durable soon.
  mutating func add(_ note: AccessNote, at time: WallTime) -> Bool {
    let key = AccessRecord.key(note, at: time)
    if open[key] != nil {
      open[key]?.add(note, at: time)
      dirty.insert(key)
      return false
    }
    // Those of days before, and where there are too many those that are written, grow no more.
    if open.count >= Self.openLimit || open.keys.contains(where: { $0.day != key.day }) {
      open = open.filter { dirty.contains($0.key) || $0.key.day == key.day && open.count < Self.openLimit }
    }
    if open.count >= Self.openLimit {
      dropped += 1
      return false
    }
    open[key] = AccessRecord(number: nextNumber, note: note, first: time, last: time)
    nextNumber = nextNumber == .max ? .max : nextNumber + 1
    dirty.insert(key)
    return true
  }

  /// What is to be written, by number.
  mutating func take() -> [AccessRecord] {
    defer { dirty = [] }
    return dirty.compactMap { open[$0] }.sorted { $0.number < $1.number }
  }

  mutating func putBack(_ records: [AccessRecord]) {
    for record in records { dirty.insert(AccessRecord.key(record.note, at: record.first)) }
  }

  /// A person was erased: nothing that waits names that number's records with others' samples; the number itself stays.
  var records: [AccessRecord] { open.values.sorted { $0.number < $1.number } }
}

extension Store {
  /// What a new record waits for others to be written with: as an event.
  static let accessPatience: Duration = .seconds(60)
  /// How often records that grew are written again: a day's worth of them is 24 writes.
  static let accessEvery: Duration = .seconds(3600)

  /// Notes that somebody was given something. Who wore the wearable in that time is looked up here. A new record is
  /// durable a minute later at most, one that grows once an hour and when the store is closed.
  public func noteAccess(_ note: AccessNote) {
    var note = note
    if let wearable = note.wearable, let span = note.span {
      note.wearers.formUnion(people.wearers(of: wearable, in: span))
    }
    let isNew = registry.accesses.add(note, at: loop.wall)
    armAccessTimer(isNew ? Self.accessPatience : Self.accessEvery)
  }

  /// Records of the newest days, at most 10,000, the newest first; those that wait for their write as they are now.
  public func accesses(_ limit: Int) throws(HearthError) -> [AccessRecord] {
    let waiting = registry.accesses.records
    let numbers = Set(waiting.map(\.number))
    let written = try reading { transaction throws(DatabaseFailure) in
      try transaction.latest(AccessRecord.self, limit: min(limit, TableLists.limit)).records
    }
    let all = waiting + written.filter { !numbers.contains($0.number) }
    return Array(all.sorted { ($0.last, $0.number) > ($1.last, $1.number) }.prefix(limit))
  }

  private func armAccessTimer(_ patience: Duration) {
    if isClosing { return }
    let due = loop.now + patience
    if let accessDue, accessDue <= due { return }
    if let accessTimer { loop.cancel(accessTimer) }
    accessDue = due
    accessTimer = loop.schedule(at: due) { [weak self] in
      guard let self else { return }
      self.accessTimer = nil
      self.accessDue = nil
      self.loop.spawn {
        do { try await self.writeAccesses() } catch { self.armAccessTimer(Self.accessPatience) }
      }
    }
  }

  func writeAccesses() async throws(HearthError) {
    await registryTurn.take()
    defer { registryTurn.give() }
    if !isClosing { try await putAccesses() }
  }

  /// The caller has the registry's turn.
  func putAccesses() async throws(HearthError) {
    let records = registry.accesses.take()
    if records.isEmpty { return }
    let limit = limits.accesses
    do {
      let writer = try await openWriter()
      // A record is some 150 bytes: two dozen of them in a leaf.
      let outcome = try await disk.perform {
        try writer.change(pages: 6 + records.count / 8) { transaction throws(DatabaseFailure) in
          for record in records {
            try transaction.put(record)
            try transaction.giveWay(transaction.tables.accesses, limit: limit)
          }
        }.outcome
      }
      note(outcome)
    } catch {
      registry.accesses.putBack(records)
      throw await explain(error)
    }
  }
}

extension StoreReader {
  /// As `Store.accesses`, of a store at rest.
  public func accesses(_ limit: Int) throws(HearthError) -> [AccessRecord] {
    try reading { transaction throws(DatabaseFailure) in
      try transaction.latest(AccessRecord.self, limit: min(limit, TableLists.limit)).records
    }.sorted { ($0.last, $0.number) > ($1.last, $1.number) }
  }
}
