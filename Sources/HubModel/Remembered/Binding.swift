// How far links have come to wearables that belong to one host, and whether such a wearable is bound to this hub. What
// binding and unbinding are on the wire is the driver's business (`BindingSession`); what is remembered here is only
// that a session said it is bound, so that a wearable without a link can be forgotten properly.

import EventLoop
import Reasons
import StateCodec
package import Wearable

/// The state of a link to a wearable that belongs to one host, in the words of the vendors' kits. A wearable without
/// a link is in none of them.
public enum LinkStage: String, Sendable, Hashable, CaseIterable {
  /// The link is made, or its services are being found.
  case connecting
  /// Its services are found; it has not said yet that it accepts this hub.
  case authenticating
  /// It accepted; what it is and can do is read, its clock set.
  case preparing
  /// Ready for everything.
  case connected

  package init(_ reached: BindingStage?) {
    switch reached {
    case nil: self = .connecting
    case .authenticating: self = .authenticating
    case .preparing: self = .preparing
    case .connected: self = .connected
    }
  }

  /// For people.
  package var words: String { self == .preparing ? "preparing data" : rawValue }
}

/// A session said that it is bound to this hub; until it is unbound, or says that it belongs to somebody else.
package struct BoundHere: RememberedFlag {
  package static let name = "bound"

  package init() {}
}
