// When samples become durable: triggers, batches, failures.

internal import EventLoop
internal import Glibc
public import Reasons

/// Somebody who waits until everything below `target` is durable.
struct FlushWaiter {
  let target: UInt64
  let continuation: CheckedContinuation<Result<Void, HearthError>, Never>
}

extension Store {
  /// A second, doubled after each failure in a row up to a minute: a card that recovers is noticed soon, a dead one costs nothing.
  private static let firstRetry: Duration = .seconds(1)
  private static let retryDoublings = 6

  /// Commits what is pending; durable when it returns.
  ///
  /// - Throws: why the disk refused. The samples stay in memory and are tried again.
  public func flush() async throws(HearthError) {
    if nextSequence == durableBelow || (current == nil && sealed.isEmpty && inFlight.isEmpty) { return }
    let target = nextSequence
    let result = await withCheckedContinuation { continuation in
      waiters.append(FlushWaiter(target: target, continuation: continuation))
      if !isCommitting { startCommit(.flush) }
    }
    try result.get()
  }

  func armCommitTimer() {
    if commitTimer != nil || isCommitting || failuresInARow > 0 { return }
    guard let oldest = sealed.first?.begunAt ?? current?.begunAt else { return }
    commitTimer = loop.schedule(at: oldest + options.commitEvery) { [weak self] in
      self?.commitTimer = nil
      self?.startCommit(.time)
    }
  }

  /// Begins a commit unless one is on its way; that one looks again when it ends.
  func startCommit(_ cause: CommitCause) {
    if isCommitting { return }
    // Size commits what is full; time and people commit everything.
    if cause != .bytes { seal() }
    if sealed.isEmpty { return }
    isCommitting = true
    if let timer = commitTimer { loop.cancel(timer) }
    if let timer = retryTimer { loop.cancel(timer) }
    commitTimer = nil
    retryTimer = nil
    loop.spawn { await self.commitBatches(cause) }
  }

  private func commitBatches(_ first: CommitCause) async {
    var cause = first
    while true {
      do { try await commitBatch(cause) } catch {
        failed(error)
        break
      }
      // Here, because on a slow disk one commit may follow the other for ever.
      packIfDue()
      guard let next = nextCause(after: cause) else { break }
      cause = next
    }
    isCommitting = false
    armCommitTimer()
  }

  /// Why to go on at once after a commit; nil to wait for a trigger.
  private func nextCause(after cause: CommitCause) -> CommitCause? {
    if !waiters.isEmpty {
      seal()
      if !sealed.isEmpty { return .flush }
    }
    if let current, current.begunAt + options.commitEvery <= loop.now {
      seal()
      return .time
    }
    guard let oldest = sealed.first else { return nil }
    if oldest.begunAt + options.commitEvery <= loop.now { return .time }
    if cause == .retry || cause == .flush || cause == .time { return cause }
    return sealed.reduce(0) { $0 + $1.used } + chunkLimit > options.commitBytes ? .bytes : nil
  }

  private func commitBatch(_ cause: CommitCause) async throws(HearthError) {
    let batch = Array(sealed.prefix(StoreWriter.batchLimit))
    sealed.removeFirst(batch.count)
    inFlight = batch
    let began = loop.now
    noteLosses()
    let events = takeEvents()
    let now = loop.wall
    let limit = limits.events
    let result: Result<CommitOutcome, HearthError>
    do {
      let writer = try await openWriter()
      result = try await .success(disk.perform { try writer.commit(batch, events: events, eventLimit: limit, now: now) })
    } catch {
      result = .failure(await explain(error))
    }
    inFlight = []
    switch result {
    case .success(let outcome): succeeded(batch, outcome, cause, began)
    case .failure(let error):
      sealed.insert(contentsOf: batch, at: 0)
      putBackEvents(events)
      enforceMemoryLimit()
      throw error
    }
  }

  private func succeeded(_ batch: [ChunkBuffer], _ outcome: CommitOutcome, _ cause: CommitCause, _ began: Instant) {
    failuresInARow = 0
    durableBelow = batch.last?.nextSequence ?? durableBelow
    note(outcome)
    latestStatus.commits += 1
    latestStatus.lastCommit = loop.wall
    for index in latestStatus.commitCauses.indices where latestStatus.commitCauses[index].cause == cause {
      latestStatus.commitCauses[index].count += 1
    }
    let report = CommitReport(
      cause: cause, samples: batch.reduce(0) { $0 + $1.count }, chunks: batch.count, bytes: batch.reduce(0) { $0 + $1.used },
      throughSequence: durableBelow &- 1, duration: loop.now - began, evictedSamples: Int(clamping: outcome.losses.reduce(0) { $0 + $1.items }))
    for chunk in batch { recycle(chunk) }
    self.report(nil)
    onCommit?(report)
    let done = waiters.filter { $0.target <= durableBelow }
    waiters.removeAll { $0.target <= durableBelow }
    for waiter in done { waiter.continuation.resume(returning: .success(())) }
  }

