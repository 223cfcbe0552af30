// Interface between the hub and a radio. LinuxBluetooth implements it with the kernel's sockets, Simulation with a
// virtual world. Only hearthd and hearth-sim choose one.

public import EventLoop
public import Reasons

/// Advertisement (or scan response) as the radio received it.
public struct Advertisement: Sendable {
  /// Address of the advertiser.
  public let address: BluetoothAddress
  /// dBm; nil if the controller does not know it (127 on the wire).
  public let rssi: Int8?
  /// True if the advertiser accepts connections.
  public let isConnectable: Bool
  /// True if it is a scan response.
  public let isScanResponse: Bool
  /// AD structures, unparsed and untrusted; at most 1,650 bytes (extended advertising).
  public let data: [UInt8]
  /// Monotonic time at which the advertisement was received.
  public let time: Instant

  /// An advertisement; `rssi` in dBm, nil: unknown.
  public init(
    address: BluetoothAddress, rssi: Int8?, isConnectable: Bool, isScanResponse: Bool = false, data: [UInt8],
    time: Instant
  ) {
    self.address = address
    self.rssi = rssi
    self.isConnectable = isConnectable
    self.isScanResponse = isScanResponse
    self.data = data
    self.time = time
  }
}

/// State of a radio; only a ready one scans and connects.
public enum RadioState: Sendable, Equatable {
  case starting
  case ready
  /// State out of service, with the reason; the radio keeps trying to recover by itself.
  case down(Reason)
}

/// Rung of the reset ladder: one attempt to revive a radio that receives no advertisements or does not respond.
public struct RadioRung: Sendable, Hashable {
  /// Name, for example "power off and on".
  public var name: String
  /// Whether links end with it. Restarting the scan, for example, ends no link.
  public var endsLinks: Bool

  /// A rung by its name. `endsLinks`: it closes all links.
  public init(_ name: String, endsLinks: Bool) {
    self.name = name
    self.endsLinks = endsLinks
  }
}

/// Reason why a link failed or ended. The hub has a policy for each.
public enum LinkError: Error, Sendable, Hashable {
  /// The wearable did not advertise within the deadline.
  case notHeard
  /// The controller has no slot left.
  case slotsFull
  /// Supervision timeout: out of range, or its battery is empty.
  case linkLost
  /// The wearable hung up.
  case peerClosed
  /// The adapter is gone, powered off or blocked.
  case adapterGone
  /// Pairing or encryption failed.
  case authenticationFailed
  /// The wearable no longer knows our key.
  case keyMissing
  /// The wearable was paired, but the pairing left no key that can be kept: at the next link it would have to be paired
  /// again.
  case keyNotGiven
  /// The wearable claimed in pairing an identity address that belongs to another wearable.
  case identityClaimed
  /// The connection was created but the wearable never responded on it (0x3E).
  case failedToEstablish
  /// The hub gave up the attempt, or closed the link.
  case aborted
  /// The hub closed the link because the wearable demanded more of the controller than one link may.
  case flooded
  /// The wearable was heard, but the attempt did not succeed within its deadline.
  case timedOut
  /// Another attempt or link of this hub already has the wearable.
  case taken
  /// The radio is already making its maximum number of attempts.
  case attemptsFull
  /// The adapter that the wearable is bonded to has no slot left; other adapters may have one.
  case bondedSlotsFull
  /// The adapter that the wearable is bonded to is missing.
  case bondedElsewhere
  /// Any other errno, kept for the log.
  case system(errno: Int32)
}

extension LinkError {
  /// Pairing or encryption failed, or the keys are useless.
  public var isOfSecurity: Bool { self == .keyMissing || isFailedPairing }

  /// Pairing failed or left no usable key.
  public var isFailedPairing: Bool {
    switch self {
    case .authenticationFailed, .keyNotGiven, .identityClaimed: true
    default: false
    }
  }
}

/// Encryption of a link at this moment, as the kernel reports it.
public struct LinkProtection: Sendable, Equatable {
  /// True if the link is encrypted.
  public var isEncrypted: Bool
  /// Length of the key in bytes, 7 to 16 (Core, volume 3, part H, 2.3.4); nil if unknown or not encrypted.
  public var keySize: Int?

  /// `keySize` in bytes; nil: unknown.
  public init(isEncrypted: Bool, keySize: Int? = nil) {
    self.isEncrypted = isEncrypted
    self.keySize = keySize
  }
}

/// ATT channel to one wearable: whole PDUs in and out, in order. All callbacks come on the loop thread.
@LoopActor
public protocol Bearer: AnyObject {
  var address: BluetoothAddress { get }
  /// Set once, before the first PDU is sent. PDUs that came earlier are delivered first. The bytes are valid during the
  /// call.
  var onReceive: (@LoopActor (RawBytes) -> Void)? { get set }
  /// Called exactly once when the channel ends for any reason but `close`, after the last queued PDU was delivered.
  var onClosed: (@LoopActor (LinkError) -> Void)? { get set }
  /// Called when `send` may succeed again after it returned false.
  var onWritable: (@LoopActor () -> Void)? { get set }
  /// Sends one PDU. False: the kernel's queue is full and the PDU was not sent; `onWritable` follows.
  func send(_ pdu: [UInt8]) -> Bool
  /// Closes the channel; no callback follows. `immediately` also makes the controller drop the link at once. Otherwise
  /// the link lingers for about two seconds and may be reused. Idempotent.
  func close(immediately: Bool)
  /// Encryption of the link, whichever side started it; nil if this radio cannot see it.
  var protection: LinkProtection? { get }
}

