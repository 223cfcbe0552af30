// Services of the hub for a link besides its channel: knowledge, security, and callbacks for its events.

import Bluetooth
import CivilTime
import EventLoop
import Health
import Reasons
import StateCodec
import Wearable

/// State of the wearable and of the hub that a session may read.
struct LinkKnowledge {
  var orders = WearableOrders()
  var wish = SyncSelection()
  var known = KnownWearable()
  var zone = TimeZoneRules.utc
  /// Boot of the machine.
  var boot: String?
}

/// Callbacks for events on a link, and for questions about it.
struct LinkEvents {
  /// Whether the link may be encrypted now, after a pairing if there is no key.
  var maySecure: @LoopActor () -> Bool = { false }
  /// Reaction to a request that is refused because the link is not encrypted.
  var whereRefused: @LoopActor () -> RefusalForSecurity = { .stands }
  /// The link is about to be encrypted after such a refusal.
  var encryptsAfterRefusal: @LoopActor () -> Void = {}
  /// Number of payload bytes that came.
  var onProgress: @LoopActor (Int) -> Void = { _ in }
  /// The link reached another stage; see `HubLink.reached`.
  var onReached: @LoopActor () -> Void = {}
  var onDisturbed: @LoopActor (Duration) -> Void = { _ in }
  var onOddity: @LoopActor (String) -> Void = { _ in }
  /// Called when this side ended the link, not when the radio did.
  var onGivenUp: @LoopActor (VisitTrouble) -> Void = { _ in }
  /// State that earlier sessions stored.
  var memory: @LoopActor () -> RememberedStates = { RememberedStates() }
  var onRemember: @LoopActor (RememberedStates) -> Void = { _ in }
  /// Called before a session moves the clock, with the reading before; returns when the reading is durable.
  var beforeClockMoves: @LoopActor (ClockEvidence) async throws(HearthError) -> Void = { _ in }
  /// Whether such a reading came live, and is durable.
  var hasReading: @LoopActor (ReadingMark) async throws(HearthError) -> Bool = { _ in false }
}

/// Reactions to a request that a wearable refused because the link is not encrypted.
enum RefusalForSecurity: Equatable {
  /// Accept the refusal: the driver says that encryption does not help, or encrypts by itself.
  case stands
  /// Encrypt the link, after a pairing if there is no key, and repeat the request once.
  case encrypt
  /// Encryption is impossible now. If the wearable is useless without it, a person is notified.
  case needs(VisitTrouble)
}

extension VisitTrouble {
  /// Pairing is not permitted now.
  static let wantsPairing = VisitTrouble.needsAttention(
    .pairingRefused, "wants to be paired, which the hub allows only while it is enrolled")

  /// A failed pairing or encryption that needs a person.
  static func needsKeys(_ error: LinkError) -> VisitTrouble { .needsAttention(error.reason, error.clause) }
}

/// The encryption of one link.
@LoopActor
final class LinkSecurity {
  private let bearer: any Bearer
  private let radio: any Radio
  private(set) var isSecured = false

  init(bearer: any Bearer, radio: any Radio) {
    self.bearer = bearer
    self.radio = radio
  }

  var address: BluetoothAddress { bearer.address }
  /// The kernel's answer; without one, the state that this hub set.
  var protection: LinkProtection { bearer.protection ?? LinkProtection(isEncrypted: isSecured) }

  func secure() async throws(LinkError) {
    try await radio.secure(bearer)
    isSecured = true
  }
}
