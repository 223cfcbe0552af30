// The store: samples and wearables, durable, ordered, bounded.
//
// Caveats first:
// - A power cut, or kill -9, costs the samples that were not committed: those of the last `commitEvery`, at most
//   `commitBytes` of them, and the batch that was on its way to the disk. Never more, never part of a commit. A card
//   that lies about having written can cost more.
// - The file grows to `sizeBytes` and stays there; the oldest chunks make room. It never shrinks.
// - Samples lie in the journal for up to half an hour before they are moved into their rings; reading knows both.
// - One process writes (`hearth.lock`). Others read beside it at their own peril only through `StoreReader`, which
//   refuses while a daemon lives: ask the daemon. Never copy `data.mdb` while it is written to; never put it on a
//   network file system.
// - A flipped bit in a chunk or a record is found and costs that chunk or record. In LMDB's own pages it is not always
//   found.
// - Whoever keeps a read transaction open makes the file fill up with old pages. Here one lasts for one page of
//   samples.
// - What is to be kept for ever has to be exported: rings are bounded.

public import EventLoop
internal import Health
public import Reasons

/// An open store. Everything is called on the loop; what waits for the disk is done on the disk lane and awaited.
@LoopActor
public final class Store {
  /// Samples wait in memory in at most this many bytes while the disk refuses them; beyond it the oldest are dropped,
  /// and counted. 1 MiB is an hour of 30 wearables' heart rate and RR intervals at 1 Hz.
  public nonisolated static let memoryLimit = 1 << 20

  let options: StoreOptions
  /// The machine's, since when its monotonic clock runs; nil where the system does not tell.
  public var bootID: BootID? { options.bootID == .unknown ? nil : options.bootID }
  let loop: any Loop
  let disk: any DiskLane
  /// Of the disk's side, whichever environment it has open.
  let account: WriteAccountFile
  private let lock: StoreLock

  /// nil while the environment is being opened again after a failure of its roots, and after `close`.
  var environment: Environment?
  var writer: StoreWriter?
  var registry: RegistryContent
  let secrets: StoreSecrets
  let registryTurn = Turn()
  let reopenTurn = Turn()
  /// A write failed: what the kernel still has in memory of the file may never have reached the disk, see
  /// `StoreOpening.forgetCached`.
  var mistrustsCache = false
  /// Whoever changes rings has it: the packer, a batch, a purge, a reader's confirmation.
  let ringTurn = Turn()
  let bounds: RetentionBounds
  let limits: TableLimits
  let pageSize: Int
  /// Bytes of journal from which on it is moved: 1 MiB, an hour of thirty wearables that nobody moved; in a small store
  /// less.
  let journalLimit: Int
  /// Samples are being moved from the journal into the rings.
  public internal(set) var isPacking = false
  /// About to be.
  var isPackDue = false
  var packTimer: LoopTimer?
  var eventTimer: LoopTimer?
  var accessTimer: LoopTimer?
  var accessDue: Instant?
  var lastMove: Instant
  var latestExtent: StoreExtent
  /// What was evicted in each ring since the last event about it was noted.
  var unnotedLosses: [RingID: RingLoss] = [:]
  var lastLossEvent: Instant?

  /// By the numbers of series, for the sample after sample that asks: a global would have to be asked whether it is
  /// there yet.
  let timeSteps = [1] + Series.all.map(\.timeStep)
  /// Chunk limit and the sealed chunks that may wait, derived from the options.
  let chunkLimit: Int
  let sealedLimit = Store.memoryLimit / ChunkBuffer.capacity

  var current: ChunkBuffer?
  var clockChecked: Instant?
  /// Of this boot; nil: no sample came before a time source.
  var bootClock: BootClock?
  /// Wall clock less monotonic clock when the chunk before was begun, microseconds.
  var lastClockOffset: Int64?
  /// Full chunks, oldest first.
  var sealed: [ChunkBuffer] = []
  /// On their way to the disk, in order. One that is back is waited for with the next one.
  var inFlight: [CommitInFlight] = []
  var commitChain = CommitChain()
  var commitsBegun: UInt64 = 0
  var spare: [ChunkBuffer] = []
  var nextSequence: UInt64
  /// One above the last durable sequence number.
  var durableBelow: UInt64

  /// `keepRun` was called: a hub runs on this store.
  var isRunning = false
  var isClosing = false
  private var closers: [CheckedContinuation<Void, Never>] = []
  private var isClosed = false
  /// The environment is closed for good.
  private(set) var isShut = false
  var commitTimer: LoopTimer?
  var retryTimer: LoopTimer?
  var failuresInARow = 0
  var waiters: [FlushWaiter] = []
  /// Ended before the environment is closed: its reading keeps that in use.
  var backup: BackupSession?
  /// Of wearables that keep readings until they are confirmed.
  var readingLedgers: [WearableID: ReadingLedger] = [:]
  /// Of these the disk may have less, or more, than is known.
  var changedReadings: Set<WearableID> = []
  var corrupt: Set<DamagedChunk> = []
  var latestStatus: StoreStatus

  /// Called after every durable commit of samples.
  public var onCommit: (@LoopActor (CommitReport) -> Void)?
  /// Called when commits begin to fail, when the reason changes, and with nil when they succeed again.
  public var onTrouble: (@LoopActor (HearthError?) -> Void)?

