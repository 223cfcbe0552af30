// Connection parameters, pairing and keys of the virtual radio.

public import Bluetooth
import EventLoop

// MARK: - Parameters

extension VirtualRadio {
  /// Requests other parameters for a link.
  ///
  /// - Throws: why the request failed.
  public func update(_ address: BluetoothAddress, to parameters: ConnectionParameters) async throws(LinkError)
    -> EffectiveParameters
  {
    precondition(parameters.defect == nil, "illegal parameters were asked for")
    ledger.updatesAsked += 1
    guard state == .ready, !isDead else { throw .adapterGone }
    guard let link = openLink(address) else { throw .linkLost }
    guard options.updatesLiveLinks, !random.chance(world.faults.refusedParameters) else {
      ledger.updatesRefused += 1
      return link.parameters
    }
    // Only a working controller accepts the command; otherwise the kernel's wait times out.
    if controller.isHung {
      try? await loop.sleep(for: .seconds(2))
      await comeBack()
      throw .timedOut
    }
    let changed = await withCheckedContinuation { continuation in
      agree(parameters, on: link, source: .assumed) { continuation.resume(returning: $0) }
    }
    await comeBack()
    guard let changed else { throw .linkLost }
    return changed
  }

  /// Parameters in effect; nil: no link.
  public func parameters(of address: BluetoothAddress) -> EffectiveParameters? { openLink(address)?.parameters }

  /// Whether a wearable's request is granted.
  func judge(_ wanted: ConnectionParameters, of link: VirtualLink) -> Bool {
    ledger.updatesAskedByWearables += 1
    let refused = random.chance(world.faults.refusedParameters)
    if wanted.defect != nil || wanted.maximumInterval > options.longestInterval || refused || isDead
      || isElsewhere(wanted)
    {
      ledger.updatesRefused += 1
      return false
    }
    return true
  }

  /// Whether the fixed interval is outside the requested range.
  private func isElsewhere(_ wanted: ConnectionParameters) -> Bool {
    guard options.holdsInterval, let held = options.preferredInterval else { return false }
    return !(min(wanted.minimumInterval, wanted.maximumInterval)...wanted.maximumInterval).contains(held)
  }

  /// Starts the change of a link; `done` gets the resulting parameters, or nil if the link ended before.
  func agree(
    _ wanted: ConnectionParameters, on link: VirtualLink, source: EffectiveParameters.Source,
    done: @escaping @LoopActor (EffectiveParameters?) -> Void
  ) {
    link.change(to: choose(wanted, source: options.observesLinks ? .observed : source)) { [weak self] changed in
      done(changed)
      if let self, changed != nil { tellParameters(of: link) }
    }
  }

  /// Parameters that the controller chooses from a range.
  func choose(_ wanted: ConnectionParameters, source: EffectiveParameters.Source) -> EffectiveParameters {
    let range = wanted.minimumInterval...wanted.maximumInterval
    var interval = UInt16(random.integer(in: Int(range.lowerBound)...Int(range.upperBound)))
    if let preferred = options.preferredInterval { interval = min(max(preferred, range.lowerBound), range.upperBound) }
    // A hub that cannot observe must assume the upper end; here that is also what the controller chooses.
    if !options.observesLinks { interval = range.upperBound }
    return EffectiveParameters(
      interval: interval, latency: wanted.latency, timeout: wanted.timeout, source: source, since: loop.now)
  }

  private func tellParameters(of link: VirtualLink) {
    let late = drawsLateEvent()
    let doubled = random.chance(world.faults.doubledEvent)
    if late {
      loop.schedule(after: lateness()) { [weak self, weak link] in if let link { self?.reportParameters(of: link) } }
    } else {
      reportParameters(of: link)
    }
    if doubled {
      loop.schedule(after: .milliseconds(1)) { [weak self, weak link] in
        if let link { self?.reportParameters(of: link) }
      }
    }
  }

  private func reportParameters(of link: VirtualLink) {
    if link.isOpen, !isDead { onParameters?(link.peripheral.address, link.parameters) }
  }

