// Whose address a wearable gives as its identity in pairing. The address is its own word.

import Bluetooth
import EventLoop

/// The identity address that was given on one link.
struct IdentityClaim {
  /// What has the address already.
  struct Owner {
    /// For people.
    var name: String
    /// Nil: not enrolled.
    var wearable: EnrolledWearable?
  }

  let link: BluetoothAddress
  let identity: BluetoothAddress

  /// Linked, a wearable does not advertise: an advertiser of that address heard so shortly before the keys is another
  /// one. As long as three of the slowest advertising intervals: one may be lost.
  static let sameTime = AdvertisingRhythm.unlearned

  /// What has the identity beside the link; nil: nothing that the hub knows of.
  @LoopActor
  func owner(_ registry: Registry, _ presence: PresenceMonitor, _ now: Instant) -> Owner? {
    if identity == link { return nil }
    if let wearable = registry[identity] { return Owner(name: wearable.name, wearable: wearable) }
    // A link under an address that stays was made under the identity address itself.
    if link.isIdentity { return Owner(name: "\(identity)") }
    guard let heard = presence[identity]?.lastHeard, now - heard <= Self.sameTime else { return nil }
    return Owner(name: "\(identity), which is heard beside it,")
  }
}
