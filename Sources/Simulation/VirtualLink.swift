// Connection between the hub and a simulated wearable: connection events on a grid, air time, bounded queues, loss out
// of range.

public import Bluetooth
public import EventLoop

/// Physical link. Outlives the hub's channel by the kernel's linger time, and occupies its slot until it ends.
@LoopActor
public final class VirtualLink {
  enum Phase: Equatable {
    /// The hub has its channel.
    case open
    /// The hub closed its channel; the controller still keeps the link.
    case lingering
    /// Ended. Data that the kernel had already received is still delivered, then the channel gets the reason.
    case ended(LinkError)
  }

  struct Parcel {
    var pdu: [UInt8]
    var freight: Freight
    /// Whether it takes air time but is lost.
    var isSwallowed = false
  }

  /// PDUs that the hub may queue before `send` returns false: typical number of LE buffers of a controller.
  static let sendLimit = 8
  /// PDUs that may wait for the hub: the buffers of a small wearable and the socket's receive buffer together. Beyond
  /// it the newest are lost.
  public static let receiveLimit = 64
  /// The kernel keeps an LE link this long after its last channel closed.
  static let linger: Duration = .seconds(2)

  /// Wearable at the other end.
  public let peripheral: VirtualPeripheral
  /// Time at which it opened.
  public let openedAt: Instant
  let world: VirtualWorld
  /// Controller of the hub.
  public let controller: VirtualController
  private(set) var phase = Phase.open
  weak var bearer: VirtualBearer?
  /// Current parameters of the link.
  public private(set) var parameters: EffectiveParameters
  /// True while it is encrypted.
  public internal(set) var isSecured = false
  /// State of a pairing or encryption in progress.
  var security: LinkSecurity?
  /// Agreed changes of parameters, in order; the first one is counting down.
  private var changes: [(parameters: EffectiveParameters, done: @LoopActor (EffectiveParameters?) -> Void)] = []
  private var changeTimer: LoopTimer?
  var toHub: [Parcel] = []
  var toPeripheral: [(pdu: [UInt8], since: Instant)] = []
  /// Time when the hub sent the PDU that the wearable receives now.
  public internal(set) var carriedSince = Instant(nanoseconds: 0)
  /// Octets of the first PDU of each queue that are already transferred.
  var hubSideSent = 0
  var peripheralSideSent = 0
  var wasFull = false
  var event: LoopTimer?
  private var supervision: LoopTimer?
  var anchor: Instant
  /// Time of the last busy connection event: a wearable with latency listens at the event after it.
  var lastBusy = Instant(nanoseconds: .min)

  init(_ peripheral: VirtualPeripheral, _ controller: VirtualController, parameters: EffectiveParameters) {
    self.peripheral = peripheral
    world = peripheral.world
    self.controller = controller
    self.parameters = parameters
    anchor = world.loop.now
    openedAt = world.loop.now
  }

  /// Connection interval, nanoseconds.
  var interval: Int64 { Int64(parameters.interval) * 1_250_000 }
  /// True while it is open.
  public var isOpen: Bool { phase == .open }
  /// Whether the hub closed it, and not the wearable or the air.
  public var wasEndedByHub: Bool { phase == .ended(.aborted) }
  /// Number of PDUs of the wearable that wait for the hub.
  public var waitingForHub: Int { toHub.count }

  func attach(_ bearer: VirtualBearer) { self.bearer = bearer }

  // MARK: From the wearable

  /// Queues one PDU for the hub. With `direct`, and a world that allows it, a PDU that finds the queue empty is
  /// delivered at once. `direct` is only for timers of the wearable, never while it handles a PDU of the hub.
  public func carry(_ pdu: [UInt8], _ freight: Freight, direct: Bool = false) {
    guard phase == .open, toHub.count < Self.receiveLimit else { return peripheral.refused(freight) }
    if let tap = peripheral.tap, case .swallowed = tap.fate(of: pdu, on: self) {
      toHub.append(Parcel(pdu: pdu, freight: freight, isSwallowed: true))
      return scheduleEvent()
    }
    if world.faults.lostNotification > 0, pdu.first == 0x1B, peripheral.random.chance(world.faults.lostNotification) {
      return peripheral.refused(freight)
    }
    if direct, world.options.directNotifications, toHub.isEmpty, peripheral.isInRange, !controller.isHung, let bearer,
      bearer.isListening
    {
      return deliver(Parcel(pdu: pdu, freight: freight), to: bearer)
    }
    toHub.append(Parcel(pdu: pdu, freight: freight))
    scheduleEvent()
  }

  /// Queues a PDU of a tap, unknown to twins and other taps. False: no room, or no link.
  @discardableResult
  public func inject(_ pdu: [UInt8]) -> Bool {
    guard phase == .open, toHub.count < Self.receiveLimit else { return false }
    toHub.append(Parcel(pdu: pdu, freight: .protocolData))
    scheduleEvent()
    return true
  }