  func drawsLateEvent() -> Bool { random.chance(world.faults.lateEvent) }
  func lateness() -> Duration { world.faults.latestEvent * random.fraction() }

  func openLink(_ address: BluetoothAddress) -> VirtualLink? {
    controller.links.first { $0.isOpen && $0.peripheral.address == address }
  }
}

// MARK: - Pairing and keys

/// Pairing or encryption in progress on one link: the waiting task, and whether the operator's consent is needed.
@LoopActor
final class LinkSecurity {
  var waiting: [CheckedContinuation<LinkError?, Never>] = []
  var timer: LoopTimer?
  var waitsForAnswer = false
  private let loop: any Loop

  init(_ loop: any Loop) { self.loop = loop }

  func finish(_ error: LinkError?) {
    if let timer { loop.cancel(timer) }
    timer = nil
    let continuations = waiting
    waiting = []
    for continuation in continuations { continuation.resume(returning: error) }
  }

  func linkEnded(_ error: LinkError) { finish(error) }
}

extension VirtualRadio {
  /// A pairing without an answer fails after this (Core specification, volume 3, part H, 3.4).
  private static var pairingPatience: Duration { .seconds(30) }
  /// Connection events of Just Works with Secure Connections: public keys, confirmation, two nonces, two checks,
  /// encryption, keys.
  private static var pairingEvents: Int { 14 }
  private static var encryptionEvents: Int { 6 }

  /// Replaces all keys.
  public func setKeys(_ keys: [BondKeys]) { self.keys = keys }

  /// Deletes the keys of a wearable, and ends its link.
  public func forgetKeys(of address: BluetoothAddress) async {
    keys.removeAll { $0.address == address }
    openLink(address)?.end(.aborted)
  }

  /// Encrypts a link, with pairing if there is no key.
  ///
  /// - Throws: why it failed.
  public func secure(_ bearer: any Bearer) async throws(LinkError) {
    guard let bearer = bearer as? VirtualBearer, bearer.link.isOpen, !isDead else { throw .linkLost }
    let link = bearer.link
    if link.isSecured { return }
    let work = link.security ?? begin(link)
    let failure = await withCheckedContinuation { work.waiting.append($0) }
    await comeBack()
    if let failure { throw failure }
  }

  /// An SMP Security Request of the wearable: the kernel encrypts with the key it has, otherwise asks whether to pair.
  func securityAsked(on link: VirtualLink) {
    if link.isSecured || link.security != nil || isDead { return }
    begin(link)
  }

  @discardableResult
  private func begin(_ link: VirtualLink) -> LinkSecurity {
    let work = LinkSecurity(loop)
    link.security = work
    let address = link.peripheral.address
    if let known = key(of: address) {
      take(.encryption, Self.encryptionEvents, link, work) { [weak self] in
        if link.peripheral.bond == known { self?.secured(link) } else { self?.failed(link, .keyMissing) }
      }
    } else if onPairingRequest == nil {
      after(2, link, work) { [weak self] in self?.failed(link, .authenticationFailed) }
    } else {
      take(.features, 2, link, work) { [weak self] in
        guard let self else { return }
        work.waitsForAnswer = true
        work.timer = loop.schedule(after: Self.pairingPatience) { [weak self] in
          if let self, !isDead { failed(link, .authenticationFailed) }
        }
        onPairingRequest?(PairingRequest(address: address, kind: .justWorks))
      }
    }
    return work
  }

  /// Answers a pairing that waits for a person; otherwise without effect.
  public func answer(_ address: BluetoothAddress, _ answer: PairingAnswer) {
    guard let link = openLink(address), let work = link.security, work.waitsForAnswer else { return }
    work.waitsForAnswer = false
    if let timer = work.timer { loop.cancel(timer) }
    guard answer == .yes else { return failed(link, .authenticationFailed) }
    take(.exchange, Self.pairingEvents, link, work) { [weak self] in self?.pair(link) }
  }

