// The kernel's radio as the hub sees it: advertisements heard, links made one after another, and always an answer to "why not".

public import Bluetooth
public import EventLoop
import Glibc
public import Logging
import Reasons

/// The radio of a Linux machine, over the kernel's own Bluetooth sockets: the management channel for the adapter and its scan, an
/// L2CAP socket for the ATT channel of each wearable. Needs no bluetoothd; needs CAP_NET_ADMIN (see NOTES.md).
///
/// It never throws away what it was told to do: whatever happens to the adapter, it says so with a reason and keeps trying.
@LoopActor
public final class LinuxRadio: Radio {
  public var onAdvertisement: (@LoopActor (Advertisement) -> Void)? {
    get { scanner.onAdvertisement }
    set { scanner.onAdvertisement = newValue }
  }
  public var onStateChange: (@LoopActor (RadioState) -> Void)?

  /// Attempts in a row that ended without an answer of a wearable that was heard, after which the controller is suspected instead.
  private static let suspiciousTimeouts = 3
  /// The kernel must be done with one load of parameters before it is given the next (a race that only its newest versions close).
  private static let parameterPause: Duration = .milliseconds(50)

  private let loop: any Loop
  private let kernel: any RadioKernel
  private let counters: RadioCounters
  private let scanner: Scanner
  private let adapter: Adapter
  private let logger: Logger
  private var ledger: SlotLedger
  private var isReconciling = false
  private var mustReconcile = false

  /// The attempt in progress.
  private var attempt: (any ChannelAttempt)?
  private var isAttempting = false
  private var timeoutsInARow = 0
  private var parametersLoaded: Instant?
  private var open: [BluetoothAddress: OpenLink] = [:]

  /// A channel of ours, and what the management channel said about its link.
  private struct OpenLink {
    var bearer: (any Bearer)?
    var evidence = LinkEvidence()
  }

  public convenience init(loop: EpollLoop, options: LinuxRadioOptions, logger: Logger) {
    let counters = RadioCounters()
    self.init(loop: loop, kernel: LinuxKernel(loop: loop, counters: counters), options: options, timing: AdapterTiming(), counters: counters, logger: logger)
  }

  /// For tests: another kernel, other waits.
  init(loop: any Loop, kernel: any RadioKernel, options: LinuxRadioOptions, timing: AdapterTiming, counters: RadioCounters, logger: Logger) {
    self.loop = loop
    self.kernel = kernel
    self.counters = counters
    self.logger = logger
    ledger = SlotLedger(options.slots)
    scanner = Scanner(loop: loop, counters: counters)
    adapter = Adapter(loop: loop, kernel: kernel, options: options, timing: timing, scanner: scanner, counters: counters, logger: logger)
  }

  public var state: RadioState { adapter.state }

  public var facts: RadioFacts {
    let identity = adapter.identity
    return RadioFacts(
      adapter: identity?.name ?? "none", address: identity?.bluetoothAddress, bus: identity.map { "\($0.bus)" } ?? "none", links: ledger.count,
      slots: ledger.slots(at: loop.now), isScanning: state == .ready && adapter.monitor != nil && !isAttempting, warnings: warnings,
      counters: counters.listed)
  }

  public func start() {
    adapter.onStateChange = { [weak self] in self?.changed($0) }
    adapter.onLinkEvent = { [weak self] in self?.handle($0) }
    adapter.onLinks = { [weak self] links, isFresh in
      if isFresh { self?.ledger.forget() }
      self?.ledger.rebuild(links)
    }
    adapter.linkCount = { [weak self] in self?.ledger.count ?? 0 }
    adapter.start()
  }

  public func shutDown() async {
    attempt?.abort(.aborted)
    for link in open.values { link.bearer?.close(immediately: false) }
    await adapter.end()
  }

  public func connect(to address: BluetoothAddress, deadline: Instant) async throws(LinkError) -> any Bearer {
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
    scanner.seek(address)
    do throws(LinkError) {
      await loadParameters(address, identity.index, deadline)
      if Task.isCancelled { throw .aborted }
      if state != .ready { throw .adapterGone }
      let attempt = kernel.attempt(request(address, identity, deadline))
      self.attempt = attempt
      let bearer = try await attempt.run()
      open[address]?.bearer = bearer
      timeoutsInARow = 0
      return bearer
    } catch {
      open[address] = nil
      noteFailure(error)
      throw error
    }
  }