  /// The wearable hangs up; PDUs sent before still arrive.
  public func peripheralHangsUp() { end(.peerClosed) }

  /// Breaks the link silently: PDUs in flight are lost in both directions. The hub learns of it at the next event, and
  /// not after the supervision timeout.
  public func breaks() { end(.linkLost) }

  /// The wearable requests other parameters (L2CAP Connection Parameter Update Request). `answered` gets whether the
  /// hub's side agreed; the change follows some events later. It is not called if the link ends before.
  public func askForParameters(_ wanted: ConnectionParameters, answered: @escaping @LoopActor (Bool) -> Void = { _ in })
  {
    // An event carries the request, the next one the response.
    world.loop.schedule(after: .nanoseconds(interval * 2)) { [weak self] in
      guard let self, phase == .open, peripheral.isInRange, !controller.isHung, let radio = controller.radio else {
        return
      }
      let accepted = radio.judge(wanted, of: self)
      answered(accepted)
      if accepted { radio.agree(wanted, on: self, source: .askedByWearable) { _ in } }
    }
  }

  /// The wearable sends an SMP Security Request.
  public func askForSecurity() {
    world.loop.schedule(after: .nanoseconds(interval)) { [weak self] in
      guard let self, phase == .open, !controller.isHung else { return }
      controller.radio?.securityAsked(on: self)
    }
  }

  // MARK: From the hub

  func send(_ pdu: [UInt8]) -> Bool {
    guard phase == .open else { return false }
    if toPeripheral.count >= Self.sendLimit {
      wasFull = true
      return false
    }
    toPeripheral.append((pdu, world.loop.now))
    scheduleEvent()
    return true
  }

  func hubClosed(immediately: Bool) {
    bearer = nil
    dropParcels()
    guard phase == .open else { return cancelTimers() }
    phase = .lingering
    world.loop.schedule(after: immediately ? .milliseconds(10) : Self.linger) { [self] in end(.aborted) }
  }

  /// Called when the channel set a callback: waiting data can be delivered.
  func listenerChanged() {
    if !toHub.isEmpty || phase != .open { scheduleEvent() }
  }

  // MARK: Parameters

  /// Changes the parameters some events later (Core specification, volume 6, part B, 5.1.1: at least six, plus those
  /// that the wearable may skip).
  func change(to new: EffectiveParameters, done: @escaping @LoopActor (EffectiveParameters?) -> Void) {
    changes.append((new, done))
    if changes.count == 1 { countDown() }
  }

  private func countDown() {
    changeTimer = world.loop.schedule(after: .nanoseconds(interval * Int64(6 + parameters.latency))) { [weak self] in
      self?.applyChange()
    }
  }

  private func applyChange() {
    changeTimer = nil
    guard !changes.isEmpty else { return }
    let change = changes.removeFirst()
    let old = change.parameters
    parameters = EffectiveParameters(
      interval: old.interval, latency: old.latency, timeout: old.timeout, source: old.source, since: world.loop.now)
    anchor = world.loop.now
    if event != nil {
      cancelEvent()
      scheduleEvent()
    }
    if !changes.isEmpty { countDown() }
    peripheral.parametersChanged(parameters)
    change.done(parameters)
  }

  // MARK: Air and controller

  func rangeChanged() {
    if peripheral.isInRange {
      if let supervision { world.loop.cancel(supervision) }
      supervision = nil
      if !toHub.isEmpty || !toPeripheral.isEmpty { scheduleEvent() }
    } else if supervision == nil {
      supervision = world.loop.schedule(after: .milliseconds(Int64(parameters.timeout) * 10)) { [self] in
        supervision = nil
        end(.linkLost)
      }
    }
  }

  /// Called when the controller recovered or hung.
  func controllerChanged() {
    if !controller.isHung, !toHub.isEmpty || !toPeripheral.isEmpty || phase != .open { scheduleEvent() }
  }

  /// Ends the link for any reason. Idempotent.
  func end(_ error: LinkError) {
    if case .ended = phase { return }
    phase = .ended(error)
    if error != .peerClosed { dropParcels() }
    toPeripheral.removeAll()
    if let supervision { world.loop.cancel(supervision) }
    supervision = nil
    if let changeTimer { world.loop.cancel(changeTimer) }
    changeTimer = nil
    let unmade = changes
    changes = []
    for change in unmade { change.done(nil) }
    security?.linkEnded(error)
    security = nil
    controller.linkEnded(self)
    peripheral.noteLinkEnded(self)
    if bearer == nil { return }
    if let radio = controller.radio, radio.drawsLateEvent() {
      world.loop.schedule(after: radio.lateness()) { [self] in scheduleEvent() }
    } else {
      scheduleEvent()
    }
  }
}
