// What the hub consumes of a radio. LinuxBluetooth implements it with the kernel's sockets, Simulation with a virtual
// world; hearthd alone chooses.

public import EventLoop
public import Reasons

/// One advertisement (or scan response) as it was heard.
public struct Advertisement: Sendable {
  public let address: BluetoothAddress
  /// dBm; nil where the controller does not know (127 on the wire).
  public let rssi: Int8?
  public let isConnectable: Bool
  public let isScanResponse: Bool
  /// AD structures, unparsed and hostile; at most 1,650 bytes (extended advertising).
  public let data: [UInt8]
  public let time: Instant

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

/// Whether the radio serves.
public enum RadioState: Sendable, Equatable {
  case starting
  case ready
  /// Not serving, with the reason; the radio keeps trying to return by itself.
  case down(Reason)
}

/// Something that is done to a radio which hears nothing or answers nothing.
public struct RadioRung: Sendable, Hashable {
  /// For example "power off and on".
  public var name: String
  /// Links end with it. The scan that is begun anew ends none.
  public var endsLinks: Bool

  public init(_ name: String, endsLinks: Bool) {
    self.name = name
    self.endsLinks = endsLinks
  }
}

/// Why a link could not be made, or ended. Each has its own policy in the hub.
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
  /// The wearable was paired, and the pairing left no key that can be kept: the next link would be paired anew.
  case keyNotGiven
  /// The wearable gave an identity address in pairing that is another wearable's.
  case identityClaimed
  /// The connection was created but the wearable never answered on it (0x3E).
  case failedToEstablish
  /// The hub gave up the attempt, or closed the link.
  case aborted
  /// The hub closed the link of one that asked the controller for more than a link may.
  case flooded
  /// The connect attempt did not end within its deadline though the wearable was heard.
  case timedOut
  /// Another attempt or link of this hub has the wearable.
  case taken
  /// The radio has as many attempts as it takes.
  case attemptsFull
  /// The adapter that it is bonded to has no slot left; others may have.
  case bondedSlotsFull
  /// It is bonded to an adapter that is not here.
  case bondedElsewhere
  /// Any other errno, kept for the log.
  case system(errno: Int32)
}

extension LinkError {
  /// A pairing or an encryption that failed, or whose keys are of no use.
  public var isOfSecurity: Bool { self == .keyMissing || isFailedPairing }

  /// A pairing that came to nothing.
  public var isFailedPairing: Bool {
    switch self {
    case .authenticationFailed, .keyNotGiven, .identityClaimed: true
    default: false
    }
  }
}

/// How a link is protected at this moment, as its kernel says.
public struct LinkProtection: Sendable, Equatable {
  public var isEncrypted: Bool
  /// Bytes of the key, 7 to 16 (Core, volume 3, part H, 2.3.4); nil where nothing is encrypted, or nobody tells.
  public var keySize: Int?

  public init(isEncrypted: Bool, keySize: Int? = nil) {
    self.isEncrypted = isEncrypted
    self.keySize = keySize
  }
}

/// An ATT channel to one wearable: whole PDUs in, whole PDUs out, order kept. All callbacks come on the loop thread.
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
  /// Sends one PDU. False: the kernel's queue is full; nothing was sent, `onWritable` follows.
  func send(_ pdu: [UInt8]) -> Bool
  /// Closes the channel; no callback follows. `immediately` also asks the controller to drop the link at once (else it
  /// lingers about two seconds and may be reused). Idempotent.
  func close(immediately: Bool)
  /// Whoever began the encryption; nil where nothing here can see it.
  var protection: LinkProtection? { get }
}

extension Bearer {
  public var protection: LinkProtection? { nil }
}

