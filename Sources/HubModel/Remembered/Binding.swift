// Stages of links to wearables that belong to one host, and whether such a wearable is bound to this hub. The driver
// handles binding on the wire (`BindingSession`). Stored is only that a session reported the binding, so that a
// wearable without a link can be removed properly.

import EventLoop
import Reasons
import StateCodec
package import Wearable

/// The stage of a link to a wearable that belongs to one host, in the terms of the vendors' kits. A wearable without a
/// link has no stage.
public enum LinkStage: String, Sendable, Hashable, CaseIterable {
  /// The link is being made, or its services are being discovered.
  case connecting
  /// The services are known; the wearable has not accepted this hub yet.
  case authenticating
  /// The wearable accepted; its identity and capabilities are read, its clock is set.
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

  /// Text for people.
  package var words: String { self == .preparing ? "preparing data" : rawValue }
}

/// A session reported that it is bound to this hub. Deleted when it is unbound, or reports that it belongs to another
/// host.
package struct BoundHere: RememberedFlag {
  package static let name = "bound"

  package init() {}
}
