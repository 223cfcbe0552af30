// What the hub lends a driver's session: one open link, and nothing else. A session has no socket, no clock, no disk
// and no sleep; what it needs of them it asks for here, and the hub decides how long it lasts.

public import Bluetooth
public import CivilTime
public import EventLoop
public import Health
public import StateCodec

/// The hub's clocks at one moment, handed to a session that sets a wearable's clock.
public struct HubTime: Sendable, Hashable {
  public let wall: WallTime
  /// Nanoseconds.
  public let monotonic: Int64
  /// A time source disciplines the wall clock.
  public let isTrusted: Bool
  /// Names the boot of the machine whose monotonic clock it is; nil where nobody knows it.
  public let boot: String?

  public init(wall: WallTime, monotonic: Int64, isTrusted: Bool, boot: String? = nil) {
    self.wall = wall
    self.monotonic = monotonic
    self.isTrusted = isTrusted
    self.boot = boot
  }
}

/// An open link to one wearable. Requests are strictly sequential: a second one waits for the first.
@LoopActor
public protocol WearableLink: AnyObject {
  var address: BluetoothAddress { get }
  /// ATT MTU in effect, 23...517.
  var mtu: Int { get }
  var database: GATTDatabase { get }
  var hubTime: HubTime { get }
  /// Where the hub's days begin, and when clocks change there.
  var zone: TimeZoneRules { get }
  /// The link is encrypted.
  var isSecured: Bool { get }
  /// What people want of it.
  var orders: WearableOrders { get }
  /// What this visit is to bring; without an order everything.
  var wish: SyncWish { get }
  var known: KnownWearable { get }
  /// What an earlier session, or this one, asked to be remembered of this wearable.
  func remembered<S: RememberedState>(_ kind: S.Type) -> S?
  /// Keeps a state across links and restarts of the hub, until it is replaced; an empty one is forgotten. A change
  /// costs a write to the card, the same once more costs nothing.
  ///
  /// - Throws: `needsAttention` with `storeTableFull` (H4020) where it does not fit (`RememberedStates`); then what was
  ///   remembered stays.
  func remember<S: RememberedState>(_ state: S) throws(VisitTrouble)
  func forget<S: RememberedState>(_ kind: S.Type)

  /// The session is about to move its wearable's clock. What that shows until then becomes durable first, and so does
  /// what was remembered of it: after the write nothing else dates what was recorded before. Costs nothing where the
  /// two differ by no more than a reading may be wrong by.
  ///
  /// - Parameters:
  ///   - shown: by the clock as it is, read or worked out.
  ///   - time: what it is to show at that moment, µs since 1970 as it means it; nil: that is not known.
  /// - Throws: `noRoom` where the store cannot keep it. Then the clock may not be moved.
  func clockWillMove(from shown: ClockEvidence, to time: Int64?) async throws(VisitTrouble)

  /// Such a reading came live, and is durable: whoever fetches it leaves it out.
  ///
  /// - Throws: `noRoom` where it came and cannot be made durable now.
  func hasReading(_ mark: ReadingMark) async throws(VisitTrouble) -> Bool

  /// At most 512 bytes.
  func read(_ characteristic: GATTCharacteristic) async throws(VisitTrouble) -> [UInt8]
  /// What says more of a characteristic: at most 512 bytes.
  func read(_ descriptor: GATTDescriptor) async throws(VisitTrouble) -> [UInt8]
  /// With response.
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble)
  /// With response, for what must not be written twice, or only while something holds, or is made of the moment:
  /// `value` is asked for when the pace of the characteristic (`PacedDriver.writePaces`) lets the write go, with
  /// nothing between the two, and no refusal is tried again. Where it throws, nothing is written. It may read, and
  /// writes nothing.
  func writeOnce(_ characteristic: GATTCharacteristic, _ value: () async throws(VisitTrouble) -> [UInt8])
    async throws(VisitTrouble)
  /// Without response. Returns when the kernel has taken it.
  func writeCommand(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble)
  /// Notifications or indications of a characteristic go into `inbox`, until the link ends. Idempotent for the same
  /// inbox.
  func subscribe(_ characteristic: GATTCharacteristic, into inbox: Inbox) async throws(VisitTrouble)
  /// The oldest value of an inbox, waiting for it at most this long.
  ///
  /// - Throws: `silent` if none came in time.
  func next(from inbox: Inbox, within: Duration) async throws(VisitTrouble) -> [UInt8]
  /// Lets time pass where a wearable needs it. At most 30 s.
  func settle(for duration: Duration) async throws(VisitTrouble)
  /// Encrypts the link, pairing first where the hub's policy allows it.
  func secure() async throws(VisitTrouble)
  /// What was just done makes the wearable change the link's parameters by itself: the hub asks for the profile again,
  /// not before `after` has passed since the last such call.
  func profileWasDisturbed(settlesAfter after: Duration)
  /// How far the link has come at a wearable that is bound, for people.
  func reached(_ stage: BindingStage)
  /// Bytes of payload that came, for the progress people see.
  func noteProgress(bytes: Int)
  /// Something odd that did no harm; counted and logged once per visit.
  func note(_ oddity: String)
}

extension WearableLink {
  /// Where the hub is.
  public var today: LocalDate { zone.date(of: hubTime.wall.microseconds) }

  public var zone: TimeZoneRules { .utc }
  public var orders: WearableOrders { WearableOrders() }
  public var wish: SyncWish { SyncWish() }
  public var known: KnownWearable { KnownWearable() }
  public func remembered<S: RememberedState>(_ kind: S.Type) -> S? { nil }
  public func remember<S: RememberedState>(_ state: S) throws(VisitTrouble) {}
  public func forget<S: RememberedState>(_ kind: S.Type) {}
  public func clockWillMove(from shown: ClockEvidence, to time: Int64?) async throws(VisitTrouble) {}
  public func reached(_ stage: BindingStage) {}
  public func hasReading(_ mark: ReadingMark) async throws(VisitTrouble) -> Bool { false }
  /// For links that read no descriptors.
  public func read(_ descriptor: GATTDescriptor) async throws(VisitTrouble) -> [UInt8] {
    throw .unsupported("reading \(descriptor.uuid)")
  }
  /// For links that keep no pace and try nothing again.
  public func writeOnce(_ characteristic: GATTCharacteristic, _ value: () async throws(VisitTrouble) -> [UInt8])
    async throws(VisitTrouble)
  {
    try await write(characteristic, try await value())
  }
}

/// Values that wait for a session. Bounded: what does not fit pushes out the oldest and is counted.
@LoopActor
public final class Inbox {
  public let limit: Int
  private var values: [[UInt8]] = []
  public private(set) var overflows: UInt64 = 0
  /// Called when a value came. The hub's side of `WearableLink.next` sets it.
  public var onValue: (@LoopActor () -> Void)?

  /// - Parameter limit: values; 256 are a second of the fastest stream. 0 keeps nothing: for what must be on and is
  ///   read by somebody else.
  public init(limit: Int = 256) {
    guard limit >= 0 else { fatalError("an inbox is not smaller than empty") }
    self.limit = limit
  }

  public var isEmpty: Bool { values.isEmpty }

  public func put(_ value: [UInt8]) {
    if limit == 0 { return }
    if values.count == limit {
      values.removeFirst()
      overflows += 1
    }
    values.append(value)
    onValue?()
  }

  public func take() -> [UInt8]? { values.isEmpty ? nil : values.removeFirst() }

  public func removeAll() { values.removeAll() }
}
