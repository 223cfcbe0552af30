// Moves the journal into the rings: read and encoded on the loop in small steps, written on the disk's side in one
// transaction.

internal import EventLoop
internal import Health
internal import Reasons

@LoopActor
final class Packer {
  private let disk: StoreDisk
  private let status: StatusKeeper
  private let commits: LiveCommits
  /// Lock for changes to rings: held by the packer, a batch, a purge, or a reader's confirmation.
  let turn = Turn()
  let bounds: RetentionBounds
  /// Bytes of journal at which moving starts: 1 MiB, an hour of thirty wearables without moving; less in a small store.
  private let journalLimit: Int
  /// Samples are being moved from the journal into the rings.
  private(set) var isPacking = false
  /// About to be.
  private var isPackDue = false
  private var timer: LoopTimer?
  private var lastMove: Instant

  init(_ disk: StoreDisk, _ status: StatusKeeper, _ commits: LiveCommits) {
    self.disk = disk
    self.status = status
    self.commits = commits
    bounds = disk.options.bounds
    journalLimit = min(1 << 20, disk.options.sizeBytes / 8)
    lastMove = disk.loop.now
  }

  func end() { if let timer { disk.loop.cancel(timer) } }

  /// Items after which the loop gets its turn. Decoding and encoding one takes some 50 ns on a desktop and ten times
  /// that on the smallest board: 1 ms.
  nonisolated static let itemsPerTurn = 2048

  /// A conflict needs an eviction or a purge between reading and writing; three in a row do not happen.
  private nonisolated static let attempts = 3

  /// Begins to move the journal if it is large or old enough, unless that is going on.
  func packIfDue() {
    if isPacking || isPackDue || disk.isClosing || commits.failuresInARow > 0 { return }
    // Also by the monotonic clock, which cannot be set. Rings without new items are then also held to their bounds.
    if disk.loop.now - lastMove < Self.journalAge {
      if status.extent.journalChunks < 2 { return }
      let isLarge = status.extent.journalPages * disk.pageSize >= journalLimit
      let isOld = status.extent.journalOldest.map { disk.loop.wall - $0 >= Self.journalAge } ?? false
      if !isLarge && !isOld { return }
    }
    isPackDue = true
    disk.loop.spawn { await self.packInBackground() }
  }

  /// Half an hour. The last chunk of each ring is rewritten as often: a quarter of a megabyte each time for 60 rings.
  /// The file also has to hold the journal and the pages needed to move it, here half a megabyte each.
  nonisolated static let journalAge: Duration = .seconds(1800)

  private func packInBackground() async {
    do { try await pack() } catch { status.report(error) }
    isPackDue = false
  }

  /// Looks every half an hour even if no commit of samples arrives.
  func arm() {
    timer = disk.loop.schedule(after: Self.journalAge) { [weak self] in
      self?.packIfDue()
      self?.arm()
    }
  }

  /// See `Store.packed`.
  func packed() async {
    while isPackDue || isPacking {
      await turn.take()
      turn.give()
      await Task.yield()
    }
  }

  /// See `Store.pack`.
  func pack(whole: Bool = false) async throws(HearthError) {
    await turn.take()
    isPacking = true
    defer {
      isPacking = false
      turn.give()
    }
    try disk.refuseIfShut()
    // After a failure of its roots the environment has to be opened again before anything can be read.
    do { _ = try await disk.openWriter() } catch { throw await disk.explain(error) }
    // Excludes the newest commit: its chunk cannot be moved until another commit follows. A single chunk has a few
    // items of every ring, so moving it would rewrite the last chunk of each.
    let newest = try disk.reading { transaction throws(DatabaseFailure) in
      try transaction.withJournal { cursor throws(DatabaseFailure) in
        try cursor.last()?.sequence
      }
    }
    let end = whole ? commits.durableBelow : min(commits.durableBelow, newest ?? 0)
    // Samples take half as many pages in rings as in the journal, or less. The last chunk of each ring, and the leaf
    // that names it, are written again.
    let extent = status.extent
    _ = try await makeRoomAhead(extent.journalPages / 2 + 2 * extent.rings.rings.count)
    var conflicts = 0
    // As many moves as the journal has chunks now are always enough.
    for _ in 0...status.extent.journalChunks {
      switch try await move(before: end, whole: whole) {
      case .nothing: break
      case .moved:
        conflicts = 0
        continue
      case .conflict:
        conflicts += 1
        if conflicts < Self.attempts { continue }
        throw HearthError(.storeFailing, "\(disk.options.path): rings change while they are written")
      }
      break
    }
    lastMove = disk.loop.now
    try await enforceBounds()
  }

