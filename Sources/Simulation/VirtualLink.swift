// One connection between the hub and a simulated wearable: connection events on a grid, queues with bounds, loss out of range.

public import Bluetooth
import EventLoop

/// What a PDU from a wearable carries, so that its sender learns whether it was delivered.
enum Freight {
  case protocolData, measurement, malformedMeasurement, battery
}

/// A physical link. It outlives the hub's channel by the kernel's linger time, and holds its slot until it ends.
@LoopActor
final class VirtualLink {
  enum Phase: Equatable {
    /// The hub has its channel.
    case open
    /// The hub closed its channel; the controller still keeps the link.
    case lingering
    /// Gone. What the kernel had already received is still delivered, then the channel learns why.
    case ended(LinkError)
  }

  private struct Parcel {
    var pdu: [UInt8]
    var freight: Freight
  }

  /// PDUs the hub may queue before `send` says no: what a controller of the field has in LE buffers.
  static let sendLimit = 8
  /// PDUs waiting for the hub: the buffers of a small wearable and the socket's receive buffer together. Beyond it the newest are lost.
  static let receiveLimit = 64
  /// Links end this long after the last sign of the other side. Foreground and demonstration profiles use 4 s.
  static let supervisionTimeout: Duration = .seconds(4)
  /// The kernel keeps an LE link this long after its last channel closed.
  static let linger: Duration = .seconds(2)

  let peripheral: VirtualPeripheral
  private let world: VirtualWorld
  private(set) var phase = Phase.open
  private(set) weak var bearer: VirtualBearer?
  private var toHub: [Parcel] = []
  private var toPeripheral: [[UInt8]] = []
  private var wasFull = false
  private var event: LoopTimer?
  private var supervision: LoopTimer?
  private let anchor: Instant
  private let interval: Int64

  init(_ peripheral: VirtualPeripheral, _ world: VirtualWorld, interval: Duration) {
    self.peripheral = peripheral
    self.world = world
    self.interval = interval.wholeNanoseconds
    anchor = world.loop.now
  }

  var isOpen: Bool { phase == .open }

  func attach(_ bearer: VirtualBearer) { self.bearer = bearer }

  // MARK: From the wearable

  /// Queues one PDU for the hub. With `direct` (only from a timer of the wearable, never while it handles a PDU of the hub) and a world
  /// that allows it, a PDU that finds the queue empty is delivered in the same body.
  func carry(_ pdu: [UInt8], _ freight: Freight, direct: Bool = false) {
    guard phase == .open, toHub.count < Self.receiveLimit else { return peripheral.lost(freight) }
    if direct, world.options.directNotifications, toHub.isEmpty, peripheral.isInRange, let bearer, bearer.isListening {
      return deliver(Parcel(pdu: pdu, freight: freight), to: bearer)
    }
    toHub.append(Parcel(pdu: pdu, freight: freight))
    scheduleEvent()
  }

  /// The wearable hangs up: what it sent before still arrives.
  func peripheralHangsUp() { end(.peerClosed) }

  // MARK: From the hub

