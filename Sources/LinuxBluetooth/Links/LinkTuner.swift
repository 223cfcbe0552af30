// Tracks the connection parameters of every open link and changes them: through the kernel if it can, else by a command
// of our own.
//
//     the kernel has an entry for the wearable   Load Connection Parameters: it sends LE Connection Update
//       and changes live links
//     it has no entry (any load for a wearable   the same load again: the first one made the entry
//       it does not know drops the others' entries)
//     it sees no change, or is too old for it    LE Connection Update through the observer
//
// Whether a command was sent is observed, not assumed: its status reaches the observer within milliseconds.

import Bluetooth
import EventLoop
import Glibc

@LoopActor
final class LinkTuner {
  /// Time until a command reaches the controller; an outstanding LE Create Connection delays it by three seconds.
  private static let sending: Duration = .seconds(4)
  /// Time until the kernel has sent its own command, with an empty queue.
  private static let deciding: Duration = .milliseconds(500)
  /// A change takes effect six connection events after the wearable received it. The wearable may sleep through
  /// `latency` events each time.
  private static let events = 6
  private static let grace: Duration = .seconds(1)
  private static let patience: Duration = .seconds(30)
  /// Interval at which the hub grants the request of a wearable that insists on parameters the kernel refuses.
  private static let grantInterval: Duration = .seconds(10)

  /// Parameters of one link, and the change in progress.
  private struct Link {
    let bearer: any RadioBearer
    /// Parameters that the link was created with: the kernel compares requests with these as long as the link lasts.
    let created: ConnectionParameters
    var handle: UInt16?
    var effective: EffectiveParameters
    /// The change in progress.
    var change: Change?
    var grantedAt: Instant?
    var requests = FloodLimit.Bucket(FloodLimit.parameterRequests, now: Instant(nanoseconds: 0))
  }

  /// A change in progress.
  private struct Change {
    let wanted: ConnectionParameters
    /// HCI status of the outcome; 0 once the link runs with the wanted parameters.
    let done: Answer<UInt8>
  }

  let observer: HCIObserver
  private let loop: any Loop
  private let counters: RadioCounters
  private var links: [BluetoothAddress: Link] = [:]
  /// Mutex: loads, and commands with a status that names no link, run one at a time.
  private let turn = Turn()
  private let entries: KernelEntries
  private var sent: Answer<UInt8>?
  /// Index of the adapter in service; nil without one.
  var index: UInt16? { entries.index }
  /// Whether the kernel changes live links by itself (management revision 23).
  var kernelUpdates = false
  /// Whether a connect is outstanding; commands to the controller wait behind it.
  var isConnecting: @LoopActor () -> Bool = { false }
  var onParameters: (@LoopActor (BluetoothAddress, EffectiveParameters) -> Void)?
  /// Called with the HCI status of an encryption that began, changed or failed.
  var onEncryption: (@LoopActor (BluetoothAddress, UInt8) -> Void)?
  /// Called when a link ended because its two sides could not decrypt each other.
  var onMismatch: (@LoopActor (BluetoothAddress) -> Void)?

  init(loop: any Loop, channel: ManagementChannel, observer: HCIObserver, counters: RadioCounters) {
    self.loop = loop
    self.observer = observer
    entries = KernelEntries(loop: loop, channel: channel)
    self.counters = counters
    observer.onEvent = { [weak self] in self?.handle($0) }
  }

  /// Sets the adapter in service; nil: no adapter serves.
  func serve(_ index: UInt16?) {
    if index == self.index { return }
    entries.serve(index)
    if let index { observer.listen(to: index) } else { observer.close() }
  }

  /// Called when the adapter was initialised again, which loses the kernel's entries.
  func forgetEntries() { entries.forget() }

  func parameters(of address: BluetoothAddress) -> EffectiveParameters? { links[address]?.effective }

  // MARK: Links

  /// Sets the parameters that the wearable's next link is created with. Failing costs speed, not the link: the error is
  /// only logged.
  func load(_ wanted: ConnectionParameters, _ address: BluetoothAddress, until deadline: Instant)
    async throws(ManagementError)
  {
    await turn.take()
    defer { turn.give() }
    try await entries.load(wanted, address, limit: min(ManagementChannel.ordinaryTimeout, deadline - loop.now))
  }

