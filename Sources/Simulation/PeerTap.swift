// Tap between a simulated wearable and its link: receives the PDUs of both sides, and may withhold, delay, change or
// add PDUs. Observers of a run are taps, and so are hostile peers (`HostileTwin`).

public import Bluetooth
public import EventLoop

/// Tap on the radio traffic of one wearable. The twin behind it behaves as always, so a hostile tap can start like it
/// and go wrong anywhere. Without a tap nothing changes.
@LoopActor
open class PeerTap {
  /// Fate of a PDU of the wearable.
  public enum Fate: Sendable {
    case passes
    /// The PDU goes on the air and is lost; the wearable learns that.
    case swallowed
  }

  /// Steps of pairing and encryption at which a peer may fall silent.
  public enum SecurityStep: String, Sendable, CaseIterable {
    /// The hub has a key and encrypts with it.
    case encryption
    /// The exchange of features, before the operator is asked.
    case features
    /// Public keys, confirmation, nonces, checks, keys: after the operator consented.
    case exchange
  }

  /// Kind of stall at a step.
  public enum SecurityStall: Sendable, Hashable {
    /// State in which no further packet comes.
    case silent
    /// Every packet of the step comes just before its timer ends, so that the step takes this much longer, and ends.
    case slow(Duration)
  }

  /// Peripheral behind the tap.
  public private(set) final weak var peripheral: VirtualPeripheral?
  /// Whether its traffic is no ground truth for the store, and its service is not required.
  public let isHostile: Bool

  /// A tap; `isHostile` as the property.
  public init(isHostile: Bool) { self.isHostile = isHostile }

  /// Attaches the tap to this wearable, in place of an earlier one.
  public final func attach(to peripheral: VirtualPeripheral) {
    self.peripheral = peripheral
    peripheral.tap = self
  }

  /// Shortest time between reports of its advertisements; nil: the world's default.
  open var reportSpacing: Duration? { nil }
  /// Whether it accepts a connect request. The advertisements always say that it does.
  open var letsIn: Bool { true }
  /// Called when it becomes connectable: it advertises and has no link.
  open func becameReachable() {}
  /// Called when it is no longer connectable, because of a link or silence.
  open func becameUnreachable() {}
  /// Called when a link opens.
  open func linkOpened(_ link: VirtualLink) {}
  /// Called when a link closes.
  open func linkClosed(_ link: VirtualLink) {}
  /// Handles a PDU of the hub. The bytes are valid during the call. False: the wearable does not receive it.
  open func hears(_ pdu: RawBytes, on link: VirtualLink) -> Bool { true }
  /// Decides the fate of a PDU of the wearable.
  open func fate(of pdu: [UInt8], on link: VirtualLink) -> Fate { .passes }
  /// nil: no stall.
  open func stall(at step: SecurityStep) -> SecurityStall? { nil }
}
