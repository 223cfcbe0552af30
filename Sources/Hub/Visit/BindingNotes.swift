// How far a link to a wearable that belongs to one host has come, and whether that is this hub.

import EventLoop
import Reasons
import StateCodec
import Wearable

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
