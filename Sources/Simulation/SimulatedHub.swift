// The whole daemon but the kernel, in a virtual world: hub, store, lights and radio, which can be stopped, killed and
// started again.

public import Bluetooth
public import CivilTime
public import EventLoop
public import Hub
public import Lights
import Logging
public import Reasons
public import RingStore
public import Wearable

/// How a simulated hub is set up.
public struct SimulatedHubOptions: Sendable {
  public var hub = HearthOptions()
  public var radio = VirtualRadioOptions()
  /// Further adapters: all serve as one radio.
  public var furtherRadios: [VirtualRadioOptions] = []
  /// As in the configuration file.
  public var commitEvery: Duration = .seconds(15)
  public var commitBytes = 4096
  public var storeBytes = 512 << 20
  /// A present, enrolled strap streams again after at most this long; see `HubWatch`.
  public var starvationBound: Duration = .seconds(120)
  /// A present, enrolled wearable that keeps data is visited, and what it holds is fetched, within this.
  public var visitBound: Duration = .seconds(1800)
  /// How often the continuous checks look.
  public var watchEvery: Duration = .seconds(5)

  public init() {}
}

/// One simulated hub box. Its disk and its world outlive its process.
@LoopActor
public final class SimulatedHub {
  public let world: VirtualWorld
  public private(set) var options: SimulatedHubOptions
  public let watch: HubWatch
  private let scratch = ScratchDirectory()
  private var disk: String
  private var lives = 0
  private var process: Process?

  private let drivers: [any WearableDriver]
  private let tail: EventTail?

  /// - Parameters:
  ///   - drivers: the families it knows.
  ///   - tail: where the hub's log goes; nil: nowhere.
  public init(
    _ world: VirtualWorld, drivers: [any WearableDriver], options: SimulatedHubOptions = SimulatedHubOptions(),
    tail: EventTail? = nil
  ) {
    self.world = world
    self.drivers = drivers
    self.tail = tail
    self.options = options
    disk = scratch.subdirectory("disk-0")
    watch = HubWatch(world, options)
  }

  /// The running parts. A simulation that asks for them while nothing runs is wrong (traps).
  public var hearth: Hearth { running.hearth }
  public var store: Store { running.store }
  public var lights: LightDriver { running.lights }
  public var radio: VirtualRadio { running.radios[0] }
  /// Of all adapters.
  public var radios: [VirtualRadio] { running.radios }

  private var running: Process {
    guard let process else { preconditionFailure("the simulated hub does not run") }
    return process
  }

  /// Its machine is carried to another zone, which counts from the next start on.
  public func move(to zone: TimeZoneRules) { options.hub.timeZone = zone }

  /// Starts the daemon: opens the store, lets `prepare` work on it before the hub sees it, and serves.
  public func start(prepare: @LoopActor (Store) async throws -> Void = { _ in }) async throws {
    precondition(process == nil, "the simulated hub runs already")
    let loop = MortalLoop(world.loop)
    let lane = MortalDiskLane()
    let store = try openStore(loop, lane)
    try await prepare(store)
    lives += 1
    var hubOptions = options.hub
    hubOptions.seed = world.seed
    hubOptions.shareOfDay = hubOptions.shareOfDay ?? options.storeBytes / 10
    let (radio, radios) = world.makeRadio([options.radio] + options.furtherRadios, loop)
    let lights = LightDriver(loop: loop, pins: RecordingPins(loop: loop), language: .gym)
    let logger = tail?.logger(label: "hub") ?? Logger(label: "hub", factory: { _ in SwiftLogNoOpLogHandler() })
    let hearth = Hearth(
      hubOptions, loop: loop, radio: radio, store: store, lights: lights, logger: logger, drivers: drivers)
    process = Process(loop, lane, radios, store, lights, hearth)
    hearth.start()
    watch.hubStarted(hearth, radio, radios, store, lights)
  }

  /// Starts the daemon with wearables of several families in its registry, in this order.
  public func start(enrolling wearables: [(name: String, peripheral: VirtualPeripheral, driver: String, kind: String)])
    async throws
  {
    try await start { store in
      for (name, peripheral, driver, kind) in wearables {
        _ = try await store.enrol(
          name: name, addressValue: peripheral.address.value, addressKind: peripheral.address.kind.rawValue,
          driver: driver, kind: kind)
      }
    }
  }

  public var isRunning: Bool { process != nil }

  /// Starts the daemon with these straps in its registry, in this order.
  public func start(enrolling straps: [VirtualPeripheral]) async throws {
    try await start { store in
      for (index, strap) in straps.enumerated() {
        _ = try await store.enrol(
          name: "strap-\(index + 1)", addressValue: strap.address.value, addressKind: strap.address.kind.rawValue,
          driver: "heart-rate", kind: "HR strap")
      }
    }
  }

