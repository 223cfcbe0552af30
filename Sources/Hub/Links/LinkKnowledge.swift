// What the hub lends a link besides its channel: knowledge, security, and ears for what happens on it.

import Bluetooth
import CivilTime
import EventLoop
import Health
import Reasons
import StateCodec
import Wearable

/// What a session may know of its wearable and of the hub.
struct LinkKnowledge {
  var orders = WearableOrders()
  var wish = SyncWish()
  var known = KnownWearable()
  var zone = TimeZoneRules.utc
  /// Of the machine.
  var boot: String?
}

/// Who hears what happens on a link, and who answers for it.
struct LinkEvents {
  /// Whether the link may be encrypted now, pairing first where there is no key.
  var maySecure: @LoopActor () -> Bool = { false }
  /// What follows where a request is refused for want of an encrypted link.
  var whereRefused: @LoopActor () -> RefusalForSecurity = { .stands }
  /// The link is about to be encrypted for that.
  var encryptsWhereRefused: @LoopActor () -> Void = {}
  /// Bytes of payload that came.
  var onProgress: @LoopActor (Int) -> Void = { _ in }
  /// The link has come further; see `HubLink.reached`.
  var onReached: @LoopActor () -> Void = {}
  var onDisturbed: @LoopActor (Duration) -> Void = { _ in }
  var onOddity: @LoopActor (String) -> Void = { _ in }
  /// This side ended the link; not called when the radio did.
  var onGivenUp: @LoopActor (VisitTrouble) -> Void = { _ in }
  /// What sessions had remembered.
  var memory: @LoopActor () -> RememberedStates = { RememberedStates() }
  var onRemember: @LoopActor (RememberedStates) -> Void = { _ in }
  /// A session is about to move the clock that shows this; returns when it is durable.
  var beforeClockMoves: @LoopActor (ClockEvidence) async throws(HearthError) -> Void = { _ in }
  /// Such a reading came live, and is durable.
  var hasReading: @LoopActor (ReadingMark) async throws(HearthError) -> Bool = { _ in false }
}

/// A wearable refused a request for want of an encrypted link.
enum RefusalForSecurity: Equatable {
  /// Its driver says that encrypting is no answer to that, or does it by itself.
  case stands
  /// The link is encrypted, pairing first where there is no key, and the request made once more.
  case encrypt
  /// That cannot be done now. Where nothing is of use without, a person is told so.
  case needs(VisitTrouble)
}

extension VisitTrouble {
  /// Pairing is not for now.
  static let wantsPairing = VisitTrouble.needsAttention(
    .pairingRefused, "wants to be paired, which the hub allows only while it is enrolled")

  /// A pairing or an encryption that failed so is a person's business.
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
  /// As the kernel says; where it cannot be asked, as this hub did.
  var protection: LinkProtection { bearer.protection ?? LinkProtection(isEncrypted: isSecured) }

  func secure() async throws(LinkError) {
    try await radio.secure(bearer)
    isSecured = true
  }
}