  private func pair(_ link: VirtualLink) {
    let wearable = link.peripheral
    let fails = random.chance(world.faults.failedPairing)
    if fails || !wearable.acceptsPairing { return failed(link, .authenticationFailed) }
    let secret = (0..<16).map { _ in UInt8(random.below(256)) }
    wearable.bond = wearable.givesKey ? secret : nil
    let made = BondKeys(
      address: wearable.address, longTermKeys: [Self.longTermKey(secret, of: wearable.address)].compactMap(\.self))
    guard wearable.givesKey else { return failed(link, .keyNotGiven) }
    if case .refused(let error) = onKeys?(wearable.address, made) ?? .refused(.keyNotGiven) {
      return failed(link, error)
    }
    keys.removeAll { $0.address == wearable.address }
    keys.append(made)
    ledger.pairings += 1
    secured(link)
  }

  private func secured(_ link: VirtualLink) {
    link.isSecured = true
    let work = link.security
    link.security = nil
    link.peripheral.linkSecured()
    work?.finish(nil)
  }

  /// A refusal ends a link only if its own side requested security: a wearable that merely asked continues without. A
  /// key that the other side does not know ends every link.
  private func failed(_ link: VirtualLink, _ error: LinkError) {
    guard let work = link.security else { return }
    link.security = nil
    if error == .keyMissing { ledger.keysMissing += 1 } else { ledger.pairingsFailed += 1 }
    link.peripheral.securityFailed()
    let hubWantedIt = !work.waiting.isEmpty
    work.finish(error)
    onPairingFailed?(link.peripheral.address, error)
    if error == .keyMissing || hubWantedIt { link.end(error) }
  }

  /// Step of both sides, at which a tapped wearable may stall. Pairing ends 30 s after its last packet (Core
  /// specification, volume 3, part H, 3.4). Encryption ends 40 s after the request (volume 6, part B, 5.2: the link is
  /// lost). Either ends the link, as in the kernel.
  private func take(
    _ kind: PeerTap.SecurityStep, _ events: Int, _ link: VirtualLink, _ work: LinkSecurity,
    _ step: @escaping @LoopActor () -> Void
  ) {
    guard let stall = link.peripheral.tap?.stall(at: kind) else { return after(events, link, work, step) }
    var wait = kind == .encryption ? Duration.seconds(40) : Self.pairingPatience
    var isSilent = true
    if case .slow(let extra) = stall { (wait, isSilent) = (extra, false) }
    work.timer = loop.schedule(after: wait) { [weak self, weak link] in
      guard let self, !isDead, let link, link.isOpen, link.security === work else { return }
      work.timer = nil
      if !isSilent { return after(events, link, work, step) }
      let error: LinkError = kind == .encryption ? .linkLost : .authenticationFailed
      failed(link, error)
      link.end(error)
    }
  }

  /// Executes the next step unless the link or the work ended meanwhile.
  private func after(_ events: Int, _ link: VirtualLink, _ work: LinkSecurity, _ step: @escaping @LoopActor () -> Void)
  {
    let span = Duration.microseconds(1250 * Int64(link.parameters.interval) * Int64(events))
    work.timer = loop.schedule(after: span) { [weak self, weak link] in
      guard let self, !isDead, let link, link.isOpen, link.security === work else { return }
      work.timer = nil
      // Out of range there is no response; the supervision timeout decides.
      if controller.isHung || !link.peripheral.isInRange { return after(events, link, work, step) }
      step()
    }
  }

  private func key(of address: BluetoothAddress) -> [UInt8]? {
    keys.first { $0.address == address }?.longTermKeys.first.map { Array($0.record.suffix(16)) }
  }

  /// A key of kind 2 (P-256, not authenticated), as the kernel reports it.
  private static func longTermKey(_ secret: [UInt8], of address: BluetoothAddress) -> LongTermKey? {
    let octets = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> (8 * UInt64($0))) }
    return LongTermKey(
      octets + [address.kind == .lePublic ? 1 : 2, 2, 1, 16] + [UInt8](repeating: 0, count: 10) + secret)
  }
}
