// Marks of the readings of wearables that store them until they are confirmed.

internal import EventLoop
internal import Health
internal import StateCodec

@LoopActor
final class ReadingKeeper {
  private let registry: RegistryKeeper
  private let events: EventLog
  private var ledgers: [WearableID: ReadingLedger] = [:]
  /// Wearables with marks that may differ from those on the disk.
  private(set) var changed: Set<WearableID> = []

  init(_ registry: RegistryKeeper, _ events: EventLog) {
    self.registry = registry
    self.events = events
  }

  /// Notes a reading on its way to the disk.
  func add(_ mark: ReadingMark, of wearable: WearableID, through: UInt64) {
    ledger(of: wearable) { $0.add(mark.value, through) }
  }

  func find(_ mark: ReadingMark, of wearable: WearableID) -> UInt64? { ledger(of: wearable) { $0.find(mark.value) } }

  func leave(_ reading: UnsettledReading, through: UInt64, of wearable: WearableID) {
    ledger(of: wearable) { $0.leave(reading, through) }
    noteChanged(wearable)
  }

  func takeUnsettled(_ kind: ReadingMark, of wearable: WearableID) -> (mark: ReadingMark, through: UInt64)? {
    guard let left = ledger(of: wearable, { $0.takeUnsettled(kind) }) else { return nil }
    noteChanged(wearable)
    return left
  }

  private func noteChanged(_ wearable: WearableID) {
    changed.insert(wearable)
    events.arm()
  }

  /// Loaded from the registry the first time: only this class changes it there.
  private func ledger<T>(of wearable: WearableID, _ body: (inout ReadingLedger) -> T) -> T {
    body(&ledgers[wearable, default: ReadingLedger(registry.record(wearable)?.hubState[ReadingMarks.self])])
  }

  /// Records of the readings that are durable with these chunks, in the order of the wearables.
  func take(with chunks: [ChunkBuffer]) -> [StateRecord<HubStates>] {
    guard let end = chunks.last?.nextSequence else { return [] }
    let changed = changed
    self.changed = []
    return changed.union(chunks.flatMap { $0.readings.map(\.wearable) }).sorted { $0.number < $1.number }
      .compactMap { wearable in
        guard let marks = ledgers[wearable]?.marks(below: end), !marks.isEmpty || changed.contains(wearable)
        else { return nil }
        return StateRecord(wearable, ReadingMarks.name, RememberedStates.Entry(marks))
      }
  }

  /// Changed records that no reading takes to the disk, and that no commit on its way would overwrite with older ones.
  func takeChanged(durableBelow: UInt64, unless isOnItsWay: (WearableID) -> Bool) -> [StateRecord<HubStates>] {
    let ready = changed.filter { wearable in
      ledgers[wearable]?.isDurable(below: durableBelow) ?? true && !isOnItsWay(wearable)
    }
    changed.subtract(ready)
    return ready.sorted { $0.number < $1.number }.compactMap { wearable in
      ledgers[wearable].map { ledger in
        StateRecord(wearable, ReadingMarks.name, RememberedStates.Entry(ledger.marks(below: durableBelow)))
      }
    }
  }

  /// A commit with the records of these wearables failed.
  func putBack(_ wearables: [WearableID]) { changed.formUnion(wearables) }

  /// A chunk that never reached the disk is dropped.
  func forget(_ chunk: ChunkBuffer) {
    for (wearable, through) in chunk.readings { ledger(of: wearable) { $0.drop(through) } }
  }

  /// Called when a wearable is forgotten.
  func forget(_ wearable: WearableID) {
    ledgers[wearable] = nil
    changed.remove(wearable)
  }
}
