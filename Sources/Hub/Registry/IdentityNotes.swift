// What is known of who an enrolled wearable is.

import Bluetooth
import EventLoop
import RingStore
import StateCodec

extension EnrolledWearable {
  /// What is known of it; nil: it had no link that was believed, or was accepted anew since.
  var identity: KnownIdentity? {
    if let known = remembered(KnownIdentity.self) { return known }
    // Of a hub that knew no identities yet there is the database alone.
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

  /// It says over a link that was believed that its database changes: the next link may show another one.
  func expectsOtherDatabase() {
    guard var known = remembered(KnownIdentity.self), known.database != nil else { return }
    known.database = nil
    remember(known)
  }

  /// A person says that whoever is there is the wearable: all is learned anew.
  func forgetIdentity() {
    forget(KnownIdentity.self)
    keepCache(nil)
  }
}