  /// Opens the store at `options.path`, making it if there is none. Reads the disk: meant for the start of a program.
  ///
  /// - Throws: `storeUnwritable` (H4001), `storeForeign` (H4002, nothing touched), `storeNewer` (H4004), `storeInUse`
  ///   (H4005), `storeFull` (H4007), `storeInputOutput` (H4008).
  public static func open(_ options: StoreOptions, loop: any Loop, disk: any DiskLane) throws(HearthError) -> Store {
    var options = options
    options.sizeBytes = max(options.sizeBytes, StoreOptions.minimumSize)
    options.commitBytes = max(options.commitBytes, ChunkBuffer.smallestLimit)
    options.commitEvery = min(max(options.commitEvery, .milliseconds(1)), .seconds(86_400))
    let (lock, environment, secrets) = try StoreOpening.open(options, now: loop.wall)
    do {
      let account = WriteAccountFile(isThreadOfItsOwn: disk.isThreadOfItsOwn)
      let writer = try StoreWriter(environment, options, account: account)
      let registry = try environment.read { transaction throws(DatabaseFailure) in
        try Registry.load(transaction, secrets.vault)
      }
      return Store(options, loop, disk, account, lock, environment, writer, registry, secrets)
    } catch {
      throw HearthError(.storeInputOutput, "\(options.path): \(error.text)")
    }
  }

  private init(
    _ options: StoreOptions, _ loop: any Loop, _ disk: any DiskLane, _ account: WriteAccountFile, _ lock: StoreLock,
    _ environment: Environment,
    _ writer: StoreWriter, _ registry: RegistryContent, _ secrets: StoreSecrets
  ) {
    self.options = options
    self.loop = loop
    self.disk = disk
    self.account = account
    self.lock = lock
    self.environment = environment
    self.writer = writer
    self.registry = registry
    self.secrets = secrets
    chunkLimit = min(ChunkBuffer.capacity, options.commitBytes)
    bounds = options.bounds
    limits = TableLimits(sizeBytes: options.sizeBytes)
    pageSize = environment.pageSize
    journalLimit = min(1 << 20, options.sizeBytes / 8)
    lastMove = loop.now
    let extent = writer.state
    latestExtent = extent
    nextSequence = extent.nextSequence
    durableBelow = extent.nextSequence
    latestStatus = StoreStatus(path: options.path, sizeBytes: options.sizeBytes)
    latestStatus.corruptRecords = registry.corrupt + extent.rings.rebuilt.count
    latestStatus.confirmedAt = (try? readers())?.map(\.confirmedAt).max()
    sealed.reserveCapacity(sealedLimit + 1)
    bootClock = registry.clocks[options.bootID]
    note(CommitOutcome(extent: extent))
    armPackTimer()
    enforceBoundsIfBroken()
    resumeErasures()
    noteMiscounts(environment)
    if let trouble = secrets.trouble { noteEvent(trouble.reason, text: trouble.detail) }
  }

  // MARK: status

  /// Why the store's secrets cannot be read, or are not all sealed; nil where all is well. Stays until the next start.
  public var secretsTrouble: HearthError? { secrets.trouble }

  public var status: StoreStatus {
    var status = latestStatus
    let waiting = sealed + inFlight.flatMap(\.chunks) + (current.map { [$0] } ?? [])
    status.pendingBytes = waiting.reduce(0) { $0 + $1.used }
    status.pendingSamples = waiting.reduce(0) { $0 + $1.count }
    status.corruptChunks = UInt64(corrupt.count)
    status.droppedEvents = droppedEvents
    status.wear = latestExtent.wear.status(budget: options.budgetPerDay, now: loop.wall)
    return status
  }

  func report(_ trouble: HearthError?) {
    if trouble == latestStatus.trouble { return }
    latestStatus.trouble = trouble
    if trouble != nil { backup?.end() }
    onTrouble?(trouble)
  }

  // MARK: closing

  /// Commits what is pending as well as the disk allows, then closes. What could not be committed is counted as
  /// dropped. Idempotent.
  public func close() async {
    if isClosed { return }
    if isClosing {
      await withCheckedContinuation { closers.append($0) }
      return
    }
    isClosing = true
    try? await flush()
    await ringTurn.take()
    await registryTurn.take()
    endRun()
    try? await putEvents()
    try? await putAccesses()
    if let writer { _ = try? await disk.perform { try writer.keepOdometer() } }
    if let timer = eventTimer { loop.cancel(timer) }
    if let timer = accessTimer { loop.cancel(timer) }
    if let timer = retryTimer { loop.cancel(timer) }
    if let timer = commitTimer { loop.cancel(timer) }
    if let timer = packTimer { loop.cancel(timer) }
    let left = (sealed + (current.map { [$0] } ?? [])).reduce(0) { $0 + $1.count }
    latestStatus.droppedSamples += UInt64(left)
    sealed = []
    current = nil
    let environment = environment
    isShut = true
    backup?.end()
    self.environment = nil
    writer = nil
    if let environment { _ = try? await disk.perform { environment.close() } }
    lock.release()
    isClosed = true
    registryTurn.give()
    ringTurn.give()
    for closer in closers { closer.resume() }
    closers = []
  }
}