  private func failed(_ error: HearthError) {
    latestStatus.failedCommits += 1
    let delay = Self.firstRetry * (1 << min(failuresInARow, Self.retryDoublings))
    failuresInARow += 1
    // Dropping samples is the graver news and stays until a commit succeeds.
    if latestStatus.droppedSamples == 0 || latestStatus.trouble == nil { report(error) }
    let refused = waiters
    waiters = []
    for waiter in refused { waiter.continuation.resume(returning: .failure(error)) }
    if isClosing { return }
    retryTimer = loop.schedule(after: min(delay, .seconds(60))) { [weak self] in
      self?.retryTimer = nil
      self?.startCommit(.retry)
    }
  }

  // MARK: the disk's side

  /// The writer; opens the environment again if its roots could not be written, or if the kernel's cache is not to be trusted.
  func openWriter() async throws -> StoreWriter {
    if let writer, !mistrustsCache { return writer }
    if isShut { throw DatabaseFailure(call: "the store is closed", code: 9) }
    // An LMDB environment must never be open twice in one process.
    await reopenTurn.take()
    defer { reopenTurn.give() }
    if let writer, !mistrustsCache { return writer }
    let options = options
    let old = environment
    let forgetting = mistrustsCache
    environment = nil
    writer = nil
    let (environment, writer) = try await disk.perform {
      old?.close()
      if forgetting { StoreOpening.forgetCached(options) }
      return try StoreOpening.reopen(options)
    }
    mistrustsCache = false
    self.environment = environment
    self.writer = writer
    note(CommitOutcome(extent: writer.state))
    return writer
  }

  /// Makes a small change of other tables durable: `body` runs on the disk's side, inside one transaction that needs at most `pages` pages.
  ///
  /// - Throws: why the disk refused; then nothing has changed.
  func change<T: Sendable>(pages: Int, _ body: @escaping @Sendable (Transaction) throws(DatabaseFailure) -> T) async throws(HearthError) -> T {
    if isClosing { throw HearthError(.storeFailing, "\(options.path) is being closed") }
    do {
      let writer = try await openWriter()
      let (result, outcome) = try await disk.perform { try writer.change(pages: pages, body) }
      note(outcome)
      return result
    } catch {
      throw await explain(error)
    }
  }

  /// What a failed write means; where LMDB gave the environment up it is closed, to be opened again at the next attempt.
  func explain(_ error: any Error) async -> HearthError {
    guard let failure = error as? DatabaseFailure else { return HearthError(.storeFailing, "\(options.path): \(error)") }
    if let environment {
      environment.clearDeadReaders()
      if failure.isPanic {
        self.environment = nil
        writer = nil
        _ = try? await disk.perform { environment.close() }
      }
      if failure.isPanic || failure.code == EIO { mistrustsCache = true }
    }
    return writeFailure(failure, options.path)
  }

  /// What the disk's side knows now.
  func note(_ outcome: CommitOutcome) {
    latestExtent = outcome.extent
    latestStatus.note(outcome.extent, pageSize: pageSize)
    for loss in outcome.losses {
      latestStatus.evictedSinceStart &+= loss.items
      latestStatus.evictedUnexportedSinceStart &+= loss.unexported
      if loss.unexported > 0 { latestStatus.lastUnexportedEviction = loop.now }
      unnotedLosses[loss.ring, default: RingLoss(ring: loss.ring)].add(loss)
    }
    for loss in outcome.stagedLosses {
      latestStatus.stagedGivenUp &+= UInt64(loss.bytes)
      noteEvent(.stagedGivenUp, wearable: loss.item.wearable, text: "\(loss.bytes) bytes kept of \(loss.item.id) were given up; they are fetched again")
    }
  }

  /// Evictions become events at most once an hour: a ring at its bound gives a chunk up every hour or so for ever.
  func noteLosses() {
    if unnotedLosses.isEmpty { return }
    if let lastLossEvent, loop.now - lastLossEvent < .seconds(3600) { return }
    lastLossEvent = loop.now
    let rings = unnotedLosses.keys.sorted()
    if rings.count > EventQueue.limit / 2 {
      let others = rings.dropFirst(EventQueue.limit / 2).compactMap { unnotedLosses[$0] }
      let (items, unexported) = others.reduce((0, 0)) { ($0.0 &+ $1.items, $0.1 &+ $1.unexported) }
      noteEvent(.storeEvicting, text: "\(items) items of \(others.count) other rings evicted, \(unexported) never exported")
    }
    for ring in rings.prefix(EventQueue.limit / 2) {
      guard let loss = unnotedLosses[ring] else { continue }
      let span = loss.from <= loss.to ? ", \(WallTime(microseconds: loss.from).rfc3339) to \(WallTime(microseconds: loss.to).rfc3339)" : ""
      let name = ring.series?.name ?? "series \(ring.seriesNumber)"
      noteEvent(
        .storeEvicting, wearable: ring.wearable,
        text: "\(loss.items) items of \(name) (\(ring.way.name)) evicted, \(loss.unexported) never exported\(span)")
    }
    unnotedLosses = [:]
  }

  /// Damage is told once for each chunk.
  func noteDamage(_ text: String, corrupt chunk: DamagedChunk) {
    if corrupt.count < 4096, corrupt.insert(chunk).inserted {
      noteEvent(.storeChunkCorrupt, text: text)
    }
  }
}
