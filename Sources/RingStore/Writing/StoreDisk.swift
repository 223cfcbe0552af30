// How the loop reaches the disk: the environment, its writer, small changes, what a failed write means.

internal import EventLoop
internal import Reasons

/// Reports to the owner of the disk.
@LoopActor
protocol StoreDiskObserver: AnyObject {
  /// A transaction is durable.
  func note(_ outcome: CommitOutcome)
  /// Counts that were wrong when the environment was opened.
  func noteMiscounts(_ environment: Environment)
  /// Numbers of chunks that could not stay in the journal.
  func noteQuarantined(_ numbers: [UInt64])
  /// The environment is about to be closed: no reading may have it in use.
  func environmentCloses()
}

@LoopActor
final class StoreDisk {
  enum Phase {
    case open
    /// `Store.close` was called: new work is refused.
    case closing
    /// The environment is closed for good.
    case shut
  }

  let options: StoreOptions
  let loop: any Loop
  let limits: TableLimits
  let pageSize: Int
  private let lane: any DiskLane
  /// Files of the disk's side, whichever environment it has open.
  private let files: (account: WriteAccountFile, journal: JournalFile?)
  /// nil while the environment is being opened again after a failure of its roots, and after `shut`.
  private(set) var environment: Environment?
  private(set) var writer: StoreWriter?
  private let reopenTurn = Turn()
  /// A write failed: what the kernel still has in memory of the file may never have reached the disk, see
  /// `StoreOpening.forgetCached`.
  private var mistrustsCache = false
  private(set) var phase = Phase.open
  weak var observer: (any StoreDiskObserver)?

  init(
    _ options: StoreOptions, _ loop: any Loop, _ lane: any DiskLane, _ account: WriteAccountFile,
    _ environment: Environment, _ writer: StoreWriter
  ) {
    self.options = options
    self.loop = loop
    self.lane = lane
    files = (account, writer.journal)
    self.environment = environment
    self.writer = writer
    limits = TableLimits(sizeBytes: options.sizeBytes)
    pageSize = environment.pageSize
  }

  var isClosing: Bool { phase != .open }
  var isShut: Bool { phase == .shut }
  /// True if there is a writer and its environment is trusted.
  var isSound: Bool { writer != nil && !mistrustsCache }
  /// Civil time if it may decide what is too old: an undisciplined clock could be years ahead.
  var believedTime: WallTime? { loop.wallIsTrusted ? loop.wall : nil }

  func begin(_ closing: Phase) { phase = closing }

  /// Runs on the disk's side.
  func perform<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await lane.perform(body)
  }

  func note(_ outcome: CommitOutcome) { observer?.note(outcome) }

  /// The writer; opens the environment again if its roots could not be written, or if the kernel's cache is not to be
  /// trusted.
  func openWriter() async throws -> StoreWriter {
    if let writer, !mistrustsCache { return writer }
    if isShut { throw DatabaseFailure(call: "the store is closed", code: 9) }
    // An LMDB environment must never be open twice in one process.
    await reopenTurn.take()
    defer { reopenTurn.give() }
    if let writer, !mistrustsCache { return writer }
    let options = options
    let (old, files) = (environment, files)
    let forgetting = mistrustsCache
    observer?.environmentCloses()
    environment = nil
    writer = nil
    let (environment, writer) = try await lane.perform {
      old?.close()
      if forgetting {
        StoreOpening.forgetCached(options)
        files.journal?.forgetCached()
      }
      return try StoreOpening.reopen(options, account: files.account, journal: files.journal)
    }
    mistrustsCache = false
    self.environment = environment
    self.writer = writer
    note(CommitOutcome(extent: writer.state))
    noteQuarantined()
    observer?.noteMiscounts(environment)
    return writer
  }

  /// Reports what the writer set aside when it was made.
  func noteQuarantined() {
    for (numbers, outcome) in writer?.quarantined ?? [] {
      note(outcome)
      observer?.noteQuarantined(numbers)
    }
  }

  /// Makes a small change of other tables durable: `body` runs on the disk's side, inside one transaction that needs at
  /// most `pages` pages.
  ///
  /// - Throws: why the disk refused; the store is then unchanged.
  func change<T: Sendable>(pages: Int, _ body: @escaping @Sendable (Transaction) throws(DatabaseFailure) -> T)
    async throws(HearthError) -> T
  {
    try refuseIfClosing()
    do {
      let writer = try await openWriter()
      let (result, outcome) = try await lane.perform { try writer.change(pages: pages, body) }
      note(outcome)
      return result
    } catch {
      throw await explain(error)
    }
  }

  func refuseIfClosing() throws(HearthError) {
    if isClosing { throw HearthError(.storeFailing, "\(options.path) is being closed") }
  }

  func refuseIfShut() throws(HearthError) {
    if isShut { throw HearthError(.storeFailing, "\(options.path) is closed") }
  }

  /// A short read transaction on the loop.
  func reading<T>(_ body: (Transaction) throws(DatabaseFailure) -> T) throws(HearthError) -> T {
    guard let environment else { throw HearthError(.storeFailing, "\(options.path) is not open") }
    do { return try environment.read(body) } catch {
      throw HearthError(.storeInputOutput, "\(options.path): \(error.text)")
    }
  }

  /// Error for a failed write; if LMDB gave the environment up it is closed, to be opened again at the next attempt.
  func explain(_ error: any Error) async -> HearthError {
    guard let failure = error as? DatabaseFailure else {
      return HearthError(.storeFailing, "\(options.path): \(error)")
    }
    if let environment {
      environment.clearDeadReaders()
      // What is miscounted is counted again when the environment is opened.
      if failure.isOfRoots || failure.isOfPages {
        observer?.environmentCloses()
        self.environment = nil
        writer = nil
        _ = try? await lane.perform { environment.close() }
      }
      if failure.spoilsCache { mistrustsCache = true }
    }
    return writeFailure(failure, options.path)
  }

  /// Closes the environment for good.
  func shut() async {
    let environment = environment
    phase = .shut
    observer?.environmentCloses()
    self.environment = nil
    writer = nil
    if let environment { _ = try? await lane.perform { environment.close() } }
  }
}
