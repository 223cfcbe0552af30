// When samples become durable: triggers, batches, failures.

internal import EventLoop
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
    let result: Result<CommitOutcome, HearthError>
    do {
      let writer = try await openWriter()
      result = try await .success(disk.perform { try writer.commit(batch) })
    } catch {
      result = .failure(await explain(error))
    }
    inFlight = []
    switch result {
    case .success(let outcome): succeeded(batch, outcome, cause, began)
    case .failure(let error):
      sealed.insert(contentsOf: batch, at: 0)
      enforceMemoryLimit()
      throw error
    }
  }

  private func succeeded(_ batch: [ChunkBuffer], _ outcome: CommitOutcome, _ cause: CommitCause, _ began: Instant) {
    failuresInARow = 0
    durableBelow = batch.last?.nextSequence ?? durableBelow
    note(outcome)
    latestStatus.commits += 1
    for index in latestStatus.commitCauses.indices where latestStatus.commitCauses[index].cause == cause {
      latestStatus.commitCauses[index].count += 1
    }
    let report = CommitReport(
      cause: cause, samples: batch.reduce(0) { $0 + $1.count }, chunks: batch.count, bytes: batch.reduce(0) { $0 + $1.used },
      throughSequence: durableBelow &- 1, duration: loop.now - began, evictedSamples: Int(clamping: outcome.evictedNow))
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

  /// The writer; opens the environment again if its roots could not be written.
  func openWriter() async throws -> StoreWriter {
    if let writer { return writer }
    // An LMDB environment must never be open twice in one process.
    await reopenTurn.take()
    defer { reopenTurn.give() }
    if let writer { return writer }
    let options = options
    let (environment, writer) = try await disk.perform { try StoreOpening.reopen(options) }
    self.environment = environment
    self.writer = writer
    let (extent, evicted) = writer.state
    note(extent, evicted)
    return writer
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
    }
    return writeFailure(failure, options.path)
  }

  func note(_ outcome: CommitOutcome) {
    note(outcome.extent, outcome.evicted)
    latestStatus.lastCommit = loop.wall
    guard let bytes = outcome.bytesWritten else { return }
    let day = loop.wall.microseconds / 86_400_000_000
    if day != dayOfBytesWritten {
      dayOfBytesWritten = day
      latestStatus.bytesWrittenToday = 0
    }
    latestStatus.bytesWrittenToday = (latestStatus.bytesWrittenToday ?? 0) + bytes
  }
}
