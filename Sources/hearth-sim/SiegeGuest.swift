// A good strap under siege: times at which it could be reached, and at which it was served.

import Bluetooth
import EventLoop
import Simulation

/// Observes a good strap without changing anything.
final class SiegeTap: PeerTap {
  enum Event {
    case reachable, unreachable, linked
    /// The hub subscribed its heart rate: the link works again.
    case subscribed
    /// A value went on the air.
    case value
    case unlinked(byHub: Bool)
  }

  private let measurement: UInt16
  private let tell: @LoopActor (Event) -> Void

  /// - Parameter measurement: handle of its heart rate.
  init(measurement: UInt16, tell: @escaping @LoopActor (Event) -> Void) {
    self.measurement = measurement
    self.tell = tell
    super.init(isHostile: false)
  }

  /// Every advertisement is reported, as some hundred milliseconds count here.
  override var reportSpacing: Duration? { .zero }
  override func becameReachable() { tell(.reachable) }
  override func becameUnreachable() { tell(.unreachable) }
  override func linkOpened(_ link: VirtualLink) { tell(.linked) }
  override func linkClosed(_ link: VirtualLink) { tell(.unlinked(byHub: link.wasEndedByHub)) }

  override func hears(_ pdu: RawBytes, on link: VirtualLink) -> Bool {
    // A write request to the configuration descriptor, which follows the value.
    if pdu.count == 5, pdu[0] == 0x12, pdu[3] != 0, UInt16(pdu[1]) | UInt16(pdu[2]) << 8 == measurement + 1 {
      tell(.subscribed)
    }
    return true
  }

  override func fate(of pdu: [UInt8], on link: VirtualLink) -> Fate {
    if pdu.count > 3, pdu[0] == 0x1B, UInt16(pdu[1]) | UInt16(pdu[2]) << 8 == measurement { tell(.value) }
    return .passes
  }
}

/// A good strap, with its measured times.
@LoopActor
final class SiegeGuest {
  enum Kind: String, CaseIterable, Sendable {
    /// The air ended its link: it was out of range for longer than the supervision timeout.
    case range = "out of range"
    /// The strap was reset, and silent for a moment.
    case reset = "reset"
    /// The strap hung up.
    case peer = "hung up"
    /// The hub hung up, for another wearable.
    case givenUp = "given up by the hub"
    /// The hub was started.
    case start = "after a start"
    /// The strap was away for minutes.
    case returned = "returned"
    /// The strap was never there before.
    case joined = "joined"

    /// Kinds that begin with a good link, which must return.
    var isLoss: Bool { [.range, .reset, .peer].contains(self) }
    /// Kinds that end with a value.
    var isJoining: Bool { [.start, .returned, .joined].contains(self) }
  }

  let name: String
  let driver: String
  let twin: VirtualPeripheral
  let isNewcomer: Bool
  private let loop: any Loop

  /// Time since which it could be reached and was not served; nil: it is served, or cannot be reached.
  private(set) var waitingSince: Instant?
  /// Reason why it has no working link; nil: it has one.
  private(set) var kind: Kind?
  /// The kind of its next loss.
  var cause: Kind?
  private(set) var isReachable = false
  private(set) var isServed = false
  private var hubIsUp = true
  /// Called at the end of each wait, with its length, and whether the end was good.
  var onEnd: (@LoopActor (SiegeGuest, Kind, Duration, Bool) -> Void)?
  /// Called when it is served.
  var onServed: (@LoopActor (SiegeGuest) -> Void)?

  init(_ name: String, _ driver: String, _ twin: VirtualPeripheral, measurement: UInt16, isNewcomer: Bool) {
    self.name = name
    self.driver = driver
    self.twin = twin
    self.isNewcomer = isNewcomer
    loop = twin.world.loop
    kind = .joined
    SiegeTap(measurement: measurement) { [weak self] in self?.note($0) }.attach(to: twin)
  }

  /// Time that the air takes. First an advertisement to be heard and another to be answered. Each takes its interval
  /// and up to 10 ms of random delay (Core specification, volume 6, part B, 4.4.2.2.1). Then two events of at most 30
  /// ms, and the 2 ms of the simulated controller's poll.
  var allowance: Duration { (twin.advertisingInterval + .milliseconds(10)) * 2 + .milliseconds(62) }

  var waited: Duration? { waitingSince.map { loop.now - $0 } }

  private func note(_ event: SiegeTap.Event) {
    switch event {
    case .reachable:
      isReachable = true
      if !isServed, hubIsUp, waitingSince == nil, kind != nil { waitingSince = loop.now }
    case .unreachable:
      isReachable = false
      // An opened link does not end the wait; `linked` comes at once then.
      if twin.link == nil { interrupted() }
    case .linked: break
    case .subscribed: if let kind, !kind.isJoining { served() }
    case .value: if kind != nil { served() }
    case .unlinked(let byHub):
      guard isServed else { return }
      isServed = false
      kind = !hubIsUp ? .start : byHub ? .givenUp : cause ?? .peer
      cause = nil
    }
  }

  private func served() {
    guard let kind else { return }
    if let waited { onEnd?(self, kind, waited, true) }
    (self.kind, waitingSince, isServed) = (nil, nil, true)
    onServed?(self)
  }

  /// Handles a strap that cannot be reached any more, or the end of the hub: its wait counts if it was too long
  /// already.
  private func interrupted() {
    if let kind, let waited { onEnd?(self, kind, waited, false) }
    waitingSince = nil
  }

  /// Ends the measurement.
  func end() { interrupted() }

  func hubEnds() {
    interrupted()
    hubIsUp = false
    if kind == nil || kind?.isLoss == true || kind == .givenUp { kind = kind == nil ? nil : .start }
  }

  /// The radio of a new hub is ready.
  func hubServes() {
    hubIsUp = true
    if isServed { return }
    if kind != .joined { kind = .start }
    if isReachable { waitingSince = loop.now }
  }
}
