// Which of the found chunks may come into the store, and where.

internal import EventLoop
internal import Health
internal import Reasons

/// Chunks of an old file, sorted into the places of a store.
struct SalvageSelection {
  private let old: OldStore
  private let findings: SalvageFindings
  private let takesEvicted: Bool
  private let number: StoreNumber
  private var chunks: [RingID: [FoundChunk]] = [:]
  /// Chunks with a checksum for no ring of this store.
  private(set) var strange = 0
  private let marks: Set<UInt64>

  /// Reads the old file.
  ///
  /// - Throws: `salvageRefused` for a file of another store.
  init(_ old: OldStore, _ environment: Environment, takesEvicted: Bool) throws(HearthError) {
    (self.old, self.takesEvicted, number) = (old, takesEvicted, environment.number)
    findings = try old.scan(environment.number)
    let known: (rings: [RingID], madeAt: Int64?, marks: Set<UInt64>)
    do throws(DatabaseFailure) {
      known = try environment.read { transaction throws(DatabaseFailure) in
        let mark = try transaction.get(transaction.tables.meta, FormatMark.key).map { Array($0) } ?? []
        let madeAt = mark.withUnsafeBytes { mark in
          mark.count >= 16 ? Int64(littleEndian: mark.loadUnaligned(fromByteOffset: 8, as: Int64.self)) : nil
        }
        return (try RingTable.load(transaction).rings.map(\.id), madeAt, try Self.marks(transaction))
      }
    } catch { throw openFailure(error.code, old.name) }
    marks = known.marks
    // A chunk of an earlier format names no store.
    let isSame = findings.madeAt != nil && findings.madeAt == known.madeAt
    let finder = RingFinder(number, findings.named.union(known.rings))
    for chunk in findings.chunks where isSame || chunk.ring == nil {
      guard let ring = finder[chunk] else {
        strange += 1
        continue
      }
      chunks[ring, default: []].append(chunk)
    }
    if chunks.isEmpty, findings.journal.isEmpty, let other = findings.votes.winner, other != number {
      throw OldStore.refused(old.name, "its chunks belong to another store")
    }
  }

  /// Numbers under which chunks of the journal are missing.
  private static func marks(_ transaction: Transaction) throws(DatabaseFailure) -> Set<UInt64> {
    var marks: Set<UInt64> = []
    try transaction.withCursor(transaction.tables.quarantine) { cursor throws(DatabaseFailure) in
      var entry = try cursor.first()
      while let found = entry {
        if let key = found.sequence { marks.insert(key) }
        entry = try cursor.next()
      }
    }
    try transaction.withJournal { cursor throws(DatabaseFailure) in
      var entry = try cursor.first()
      while let found = entry {
        if let key = found.sequence, JournalReading.soundHeader(found.value, key, transaction.number) == nil {
          marks.insert(key)
        }
        entry = try cursor.next()
      }
    }
    return marks
  }

  /// Describes the old file.
  func describe(_ report: inout SalvageReport) {
    (report.pages, report.freePages) = (findings.pages, findings.freePages)
    report.unreadPages = findings.unreadPages
    report.journalChunks = findings.journal.count
    report.chunks = chunks.values.reduce(0) { $0 + $1.count } + findings.journal.count
    if strange > 0 { report.refused[.strange] = UInt64(strange) }
  }

  // MARK: Orders of people

  /// Whether a person may have deleted items at these places since the old file was made. Of its own damaged file the
  /// store knows: what was deleted before is free there, and what was deleted later left no mark.
  private func mayBePurged(_ ring: RingID, _ state: RingState, _ kind: RingHole.Kind) -> Bool {
    let then = findings.rows[ring]?.purged ?? 0
    if old.knowsFree, old.isSetAside, kind != .evicted { return false }
    return state.purged > then || !old.knowsFree && max(state.purged, then) > 0
  }

  // MARK: Rings

  /// Passes on the parts of all holes, in steps.
  ///
  /// - Parameters:
  ///   - isDrained: no item waits in the journal.
  ///   - put: writes parts into the ring's hole, and says whether it did. The last argument: no part follows, and the
  ///     ring had no items behind them.
  func fill(
    _ environment: Environment, isDrained: Bool, _ report: inout SalvageReport,
    _ put: ([SalvagePart], RingID, inout RingHole, Bool) throws(HearthError) -> Bool
  ) throws(HearthError) {
    let known: (table: RingTable, erased: ErasedSpans, waiting: [RingID: UInt64])
    do throws(DatabaseFailure) {
      known = try environment.read { transaction throws(DatabaseFailure) in
        (
          try RingTable.load(transaction), try ErasedSpans(transaction),
          isDrained ? [:] : try RingHole.waiting(transaction)
        )
      }
    } catch { throw openFailure(error.code, old.name) }
    for ring in chunks.keys.sorted() {
      let state = known.table[ring] ?? RingState()
      let holes: [RingHole]
      do throws(DatabaseFailure) {
        holes = try environment.read { transaction throws(DatabaseFailure) in
          try RingHole.all(
            of: ring, state, waiting: known.waiting[ring] ?? 0, takesEvicted: takesEvicted, transaction)
        }
      } catch { throw openFailure(error.code, old.name) }
      var merge = RingMerge(ring, number, chunks[ring] ?? [], known.erased, old)
      for hole in holes {
        let wanted = merge.chunks.count { $0.range.overlaps(hole.range) }
        if wanted == 0 { continue }
        if mayBePurged(ring, state, hole.kind) {
          report.refused[.purged, default: 0] += UInt64(wanted)
          continue
        }
        try fill(hole, &merge, &report, put)
      }
      if !merge.unreadable.isEmpty { report.refused[.unreadable, default: 0] += UInt64(merge.unreadable.count) }
    }
  }

