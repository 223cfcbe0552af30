// Interface that the hub gives to a driver's session: one open link. A session has no socket, clock, disk or timer. All
// of these are requested here, and the hub limits their time.

public import Bluetooth
public import CivilTime
public import EventLoop
public import Health
public import StateCodec

/// Clocks of the hub at one moment, for a session that sets a wearable's clock.
public struct HubTime: Sendable, Hashable {
  /// Wall clock, as it is set now.
  public let wall: WallTime
  /// Monotonic clock, nanoseconds.
  public let monotonic: Int64
  /// Whether a time source disciplines the wall clock.
  public let isTrusted: Bool
  /// Id of the machine's boot to which the monotonic clock belongs; nil if unknown.
  public let boot: String?

  /// Both clocks; `monotonic` in nanoseconds, `boot` nil: unknown.
  public init(wall: WallTime, monotonic: Int64, isTrusted: Bool, boot: String? = nil) {
    self.wall = wall
    self.monotonic = monotonic
    self.isTrusted = isTrusted
    self.boot = boot
  }
}

/// Open link to one wearable. Requests are strictly sequential: a second one waits for the first.
@LoopActor
public protocol WearableLink: AnyObject {
  var address: BluetoothAddress { get }
  /// ATT MTU in effect, 23...517.
  var mtu: Int { get }
  var database: GATTDatabase { get }
  var hubTime: HubTime { get }
  /// Zone of the hub's days, with its changes of season.
  var zone: TimeZoneRules { get }
  /// Whether the link is encrypted.
  var isSecured: Bool { get }
  /// Orders of people for this wearable.
  var orders: WearableOrders { get }
  /// Scope of this visit; everything by default.
  var wish: SyncSelection { get }
  var known: KnownWearable { get }
  /// State that this session or an earlier one stored for this wearable.
  func remembered<S: RememberedState>(_ kind: S.Type) -> S?
  /// Stores a state across links and restarts of the hub, until it is replaced; an empty one is deleted. A changed
  /// state costs a write to the card, an equal one does not.
  ///
  /// - Throws: `needsAttention` with `storeTableFull` (H4020) if it does not fit (`RememberedStates`). The former state
  ///   then stays.
  func remember<S: RememberedState>(_ state: S) throws(VisitTrouble)
  func forget<S: RememberedState>(_ kind: S.Type)

  /// Called before the session moves its wearable's clock. Samples with times of the old clock, and records about it,
  /// first become durable, since they could not be dated after the write. Costs nothing if the two times differ by less
  /// than the error of a reading.
  ///
  /// - Parameters:
  ///   - shown: the clock as it is, read or computed.
  ///   - time: the time that it is to show at that moment, µs since 1970 as it means it; nil: unknown.
  /// - Throws: `noRoom` if the store cannot keep them. The clock must not be moved then.
  func clockWillMove(from shown: ClockEvidence, to time: Int64?) async throws(VisitTrouble)

  /// Whether such a reading already came live and is durable, so that a fetch must leave it out.
  ///
  /// - Throws: `noRoom` if it came and cannot be made durable now.
  func hasReading(_ mark: ReadingMark) async throws(VisitTrouble) -> Bool