  /// See `StoreWriter.makeRoomAhead`. Called with the turn in hand. False if there is room.
  func makeRoomAhead(_ pages: Int, isRefusing: Bool = false, sparing item: StagedItem? = nil)
    async throws(HearthError) -> Bool
  {
    do {
      let writer = try await disk.openWriter()
      let outcomes = try await disk.perform {
        try writer.makeRoomAhead(pages, isRefusing: isRefusing, sparing: item)
      }
      for outcome in outcomes { disk.note(outcome) }
      return !outcomes.isEmpty
    } catch {
      throw await disk.explain(error)
    }
  }

  private enum Move {
    case nothing, moved, conflict
  }

  private func move(before end: UInt64, whole: Bool) async throws(HearthError) -> Move {
    var window = JournalWindow(before: end, takesNewest: whole)
    while true {
      let goesOn = try disk.reading { transaction throws(DatabaseFailure) in try window.take(transaction) }
      if !goesOn { break }
      await Task.yield()
    }
    guard let first = window.first else { return .nothing }
    var edits: [RingEdit] = []
    var done = 0
    while let (ring, items) = window.next() {
      guard let edit = try await edit(ring, items, done: &done) else { continue }
      edits.append(edit)
    }
    let (last, damaged, ready) = (window.last, window.damaged, edits)
    let now = disk.believedTime
    let outcome: CommitOutcome?
    do {
      let writer = try await disk.openWriter()
      outcome = try await disk.perform { try writer.move(ready, first: first, last: last, damaged: damaged, now: now) }
    } catch {
      throw await disk.explain(error)
    }
    guard let outcome else { return .conflict }
    disk.note(outcome)
    status.count { $0.moves += 1 }
    for chunk in damaged {
      status.noteDamage(
        "journal chunk \(chunk.sequence) is damaged and was put into quarantine", corrupt: .journal(chunk.sequence))
    }
    return .moved
  }

  /// Encodes items behind the end of a ring. The loop gets its turn every `itemsPerTurn` items, counted in `done` over
  /// several rings.
  func edit(_ ring: RingID, _ items: consuming RingItems, done: inout Int) async throws(HearthError) -> RingEdit? {
    let taken = items
    // As the writer last said it was; if it is not any more, the writer finds that out. On disk it may be damaged.
    let state = status.extent.rings[ring] ?? RingState()
    var editor = try disk.reading { transaction throws(DatabaseFailure) in
      try RingEditor(transaction, ring, state, taken)
    }
    while true {
      let count = editor.step()
      if count == 0 { return editor.edit }
      done += count
      if done >= Self.itemsPerTurn {
        done = 0
        await Task.yield()
      }
    }
  }

  /// Deletes at once, when the store is opened, what exceeds its bounds after a time or by another configuration.
  func enforceBoundsIfBroken() {
    if !RingWriter(status.extent.rings, bounds).isAnythingOutOfBounds(now: disk.believedTime?.microseconds) { return }
    disk.loop.spawn {
      await self.turn.take()
      defer { self.turn.give() }
      if self.disk.isShut { return }
      do throws(HearthError) { try await self.enforceBounds() } catch { self.status.report(error) }
    }
  }

  /// Gives up what is too old or too much, a bounded number of chunks a transaction.
  private func enforceBounds() async throws(HearthError) {
    let now = disk.believedTime
    do {
      // Each transaction gives something up, or all rings keep their bounds.
      while true {
        let writer = try await disk.openWriter()
        guard let outcome = try await disk.perform({ try writer.enforceBounds(now: now) }) else { return }
        disk.note(outcome)
        // What looked as if it might be too old is not.
        if outcome.losses.isEmpty { return }
      }
    } catch {
      throw await disk.explain(error)
    }
  }
}
