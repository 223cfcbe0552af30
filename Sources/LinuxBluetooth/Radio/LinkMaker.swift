// Links to wearables: several attempts at once, started one after the other, and the interpretation of each end.

import Bluetooth
import EventLoop
import Glibc

@LoopActor
final class LinkMaker {
  private static let attemptLimit = 12  // the kernel was seen to take this many

  private let means: AdapterMeans
  private let adapter: Adapter
  private let tuner: LinkTuner
  private let broker: PairingBroker
  private let slots: SlotKeeper
  /// Nil while the parameters are being loaded.
  private var attempts: [BluetoothAddress: (any ChannelAttempt)?] = [:]
  /// Mutex from loading parameters to connect(2): a load drops those of all wearables that are not being connected yet.
  private let beginning = Turn()
  private var answering = Answering()
  private var open: [BluetoothAddress: OpenLink] = [:]
  private let abandoned: AbandonedLinks
  private let ending: EndingLinks

  /// A channel of ours, with the management events about its link.
  private struct OpenLink {
    var bearer: (any RadioBearer)?
    var evidence = LinkEvidence()
    /// Interpretation of its end, if it has ended.
    var end: LinkError?
  }

  init(_ adapter: Adapter, _ tuner: LinkTuner, _ broker: PairingBroker, _ slots: SlotKeeper) {
    means = adapter.means
    self.adapter = adapter
    self.tuner = tuner
    self.broker = broker
    self.slots = slots
    abandoned = AbandonedLinks(
      loop: means.loop, channel: means.channel, counters: means.counters, logger: means.logger)
    ending = EndingLinks(loop: means.loop)
    abandoned.index = { [weak adapter] in adapter?.usableState == .ready ? adapter?.identity?.index : nil }
  }

  var isAttempting: Bool { !attempts.isEmpty }

  /// Ends all attempts and links when the daemon ends.
  func end() {
    abortAll(.aborted)
    for link in open.values { link.bearer?.close(immediately: false) }
  }

  /// Called when no adapter serves.
  func adapterGone() {
    abortAll(.adapterGone)
    ending.forget()
  }

  /// Notes that the kernel has a link without a channel.
  func gaveUp(_ address: BluetoothAddress) { abandoned.gaveUp(address) }

