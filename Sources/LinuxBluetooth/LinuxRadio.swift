// The kernel's radio as the hub sees it: advertisements heard, links made, several of them waited for at once, and
// always an answer to "why not".

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

  /// From this revision of the management interface on, loading one entry changes the link it is for.
  private static let liveUpdateRevision: UInt16 = 23

  let loop: any Loop
  private let kernel: any RadioKernel
  let counters: RadioCounters
  private let scanner: Scanner
  let adapter: Adapter
  let tuner: LinkTuner
  let broker: PairingBroker
  let logger: Logger
  var ledger: SlotLedger
  /// An adapter served before in this run.
  private var hasServed = false
  private var slotsTold: Int?
  /// What a controller was found to carry, to be given as `learnedSlots` at the next start; nil: that is no longer
  /// believed.
  public var onSlotsLearned: (@LoopActor (Int?) -> Void)?
  var isReconciling = false
  var mustReconcile = false

  /// Nil while its parameters are loaded.
  private var attempts: [BluetoothAddress: (any ChannelAttempt)?] = [:]
  var isAttempting: Bool { !attempts.isEmpty }
  private static let attemptLimit = 12  // so many a kernel was seen to take
  /// From loading parameters, which drops those of all who are not being connected yet, to connect(2).
  private let beginning = Turn()
  public var asksForNames = false { didSet { if asksForNames, !oldValue { askForNames() } } }
  var isAskingForNames = false
  private var answering = Answering()
  private var open: [BluetoothAddress: OpenLink] = [:]
  private let abandoned: AbandonedLinks
  private var owned: Set<BluetoothAddress> = []
  private let ending: EndingLinks

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
    ending = EndingLinks(loop: loop)
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

  public func start() { start(owning: []) }

  public func start(owning owned: Set<BluetoothAddress>) {
    self.owned = owned
    adapter.onStateChange = { [weak self] in self?.changed($0) }
    adapter.onLinkEvent = { [weak self] in self?.handle($0) }
    adapter.onLinks = { [weak self] in self?.report($0, isFresh: $1) }
    adapter.pulse.isLinkBeingMade = { [scanner] in scanner.hasFoundAny }
    adapter.linkCount = { [weak self] in self?.ledger.count ?? 0 }
    adapter.pairs = { [weak self] in self?.broker.onRequest != nil }
    adapter.keys = { [weak self] in (self?.broker.keys.identityKeys ?? [], self?.broker.keys.longTermKeys ?? []) }
    tuner.isConnecting = { [weak self] in self?.isAttempting ?? false }
    tuner.onEncryption = { [weak self] address, status in self?.broker.encryptionChanged(address, status) }
    tuner.onMismatch = { [weak self] in self?.broker.decryptionFailed($0) }
    abandoned.index = { [weak self] in self?.state == .ready ? self?.adapter.identity?.index : nil }
    broker.bearer = { [weak self] in self?.openBearer($0) }
    broker.onKeysChanged = { [weak self] in self?.adapter.reloadKeys() }
    broker.hangUp = { [weak self] in self?.tuner.observer.disconnect($0) }
    broker.isBondable = { [weak self] in self?.adapter.isBondable ?? false }
    broker.becomeBondable = { [weak self] in await self?.adapter.becomeBondable() ?? false }
    adapter.start()
  }

  public func shutDown() async {
    asksForNames = false
    abortAll(.aborted)
    for link in open.values { link.bearer?.close(immediately: false) }
    tuner.serve(nil)
    broker.adapterGone()
    await adapter.end()
  }

  public func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer
  {
    if attempts[address] != nil || open[address] != nil { throw .taken }
    if attempts.count >= Self.attemptLimit { throw .attemptsFull }
    guard state == .ready, let identity = adapter.identity else { throw .adapterGone }
    if ledger.isFull(at: loop.now), !ledger.links.contains(address) { throw .slotsFull }
    attempts[address] = .some(nil)
    counters.attempts += 1
    defer {
      attempts[address] = nil
      scanner.endSeeking(address)
    }
    open[address] = OpenLink()
    abandoned.wanted(address)
    scanner.seek(address)
    do throws(LinkError) {
      let bearer = try await attempt(address, identity, deadline, parameters)
      open[address]?.bearer = bearer
      answering.linked(address)
      tuner.opened(bearer, with: parameters)
      return bearer
    } catch {
      if error == .adapterGone { await untilJudged() }
      open[address] = nil
      abandoned.gaveUp(address)
      noteFailure(error, address)
      throw error
    }
  }

  private func attempt(
    _ address: BluetoothAddress, _ identity: AdapterIdentity, _ deadline: Instant, _ parameters: ConnectionParameters
  ) async throws(LinkError) -> any RadioBearer {
    await ending.wait(for: broker.kernelAddress(of: address), until: deadline)
    await beginning.take()
    var hasBegun = false
    let begun: @LoopActor () -> Void = { [beginning] in
      if hasBegun { return }
      hasBegun = true
      beginning.give()
    }
    defer { begun() }
    await loadParameters(parameters, address, deadline)
    if Task.isCancelled { throw .aborted }
    if state != .ready { throw .adapterGone }
    var request = request(address, identity, deadline)
    request.begun = begun
    let attempt = kernel.attempt(request)
    attempts[address] = attempt
    return try await attempt.run()
  }

  private func abortAll(_ error: LinkError) { for attempt in attempts.values { attempt?.abort(error) } }

  private func request(_ address: BluetoothAddress, _ identity: AdapterIdentity, _ deadline: Instant) -> ChannelRequest
  {
    let kind: BluetoothAddress.Kind = adapter.settings.contains(.staticAddress) ? .leRandom : .lePublic
    return ChannelRequest(
      local: BluetoothAddress(value: identity.address, kind: kind), peer: address, deadline: deadline,
      explain: { [weak self] code, wasOpen in self?.explain(address, code, wasOpen) ?? .aborted },
      wasHeard: { [weak self] in self?.scanner.hasFound(address) ?? false },
      isMasked: { [weak self] in self?.scanner.isMasked(address) ?? false },
      ended: { [weak self, ending] bearer, immediately in
        let name = self?.broker.kernelAddress(of: bearer.address) ?? bearer.address
        if immediately, self?.ledger.links.contains(name) == true { ending.began(name) }
        self?.ended(bearer, immediately)
      })
  }

  func openBearer(_ address: BluetoothAddress) -> (any RadioBearer)? { open[address]?.bearer }

  /// What an errno means, with what the kernel has said about this link and about the adapter by now.
  private func explain(_ address: BluetoothAddress, _ code: Int32, _ wasOpen: Bool) -> LinkError {
    adapter.catchUp()
    tuner.observer.catchUp()
    var evidence = open[address]?.evidence ?? LinkEvidence()
    evidence.wasHeard = scanner.hasFound(address)
    evidence.adapterServes = adapter.settings.contains(.powered)
    let meaning =
      wasOpen
      ? broker.refine(address, LinkTrouble.whileConnected(code, evidence)) : LinkTrouble.whileConnecting(code, evidence)
    open[address]?.end = meaning
    return meaning
  }

  private func ended(_ bearer: any Bearer, _ immediately: Bool) {
    counters.linksEnded += 1
    let name = broker.kernelAddress(of: bearer.address)
    let meaning = open.removeValue(forKey: bearer.address)?.end ?? .aborted
    tuner.closed(bearer.address)
    broker.ended(bearer.address, meaning)
    if immediately, let identity = adapter.identity, state == .ready {
      adapter.channel.send(.disconnect(name), index: identity.index, timeout: ManagementChannel.queuedTimeout)
    }
  }

  private func noteFailure(_ error: LinkError, _ address: BluetoothAddress) {
    counters.attemptsFailed += 1
    switch error {
    case .slotsFull:
      ledger.refused(at: loop.now)
      tellSlots()
      logger.notice("the controller carries no more than \(ledger.slots(at: loop.now)) links")
    case .timedOut: if answering.timedOut(address) { adapter.suspect() }
    default: break
    }
  }

  /// The kernel's list, at every initialisation. Another adapter than before carries another number of links; the first
  /// one of a run may well be the one that was learned before.
  private func report(_ links: [BluetoothAddress], isFresh: Bool) {
    if isFresh, hasServed {
      ledger.forget()
      tellSlots()
    }
    // A kernel may keep a link whose process was killed (NOTES.md).
    if !hasServed { for address in links where owned.contains(address) { abandoned.gaveUp(address) } }
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
      abortAll(.adapterGone)
      ledger.rebuild([])
      ending.forget()
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
      ending.ended(address)
      open[broker.linkAddress(address)]?.evidence.disconnectReason = reason
      reconcile()
    case .connectFailed(let address, let status): open[address]?.evidence.connectStatus = status
    case .newConnectionParameters(let address, let parameters): tuner.asked(broker.linkAddress(address), parameters)
    default: broker.handle(event)
    }
  }
}