  /// Reads a value, at most 512 bytes.
  func read(_ characteristic: GATTCharacteristic) async throws(VisitTrouble) -> [UInt8]
  /// Reads a descriptor, at most 512 bytes.
  func read(_ descriptor: GATTDescriptor) async throws(VisitTrouble) -> [UInt8]
  /// Writes with response.
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble)
  /// Writes with response, for values that must not be written twice, depend on a condition, or contain the current
  /// time. `value` is called when the pace of the characteristic (`PacedDriver.writePaces`) permits the write,
  /// immediately before it. A refused write is not repeated. If `value` throws, there is no write. `value` may read but
  /// must not write.
  func writeOnce(_ characteristic: GATTCharacteristic, _ value: () async throws(VisitTrouble) -> [UInt8])
    async throws(VisitTrouble)
  /// Writes without response. Returns when the kernel has accepted the write.
  func writeCommand(_ characteristic: GATTCharacteristic, _ value: [UInt8]) async throws(VisitTrouble)
  /// Subscribes a characteristic: its notifications or indications go into `inbox` until the link ends. Idempotent for
  /// the same inbox.
  func subscribe(_ characteristic: GATTCharacteristic, into inbox: Inbox) async throws(VisitTrouble)
  /// Oldest value of an inbox, waiting for it at most this long.
  ///
  /// - Throws: `silent` after the timeout.
  func next(from inbox: Inbox, within: Duration) async throws(VisitTrouble) -> [UInt8]
  /// Pauses for a wearable that needs time. At most 30 s.
  func settle(for duration: Duration) async throws(VisitTrouble)
  /// Encrypts the link, and pairs first if the hub's policy allows it.
  func secure() async throws(VisitTrouble)
  /// Reports that the wearable will change the link's parameters after the last request. The hub requests its profile
  /// again, when `after` has passed since the last such call.
  func profileWasDisturbed(settlesAfter after: Duration)
  /// Reports the progress of the link to a bound wearable, for display.
  func reached(_ stage: BindingStage)
  /// Reports received bytes of payload, for the progress display.
  func noteProgress(bytes: Int)
  /// Reports a harmless oddity; counted, and logged once per visit.
  func note(_ oddity: String)
}

extension WearableLink {
  /// Date in the hub's zone.
  public var today: LocalDate { zone.date(of: hubTime.wall.microseconds) }

  /// UTC, for links without a zone.
  public var zone: TimeZoneRules { .utc }
  /// Default for links without orders.
  public var orders: WearableOrders { WearableOrders() }
  /// Default for links without a choice: everything is fetched.
  public var wish: SyncSelection { SyncSelection() }
  /// Default for links without earlier knowledge.
  public var known: KnownWearable { KnownWearable() }
  /// nil: no state is stored.
  public func remembered<S: RememberedState>(_ kind: S.Type) -> S? { nil }
  /// Stores no state. Never throws.
  public func remember<S: RememberedState>(_ state: S) throws(VisitTrouble) {}
  /// Has no effect.
  public func forget<S: RememberedState>(_ kind: S.Type) {}
  /// Has no effect. Never throws.
  public func clockWillMove(from shown: ClockEvidence, to time: Int64?) async throws(VisitTrouble) {}
  /// Has no effect.
  public func reached(_ stage: BindingStage) {}
  /// False: no reading is known. Never throws.
  public func hasReading(_ mark: ReadingMark) async throws(VisitTrouble) -> Bool { false }
  /// Default for links that read no descriptors: throws `unsupported`.
  public func read(_ descriptor: GATTDescriptor) async throws(VisitTrouble) -> [UInt8] {
    throw .unsupported("reading \(descriptor.uuid)")
  }
  /// Default for links without pace and without repetitions.
  ///
  /// - Throws: the trouble of `value`, then without a write; or that of the write.
  public func writeOnce(_ characteristic: GATTCharacteristic, _ value: () async throws(VisitTrouble) -> [UInt8])
    async throws(VisitTrouble)
  {
    try await write(characteristic, try await value())
  }
}

/// Queue of values for a session. Bounded: if it is full, the oldest value is dropped and counted.
@LoopActor
public final class Inbox {
  /// Maximum number of values in the queue; 0: values are not queued.
  public let limit: Int
  private var values: [[UInt8]] = []
  /// Number of values that were dropped because the queue was full.
  public private(set) var overflows: UInt64 = 0
  /// Called when a value arrives. Set by the hub's side of `WearableLink.next`.
  public var onValue: (@LoopActor () -> Void)?

  /// - Parameter limit: values; 256 are a second of the fastest stream. With 0 no value is queued, for a subscription
  ///   that must be active but is read by another component.
  public init(limit: Int = 256) {
    guard limit >= 0 else { fatalError("an inbox is not smaller than empty") }
    self.limit = limit
  }

  /// True without values.
  public var isEmpty: Bool { values.isEmpty }

  /// Adds a value; drops the oldest of a full queue.
  public func put(_ value: [UInt8]) {
    if limit == 0 { return }
    if values.count == limit {
      values.removeFirst()
      overflows += 1
    }
    values.append(value)
    onValue?()
  }

  /// Takes the oldest value, if any.
  public func take() -> [UInt8]? { values.isEmpty ? nil : values.removeFirst() }

  /// Drops all values.
  public func removeAll() { values.removeAll() }
}
