// The whole daemon except the kernel, in a virtual world: hub, store, lights and radio. It can be stopped, killed and
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

/// Setup of a simulated hub.
public struct SimulatedHubOptions: Sendable {
  /// Settings of the hub.
  public var hub = HearthOptions()
  /// Properties of the controller.
  public var radio = VirtualRadioOptions()
  /// Further adapters; all serve as one radio.
  public var furtherRadios: [VirtualRadioOptions] = []
  /// Longest time between two commits, as in the configuration file.
  public var commitEvery: Duration = .seconds(15)
  /// Bytes of samples at which a commit is made.
  public var commitBytes = 4096
  /// Bound of the store in bytes.
  public var storeBytes = 512 << 20
  /// Longest time until an enrolled strap in range streams again; see `HubWatch`.
  public var starvationBound: Duration = .seconds(120)
  /// Longest time until an enrolled wearable in range that stores data is visited and its data fetched.
  public var visitBound: Duration = .seconds(1800)
  /// Interval of the continuous checks, 5 s.
  public var watchEvery: Duration = .seconds(5)

  /// Defaults of the daemon, with a smaller store.
  public init() {}
}

/// Simulated hub; its disk and its world outlive its process.
@LoopActor
public final class SimulatedHub {
  /// Surroundings of the hub.
  public let world: VirtualWorld
  /// Setup of the hub.
  public private(set) var options: SimulatedHubOptions
  /// Checks of the run.
  public let watch: HubWatch
  private let scratch = ScratchDirectory()
  private var disk: String
  private var lives = 0
  private var process: Process?

  private let drivers: [any WearableDriver]
  private let tail: EventTail?

  /// - Parameters:
  ///   - drivers: drivers of the families it supports.
  ///   - tail: receives the hub's log; nil: no log.
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

  /// The running components. Access while the hub is not running is a bug of the simulation (traps).
  public var hearth: Hearth { running.hearth }
  /// Store of the running hub.
  public var store: Store { running.store }
  /// LEDs of the running hub.
  public var lights: LightDriver { running.lights }
  /// First radio of the running hub.
  public var radio: VirtualRadio { running.radios[0] }
  /// Radios of all adapters.
  public var radios: [VirtualRadio] { running.radios }

  private var running: Process {
    guard let process else { preconditionFailure("the simulated hub does not run") }
    return process
  }

  /// Moves the machine to another time zone, from the next start on.
  public func move(to zone: TimeZoneRules) { options.hub.timeZone = zone }

  /// Starts the daemon: opens the store, lets `prepare` work on it before the hub uses it, and serves.
  ///
  /// - Throws: a `HearthError` of `Store.open`, or the error of `prepare`. The hub then does not run.
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

  /// Starts the daemon with enrolled wearables of several families, in this order.
  ///
  /// - Throws: a `HearthError` of `Store.open` or `Store.enrol`. The hub then does not run.
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

  /// True while the hub runs.
  public var isRunning: Bool { process != nil }

  /// Starts the daemon with these enrolled straps, in this order.
  ///
  /// - Throws: a `HearthError` of `Store.open` or `Store.enrol`. The hub then does not run.
  public func start(enrolling straps: [VirtualPeripheral]) async throws {
    try await start { store in
      for (index, strap) in straps.enumerated() {
        _ = try await store.enrol(
          name: "strap-\(index + 1)", addressValue: strap.address.value, addressKind: strap.address.kind.rawValue,
          driver: "heart-rate", kind: "HR strap")
      }
    }
  }

  /// Removes a wearable from the registry like an operator; its stored data stays, or is purged. The checkers assign
  /// later values to another enrolment.
  ///
  /// - Throws: `noSuchWearable`, or the store's error, see `Store`.
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

  /// SIGTERM: all pending data is stored.
  public func stop() async {
    let process = running
    watch.hubStopped()
    await process.hearth.stop()
    await process.store.close()
    self.process = nil
  }

  /// SIGKILL at this instant: memory is lost, the kernel ends the links, the disk keeps committed data.
  ///
  /// The disk is modelled at the granularity of commits: the next life finds the result of the last completed
  /// operation. The effect of a power cut on unsynced pages is tested on a real file system, in the lab.
  public func kill() async {
    let process = running
    watch.hubKilled(window: options.commitEvery)
    for radio in process.radios { radio.die() }
    process.loop.die()
    process.disk.die()
    self.process = nil
    // Objects of a killed process are never freed by its own code. Otherwise tasks that wait in it would be resumed.
    _ = Unmanaged.passRetained(process)
    // Jobs queued at this instant run into the dead loop and the dead disk, and end there.
    for _ in 0..<8 { await Task.yield() }
    // A store that was never closed is opened from a copy, as a new process would find it.
    let copy = scratch.subdirectory("disk-\(lives)")
    for file in ["data.mdb", "journal.log", "secrets.key"] {
      ScratchDirectory.copy("\(disk)/\(file)", to: "\(copy)/\(file)")
    }
    // The dead process keeps its mapping of the old file for ever. Its memory can be freed when time has passed, which
    // only happens after the last job of this instant. A job that read zeros would end the simulation.
    world.loop.schedule(after: .nanoseconds(1)) { [disk] in
      ScratchDirectory.empty("\(disk)/data.mdb")
      ScratchDirectory.remove(disk)
    }
    disk = copy
  }

  /// Returns the durable samples, in order.
  ///
  /// - Throws: a `HearthError` of `Store.open`, or why the store cannot be read, see `Store`.
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

  /// Rows of a backup at this moment.
  ///
  /// - Throws: the errors of `Store.beginBackup` and `BackupSession.page`.
  public func backup(samples: Bool) async throws(HearthError) -> [BackupRow] {
    let session = try await store.beginBackup(samples: samples)
    var rows: [BackupRow] = []
    while true {
      let page = try session.page()
      rows += BackupRow.parse(page.bytes) ?? []
      if page.isLast { return rows }
    }
  }

  /// Destroys the hub and its card at this instant; the next start is that of a spare hub restored from a backup.
  ///
  /// - Throws: the errors of `StoreRestore`.
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

/// Life of the daemon, from start to stop or kill.
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
