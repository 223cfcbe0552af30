// When samples become durable: triggers, batches, failures.

internal import EventLoop
internal import Reasons
internal import StateCodec

/// A caller that waits until everything below `target` is durable.
struct FlushWaiter {
  let target: UInt64
  /// The next commit that comes by itself is soon enough.
  var isPatient = false
  let continuation: CheckedContinuation<Result<Void, HearthError>, Never>
}

@LoopActor
final class LiveCommits: ChunkLineObserver, EventCompanion {
  /// A second, doubled after each failure in a row up to a minute: a card that recovers is noticed soon, a dead one
  /// costs nothing.
  private static let firstRetry: Duration = .seconds(1)
  private static let retryDoublings = 6
  /// See `Store.commitsAtOnce`.
  nonisolated static let atOnce = 4

  private let disk: StoreDisk
  private let status: StatusKeeper
  let line: ChunkLine
  let readings: ReadingKeeper
  /// On their way to the disk, in order. One that is back is waited for with the next one.
  private var inFlight = CommitsInFlight()
  /// One above the last durable sequence number.
  private(set) var durableBelow: UInt64
  private var commitTimer: LoopTimer?
  private var retryTimer: LoopTimer?
  private(set) var failuresInARow = 0
  private var waiters: [FlushWaiter] = []
  /// Called after every durable commit of samples.
  var onCommit: (@LoopActor (CommitReport) -> Void)?
  /// A commit is back, and nothing failed.
  var onBack: (@LoopActor () -> Void)?

  init(_ disk: StoreDisk, _ status: StatusKeeper, _ line: ChunkLine, _ readings: ReadingKeeper) {
    self.disk = disk
    self.status = status
    self.line = line
    self.readings = readings
    durableBelow = line.nextSequence
    line.observer = self
    status.events.companion = self
  }

  // MARK: Callers

  /// See `Store.flush`.
  func flush() async throws(HearthError) {
    if line.nextSequence == durableBelow || (line.isEmpty && inFlight.commits.isEmpty) { return }
    try await wait(until: line.nextSequence, isPatient: false)
  }

  /// Returns when everything below a number is durable.
  func wait(until target: UInt64, isPatient: Bool) async throws(HearthError) {
    let result = await withCheckedContinuation { continuation in
      waiters.append(FlushWaiter(target: target, isPatient: isPatient, continuation: continuation))
      if !isPatient { start(.flush) }
    }
    try result.get()
  }

  /// What is in memory and not durable.
  var pending: (bytes: Int, samples: Int) {
    let waiting = line.sealed + inFlight.commits.flatMap(\.chunks) + (line.current.map { [$0] } ?? [])
    return (waiting.reduce(0) { $0 + $1.used }, waiting.reduce(0) { $0 + $1.count })
  }

  /// The store is closed.
  func end() {
    if let timer = retryTimer { disk.loop.cancel(timer) }
    if let timer = commitTimer { disk.loop.cancel(timer) }
    let left = line.drop()
    status.count { $0.droppedSamples += UInt64(left) }
  }

  // MARK: Triggers

  func chunkBegan() {
    if commitTimer != nil || failuresInARow > 0 { return }
    guard let oldest = line.begunAt else { return }
    commitTimer = disk.loop.schedule(at: oldest + disk.options.commitEvery) { [weak self] in
      self?.commitTimer = nil
      self?.start(.time)
    }
  }

  func chunkIsFull() {
    // What is back looks itself; until then chunks may be many.
    if failuresInARow == 0, hasRoomAtDisk, isSizeDue { start(.bytes) }
  }

  func drops(_ chunk: ChunkBuffer) { readings.forget(chunk) }

  /// Begins a commit unless as many as may be are on their way; when one of them is back it is looked again.
  private func start(_ cause: CommitCause) {
    if !hasRoomAtDisk { return }
    // Size commits what is full; time and people commit everything.
    if cause != .bytes { line.seal() }
    if line.sealed.isEmpty { return }
    if let timer = commitTimer { disk.loop.cancel(timer) }
    if let timer = retryTimer { disk.loop.cancel(timer) }
    commitTimer = nil
    retryTimer = nil
    let batch = line.take(StoreWriter.batchLimit)
    status.noteLosses()
    var along = status.events.take()
    along.readings = readings.take(with: batch)
    let number = inFlight.begin(batch, along, cause, at: disk.loop.now)
    disk.loop.spawn {
      let result: Result<CommitOutcome, HearthError>
      do { result = .success(try await self.write(number)) } catch { result = .failure(await self.disk.explain(error)) }
      self.isBack(number, result)
    }
  }

  /// Whether one commit more may be given to the disk: after trouble one by one, until it is known what is there.
  private var hasRoomAtDisk: Bool {
    let isSound = failuresInARow == 0 && disk.isSound
    return inFlight.countAtDisk < (isSound ? Self.atOnce : 1) && inFlight.failure == nil
  }

