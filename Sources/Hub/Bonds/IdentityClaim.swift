// The identity address that a wearable gives in pairing, which may belong to another one. The address is unproven.

import Bluetooth
import EventLoop

/// The identity address that was given on one link.
struct IdentityClaim {
  /// The current owner of the address.
  struct Owner {
    /// Name shown to people.
    var name: String
    /// Nil: not enrolled.
    var wearable: EnrolledWearable?
  }

  let link: BluetoothAddress
  let identity: BluetoothAddress

  /// A linked wearable does not advertise. So an advertiser of that address, heard this shortly before the keys came,
  /// is another device. Length: three of the slowest advertising intervals, as one may be lost.
  static let sameTime = AdvertisingRhythm.unlearned

  /// The owner of the identity address other than the linked wearable; nil: unknown to the hub.
  @LoopActor
  func owner(_ registry: Registry, _ presence: PresenceMonitor, _ now: Instant) -> Owner? {
    if identity == link { return nil }
    if let wearable = registry[identity] { return Owner(name: wearable.name, wearable: wearable) }
    // A link to an address that never changes was made to the identity address itself.
    if link.isIdentity { return Owner(name: "\(identity)") }
    guard let heard = presence[identity]?.lastHeard, now - heard <= Self.sameTime else { return nil }
    return Owner(name: "\(identity), which is heard at the same time,")
  }
}
