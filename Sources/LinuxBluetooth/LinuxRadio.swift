// The kernel's radio as the hub sees it: advertisements heard, links made one after another, and always an answer to
// "why not".

public import Bluetooth
public import EventLoop
import Glibc
public import Logging

/// The radio of a Linux machine, over the kernel's own Bluetooth sockets: the management channel for the adapter and
/// its scan, an L2CAP socket for the ATT channel of each wearable. Needs no bluetoothd; needs CAP_NET_ADMIN (see
/// NOTES.md).
///
/// It never throws away what it was told to do: whatever happens to the adapter, it says so with a reason and keeps
/// trying.
@LoopActor
public final class LinuxRadio: Radio {
  public var onAdvertisement: (@LoopActor (Advertisement) -> Void)? {
    get { scanner.onAdvertisement }
    set { scanner.onAdvertisement = newValue }
  }
  public var onStateChange: (@LoopActor (RadioState) -> Void)?

  /// Attempts in a row that ended without an answer of a wearable that was heard, after which the controller is
  /// suspected instead.
  private static let suspiciousTimeouts = 3
  /// From this revision of the management interface on, loading one entry changes the link it is for.
  private static let liveUpdateRevision: UInt16 = 23

  let loop: any Loop
  private let kernel: any RadioKernel
  let counters: RadioCounters
  private let scanner: Scanner
  let adapter: Adapter
  let tuner: LinkTuner
  let broker: PairingBroker
  private let logger: Logger
  private(set) var ledger: SlotLedger
  /// An adapter served before in this run.
  private var hasServed = false
  private var slotsTold: Int?
  /// What a controller was found to carry, to be given as `learnedSlots` at the next start; nil: that is no longer
  /// believed.
  public var onSlotsLearned: (@LoopActor (Int?) -> Void)?
  private var isReconciling = false
  private var mustReconcile = false

  /// The attempt in progress.
  private var attempt: (any ChannelAttempt)?
  private(set) var isAttempting = false
  public var asksForNames = false { didSet { if asksForNames, !oldValue { askForNames() } } }
  var isAskingForNames = false
  private var timeoutsInARow = 0
  private var open: [BluetoothAddress: OpenLink] = [:]
  private let abandoned: AbandonedLinks

  /// A channel of ours, and what the management channel said about its link.
  private struct OpenLink {
    var bearer: (any RadioBearer)?
    var evidence = LinkEvidence()
    /// How its end was judged, once it was.
    var end: LinkError?
  }

  public convenience init(loop: EpollLoop, options: LinuxRadioOptions, logger: Logger) {
    let counters = RadioCounters()
    var timing = AdapterTiming()
    timing.quiet = max(options.silence, .seconds(10))
    let kernel = LinuxKernel(
      loop: loop, counters: counters, stamps: options.stampFile, helperRequest: options.helperRequest)
    self.init(loop: loop, kernel: kernel, options: options, timing: timing, counters: counters, logger: logger)
  }

  /// For tests: another kernel, other waits.
  init(
    loop: any Loop, kernel: any RadioKernel, options: LinuxRadioOptions, timing: AdapterTiming, counters: RadioCounters,
    logger: Logger
  ) {
    self.loop = loop
    self.kernel = kernel
    self.counters = counters
    self.logger = logger
    ledger = SlotLedger(options.slots)
    if let limit = options.learnedSlots { ledger.believe(limit, at: loop.now) }
    scanner = Scanner(loop: loop, counters: counters)
    adapter = Adapter(
      loop: loop, kernel: kernel, options: options, timing: timing, scanner: scanner, counters: counters, logger: logger
    )
    tuner = LinkTuner(
      loop: loop, channel: adapter.channel, observer: HCIObserver(loop: loop, kernel: kernel, counters: counters),
      counters: counters)
    broker = PairingBroker(loop: loop, channel: adapter.channel, counters: counters, logger: logger)
    abandoned = AbandonedLinks(loop: loop, channel: adapter.channel, counters: counters, logger: logger)
  }

