// The store: samples and wearables, durable, ordered, bounded.
//
// Caveats first:
// - A power cut, or kill -9, loses the uncommitted samples: those of the last `commitEvery`, at most `commitBytes`. The
//   batch on its way to the disk is lost too. Commits are lost as a whole or not at all. A card that reports a write
//   too early can lose more.
// - The file grows to `sizeBytes` and never shrinks; then the oldest chunks are deleted to make room.
// - Samples lie in the journal for up to half an hour before they are moved into their rings; reading knows both.
// - Only one process writes (`hearth.lock`). Other processes read only through `StoreReader`, at their own risk. It
//   refuses while a daemon runs: ask the daemon. Never copy `data.mdb` while it is written to, and never put it on a
//   network file system.
// - A flipped bit in a chunk or a record is found and costs that chunk or record. Damage in LMDB's own pages costs the
//   content of those pages (`StoreRescue`).
// - A read transaction that stays open makes the file fill up with old pages. Here each lasts for one page of samples.
// - Rings are bounded. Data to be kept for ever have to be exported.

public import EventLoop
public import Reasons

/// An open store. Everything is called on the loop; what waits for the disk is done on the disk lane and awaited.
///
/// Composed of owners that know only those above them here; what takes several of them stands in the files beside this.
///
/// Errors that many functions share:
/// - *why the store cannot be read*: `storeInputOutput`. `storeFailing` after `close`, and while the store is opened
///   again after a failed write.
/// - *the disk's error*, of a write: `storeFull`; `storeDamaged` if the store's pages contradict each other;
///   `storeFailing` for all other failures, also of a closed store. `storeInputOutput` if a read that the write depends
///   on fails.
/// - *the store's error*: any of these.
@LoopActor
public final class Store {
  private let lock: StoreLock
  let disk: StoreDisk
  let keeper: StatusKeeper
  let registry: RegistryKeeper
  let accessLog: AccessKeeper
  let live: LiveCommits
  let packer: Packer
  let custodian: Custodian
  let records: RecordsKeeper
  /// Ended before the environment is closed: its reading keeps that in use.
  private var backup: BackupSession?
  private var closers: [CheckedContinuation<Void, Never>] = []
  private var isClosed = false

  /// Opens the store at `options.path`, making it if it is missing. Reads the disk: meant for the start of a program.
  ///
  /// - Throws: `storeUnwritable` (H4001), `storeForeign` (H4002, files left untouched), `storeNewer` (H4004),
  ///   `storeInUse` (H4005), `storeFull` (H4007), `storeInputOutput` (H4008).
  public static func open(_ options: StoreOptions, loop: any Loop, disk: any DiskLane) throws(HearthError) -> Store {
    var options = options
    options.sizeBytes = max(options.sizeBytes, StoreOptions.minimumSize)
    options.commitBytes = max(options.commitBytes, ChunkBuffer.smallestLimit)
    options.commitEvery = min(max(options.commitEvery, .milliseconds(1)), .seconds(86_400))
    let (lock, environment, secrets, journal) = try StoreOpening.open(options, now: loop.wall)
    do {
      let account = WriteAccountFile(isThreadOfItsOwn: disk.isThreadOfItsOwn)
      let writer = try StoreWriter(environment, options, account: account, journal: journal)
      let registry = try environment.read { transaction throws(DatabaseFailure) in
        try Registry.load(transaction, secrets.vault)
      }
      return Store(
        StoreDisk(options, loop, disk, account, environment, writer), lock, registry, secrets)
    } catch {
      throw HearthError(.storeInputOutput, "\(options.path): \(error.text)")
    }
  }

