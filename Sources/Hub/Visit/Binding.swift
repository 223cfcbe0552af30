// How far links have come to wearables that belong to one host, and whether such a wearable is bound to this hub. What
// binding and unbinding are on the wire is the driver's business (`BindingSession`); what is remembered here is only
// that a session said it is bound, so that a wearable without a link can be forgotten properly.

import EventLoop
import Reasons
import StateCodec
import Wearable

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

  init(_ reached: BindingStage?) {
    switch reached {
    case nil: self = .connecting
    case .authenticating: self = .authenticating
    case .preparing: self = .preparing
    case .connected: self = .connected
    }
  }

  /// For people.
  var words: String { self == .preparing ? "preparing data" : rawValue }
}

extension LinkSession {
  /// The one place where it is worked out: of the link's life, and of what the session said that it reached. nil: its
  /// wearable serves whoever connects.
  var stage: LinkStage? { session.binding == nil ? nil : LinkStage(link.reached) }
}

extension VisitEnd {
  /// The same, with the state at which the link was lost, or the wearable refused the hub.
  ///
  /// - Parameter isLinked: the link is still up: once it is ready for everything its state explains nothing.
  func told(at stage: LinkStage?, isLinked: Bool) -> VisitEnd {
    guard let stage, let trouble, !isLinked || stage != .connected else { return self }
    var end = self
    end.trouble = HearthError(trouble.reason, "\(trouble.detail) (while \(stage.words))")
    return end
  }
}

/// A session said that it is bound to this hub; until it is unbound, or says that it belongs to somebody else.
struct BoundHere: RememberedFlag {
  static let name = "bound"
}

extension EnrolledWearable {
  /// It believes that it belongs to this hub, as far as the hub knows.
  var isBound: Bool { remembered(BoundHere.self) != nil || link?.session?.session.binding?.isBound == true }

  /// Notes what its session says after a check.
  ///
  /// - Parameter failure: what the check ended with. One that failed says nothing of a binding that was, unless the
  ///   wearable said that it belongs to another host.
  /// - Returns: that is another answer than was noted.
  func noteBinding(_ session: any WearableSession, _ failure: VisitTrouble?) -> Bool {
    guard let binding = session.binding else { return false }
    let was = remembered(BoundHere.self) != nil
    if binding.isBound {
      if !was { remember(BoundHere()) }
      return !was
    }
    var isElsewhere = false
    if case .needsAttention(.boundElsewhere, _)? = failure { isElsewhere = true }
    guard was, failure == nil || isElsewhere else { return false }
    forget(BoundHere.self)
    return true
  }
}
