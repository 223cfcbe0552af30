// What stands between a simulated wearable and its link: it hears both sides, and may hold back, delay, change or add.
// Observers of a run are such taps, and so is everything hostile (`HostileTwin`).

public import Bluetooth
public import EventLoop

/// Hears what one wearable does on the air. A true twin behind it says what it always says, so that whoever taps it
/// may begin like it and go wrong anywhere. Without a tap nothing is different.
@LoopActor
open class PeerTap {
  /// What becomes of a PDU of the wearable.
  public enum Fate: Sendable {
    case passes
    /// It goes on the air and nobody hears it: the wearable is told that it was lost.
    case swallowed
  }

  /// Steps of pairing and encryption at which a peer may fall silent.
  public enum SecurityStep: String, Sendable, CaseIterable {
    /// The hub has a key and encrypts with it.
    case encryption
    /// The exchange of features, before anybody is asked.
    case features
    /// Public keys, confirmation, nonces, checks, keys: after somebody said yes.
    case exchange
  }

  /// How it stalls at a step.
  public enum SecurityStall: Sendable, Hashable {
    /// Nothing comes any more.
    case silent
    /// Every packet of the step comes before its timer ends, so that the step takes so much longer, and ends.
    case slow(Duration)
  }

  public private(set) final weak var peripheral: VirtualPeripheral?
  /// What it said is no truth that a store is held against, and nobody owes it service.
  public let isHostile: Bool

  public init(isHostile: Bool) { self.isHostile = isHostile }

  /// From now on it stands before this wearable, in the place of whatever stood there.
  public final func attach(to peripheral: VirtualPeripheral) {
    self.peripheral = peripheral
    peripheral.tap = self
  }

  /// Reports of it come at most this often; nil: as the world's options say.
  open var reportSpacing: Duration? { nil }
  /// It answers a request for a link. It is heard as one that would.
  open var letsIn: Bool { true }
  /// It can be reached: it advertises from now on, and has no link.
  open func becameReachable() {}
  /// It cannot be reached any more, by a link or for its silence.
  open func becameUnreachable() {}
  open func linkOpened(_ link: VirtualLink) {}
  open func linkClosed(_ link: VirtualLink) {}
  /// One PDU of the hub. The bytes are valid during the call. False: the wearable never hears it.
  open func hears(_ pdu: RawBytes, on link: VirtualLink) -> Bool { true }
  /// One PDU of the wearable.
  open func fate(of pdu: [UInt8], on link: VirtualLink) -> Fate { .passes }
  /// nil: it goes on as it should.
  open func stall(at step: SecurityStep) -> SecurityStall? { nil }
}