  func opened(_ bearer: any RadioBearer, with created: ConnectionParameters) {
    observer.catchUp()
    let handle = bearer.linkHandle
    let assumed = EffectiveParameters(
      interval: created.maximumInterval, latency: created.latency, timeout: created.timeout, source: .assumed,
      since: loop.now)
    links[bearer.address] = Link(bearer: bearer, created: created, handle: handle, effective: assumed)
    if let handle, let rhythm = observer.rhythms[handle] {
      settle(bearer.address, observed(rhythm))
    } else {
      onParameters?(bearer.address, assumed)
    }
  }

  func closed(_ address: BluetoothAddress) {
    // HCI 0x02: unknown connection.
    links.removeValue(forKey: address)?.change?.done.give(0x02)
  }

  /// Notes that the wearable requested parameters and the kernel agreed. An observed controller reports the numbers
  /// that took effect itself.
  func asked(_ address: BluetoothAddress, _ parameters: ConnectionParameters) {
    counters.parametersAsked += 1
    entries.note(address)
    if links[address]?.requests.admits(FloodLimit.parameterRequests, now: loop.now) == false {
      links[address]?.bearer.terminate(.flooded)
    }
    if observer.isListening { return }
    settle(
      address,
      EffectiveParameters(
        interval: parameters.maximumInterval, latency: parameters.latency, timeout: parameters.timeout,
        source: .askedByWearable, since: loop.now))
  }

  // MARK: Changes

  func update(_ address: BluetoothAddress, to wanted: ConnectionParameters) async throws(LinkError)
    -> EffectiveParameters
  {
    if wanted.defect != nil { throw .system(errno: EINVAL) }
    if index == nil { throw .adapterGone }
    guard let before = links[address] else { throw .system(errno: ENOTCONN) }
    if before.change != nil { throw .system(errno: EALREADY) }
    if before.effective.source == .observed, before.effective.satisfies(wanted) { return before.effective }
    counters.parameterUpdates += 1
    let change = Change(wanted: wanted, done: Answer(loop: loop))
    links[address]?.change = change
    defer { links[address]?.change = nil }
    do throws(LinkError) {
      if try await send(wanted, address, by: [.kernel, .controller]) {
        if await outcome(change, after: before.effective) != 0 { counters.parameterUpdatesFailed += 1 }
      }
    } catch {
      counters.parameterUpdatesFailed += 1
      throw error
    }
    guard let after = links[address] else { throw .peerClosed }
    return after.effective
  }

  private enum Means { case kernel, controller }

  /// Gets an LE Connection Update sent. False: it cannot be observed whether one was sent, so its effect is assumed.
  private func send(_ wanted: ConnectionParameters, _ address: BluetoothAddress, by means: Set<Means>)
    async throws(LinkError) -> Bool
  {
    await turn.take()
    defer { turn.give() }
    guard let link = links[address] else { throw .peerClosed }
    if means.contains(.kernel), kernelUpdates {
      if try await sendByKernel(wanted, link) { return observer.isListening }
    }
    guard observer.isListening, let handle = links[address]?.bearer.linkHandle else {
      if kernelUpdates { return false }
      throw .system(errno: EOPNOTSUPP)
    }
    counters.parameterUpdatesRaw += 1
    let sent = Answer<UInt8>(loop: loop)
    self.sent = sent
    defer { self.sent = nil }
    let failure = observer.update(handle, to: wanted) ?? ENETDOWN
    if failure != 0 { throw failure == ENETDOWN ? .adapterGone : .system(errno: failure) }
    switch await sent.wait(until: loop.now + Self.sending) {
    case 0: return true
    case 0x02: throw .peerClosed
    case nil: throw .timedOut
    case .some: throw .system(errno: EPROTO)
    }
  }