  func send(_ pdu: [UInt8]) -> Bool {
    guard phase == .open else { return false }
    if toPeripheral.count >= Self.sendLimit {
      wasFull = true
      return false
    }
    toPeripheral.append(pdu)
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

  /// The channel set a callback: what waits for it can go on.
  func listenerChanged() {
    if !toHub.isEmpty || phase != .open { scheduleEvent() }
  }

  // MARK: The air between

  func rangeChanged() {
    if peripheral.isInRange {
      if let supervision { world.loop.cancel(supervision) }
      supervision = nil
      if !toHub.isEmpty || !toPeripheral.isEmpty { scheduleEvent() }
    } else if supervision == nil {
      supervision = world.loop.schedule(after: Self.supervisionTimeout) { [self] in
        supervision = nil
        end(.linkLost)
      }
    }
  }

  /// Ends the link, whoever wanted it. Idempotent.
  func end(_ error: LinkError) {
    if case .ended = phase { return }
    phase = .ended(error)
    if error != .peerClosed { dropParcels() }
    toPeripheral.removeAll()
    if let supervision { world.loop.cancel(supervision) }
    supervision = nil
    world.linkEnded(self)
    peripheral.noteLinkEnded(self)
    if bearer != nil { scheduleEvent() }
  }

  private func scheduleEvent() {
    if event != nil { return }
    // The next point of the grid: at least a moment after now, so that an exchange of PDUs always takes time.
    let elapsed = (world.loop.now - anchor).wholeNanoseconds
    let next = anchor + .nanoseconds((elapsed / interval + 1) * interval)
    event = world.loop.schedule(at: next) { [self] in connectionEvent() }
  }

  private func connectionEvent() {
    event = nil
    if case .ended = phase {} else if !peripheral.isInRange { return }  // `rangeChanged` goes on from here
    if let bearer, bearer.isListening {
      // Only what was there before the event: an answer takes the next one.
      let parcels = toHub
      toHub.removeAll(keepingCapacity: true)
      for parcel in parcels {
        if bearer.isClosed { peripheral.lost(parcel.freight) } else { deliver(parcel, to: bearer) }
      }
    }
    let pdus = toPeripheral
    toPeripheral.removeAll(keepingCapacity: true)
    for pdu in pdus where phase == .open { pdu.withUnsafeBytes { peripheral.received($0, on: self) } }
    if wasFull, phase == .open {
      wasFull = false
      bearer?.onWritable?()
    }
    if case .ended(let error) = phase {
      if toHub.isEmpty, let bearer, bearer.finish(error) { self.bearer = nil }
    } else if !toHub.isEmpty && bearer?.isListening == true || !toPeripheral.isEmpty {
      scheduleEvent()
    }
  }

  private func deliver(_ parcel: Parcel, to bearer: VirtualBearer) {
    peripheral.delivered(parcel.freight)
    parcel.pdu.withUnsafeBytes { bearer.onReceive?($0) }
  }

  private func dropParcels() {
    let parcels = toHub
    toHub.removeAll()
    for parcel in parcels { peripheral.lost(parcel.freight) }
  }

  private func cancelTimers() {
    if let event { world.loop.cancel(event) }
    event = nil
  }
}

/// The hub's end of a virtual link, with the promises of `Bearer`.
public final class VirtualBearer: Bearer {
  public let address: BluetoothAddress
  private let link: VirtualLink
  private(set) var isClosed = false

  public var onReceive: (@LoopActor (RawBytes) -> Void)? { didSet { link.listenerChanged() } }
  public var onClosed: (@LoopActor (LinkError) -> Void)? { didSet { link.listenerChanged() } }
  public var onWritable: (@LoopActor () -> Void)?

  init(_ link: VirtualLink) {
    self.link = link
    address = link.peripheral.address
  }

  var isListening: Bool { onReceive != nil && !isClosed }

  public func send(_ pdu: [UInt8]) -> Bool { isClosed ? false : link.send(pdu) }

  public func close(immediately: Bool) {
    if isClosed { return }
    isClosed = true
    link.hubClosed(immediately: immediately)
    forgetCallbacks()
  }

  /// Tells the hub that the channel ended; false if nobody listens yet.
  func finish(_ error: LinkError) -> Bool {
    if isClosed { return true }
    guard let onClosed else { return false }
    isClosed = true
    forgetCallbacks()
    onClosed(error)
    return true
  }

  /// The process that held the channel is gone: no callback, and the kernel ends the link.
  func abandon() {
    if isClosed { return }
    isClosed = true
    link.hubClosed(immediately: true)
    forgetCallbacks()
  }

  private func forgetCallbacks() {
    onReceive = nil
    onClosed = nil
    onWritable = nil
  }
}