  /// See `Radio.connect`.
  func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer
  {
    if attempts[address] != nil || open[address] != nil { throw .taken }
    if attempts.count >= Self.attemptLimit { throw .attemptsFull }
    guard adapter.usableState == .ready, let identity = adapter.identity else { throw .adapterGone }
    if slots.isFull, !slots.contains(address) { throw .slotsFull }
    attempts[address] = .some(nil)
    means.counters.attempts += 1
    defer {
      attempts[address] = nil
      means.scanner.endSeeking(address)
    }
    open[address] = OpenLink()
    abandoned.wanted(address)
    means.scanner.seek(address)
    do throws(LinkError) {
      let bearer = try await attempt(address, identity, deadline, parameters)
      open[address]?.bearer = bearer
      answering.linked(address)
      tuner.opened(bearer, with: parameters)
      return bearer
    } catch {
      if error == .adapterGone { await untilJudged() }
      let evidence = open.removeValue(forKey: address)?.evidence
      abandoned.gaveUp(address)
      noteFailure(error, address, isRefusal: evidence?.isRefusal ?? false)
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
    if adapter.usableState != .ready { throw .adapterGone }
    var request = request(address, identity, deadline)
    request.begun = begun
    let attempt = means.kernel.attempt(request)
    attempts[address] = attempt
    return try await attempt.run()
  }

  func abortAll(_ error: LinkError) { for attempt in attempts.values { attempt?.abort(error) } }

  private func request(_ address: BluetoothAddress, _ identity: AdapterIdentity, _ deadline: Instant) -> ChannelRequest
  {
    var local = identity.bluetoothAddress
    if adapter.settings.contains(.staticAddress) { local = BluetoothAddress(value: local.value, kind: .leRandom) }
    return ChannelRequest(
      local: local, peer: address, deadline: deadline,
      explain: { [weak self] code, wasOpen in self?.explain(address, code, wasOpen) ?? .aborted },
      wasHeard: { [weak self] in self?.means.scanner.hasFound(address) ?? false },
      isMasked: { [weak self] in self?.means.scanner.isMasked(address) ?? false },
      ended: { [weak self, ending] bearer, immediately in
        let name = self?.broker.kernelAddress(of: bearer.address) ?? bearer.address
        if immediately, self?.slots.contains(name) == true { ending.began(name) }
        self?.ended(bearer, immediately)
      })
  }

  func openBearer(_ address: BluetoothAddress) -> (any RadioBearer)? { open[address]?.bearer }

  /// Interprets an errno with the kernel's events so far about this link and the adapter.
  private func explain(_ address: BluetoothAddress, _ code: Int32, _ wasOpen: Bool) -> LinkError {
    adapter.catchUp()
    tuner.observer.catchUp()
    var evidence = open[address]?.evidence ?? LinkEvidence()
    evidence.wasHeard = means.scanner.hasFound(address)
    evidence.adapterServes = adapter.settings.contains(.powered)
    let meaning =
      wasOpen
      ? broker.refine(address, LinkTrouble.whileConnected(code, evidence)) : LinkTrouble.whileConnecting(code, evidence)
    open[address]?.end = meaning
    return meaning
  }

  private func ended(_ bearer: any Bearer, _ immediately: Bool) {
    means.counters.linksEnded += 1
    let name = broker.kernelAddress(of: bearer.address)
    let meaning = open.removeValue(forKey: bearer.address)?.end ?? .aborted
    tuner.closed(bearer.address)
    broker.ended(bearer.address, meaning)
    if immediately, let identity = adapter.identity, adapter.usableState == .ready {
      adapter.channel.send(.disconnect(name), index: identity.index, timeout: ManagementChannel.queuedTimeout)
    }
  }

  private func noteFailure(_ error: LinkError, _ address: BluetoothAddress, isRefusal: Bool) {
    means.counters.attemptsFailed += 1
    switch error {
    case .slotsFull: slots.refused()
    case .timedOut: if answering.timedOut(address) { adapter.suspect() }
    case .system where isRefusal:
      let isSick = answering.refused(address, hasLinks: slots.count > 0, at: means.loop.now)
      if isSick { adapter.refusesLinks() }
    default: break
    }
  }

  /// Sets the parameters of the new link: the kernel would reuse those that the wearable's last link ended with.
  /// Failing costs speed, not the link.
  private func loadParameters(_ parameters: ConnectionParameters, _ address: BluetoothAddress, _ deadline: Instant)
    async
  {
    do throws(ManagementError) { try await tuner.load(parameters, address, until: deadline) } catch {
      means.logger.info("connection parameters of \(address) could not be loaded: \(error)")
    }
  }

  /// Waits until the adapter's failure is published, a moment after the kernel reported it. An attempt that failed
  /// because of it ends only after that. Otherwise the hub, still unaware, would make one attempt after another and use
  /// up the wearable's turns.
  private func untilJudged() async {
    for _ in 0..<20 where adapter.state == .ready && !adapter.settings.contains(.powered) {
      do { try await means.loop.sleep(for: .milliseconds(50)) } catch { return }
    }
  }

  // MARK: Link events of the kernel

  func connected(_ address: BluetoothAddress) {
    slots.connected(address)
    open[broker.linkAddress(address)]?.evidence = LinkEvidence()  // earlier events concern the previous link
  }

  func disconnected(_ address: BluetoothAddress, _ reason: DisconnectReason) {
    slots.disconnected(address, isLost: reason == .timeout)
    ending.ended(address)
    open[broker.linkAddress(address)]?.evidence.disconnectReason = reason
  }

  func connectFailed(_ address: BluetoothAddress, _ status: ManagementStatus) {
    open[address]?.evidence.connectStatus = status
  }
}
