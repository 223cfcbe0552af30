// The stage of a link to a wearable that belongs to one host, and whether that host is this hub.

import EventLoop
import Reasons
import StateCodec
import Wearable

extension LinkSession {
  /// The stage, derived only here: from the link's life, and from what the session reached. nil: its wearable serves
  /// any host.
  var stage: LinkStage? { session.binding == nil ? nil : LinkStage(link.reached) }
}

extension VisitEnd {
  /// The same end, with the stage at which the link was lost, or the wearable refused the hub.
  ///
  /// - Parameter isLinked: the link is still up. Once it is ready for everything, its stage explains no failure.
  func told(at stage: LinkStage?, isLinked: Bool) -> VisitEnd {
    guard let stage, let trouble, !isLinked || stage != .connected else { return self }
    var end = self
    end.trouble = HearthError(trouble.reason, "\(trouble.detail) (while \(stage.words))")
    return end
  }
}

extension EnrolledWearable {
  /// Whether it believes that it is bound to this hub, as far as the hub knows.
  var isBound: Bool { remembered(BoundHere.self) != nil || link?.session?.session.binding?.isBound == true }

  /// Notes what its session reports after a check.
  ///
  /// - Parameter failure: the error of the check. A failed check does not end an earlier binding, unless the wearable
  ///   reported that it belongs to another host.
  /// - Returns: whether the answer differs from the stored one.
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