  private init(_ disk: StoreDisk, _ lock: StoreLock, _ content: RegistryContent, _ secrets: StoreSecrets) {
    self.disk = disk
    self.lock = lock
    let extent = disk.writer?.state ?? StoreSummary()
    let events = EventLog(disk, content.events, turn: Turn())
    keeper = StatusKeeper(disk, events, extent, corruptRecords: content.corrupt + extent.rings.rebuilt.count)
    registry = RegistryKeeper(disk, events, content, secrets)
    accessLog = AccessKeeper(disk, registry, content.accesses)
    let clock = BootClockKeeper(disk, keeper, content.clocks[disk.options.bootID])
    let readings = ReadingKeeper(registry, events)
    live = LiveCommits(
      disk, keeper, ChunkLine(disk, keeper, clock, nextSequence: extent.nextSequence), readings)
    packer = Packer(disk, keeper, live)
    custodian = Custodian(disk, keeper, registry, packer)
    records = RecordsKeeper(disk, registry)
    disk.observer = self
    registry.onForgotten = { [weak readings] in readings?.forget($0) }
    live.onBack = { [weak packer] in packer?.packIfDue() }
    begin(extent)
  }

  private func begin(_ extent: StoreSummary) {
    let confirmed = (try? readers())?.filter { disk.options.awaits($0.name) }.map(\.confirmedAt).max()
    keeper.count { $0.confirmedAt = confirmed }
    keeper.note(CommitOutcome(extent: extent))
    disk.noteQuarantined()
    packer.arm()
    records.arm()
    packer.enforceBoundsIfBroken()
    resumeErasures()
    if let environment = disk.environment { keeper.noteMiscounts(environment) }
    if let trouble = secretsTrouble { noteEvent(trouble.reason, text: trouble.detail) }
  }

  // MARK: Status

  var events: EventLog { keeper.events }

  /// The machine's boot, which its monotonic clock counts from; nil if the system does not report it.
  public var bootID: BootID? { disk.options.bootID == .unknown ? nil : disk.options.bootID }

  /// Reason why the store's secrets cannot be read, or are not all sealed; nil if they can and are. Stays until the
  /// next start.
  public var secretsTrouble: HearthError? { registry.secrets.trouble }

  /// Status at this moment.
  public var status: StoreStatus {
    var status = keeper.status
    (status.pendingBytes, status.pendingSamples) = live.pending
    return status
  }

  /// Called when commits begin to fail, when the reason changes, and with nil when they succeed again.
  public var onTrouble: (@LoopActor (HearthError?) -> Void)? {
    get { keeper.onTrouble }
    set { keeper.onTrouble = newValue }
  }

  /// Looks at what holds the store, which may have been mounted otherwise since it was asked last. What it finds is in
  /// the status and, if it is trouble, among the events. Whatever lets a wearable forget asks this first: a removal,
  /// and the confirmation of a reading that is kept until then.
  ///
  /// 0.4 ms on a PC with 40 mounts: it reads the kernel's list of them.
  public func mayLetForget() -> Bool { keeper.mayLetForget() }

  /// Notes the medium of the store, as `StoreMedium.look` found it; its trouble is reported as long as it is so.
  public func note(_ medium: StoreMedium) { keeper.note(medium) }

  // MARK: Backups

  /// Registers the running backup, or nil at its end; the one before ends.
  func hold(_ session: BackupSession?) {
    backup?.end()
    backup = session
  }

  // MARK: Closing

  /// Commits what is pending as well as the disk allows, then closes. What could not be committed is counted as
  /// dropped. Idempotent.
  public func close() async {
    if isClosed { return }
    if disk.isClosing {
      await withCheckedContinuation { closers.append($0) }
      return
    }
    disk.begin(.closing)
    try? await live.flush()
    await packer.turn.take()
    await registry.turn.take()
    registry.endRun()
    try? await events.put()
    try? await accessLog.put()
    if let writer = disk.writer { _ = try? await disk.perform { try writer.close() } }
    await records.keep()
    records.end()
    events.end()
    accessLog.end()
    live.end()
    packer.end()
    await disk.shut()
    lock.release()
    isClosed = true
    registry.turn.give()
    packer.turn.give()
    for closer in closers { closer.resume() }
    closers = []
  }
}

extension Store: StoreDiskObserver {
  func note(_ outcome: CommitOutcome) { keeper.note(outcome) }
  func noteMiscounts(_ environment: Environment) { keeper.noteMiscounts(environment) }
  func noteQuarantined(_ numbers: [UInt64]) { keeper.noteQuarantined(numbers) }
  func environmentCloses() { backup?.end() }
}