  /// Not ready from the moment in which the kernel says that the adapter is off or gone, before it is judged why: an
  /// attempt made then costs a wearable one of its turns.
  public var state: RadioState {
    adapter.state == .ready && !adapter.settings.contains(.powered) ? .starting : adapter.state
  }

  public func start() {
    adapter.onStateChange = { [weak self] in self?.changed($0) }
    adapter.onLinkEvent = { [weak self] in self?.handle($0) }
    adapter.onLinks = { [weak self] links, isFresh in
      self?.report(links, isFresh: isFresh)
    }
    adapter.linkCount = { [weak self] in self?.ledger.count ?? 0 }
    adapter.pairs = { [weak self] in self?.broker.onRequest != nil }
    adapter.keys = { [weak self] in (self?.broker.identityKeys ?? [], self?.broker.longTermKeys ?? []) }
    tuner.isConnecting = { [weak self] in self?.isAttempting ?? false }
    tuner.onEncryption = { [weak self] address, status in self?.broker.encryptionChanged(address, status) }
    tuner.onMismatch = { [weak self] in self?.broker.decryptionFailed($0) }
    abandoned.index = { [weak self] in self?.state == .ready ? self?.adapter.identity?.index : nil }
    broker.bearer = { [weak self] in self?.openBearer($0) }
    broker.onKeysChanged = { [weak self] in self?.adapter.reloadKeys() }
    adapter.start()
  }

  public func shutDown() async {
    asksForNames = false
    attempt?.abort(.aborted)
    for link in open.values { link.bearer?.close(immediately: false) }
    tuner.serve(nil)
    broker.adapterGone()
    await adapter.end()
  }

  public func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer
  {
    precondition(!isAttempting, "a second connect while one is running")
    guard state == .ready, let identity = adapter.identity else { throw .adapterGone }
    if open[address] != nil { throw .system(errno: EISCONN) }
    if ledger.isFull(at: loop.now), !ledger.links.contains(address) { throw .slotsFull }
    isAttempting = true
    counters.attempts += 1
    defer {
      isAttempting = false
      attempt = nil
      scanner.seek(nil)
    }
    open[address] = OpenLink()
    abandoned.wanted(address)
    scanner.seek(address)
    do throws(LinkError) {
      await loadParameters(parameters, address, deadline)
      if Task.isCancelled { throw .aborted }
      if state != .ready { throw .adapterGone }
      let attempt = kernel.attempt(request(address, identity, deadline))
      self.attempt = attempt
      let bearer = try await attempt.run()
      open[address]?.bearer = bearer
      timeoutsInARow = 0
      tuner.opened(bearer, with: parameters)
      return bearer
    } catch {
      if error == .adapterGone { await untilJudged() }
      open[address] = nil
      abandoned.gaveUp(address)
      noteFailure(error)
      throw error
    }
  }

  private func request(_ address: BluetoothAddress, _ identity: AdapterIdentity, _ deadline: Instant) -> ChannelRequest
  {
    let kind: BluetoothAddress.Kind = adapter.settings.contains(.staticAddress) ? .leRandom : .lePublic
    return ChannelRequest(
      local: BluetoothAddress(value: identity.address, kind: kind), peer: address, deadline: deadline,
      explain: { [weak self] code, wasOpen in self?.explain(address, code, wasOpen) ?? .aborted },
      wasHeard: { [weak self] in self?.scanner.foundSought ?? false },
      ended: { [weak self] bearer, immediately in self?.ended(bearer, immediately) })
  }

  /// Every link starts as it should: the kernel reuses whatever the last link of this wearable ended with. Failing
  /// costs speed, not the link.
  private func loadParameters(_ parameters: ConnectionParameters, _ address: BluetoothAddress, _ deadline: Instant)
    async
  {
    do throws(ManagementError) { try await tuner.load(parameters, address, until: deadline) } catch {
      logger.info("connection parameters of \(address) could not be loaded: \(error)")
    }
  }

  func openBearer(_ address: BluetoothAddress) -> (any RadioBearer)? { open[address]?.bearer }

