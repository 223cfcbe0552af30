// When samples become durable: triggers, batches, failures.

internal import EventLoop
internal import Reasons
internal import StateCodec

/// A caller that waits until everything below `target` is durable.
struct FlushWaiter {
  let target: UInt64
  /// Whether the waiter is content with the next scheduled commit.
  var isPatient = false
  let continuation: CheckedContinuation<Result<Void, HearthError>, Never>
}

@LoopActor
final class LiveCommits: ChunkLineObserver, EventCompanion {
  /// Retry after one second, doubled after each failure in a row up to a minute. A card that recovers is noticed soon,
  /// and a dead one costs little.
  private static let firstRetry: Duration = .seconds(1)
  private static let retryDoublings = 6
  /// See `Store.commitsAtOnce`.
  nonisolated static let atOnce = 4

  private let disk: StoreDisk
  private let status: StatusKeeper
  let line: ChunkLine
  let readings: ReadingKeeper
  /// Commits on their way to the disk, in order. A commit that is back may still wait for its root, with the next one.
  private var inFlight = CommitsInFlight()
  /// The sequence number after the last durable one.
  private(set) var durableBelow: UInt64
  private var commitTimer: LoopTimer?
  private var retryTimer: LoopTimer?
  private(set) var failuresInARow = 0
  private var waiters: [FlushWaiter] = []
  /// Called after every durable commit of samples.
  var onCommit: (@LoopActor (CommitReport) -> Void)?
  /// Called when a commit is back without an error.
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

  /// Samples in memory that are not durable.
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
    // Otherwise the next answer of the disk checks again; until then chunks may be many.
    if failuresInARow == 0, hasRoomAtDisk, isSizeDue { start(.bytes) }
  }

  func drops(_ chunk: ChunkBuffer) { readings.forget(chunk) }

  /// Begins a commit, unless the limit of commits at the disk is reached. Each answer of the disk checks again.
  private func start(_ cause: CommitCause) {
    if !hasRoomAtDisk { return }
    // A commit for size takes only sealed chunks; time and flushes commit everything.
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

  /// Whether the disk may get another commit. After a failure commits go one by one, until the disk's content is
  /// known.
  private var hasRoomAtDisk: Bool {
    let isSound = failuresInARow == 0 && disk.isSound
    return inFlight.countAtDisk < (isSound ? Self.atOnce : 1) && inFlight.failure == nil
  }

  /// Whether the next chunk to be sealed would make the waiting ones exceed the size of a commit.
  private var isSizeDue: Bool { line.sealedBytes + line.chunkLimit > disk.options.commitBytes }

  // MARK: One commit

  private func write(_ number: UInt64) async throws -> CommitOutcome {
    // Otherwise a commit that must be refused would open a failed environment again.
    try inFlight.chain.check()
    let writer = try await disk.openWriter()
    // After the environment was opened again, it is unknown whether it has earlier commits.
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
      // Earlier commits are durable in any case: their roots were on the way before this transaction's pages, which
      // were waited for.
      succeeded(place + (outcome.isRootLeft ? 0 : 1))
    case .failure(let error): inFlight.failed(place, error)
    }
    if let error = inFlight.failure {
      // Commits behind a failed one fail too: all wait again as soon as they are back.
      if inFlight.countAtDisk == 0 {
        putBackInFlight()
        failed(error)
      }
      return
    }
    // Called here, because on a slow disk commits may follow each other without a pause.
    onBack?()
    if let next = nextCause(after: cause) { start(next) }
    chunkBegan()
  }

  /// The cause of a commit that must follow at once; nil to wait for a trigger.
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

  /// The first `count` commits on their way are durable.
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

  /// Returns all commits not known to be durable to the queue, before newer samples. Later ones belong to another
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
    // Dropped samples are the more serious report, which stays until a commit succeeds.
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