  private func fill(
    _ hole: RingHole, _ merge: inout RingMerge, _ report: inout SalvageReport,
    _ put: ([SalvagePart], RingID, inout RingHole, Bool) throws(HearthError) -> Bool
  ) throws(HearthError) {
    let ring = merge.ring
    let end = old.knowsFree && old.isSetAside ? findings.rows[ring]?.next : nil
    var (rest, batch, items, done) = (hole, [SalvagePart](), 0, report)
    func flush(_ isLast: Bool) throws(HearthError) {
      guard let last = batch.last else { return }
      let isPut = try put(batch, ring, &rest, isLast && end == last.range.upperBound)
      for part in batch {
        let count = UInt64(part.range.count)
        if part.items == nil {
          done.refused[.erased, default: 0] += count
        } else if isPut {
          done.add(count, to: ring)
        } else {
          done.refused[.late, default: 0] += count
        }
      }
      (batch, items) = ([], 0)
    }
    try merge.fill(hole.range) { part throws(HearthError) in
      if batch.count == SalvageWriter.partsAtOnce || items > SalvageWriter.itemsAtOnce { try flush(false) }
      batch.append(part)
      items += part.range.count
    }
    try flush(true)
    report = done
  }

  // MARK: The journal

  /// Limit of chunks that one mark brings back: eight times what a hub lets its journal grow to.
  private static let journalLimit = 2048

  /// A lost part of the journal, by the mark in the store.
  struct LostJournal {
    let mark: UInt64
    var chunks: [FoundJournalChunk]
  }

  /// Chunks of the journal that the store marked as lost. Others are in rings by now, or their place is not known.
  func lostJournal() -> [LostJournal] {
    if marks.isEmpty || findings.journal.isEmpty { return [] }
    var bySequence: [UInt64: FoundJournalChunk] = [:]
    for chunk in findings.journal { bySequence[chunk.sequence] = chunk }
    let (spans, taken) = old.lostJournal()
    var lost: [LostJournal] = []
    for mark in marks.sorted() {
      var found: [UInt64: FoundJournalChunk] = [:]
      if let exact = bySequence[mark], !taken.contains(mark) { found[mark] = exact }
      for span in spans where isMarked(span, mark) {
        for chunk in bySequence.values where span.contains([UInt8](bigEndian: chunk.sequence)) {
          if !taken.contains(chunk.sequence) { found[chunk.sequence] = chunk }
        }
      }
      for sequence in found.keys { bySequence[sequence] = nil }
      if !found.isEmpty {
        let chunks = found.values.sorted { $0.sequence < $1.sequence }
        lost.append(LostJournal(mark: mark, chunks: Array(chunks.prefix(Self.journalLimit))))
      }
    }
    return lost
  }

  /// Whether a rescue of the old file marks this span so. The mark of a whole journal is where that could go on.
  private func isMarked(_ span: KeySpan, _ mark: UInt64) -> Bool {
    if let known = RescuedStore.journalMark(span) { return known == mark }
    let marks = RescuedStore.marks(behind: findings.journalNext)
    return mark == marks.withFile || mark == marks.alone
  }

  /// The items of lost chunks by ring, without those that an order deleted.
  func items(of lost: LostJournal, _ environment: Environment, _ report: inout SalvageReport) throws(HearthError)
    -> [(ring: RingID, items: RingItems)]
  {
    var window = JournalWindow(before: .max, takesNewest: true)
    for chunk in lost.chunks {
      guard let bytes = old.load(chunk.bytes) else { continue }
      bytes.withUnsafeBytes { window.take($0, chunk.sequence, number) }
    }
    let known: (table: RingTable, erased: ErasedSpans)
    do throws(DatabaseFailure) {
      known = try environment.read { transaction throws(DatabaseFailure) in
        (try RingTable.load(transaction), try ErasedSpans(transaction))
      }
    } catch { throw openFailure(error.code, old.name) }
    var kept: [(ring: RingID, items: RingItems)] = []
    while let (ring, items) = window.next() {
      if mayBePurged(ring, known.table[ring] ?? RingState(), .damaged) {
        report.refused[.purged, default: 0] += 1
        continue
      }
      var allowed = RingItems()
      for run in items.runs {
        let isErased = known.erased.test(ring, run.anchor, latest: run.items.times.max() ?? .min)
        for part in run.items.runs(where: { !isErased($0) }) {
          allowed.runs.append(RingItems.Run(anchor: run.anchor, items: part.items))
        }
      }
      if allowed.count < items.count {
        report.refused[.erased, default: 0] += UInt64(items.count - allowed.count)
      }
      if allowed.count > 0 { kept.append((ring, allowed)) }
    }
    return kept
  }
}
