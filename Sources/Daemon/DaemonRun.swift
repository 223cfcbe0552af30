// Composition of a hub in real time: store, lights, radio, hub, control socket; torn down in the opposite order. The
// program chooses the radio: the kernel's for hearthd, a simulated one for hearth-sim.

import Bluetooth
public import Configuration
import Control
public import EventLoop
import Glibc
import Hub
public import Lights
import Logging
public import Reasons
import RingStore
import Wearable

/// Run of the daemon: loop, store, radio, hub, socket and LEDs from start to stop.
@LoopActor
public final class DaemonRun {
  private let loop: EpollLoop
  private var settings: Configuration
  private let board: Board?
  /// Reason why the configured board is missing.
  private let troubleWithBoard: HearthError?
  let parts: DaemonParts
  let logger = Logger(label: "hearthd")
  private let manager = ServiceManager()
  private let disk = DiskThread()
  private var stopRequest: CheckedContinuation<Void, Never>?
  private var isStopping = false
  /// Whether the run ends because the radio could not be revived.
  private var radioIsGone = false
  private(set) var hub: Hearth?
  private var metrics: MetricsFile?

  /// - Parameter board: board with LEDs and a button, or the error: the hub then serves without and reports it. nil: no
  ///   board is configured.
  public init(
    _ loop: EpollLoop, _ settings: Configuration, board: Result<Board, HearthError>?, _ parts: DaemonParts
  ) {
    self.loop = loop
    self.settings = settings
    switch board {
    case .success(let board): (self.board, troubleWithBoard) = (board, nil)
    case .failure(let trouble): (self.board, troubleWithBoard) = (nil, trouble)
    case nil: (self.board, troubleWithBoard) = (nil, nil)
    }
    self.parts = parts
  }

  /// Serves until SIGTERM or SIGINT, or until the radio cannot be revived; returns true in that case. Throws the error
  /// that prevents the start, before anything was changed.
  public func run() async throws -> Bool {
    Heap.keepSmall()
    let signals = try SignalWatch(loop) { [weak self] signal in self?.handle(signal) }
    defer { signals.end() }
    let store = try Store.open(storeOptions(), loop: loop, disk: disk)
    defer { disk.shutDown() }
    _ = store.mayLetForget()
    do { try await parts.prepare(store) } catch {
      await store.close()
      throw error
    }
    let (pins, troubleWithPins) = makePins()
    let lights = LightDriver(loop: loop, pins: pins, language: settings.hub.preset == .ward ? .ward : .gym)
    let radio = makeRadio(try? store.radioIdentity())
    let hub = Hearth(
      hubOptions(), loop: loop, radio: radio, store: store, lights: lights, logger: logger, drivers: parts.drivers)
    parts.watchTakeovers(radio) { [weak hub] since, program in hub?.radioTakenOver(since: since, by: program) }
    if let troubleWithPins { hub.note(troubleWithPins) }
    self.hub = hub
    noteUpdate()
    let button = makeButton()
    defer { button?.close() }
    watchNight(lights)
    let door = StoreDoor(hub, store: store, lights: lights) { [unowned self] in settings }
    let server: ControlServer
    let access = AccessRules(
      read: settings.roles.read, operate: settings.roles.operate, administer: settings.roles.administer)
    logger.info("roles on the socket: \(access.summary)")
    do {
      server = try ControlServer(
        loop: loop, service: hub, stored: door, path: settings.control.socket, access: access, logger: logger)
    } catch {
      await store.close()
      throw error
    }
    hub.start()
    manager.ready("serving")
    parts.onServing()
    KeptSmall.begin(loop)
    let metrics = MetricsFile(of: hub, store: store, loop: loop, disk: disk, logger: logger)
    self.metrics = metrics
    metrics.apply(MetricsOptions(settings.metrics))
    startWatchdog()
    await untilStopped()
    manager.stopping()
    await metrics.stop()
    await hub.endSessions()
    server.stop()
    await hub.stop()
    await store.close()
    return radioIsGone
  }

  // MARK: Parts

  private func storeOptions() -> StoreOptions {
    let store = settings.store
    var options = StoreOptions(
      path: store.path, sizeBytes: store.size, commitEvery: store.commitEvery, commitBytes: store.commitBytes)
    options.standardRetention = Retention(store.ring)
    for series in store.seriesWithRings { options.retention[series.id] = Retention(store.ring(of: series)) }
    options.budgetPerDay = store.budgetPerDay.map { UInt64($0) }
    options.wearableShare = store.shareOfDay
    options.awaitedReaders = store.waitFor
    options.timeZone = settings.timeZone
    options.secretsKey = store.secretsKey
    if parts.looksAtMedium { options.lookAtMedium = { StoreMedium.look(at: $0) } }
    // A store of an earlier format is read once from end to end. Reported every percent, which is 15 MB of a usual
    // store.
    options.whileConverting = { [manager] percent in
      manager.starting("overwriting what was in clear in the store: \(percent) %", patience: .seconds(90))
    }
    options.whileCopying = { [manager] in manager.starting("copying the store first: \($0) %", patience: .seconds(90)) }
    options.whileRescuing = { [manager] in
      manager.starting("taking what can be read out of a damaged store", patience: .seconds(90))
    }
    return options
  }