  /// What an errno means, with what the kernel has said about this link and about the adapter by now.
  private func explain(_ address: BluetoothAddress, _ code: Int32, _ wasOpen: Bool) -> LinkError {
    adapter.catchUp()
    tuner.observer.catchUp()
    var evidence = open[address]?.evidence ?? LinkEvidence()
    evidence.wasHeard = scanner.foundSought
    evidence.adapterServes = adapter.settings.contains(.powered)
    let meaning =
      wasOpen
      ? broker.refine(address, LinkTrouble.whileConnected(code, evidence)) : LinkTrouble.whileConnecting(code, evidence)
    open[address]?.end = meaning
    return meaning
  }

  private func ended(_ bearer: any Bearer, _ immediately: Bool) {
    counters.linksEnded += 1
    let meaning = open.removeValue(forKey: bearer.address)?.end ?? .aborted
    tuner.closed(bearer.address)
    broker.ended(bearer.address, meaning)
    if immediately, let identity = adapter.identity, state == .ready {
      adapter.channel.send(.disconnect(bearer.address), index: identity.index, timeout: ManagementChannel.queuedTimeout)
    }
  }

  private func noteFailure(_ error: LinkError) {
    counters.attemptsFailed += 1
    switch error {
    case .slotsFull:
      ledger.refused(at: loop.now)
      tellSlots()
      logger.notice("the controller carries no more than \(ledger.slots(at: loop.now)) links")
    case .timedOut:
      timeoutsInARow += 1
      if timeoutsInARow >= Self.suspiciousTimeouts {
        timeoutsInARow = 0
        adapter.suspect()
      }
    default: timeoutsInARow = 0
    }
  }

  /// The kernel's list, at every initialisation. Another adapter than before carries another number of links; the first
  /// one of a run may well be the one that was learned before.
  private func report(_ links: [BluetoothAddress], isFresh: Bool) {
    if isFresh, hasServed {
      ledger.forget()
      tellSlots()
    }
    hasServed = true
    tuner.forgetEntries()
    ledger.rebuild(links)
  }

  /// Tells what was learned when that changed, also when it is no longer believed.
  private func tellSlots() {
    let limit = ledger.learnedLimit(at: loop.now)
    if limit == slotsTold { return }
    slotsTold = limit
    onSlotsLearned?(limit)
    if limit != nil { loop.schedule(after: SlotLedger.memory) { [weak self] in self?.tellSlots() } }
  }

  private func changed(_ state: RadioState) {
    if state == .ready, let identity = adapter.identity {
      tuner.kernelUpdates = adapter.managementRevision >= Self.liveUpdateRevision
      tuner.serve(identity.index)
      broker.index = identity.index
    } else {
      attempt?.abort(.adapterGone)
      ledger.rebuild([])
      tuner.serve(nil)
      broker.adapterGone()
    }
    onStateChange?(state)
  }

  private func handle(_ event: ManagementEvent) {
    switch event {
    case .connected(let address):
      ledger.connected(address)
      open[broker.linkAddress(address)]?.evidence = LinkEvidence()  // what came before was about the link before
      reconcile()
    case .disconnected(let address, let reason):
      ledger.disconnected(address)
      open[broker.linkAddress(address)]?.evidence.disconnectReason = reason
      reconcile()
    case .connectFailed(let address, let status): open[address]?.evidence.connectStatus = status
    case .newConnectionParameters(let address, let parameters): tuner.asked(broker.linkAddress(address), parameters)
    default: broker.handle(event)
    }
  }

  /// Events can be lost when a buffer overflows; the list cannot. One question at a time, asked again if something
  /// moved meanwhile.
  private func reconcile() {
    mustReconcile = true
    if isReconciling { return }
    isReconciling = true
    loop.spawn { await self.reconcileUntilStill() }
  }

  private func reconcileUntilStill() async {
    defer { isReconciling = false }
    while mustReconcile, state == .ready, let identity = adapter.identity {
      mustReconcile = false
      guard let reply = try? await adapter.channel.perform(.getConnections, index: identity.index) else { return }
      if !mustReconcile, state == .ready, let links = ManagementReply.connections(reply) { ledger.rebuild(links) }
    }
  }
}