  /// Loads one entry, and once more if the kernel sent no command. Returns whether it sent one, as far as can be
  /// observed.
  private func sendByKernel(_ wanted: ConnectionParameters, _ link: Link) async throws(LinkError) -> Bool {
    let address = link.bearer.address
    let believesUnchanged =
      link.created.minimumInterval == wanted.minimumInterval && link.created.maximumInterval == wanted.maximumInterval
      && link.effective.latency == wanted.latency && link.effective.timeout == wanted.timeout
    if believesUnchanged { return false }
    let isKnown = entries.contains(address)
    for attempt in 0..<2 {
      if links[address] == nil { throw .peerClosed }
      let sent = Answer<UInt8>(loop: loop)
      self.sent = sent
      defer { self.sent = nil }
      do throws(ManagementError) {
        try await entries.load(wanted, address, limit: ManagementChannel.ordinaryTimeout)
      } catch {
        switch error {
        case .channelClosed, .refused(.invalidIndex), .refused(.notPowered): throw .adapterGone
        case .noAnswer: throw .timedOut
        default: return false
        }
      }
      if observer.isListening {
        switch await sent.wait(until: loop.now + (isConnecting() ? Self.sending : Self.deciding)) {
        case 0: return true
        case 0x02: throw .peerClosed
        case nil, .some: break
        }
      } else if isKnown || attempt == 1 {
        settle(
          address,
          EffectiveParameters(
            interval: wanted.maximumInterval, latency: wanted.latency, timeout: wanted.timeout, source: .assumed,
            since: loop.now))
        return true
      }
    }
    return false
  }

  /// Waits for the event that ends a change; its status, or nil if none came in a reasonable time.
  private func outcome(_ change: Change, after before: EffectiveParameters) async -> UInt8? {
    let silence = Duration.microseconds(1250) * Int(before.interval) * (1 + Int(before.latency)) * Self.events
    return await change.done.wait(until: loop.now + min(Self.grace + silence, Self.patience))
  }

  // MARK: Events of the controller

  private func handle(_ event: HCIEvent) {
    switch event {
    case .commandStatus(let status, HCICommand.connectionUpdate): sent?.give(status)
    case .updated(let status, let handle, let rhythm):
      guard let address = address(of: handle) else { return }
      if status == 0 { settle(address, observed(rhythm)) } else { links[address]?.change?.done.give(status) }
    case .encryptionChanged(let status, let handle):
      if let address = address(of: handle) { onEncryption?(address, status) }
    // HCI 0x3D: terminated due to MIC failure.
    case .disconnected(let handle, 0x3D):
      if let address = address(of: handle) { onMismatch?(address) }
    case .parametersRequested(let handle, let wanted):
      if let address = address(of: handle) { grant(wanted, to: address) }
    default: break
    }
  }

  /// Grants a request that the kernel refused. Over the link layer the kernel refuses every interval above the one the
  /// link was created with, though it accepts the same request over L2CAP. The hub makes both behave alike.
  private func grant(_ wanted: ConnectionParameters, to address: BluetoothAddress) {
    guard let link = links[address], wanted.defect == nil, wanted.maximumInterval > link.created.maximumInterval,
      link.change == nil
    else { return }
    if let last = link.grantedAt, loop.now < last + Self.grantInterval { return }
    links[address]?.grantedAt = loop.now
    counters.parametersAsked += 1
    loop.spawn {
      // The kernel's refusal must be sent first.
      try? await self.loop.sleep(for: KernelEntries.pause)
      guard let link = self.links[address], link.change == nil else { return }
      if await self.send(granting: wanted, address) { self.counters.parametersGranted += 1 }
    }
  }

  private func send(granting wanted: ConnectionParameters, _ address: BluetoothAddress) async -> Bool {
    do throws(LinkError) { return try await send(wanted, address, by: [.controller]) } catch { return false }
  }

  private func address(of handle: UInt16) -> BluetoothAddress? { links.first { $0.value.handle == handle }?.key }

  private func observed(_ rhythm: HCIEvent.Rhythm) -> EffectiveParameters {
    EffectiveParameters(
      interval: rhythm.interval, latency: rhythm.latency, timeout: rhythm.timeout, source: .observed, since: loop.now)
  }

  private func settle(_ address: BluetoothAddress, _ effective: EffectiveParameters) {
    guard let link = links[address] else { return }
    links[address]?.effective = effective
    // An update from another source may come between ours and its outcome.
    if let change = link.change, effective.satisfies(change.wanted) { change.done.give(0) }
    let old = link.effective
    if (old.interval, old.latency, old.timeout, old.source) == (
      effective.interval, effective.latency, effective.timeout, effective.source
    ) {
      return
    }
    onParameters?(address, effective)
  }
}
