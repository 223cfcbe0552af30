// When samples become durable: triggers, batches, failures.

internal import EventLoop
public import Reasons

/// Somebody who waits until everything below `target` is durable.
struct FlushWaiter {
  let target: UInt64
  /// The next commit that comes by itself is soon enough.
  var isPatient = false
  let continuation: CheckedContinuation<Result<Void, HearthError>, Never>
}

extension Store {
  /// A second, doubled after each failure in a row up to a minute: a card that recovers is noticed soon, a dead one
  /// costs nothing.
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
      startCommit(.flush)
    }
    try result.get()
  }

  func armCommitTimer() {
    if commitTimer != nil || failuresInARow > 0 { return }
    guard let oldest = sealed.first?.begunAt ?? current?.begunAt else { return }
    commitTimer = loop.schedule(at: oldest + options.commitEvery) { [weak self] in
      self?.commitTimer = nil
      self?.startCommit(.time)
    }
  }

  /// Commits given to the disk at a time. One is written; that another one waits behind it already saves it the wait
  /// for its root; and two more keep a busy disk busy while the loop is at something else.
  public nonisolated static let commitsAtOnce = 4

  /// Begins a commit unless as many as may be are on their way; when one of them is back it is looked again.
  func startCommit(_ cause: CommitCause) {
    if !hasRoomAtDisk { return }
    // Size commits what is full; time and people commit everything.
    if cause != .bytes { seal() }
    if sealed.isEmpty { return }
    if let timer = commitTimer { loop.cancel(timer) }
    if let timer = retryTimer { loop.cancel(timer) }
    commitTimer = nil
    retryTimer = nil
    let batch = Array(sealed.prefix(StoreWriter.batchLimit))
    sealed.removeFirst(batch.count)
    noteLosses()
    commitsBegun += 1
    let number = commitsBegun
    var along = takeEvents()
    along.readings = readings(of: batch)
    inFlight.append(CommitInFlight(number: number, chunks: batch, batch: along, cause: cause, began: loop.now))
    loop.spawn {
      let result: Result<CommitOutcome, HearthError>
      do { result = .success(try await self.write(number)) } catch { result = .failure(await self.explain(error)) }
      self.isBack(number, result)
    }
  }

  /// Whether one commit more may be given to the disk: after trouble one by one, until it is known what is there.
  var hasRoomAtDisk: Bool {
    let atDisk = inFlight.reduce(0) { $0 + ($1.isBack ? 0 : 1) }
    let isSound = failuresInARow == 0 && writer != nil && !mistrustsCache
    return atDisk < (isSound ? Self.commitsAtOnce : 1) && !inFlight.contains { $0.failure != nil }
  }

  private func write(_ number: UInt64) async throws -> CommitOutcome {
    // Or a commit that is refused in any case would open an environment that was given up.
    try commitChain.check()
    let writer = try await openWriter()
    // What an environment was given that had to be opened again may or may not be there.
    guard let place = inFlight.firstIndex(where: { $0.number == number }),
      inFlight[..<place].allSatisfy({ $0.writer === writer })
    else {
      throw DatabaseFailure.behindFailure
    }
    inFlight[place].writer = writer
    let (chunks, events, chain) = (inFlight[place].chunks, inFlight[place].batch, commitChain)
    let (now, limit) = (loop.wall, limits.events)
    chain.last = number
    do {
      return try await disk.perform {
        try writer.commit(chunks, number, of: chain, events: events, eventLimit: limit, now: now)
      }
    } catch {
      chain.isBroken = true
      throw error
    }
  }

  private func isBack(_ number: UInt64, _ result: Result<CommitOutcome, HearthError>) {
    guard let place = inFlight.firstIndex(where: { $0.number == number }) else { return }
    let cause = inFlight[place].cause
    inFlight[place].isBack = true
    switch result {
    case .success(let outcome):
      failuresInARow = 0
      inFlight[place].isRootLeft = outcome.isRootLeft
      inFlight[place].evicted = Int(clamping: outcome.losses.reduce(0) { $0 + $1.items })
      note(outcome)
      // What came before is durable in any case: its root was on its way before this transaction's pages, which were
      // waited for.
      succeeded(place + (outcome.isRootLeft ? 0 : 1))
    case .failure(let error): inFlight[place].failure = error
    }
    if let error = inFlight.lazy.compactMap(\.failure).first {
      // What came behind a commit that failed fails too: it all waits again as soon as it is back.
      if inFlight.allSatisfy(\.isBack) {
        putBackInFlight()
        failed(error)
      }
      return
    }
    // Here, because on a slow disk one commit may follow the other for ever.
    packIfDue()
    if let next = nextCause(after: cause) { startCommit(next) }
    armCommitTimer()
  }

  /// Why to go on at once after a commit; nil to wait for a trigger.
  private func nextCause(after cause: CommitCause) -> CommitCause? {
    let begun = inFlight.last?.nextSequence ?? durableBelow
    if waiters.contains(where: { $0.target > begun && !$0.isPatient }) {
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
    return isSizeDue ? .bytes : nil
  }

  /// Whether the next chunk that becomes full would make more of them wait than a commit may have.
  var isSizeDue: Bool { sealed.reduce(0) { $0 + $1.used } + chunkLimit > options.commitBytes }

  /// The first commits on their way, so many, are durable.
  private func succeeded(_ count: Int) {
    let commits = inFlight.prefix(count)
    inFlight.removeFirst(count)
    for commit in commits {
      durableBelow = commit.nextSequence ?? durableBelow
      latestStatus.commits += 1
      latestStatus.lastCommit = loop.wall
      for index in latestStatus.commitCauses.indices where latestStatus.commitCauses[index].cause == commit.cause {
        latestStatus.commitCauses[index].count += 1
      }
      let report = CommitReport(
        cause: commit.cause, samples: commit.chunks.reduce(0) { $0 + $1.count }, chunks: commit.chunks.count,
        bytes: commit.chunks.reduce(0) { $0 + $1.used }, throughSequence: durableBelow &- 1,
        duration: loop.now - commit.began,
        evictedSamples: commit.evicted, sharesWait: commit.isRootLeft)
      latestStatus.storedLive &+= UInt64(report.samples)
      for chunk in commit.chunks { recycle(chunk) }
      self.report(nil)
      onCommit?(report)
    }
    let done = waiters.filter { $0.target <= durableBelow }
    waiters.removeAll { $0.target <= durableBelow }
    for waiter in done { waiter.continuation.resume(returning: .success(())) }
  }

  /// What is not known to be durable waits again, before what came since. What comes behind it belongs to another
  /// chain.
  private func putBackInFlight() {
    sealed.insert(contentsOf: inFlight.flatMap(\.chunks), at: 0)
    for commit in inFlight.reversed() { putBackEvents(commit.batch) }
    inFlight = []
    commitChain = CommitChain()
    enforceMemoryLimit()
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
}