/// A radio: hears advertisements, makes links. All calls and callbacks on the loop thread.
@LoopActor
public protocol Radio: AnyObject {
  var state: RadioState { get }
  var facts: RadioFacts { get }
  /// Called for every advertisement that passes the radio's own flood limits.
  var onAdvertisement: (@LoopActor (Advertisement) -> Void)? { get set }
  var onStateChange: (@LoopActor (RadioState) -> Void)? { get set }
  /// Called before each rung that is tried; also before one that ends the hub.
  var onRung: (@LoopActor (RadioRung) -> Void)? { get set }
  /// Begins to serve; survives every trouble by itself and reports it through `onStateChange`.
  func start()
  /// - Parameter owned: wearables that nobody but this hub links to. Where the machine still has a link to one, of a
  ///   process of before, and nobody uses it, it is ended: linked, the wearable is not heard.
  func start(owning owned: Set<BluetoothAddress>)
  /// Makes a link and its ATT channel. Several attempts may wait at once, one for each wearable: a second one to the
  /// same wearable is refused as `taken`, more than the kernel takes (12) as `attemptsFull`. Cancelling the task aborts
  /// the attempt. Scanning goes on while attempts wait to hear their wearables. Links are made one after the other, and
  /// scanning pauses for each until it is made, or is not (3 s at most).
  ///
  /// - Parameter deadline: until when the attempt may last, from hearing the wearable to the open channel.
  /// - Parameter parameters: what the link is created with, so that it never begins with what the last one ended with.
  func connect(to address: BluetoothAddress, deadline: Instant, parameters: ConnectionParameters)
    async throws(LinkError) -> any Bearer

  /// While true, advertisers are also asked for their scan responses: some wearables say their name and service only
  /// there. It costs them power, so it is meant for as long as somebody wants to enrol one.
  var asksForNames: Bool { get set }

  /// Where the link of a wearable is and may be made; nil: there is only one adapter.
  func place(of address: BluetoothAddress) -> AdapterPlace?

  // MARK: Connection parameters

  /// Asks for other parameters of an open link and waits for the outcome: at most a few seconds, longer at long
  /// intervals.
  ///
  /// - Returns: what the link then runs with. It need not satisfy `parameters`: the caller looks.
  /// - Throws: why nothing could be asked; the link is as it was. Illegal parameters are refused (`EINVAL`).
  func update(_ address: BluetoothAddress, to parameters: ConnectionParameters) async throws(LinkError)
    -> EffectiveParameters
  /// What an open link runs with; nil if there is no such link.
  func parameters(of address: BluetoothAddress) -> EffectiveParameters?
  /// Called whenever that changes, whoever changed it.
  var onParameters: (@LoopActor (BluetoothAddress, EffectiveParameters) -> Void)? { get set }

  // MARK: Pairing and keys

  /// All keys the hub has, as one list that replaces the one before; loaded at every initialisation of the adapter.
  /// Remembered by the radio, also while it does not serve.
  func setKeys(_ keys: [BondKeys])
  /// Raises the security of an open link to an encrypted one: with the key that is known, else by pairing. Pairs only
  /// once the radio has acknowledged that it bonds, and is over when the hub has said whether it keeps the keys.
  ///
  /// - Throws: `authenticationFailed`, `keyMissing`, `keyNotGiven`, `identityClaimed`, or how the link ended. After a
  ///   failure the link is of no use and must be closed.
  func secure(_ bearer: any Bearer) async throws(LinkError)
  /// Asked for every pairing, whoever began it: somebody has to say yes, also to Just Works. Nil: every pairing is
  /// refused.
  var onPairingRequest: (@LoopActor (PairingRequest) -> Void)? { get set }
  /// The answer to a request; one that nobody waits for is ignored.
  func answer(_ address: BluetoothAddress, _ answer: PairingAnswer)
  /// New keys of a pairing that succeeded, with the address under which the link was made: the identity address in the
  /// keys is the wearable's own word. Keys that are refused are taken out of the kernel, and their link ends. Nil: all
  /// are refused.
  var onKeys: (@LoopActor (_ link: BluetoothAddress, BondKeys) -> KeyVerdict)? { get set }
  /// A pairing or an encryption failed; the link ends by itself.
  var onPairingFailed: (@LoopActor (BluetoothAddress, LinkError) -> Void)? { get set }
  /// Forgets the keys of one wearable in the controller and the kernel, and ends its link. `setKeys` without them
  /// follows.
  func forgetKeys(of address: BluetoothAddress) async

  // MARK: Care

  /// An operator asks for the reset ladder from its first rung, whatever the radio thinks of itself.
  func recover()
  /// Ends scanning and closes everything the radio opened.
  func shutDown() async
}

extension Radio {
  /// For a radio with one adapter.
  public func place(of address: BluetoothAddress) -> AdapterPlace? { nil }

  /// For a radio whose links end with their process.
  public func start(owning owned: Set<BluetoothAddress>) { start() }

  /// A link that starts quick.
  public func connect(to address: BluetoothAddress, deadline: Instant) async throws(LinkError) -> any Bearer {
    try await connect(to: address, deadline: deadline, parameters: .foreground)
  }
}
