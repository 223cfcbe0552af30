// The end of a binding, before its wearable is forgotten: over the link that there is, or in a visit for it alone. A
// wearable that cannot be had within a stated time is forgotten all the same, and that is said (H2245).

import EventLoop
import Reasons
import Wearable

extension WearableQuestions {
  /// How long forgetting waits for a turn: linking takes some seconds, and a visit of another one ends within its
  /// slice. Somebody sits at a terminal.
  static let unbindingPatience: Duration = .seconds(60)

  /// Ends the binding of a wearable that is bound to this hub. After that the lane leaves it alone, or the next link
  /// would bind it anew.
  ///
  /// - Returns: `bindingLeft` where it still believes that it belongs to this hub; nil: it does not, or never did.
  func unbind(_ wearable: EnrolledWearable) async -> HearthError? {
    guard wearable.isBound else { return nil }
    wearable.visits.running?.interrupt(.link(.cancelled))
    do throws(HearthError) {
      try await ask(wearable, "unbinding", patience: Self.unbindingPatience) { session throws(VisitTrouble) in
        try await unbind(wearable, session)
      }
      return nil
    } catch {
      // Its visit found out that it belongs to somebody else.
      guard wearable.isBound else { return nil }
      return HearthError(
        .bindingLeft, "\(wearable.name) was not unbound and still believes that it belongs to this hub: \(error.detail)"
      )
    }
  }

  private func unbind(_ wearable: EnrolledWearable, _ session: any WearableSession) async throws(VisitTrouble) {
    guard let binding = session.binding else { throw .unsupported("its driver knows of no binding") }
    if binding.isBound {
      if let closing = session.closing, closing.needsClosing { try? await closing.close() }
      try await binding.unbind()
    } else if wearable.isBound {
      throw .unsupported("it did not accept the hub")
    }
    wearable.forget(BoundHere.self)
    wearable.lane.isLeaving = true
    // The link is of no use any more.
    wearable.link?.work?.giveUp(.link(.cancelled))
  }
}
