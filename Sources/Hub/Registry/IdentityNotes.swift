// The stored identity of an enrolled wearable.

import Bluetooth
import EventLoop
import RingStore
import StateCodec

extension EnrolledWearable {
  /// The identity; nil: it had no link that passed the identity check, or was accepted again since.
  var identity: KnownIdentity? {
    if let known = remembered(KnownIdentity.self) { return known }
    // A record of a hub without identities has only the database.
    guard
      let cache = record.gattCache.flatMap({ bytes in
        bytes.withUnsafeBytes { GATTCache(decoding: $0) }
      })
    else {
      return nil
    }
    var known = KnownIdentity()
    known.database = cache.database.fingerprint
    known.firmware = cache.firmwareText
    return known
  }

  /// Notes that it announced a change of its database over a trusted link: the next link may show another one.
  func expectsOtherDatabase() {
    guard var known = remembered(KnownIdentity.self), known.database != nil else { return }
    known.database = nil
    remember(known)
  }

  /// Accepts the present device as the wearable, by a person's word; the identity is learned again.
  func forgetIdentity() {
    forget(KnownIdentity.self)
    keepCache(nil)
  }
}