  private func request(_ address: BluetoothAddress, _ identity: AdapterIdentity, _ deadline: Instant) -> ChannelRequest {
    let kind: BluetoothAddress.Kind = adapter.settings.contains(.staticAddress) ? .leRandom : .lePublic
    return ChannelRequest(
      local: BluetoothAddress(value: identity.address, kind: kind), peer: address, deadline: deadline,
      explain: { [weak self] code, wasOpen in self?.explain(address, code, wasOpen) ?? .aborted },
      ended: { [weak self] bearer, immediately in self?.ended(bearer, immediately) })
  }

  /// Every link starts quick: the kernel reuses whatever the last link of this wearable ended with. Failing costs speed, not the link.
  private func loadParameters(_ address: BluetoothAddress, _ index: UInt16, _ deadline: Instant) async {
    assert(ConnectionParameters.foreground.defect == nil)
    if let parametersLoaded, loop.now < parametersLoaded + Self.parameterPause { try? await loop.sleep(until: parametersLoaded + Self.parameterPause) }
    let limit = min(ManagementChannel.ordinaryTimeout, deadline - loop.now)
    if limit <= .zero { return }
    do throws(ManagementError) {
      try await adapter.channel.perform(.loadConnectionParameters(address, .foreground), index: index, timeout: limit)
    } catch {
      logger.info("connection parameters of \(address) could not be loaded: \(error)")
    }
    parametersLoaded = loop.now
  }

  /// What an errno means, with what the kernel has said about this link and about the adapter by now.
  private func explain(_ address: BluetoothAddress, _ code: Int32, _ wasOpen: Bool) -> LinkError {
    adapter.catchUp()
    var evidence = open[address]?.evidence ?? LinkEvidence()
    evidence.wasHeard = scanner.foundSought
    evidence.adapterServes = adapter.settings.contains(.powered)
    return wasOpen ? LinkTrouble.whileConnected(code, evidence) : LinkTrouble.whileConnecting(code, evidence)
  }

  private func ended(_ bearer: any Bearer, _ immediately: Bool) {
    counters.linksEnded += 1
    open[bearer.address] = nil
    if immediately, let identity = adapter.identity, state == .ready {
      adapter.channel.send(.disconnect(bearer.address), index: identity.index, timeout: ManagementChannel.queuedTimeout)
    }
  }

  private func noteFailure(_ error: LinkError) {
    counters.attemptsFailed += 1
    switch error {
    case .slotsFull:
      ledger.refused(at: loop.now)
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

  private func changed(_ state: RadioState) {
    if state != .ready {
      attempt?.abort(.adapterGone)
      ledger.rebuild([])
    }
    onStateChange?(state)
  }

  private func handle(_ event: ManagementEvent) {
    switch event {
    case .connected(let address):
      ledger.connected(address)
      open[address]?.evidence = LinkEvidence()  // what came before was about the link before
      reconcile()
    case .disconnected(let address, let reason):
      ledger.disconnected(address)
      open[address]?.evidence.disconnectReason = reason
      reconcile()
    case .connectFailed(let address, let status): open[address]?.evidence.connectStatus = status
    case .newConnectionParameters: counters.parametersAsked += 1
    default: break
    }
  }

  /// Events can be lost when a buffer overflows; the list cannot. One question at a time, asked again if something moved meanwhile.
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

  private var warnings: [HearthError] {
    var found: [HearthError] = []
    if let trouble = adapter.trouble { found.append(trouble) }
    if let identity = adapter.identity, identity.hasUnprogrammedAddress {
      found.append(HearthError(.adapterAddressUnprogrammed, "\(identity.name) has the factory default address \(identity.bluetoothAddress)"))
    }
    if !adapter.bluetoothDaemons.isEmpty {
      let processes = adapter.bluetoothDaemons.map { "\($0)" }.joined(separator: ", ")
      found.append(
        HearthError(
          .bluetoothdClash,
          "bluetoothd is running (process \(processes)): its start removes our scan, its stop powers the adapter off, its discovery takes the scan, it answers pairing before us"))
    }
    return found
  }
}