  /// Whether the next chunk that becomes full would make more of them wait than a commit may have.
  private var isSizeDue: Bool { line.sealedBytes + line.chunkLimit > disk.options.commitBytes }

  // MARK: One commit

  private func write(_ number: UInt64) async throws -> CommitOutcome {
    // Or a commit that is refused in any case would open an environment that was given up.
    try inFlight.chain.check()
    let writer = try await disk.openWriter()
    // What an environment was given that had to be opened again may or may not be there.
    guard let (chunks, events, chain) = inFlight.give(number, to: writer) else { throw DatabaseFailure.behindFailure }
    let (now, limit) = (disk.loop.wall, disk.limits.events)
    guard number > chain.last else { fatalError("a commit that its chain had already") }
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
    guard let (place, cause) = inFlight.isBack(number) else { return }
    switch result {
    case .success(let outcome):
      failuresInARow = 0
      inFlight.succeeded(place, outcome)
      disk.note(outcome)
      // What came before is durable in any case: its root was on its way before this transaction's pages, which were
      // waited for.
      succeeded(place + (outcome.isRootLeft ? 0 : 1))
    case .failure(let error): inFlight.failed(place, error)
    }
    if let error = inFlight.failure {
      // What came behind a commit that failed fails too: it all waits again as soon as it is back.
      if inFlight.countAtDisk == 0 {
        putBackInFlight()
        failed(error)
      }
      return
    }
    // Here, because on a slow disk one commit may follow the other for ever.
    onBack?()
    if let next = nextCause(after: cause) { start(next) }
    chunkBegan()
  }

  /// Why to go on at once after a commit; nil to wait for a trigger.
  private func nextCause(after cause: CommitCause) -> CommitCause? {
    let (now, patience) = (disk.loop.now, disk.options.commitEvery)
    let begun = inFlight.nextSequence ?? durableBelow
    if waiters.contains(where: { $0.target > begun && !$0.isPatient }) {
      line.seal()
      if !line.sealed.isEmpty { return .flush }
    }
    if let current = line.current, current.begunAt + patience <= now {
      line.seal()
      return .time
    }
    guard let oldest = line.sealed.first else { return nil }
    if oldest.begunAt + patience <= now { return .time }
    if cause == .retry || cause == .flush || cause == .time { return cause }
    return isSizeDue ? .bytes : nil
  }

  /// The first commits on their way, so many, are durable.
  private func succeeded(_ count: Int) {
    for commit in inFlight.take(count) {
      let next = commit.nextSequence ?? durableBelow
      guard next >= durableBelow, next <= line.nextSequence else {
        fatalError("a commit that is not the next of the journal")
      }
      durableBelow = next
      let report = CommitReport(commit, throughSequence: durableBelow &- 1, now: disk.loop.now)
      let wall = disk.loop.wall
      status.count { $0.add(report, at: wall) }
      for chunk in commit.chunks { line.recycle(chunk) }
      status.report(nil)
      onCommit?(report)
    }
    let done = waiters.filter { $0.target <= durableBelow }
    waiters.removeAll { $0.target <= durableBelow }
    for waiter in done { waiter.continuation.resume(returning: .success(())) }
  }

  /// What is not known to be durable waits again, before what came since. What comes behind it belongs to another
  /// chain.
  private func putBackInFlight() {
    line.putBack(inFlight.commits.flatMap(\.chunks))
    for commit in inFlight.commits.reversed() { status.events.putBack(commit.batch) }
    inFlight.forget()
    line.enforceMemoryLimit()
  }

  private func failed(_ error: HearthError) {
    status.count { $0.failedCommits += 1 }
    let delay = Self.firstRetry * (1 << min(failuresInARow, Self.retryDoublings))
    failuresInARow += 1
    // Dropping samples is the graver news and stays until a commit succeeds.
    if status.latest.droppedSamples == 0 || status.latest.trouble == nil { status.report(error) }
    let refused = waiters
    waiters = []
    for waiter in refused { waiter.continuation.resume(returning: .failure(error)) }
    if disk.isClosing { return }
    retryTimer = disk.loop.schedule(after: min(delay, .seconds(60))) { [weak self] in
      self?.retryTimer = nil
      self?.start(.retry)
    }
  }

  // MARK: Readings that travel with events

  var hasChangedReadings: Bool { !readings.changed.isEmpty }

  func takeChangedReadings() -> [StateRecord<HubStates>] {
    readings.takeChanged(durableBelow: durableBelow) { inFlight.hasReadings(of: $0) }
  }

  func putBackReadings(of wearables: [WearableID]) { readings.putBack(wearables) }
}