  /// An operator takes a wearable off the registry; what the store has of it stays, or is purged. The checkers hold
  /// later values against another enrolment.
  public func forget(_ name: String, purging: Bool = false) async throws(HearthError) {
    let record = store.wearables.first { $0.name == name }
    try await hearth.forget(name)
    guard let record else { return }
    watch.noteForgotten(record.id, record.address)
    if !purging { return }
    let plan = try await store.purgePlan(SampleQuery(wearables: [record.id]))
    _ = try await store.purge(plan)
    watch.notePurged(record.id)
  }

  /// SIGTERM: everything pending is kept.
  public func stop() async {
    let process = running
    watch.hubStopped()
    await process.hearth.stop()
    await process.store.close()
    self.process = nil
  }

  /// SIGKILL at this instant: memory is gone, the kernel ends the links, the disk keeps what was committed.
  ///
  /// The disk is a model at the grain of commits: what the last completed operation left is what the next life finds.
  /// What a power cut does to pages that were not synced is tried on a real file system, in the lab.
  public func kill() async {
    let process = running
    watch.hubKilled(window: options.commitEvery)
    for radio in process.radios { radio.die() }
    process.loop.die()
    process.disk.die()
    self.process = nil
    // What a killed process held is never freed by its own code. Tasks that wait inside it would otherwise be told so.
    _ = Unmanaged.passRetained(process)
    // Jobs that were queued at this instant run into the dead loop and the dead disk, and end there.
    for _ in 0..<8 { await Task.yield() }
    // A store that its owner never closed is opened from a copy, as a new process would find it.
    let copy = scratch.subdirectory("disk-\(lives)")
    for file in ["data.mdb", "secrets.key"] { ScratchDirectory.copy("\(disk)/\(file)", to: "\(copy)/\(file)") }
    // The dead process keeps its mapping of the old file for ever; its memory can go when time has passed, which it
    // does only after the last job of this instant. A job that read zeros would end the simulation.
    world.loop.schedule(after: .nanoseconds(1)) { [disk] in
      ScratchDirectory.empty("\(disk)/data.mdb")
      ScratchDirectory.remove(disk)
    }
    disk = copy
  }

  /// All that is durable, in order.
  public func storedSamples() async throws -> [StoredSample] {
    if let process { return try await readAll(process.store) }
    let store = try openStore(world.loop, InlineDiskLane())
    let samples = try await readAll(store)
    await store.close()
    return samples
  }

  /// Address of every wearable that was ever enrolled, by its number in the store.
  public func addresses() -> [WearableID: BluetoothAddress] { watch.addresses }

  private func readAll(_ store: Store) async throws(HearthError) -> [StoredSample] {
    var samples: [StoredSample] = []
    let session = try await store.export(SampleQuery())
    while let page = try await session.next(limit: 10_000) {
      precondition(page.corruptChunks == 0 && page.unknownSamples == 0, "the simulated disk does not corrupt")
      samples.append(contentsOf: page.samples)
    }
    return samples
  }

  /// What a backup of this moment has.
  public func backup(samples: Bool) async throws(HearthError) -> [BackupRow] {
    let session = try await store.beginBackup(samples: samples)
    var rows: [BackupRow] = []
    while true {
      let page = try session.page()
      rows += BackupRow.parse(page.bytes) ?? []
      if page.isLast { return rows }
    }
  }

  /// The box dies at this instant, its card with it; the next start is that of a spare that was restored from a backup.
  public func destroy(restoring rows: [BackupRow]) async throws(HearthError) {
    await kill()
    disk = scratch.subdirectory("spare-\(lives)")
    let restoring = try StoreRestore(storeOptions)
    try restoring.add(rows)
    try restoring.finish(format: UInt16(storeFormat), madeAt: world.loop.wall, now: world.loop.wall)
  }

  private func openStore(_ loop: any Loop, _ lane: any DiskLane) throws(HearthError) -> Store {
    try Store.open(storeOptions, loop: loop, disk: lane)
  }

  private var storeOptions: StoreOptions {
    let boot = BootID(high: world.seed, low: 1)
    var storeOptions = StoreOptions(
      path: disk, sizeBytes: options.storeBytes, commitEvery: options.commitEvery, commitBytes: options.commitBytes,
      bootID: boot)
    storeOptions.wearableShare = options.storeBytes / 10
    storeOptions.timeZone = options.hub.timeZone
    return storeOptions
  }
}

/// One life of the daemon, from start to stop or kill.
@LoopActor
private final class Process {
  let loop: MortalLoop
  let disk: MortalDiskLane
  let radios: [VirtualRadio]
  let store: Store
  let lights: LightDriver
  let hearth: Hearth

  init(
    _ loop: MortalLoop, _ disk: MortalDiskLane, _ radios: [VirtualRadio], _ store: Store, _ lights: LightDriver,
    _ hearth: Hearth
  ) {
    self.loop = loop
    self.disk = disk
    self.radios = radios
    self.store = store
    self.lights = lights
    self.hearth = hearth
  }
}
