// The access log, written rarely.

internal import EventLoop
internal import Reasons

@LoopActor
final class AccessKeeper {
  private let disk: StoreDisk
  private let registry: RegistryKeeper
  private let turn: Turn
  private var log: AccessLog
  private var timer: LoopTimer?
  private var due: Instant?

  init(_ disk: StoreDisk, _ registry: RegistryKeeper, _ log: AccessLog) {
    self.disk = disk
    self.registry = registry
    turn = registry.turn
    self.log = log
  }

  func end() { if let timer { disk.loop.cancel(timer) } }

  /// Time that a new record waits to be written together with others, as an event does.
  static let patience: Duration = .seconds(60)

  /// Interval at which records that grew are written again: 24 writes a day.
  static let every: Duration = .seconds(3600)

  /// See `Store.noteAccess`.
  func note(_ note: AccessNote) {
    var note = note
    if let wearable = note.wearable, let span = note.span {
      note.wearers.formUnion(registry.people.wearers(of: wearable, in: span))
    }
    let isNew = log.add(note, at: disk.loop.wall)
    arm(isNew ? Self.patience : Self.every)
  }

  /// See `Store.accesses`.
  func records(_ limit: Int) throws(HearthError) -> [AccessRecord] {
    let waiting = log.records
    let numbers = Set(waiting.map(\.number))
    let written = try disk.reading { transaction throws(DatabaseFailure) in
      try transaction.latest(AccessRecord.self, limit: min(limit, TableLimits.listLimit)).records
    }
    let all = waiting + written.filter { !numbers.contains($0.number) }
    return Array(all.sorted { ($0.last, $0.number) > ($1.last, $1.number) }.prefix(limit))
  }

  private func arm(_ patience: Duration) {
    if disk.isClosing { return }
    let due = disk.loop.now + patience
    if let known = self.due, known <= due { return }
    if let timer { disk.loop.cancel(timer) }
    self.due = due
    timer = disk.loop.schedule(at: due) { [weak self] in
      guard let self else { return }
      self.timer = nil
      self.due = nil
      self.disk.loop.spawn {
        do { try await self.write() } catch { self.arm(Self.patience) }
      }
    }
  }

  func write() async throws(HearthError) {
    await turn.take()
    defer { turn.give() }
    if !disk.isClosing { try await put() }
  }

  /// Writes changed records. The caller has the registry's turn.
  func put() async throws(HearthError) {
    let records = log.take()
    if records.isEmpty { return }
    let limit = disk.limits.accesses
    do {
      let writer = try await disk.openWriter()
      // A record is some 150 bytes: two dozen of them in a leaf.
      let outcome = try await disk.perform {
        try writer.change(pages: 6 + records.count / 8) { transaction throws(DatabaseFailure) in
          for record in records {
            try transaction.put(record)
            try transaction.giveWay(transaction.tables.accesses, limit: limit)
          }
        }.outcome
      }
      disk.note(outcome)
    } catch {
      log.putBack(records)
      throw await disk.explain(error)
    }
  }
}
