// Moves the journal into the rings: read and encoded on the loop in small steps, written on the disk's side in one
// transaction.

internal import EventLoop
internal import Health
public import Reasons

extension Store {
  /// Items after which the loop gets its turn. Decoding and encoding one takes some 50 ns on a desktop and ten times
  /// that on the smallest board: 1 ms.
  nonisolated static let itemsPerTurn = 2048
  /// A conflict needs an eviction or a purge between reading and writing; three in a row are none.
  private nonisolated static let attempts = 3

  /// Begins to move the journal if it is large or old enough, unless that is going on.
  func packIfDue() {
    if isPacking || isPackDue || isClosing || failuresInARow > 0 { return }
    // By the monotonic clock as well, which nobody sets; then also rings that nothing comes into are held to their
    // bounds.
    if loop.now - lastMove < Self.journalAge {
      if latestExtent.journalChunks < 2 { return }
      let isLarge = latestExtent.journalPages * pageSize >= journalLimit
      let isOld = latestExtent.journalOldest.map { loop.wall - $0 >= Self.journalAge } ?? false
      if !isLarge && !isOld { return }
    }
    isPackDue = true
    loop.spawn { await self.packInBackground() }
  }

  /// Half an hour. The last chunk of each ring is rewritten as often, which for 60 rings is a quarter of a megabyte
  /// each time; and the file has to be larger by what the journal holds and by what moving it takes, here half a
  /// megabyte each.
  nonisolated static let journalAge: Duration = .seconds(1800)

  private func packInBackground() async {
    do { try await pack() } catch { report(error) }
    isPackDue = false
  }

  /// Looks every half an hour also where no commit of samples does.
  func armPackTimer() {
    packTimer = loop.schedule(after: Self.journalAge) { [weak self] in
      self?.packIfDue()
      self?.armPackTimer()
    }
  }

  /// Returns when nothing is being moved into the rings, nor about to be. For whoever sets the clock by hand: no hours
  /// pass while that takes milliseconds.
  public func packed() async {
    while isPackDue || isPacking {
      await ringTurn.take()
      ringTurn.give()
      await Task.yield()
    }
  }

  /// Moves everything but the newest chunk of the journal into the rings, and holds the rings to their bounds. Happens
  /// by itself every half an hour, and when the journal has grown to a mebibyte.
  ///
  /// `whole`: the newest chunk too, and with it the journal's place for new numbers, which `meta` has then.
  ///
  /// - Throws: why the disk refused; then everything is still in the journal.
  public func pack(whole: Bool = false) async throws(HearthError) {
    await ringTurn.take()
    isPacking = true
    defer {
      isPacking = false
      ringTurn.give()
    }
    if isShut { throw HearthError(.storeFailing, "\(options.path) is closed") }
    // After a failure of its roots the environment has to be opened again before anything can be read.
    do { _ = try await openWriter() } catch { throw await explain(error) }
    // Not what was committed up to now: its newest chunk cannot be moved yet, and could be as soon as a commit comes
    // between. One chunk has a few items of every ring, whose last chunks would be written anew for them.
    let newest = try reading { transaction throws(DatabaseFailure) in
      try transaction.withCursor(transaction.tables.journal) { cursor throws(DatabaseFailure) in
        try cursor.last()?.sequence
      }
    }
    let end = whole ? durableBelow : min(durableBelow, newest ?? 0)
    var conflicts = 0
    // As many moves as the journal has chunks now are always enough.
    for _ in 0...latestExtent.journalChunks {
      switch try await move(before: end, whole: whole) {
      case .nothing: break
      case .moved:
        conflicts = 0
        continue
      case .conflict:
        conflicts += 1
        if conflicts < Self.attempts { continue }
        throw HearthError(.storeFailing, "\(options.path): rings change while they are written")
      }
      break
    }
    lastMove = loop.now
    try await enforceBounds()
  }

  private enum Move {
    case nothing, moved, conflict
  }

  private func move(before end: UInt64, whole: Bool) async throws(HearthError) -> Move {
    var window = JournalWindow(before: end, takesNewest: whole)
    while true {
      let goesOn = try reading { transaction throws(DatabaseFailure) in try window.take(transaction) }
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
    let now = believedTime
    let outcome: CommitOutcome?
    do {
      let writer = try await openWriter()
      outcome = try await disk.perform { try writer.move(ready, first: first, last: last, damaged: damaged, now: now) }
    } catch {
      throw await explain(error)
    }
    guard let outcome else { return .conflict }
    note(outcome)
    latestStatus.moves += 1
    for chunk in damaged {
      noteDamage(
        "journal chunk \(chunk.sequence) is damaged and was put into quarantine", corrupt: .journal(chunk.sequence))
    }
    return .moved
  }

  /// Encodes items behind the end of a ring. The loop gets its turn every `itemsPerTurn` items, counted in `done` over
  /// several rings.
  func edit(_ ring: RingID, _ items: consuming RingItems, done: inout Int) async throws(HearthError) -> RingEdit? {
    let taken = items
    // As the writer last said it was; if it is not any more, the writer finds that out. On disk it may be damaged.
    let state = latestExtent.rings[ring] ?? RingState()
    var editor = try reading { transaction throws(DatabaseFailure) in try RingEditor(transaction, ring, state, taken) }
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

  /// What time that passed or another configuration made too much goes at once when the store is opened.
  func enforceBoundsIfBroken() {
    if !RingWriter(latestExtent.rings, bounds).isAnythingOutOfBounds(now: believedTime?.microseconds) { return }
    loop.spawn {
      await self.ringTurn.take()
      defer { self.ringTurn.give() }
      if self.isShut { return }
      do throws(HearthError) { try await self.enforceBounds() } catch { self.report(error) }
    }
  }

  /// Gives up what is too old or too much, a bounded number of chunks a transaction.
  private func enforceBounds() async throws(HearthError) {
    let now = believedTime
    do {
      // Each transaction gives something up, or all rings keep their bounds.
      while true {
        let writer = try await openWriter()
        guard let outcome = try await disk.perform({ try writer.enforceBounds(now: now) }) else { return }
        note(outcome)
        // What looked as if it might be too old is not.
        if outcome.losses.isEmpty { return }
      }
    } catch {
      throw await explain(error)
    }
  }

  /// Civil time where it may decide what is too old: a clock that nobody disciplines could be years ahead.
  var believedTime: WallTime? { loop.wallIsTrusted ? loop.wall : nil }

  /// A short read transaction on the loop.
  func reading<T>(_ body: (Transaction) throws(DatabaseFailure) -> T) throws(HearthError) -> T {
    guard let environment else { throw HearthError(.storeFailing, "\(options.path) is not open") }
    do { return try environment.read(body) } catch {
      throw HearthError(.storeInputOutput, "\(options.path): \(error.text)")
    }
  }
}