extension Bearer {
  /// nil: the bearer does not know.
  public var protection: LinkProtection? { nil }
}

/// Radio: receives advertisements and makes links. All calls and callbacks are on the loop thread.
@LoopActor
public protocol Radio: AnyObject {
  var state: RadioState { get }
  var facts: RadioFacts { get }
  /// Called for every advertisement that passes the radio's own flood limits.
  var onAdvertisement: (@LoopActor (Advertisement) -> Void)? { get set }
  var onStateChange: (@LoopActor (RadioState) -> Void)? { get set }
  /// Called before each rung that is tried, including the rung that ends the hub.
  var onRung: (@LoopActor (RadioRung) -> Void)? { get set }
  /// Starts the radio. Every failure is handled inside and reported through `onStateChange`.
  func start()
  /// - Parameter owned: wearables to which only this hub connects. The machine may still have an unused link to one,
  ///   left by an earlier process. The radio ends that link, because a connected wearable does not advertise.
  func start(owning owned: Set<BluetoothAddress>)
  /// Makes a link and its ATT channel. Several attempts may wait at once, one for each wearable. A second attempt to
  /// the same wearable is refused as `taken`, more than the kernel takes (12) as `attemptsFull`. Cancelling the task
  /// aborts the attempt. Scanning continues while attempts wait for advertisements of their wearables. Links are made
  /// one after the other; scanning pauses for each until it is made or has failed (3 s at most).
  ///
  /// - Parameter deadline: end of the attempt, from hearing the wearable to the open channel.
  /// - Parameter parameters: parameters that the link is created with, so that it never starts with those of the
  ///   previous link.
  func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer

  /// Active scanning: while true, the radio requests scan responses, because some wearables put name and service only
  /// there. Answering costs the wearables power, so the hub sets it only during enrolment.
  var asksForNames: Bool { get set }

  /// Adapter of a wearable's link, and the adapters that may link to it; nil: there is only one adapter.
  func place(of address: BluetoothAddress) -> AdapterPlace?
  /// Number of slots of each adapter that an attempt at a wearable must leave to others, by the adapter's index in
  /// `RadioFacts.adapters`. A radio with one adapter does not ask, as the hub then decides before the attempt.
  var slotsKept: (@LoopActor (_ from: BluetoothAddress) -> [Int])? { get set }

  // MARK: Connection parameters

  /// Requests other parameters for an open link and waits for the outcome: at most a few seconds, longer at long
  /// intervals.
  ///
  /// - Returns: the parameters that the link then runs with. The caller compares them with `parameters`, because they
  ///   may differ.
  func update(_ address: BluetoothAddress, to parameters: ConnectionParameters) async throws(LinkError)
    -> EffectiveParameters
  /// Current parameters of an open link; nil if there is no such link.
  func parameters(of address: BluetoothAddress) -> EffectiveParameters?
  /// Called whenever these parameters change, whichever side changed them.
  var onParameters: (@LoopActor (BluetoothAddress, EffectiveParameters) -> Void)? { get set }

  // MARK: Pairing and keys

  /// Sets all keys the hub has; the list replaces the previous one and is loaded at every initialisation of the
  /// adapter. The radio remembers it, also while it is down.
  func setKeys(_ keys: [BondKeys])
  /// Encrypts an open link: with the known key, else by pairing. Pairing waits until the radio has acknowledged that it
  /// bonds. It is complete when the hub has decided whether it keeps the keys.
  ///
  /// - Throws: `authenticationFailed`, `keyMissing`, `keyNotGiven`, `identityClaimed`, or how the link ended. After a
  ///   failure the link is useless and must be closed.
  func secure(_ bearer: any Bearer) async throws(LinkError)
  /// Called for every pairing, whichever side started it. The hub must consent, also to Just Works. Nil: every pairing
  /// is refused.
  var onPairingRequest: (@LoopActor (PairingRequest) -> Void)? { get set }
  /// Answers a request. An answer without an open request is ignored.
  func answer(_ address: BluetoothAddress, _ answer: PairingAnswer)
  /// Called with the new keys of a successful pairing and the address under which the link was made. The identity
  /// address in the keys is only a claim of the wearable. Refused keys are deleted from the kernel, and their link
  /// ends. Nil: all are refused.
  var onKeys: (@LoopActor (_ link: BluetoothAddress, BondKeys) -> KeyVerdict)? { get set }
  /// Called when pairing or encryption failed; the link ends by itself.
  var onPairingFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)? { get set }
  /// Deletes the keys of one wearable in the controller and the kernel, and ends its link. The caller then calls
  /// `setKeys` without them.
  func forgetKeys(of address: BluetoothAddress) async

  // MARK: Care

  /// Runs the reset ladder from its first rung, because an operator asked for it and whatever state the radio reports.
  func recover()
  /// Ends scanning and closes everything the radio opened.
  func shutDown() async
}

extension Radio {
  /// Default for a radio with one adapter.
  public var slotsKept: (@LoopActor (_ from: BluetoothAddress) -> [Int])? {
    get { nil }
    set {}
  }

  /// Default for a radio with one adapter.
  public func place(of address: BluetoothAddress) -> AdapterPlace? { nil }

  /// Default for a radio that loses its links when its process ends.
  public func start(owning owned: Set<BluetoothAddress>) { start() }

  /// Connects with the parameters of a quick start.
  ///
  /// - Throws: why the attempt failed.
  public func connect(to address: BluetoothAddress, deadline: Instant) async throws(LinkError) -> any Bearer {
    try await connect(to: address, deadline: deadline, parameters: .foreground)
  }
}