  private func hubOptions() -> HearthOptions {
    var options = HearthOptions()
    options.name = settings.hub.name
    options.givesMemoryBack = true
    options.enrolmentMode = EnrolmentMode(rawValue: settings.enrolment.mode.rawValue) ?? .closed
    options.nearRSSI = settings.enrolment.nearRSSI
    options.window = settings.enrolment.window
    options.pairing = settings.enrolment.pairing == .always ? .always : .enrolment
    options.slice = settings.lane.slice
    options.visitBound = settings.lane.visitBound
    options.absentAfter = settings.lane.absentAfter
    (options.battery.low, options.battery.critical) = (settings.battery.low, settings.battery.critical)
    options.fresh = settings.lane.fresh
    options.visitAt = settings.lane.visitAt
    options.phases = settings.lane.phases
    options.timeZone = settings.timeZone
    options.shareOfDay = settings.store.shareOfDay
    options.backupEvery = settings.backup.to == nil ? nil : settings.backup.every
    options.exportWithin = settings.store.exportWithin
    options.keepsAdvertisedValues = settings.radio.keepsAdvertisedValues
    options.erase = settings.lane.erase == .never ? .never : .verified
    for profile in LinkProfile.allCases { options.profiles[profile] = settings.profiles[profile] }
    options.seed = parts.seed ^ UInt64(bitPattern: loop.wall.microseconds)
    return options
  }

  /// - Parameter identity: the address to give the adapter.
  private func makeRadio(_ identity: RadioIdentity?) -> any Radio {
    var settings = settings
    if let identity, identity.kind == 1 { settings.radio.takenAddress = identity.value }
    if let identity, identity.kind == 2 { settings.radio.takenStaticAddress = identity.value }
    return parts.makeRadio(settings, logger) { [weak self] in
      self?.radioIsGone = true
      self?.handle(.terminate)
    }
  }

  /// LEDs of the board. A hub without access to its LEDs still serves: it reports the error and shows them on a
  /// terminal, if there is one.
  private func makePins() -> (any LightPins, HearthError?) {
    switch settings.lights.board {
    case .none: return (TerminalPins(), nil)
    case .terminal: return (TerminalPins(drawingOn: 2), nil)
    case .file, .named:
      let trouble: HearthError
      do throws(HearthError) {
        if let troubleWithBoard { throw troubleWithBoard }
        guard let board else { return (TerminalPins(), nil) }
        return (try GPIOPins(board), nil)
      } catch { trouble = error }
      logger.error("\(trouble)", metadata: ["CODE": "\(trouble.reason.code)"])
      return (TerminalPins(drawingOn: isatty(2) == 1 ? 2 : nil), trouble)
    }
  }

  /// Button of the board, if it has one. A hub without access to its button serves without.
  private func makeButton() -> GPIOButton? {
    guard let board, board.button != nil else { return nil }
    do { return try GPIOButton(board, loop: loop) { [weak self] action in self?.press(action) } } catch {
      logger.error("\(error)", metadata: ["CODE": "\(error.reason.code)"])
      hub?.note(error)
      return nil
    }
  }

  private func press(_ action: ButtonAction) {
    switch action {
    case .openEnrolment:
      do throws(HearthError) {
        let window = try hub?.openEnrolment(for: Self.buttonWindow)
        logger.notice("the button opened the enrolment window for \(window?.secondsLeft ?? 0) s")
      } catch {
        logger.notice("the button asked for the enrolment window: \(error)", metadata: ["CODE": "\(error.reason.code)"])
      }
    case .locate:
      logger.notice("the button asked which box this is")
      hub?.locate(true)
    case .stop:
      logger.notice("the button asked for a clean stop")
      handle(.terminate)
    }
  }

  /// Duration printed on the card for the lid; independent of the configuration of other windows.
  private static let buttonWindow: Duration = .seconds(120)

  /// Updates the night state when night begins or ends, and every quarter of an hour in case the clock is set.
  private func watchNight(_ lights: LightDriver) {
    let hours = (night: settings.lights.night, off: settings.lights.off)
    let wall = loop.wall.microseconds
    let second = Int((wall / 1_000_000 + Int64(settings.timeZone.offset(at: wall))) % 86_400)
    lights.setNight(hours.night?.contains(second: second), isOff: hours.off?.contains(second: second) ?? false)
    let changes = [hours.night, hours.off].compactMap { $0?.secondsUntilChange(second: second) }
    guard let next = changes.min() else { return }
    loop.schedule(after: .seconds(min(next, 900))) { [weak self] in self?.watchNight(lights) }
  }

  // MARK: Signals

  private func handle(_ signal: DaemonSignal) {
    switch signal {
    case .terminate, .interrupt:
      isStopping = true
      stopRequest?.resume()
      stopRequest = nil
    case .hangUp: reload()
    }
  }

  private func untilStopped() async {
    if isStopping { return }
    await withCheckedContinuation { stopRequest = $0 }
  }

  /// Validates a new configuration first. If it is refused, the present one stays in force, and the lights show it
  /// until a valid one comes.
  private func reload() {
    guard let path = parts.configurationPath else { return }
    manager.reloading(at: loop.now)
    defer { manager.ready("serving") }
    noteUpdate()
    do {
      let next = try Configuration.load(path: path)
      settings = next
      JournalLog.setLevel(next.log.level)
      hub?.apply(hubOptions())
      metrics?.apply(MetricsOptions(next.metrics))
      hub?.noteConfiguration(nil)
      logger.notice("configuration reloaded; radio, store, lights and socket take effect at the next start")
    } catch {
      logger.error(
        "\(Reason.configReloadRefused.code) config: kept the old configuration: \(error)",
        metadata: ["CODE": "\(Reason.configReloadRefused.code)"])
      hub?.noteConfiguration(HearthError(.configReloadRefused, error.detail))
    }
  }

  private func startWatchdog() {
    guard let interval = manager.watchdogInterval else { return }
    manager.aliveSign()
    loop.schedule(after: interval) { [weak self] in self?.startWatchdog() }
  }
}

extension Retention {
  init(_ ring: Configuration.Ring) {
    self.init(quota: ring.quota, keep: ring.keep, whenFull: ring.whenFull == .refuse ? .refuse : .evict)
  }
}
