// The end of a binding before its wearable is removed: over the open link, or in a visit for this alone. A wearable
// that is not reached within a stated time is removed all the same, with a warning (H2245).

import EventLoop
import Reasons
import Wearable

extension WearableQuestions {
  /// Time that a removal waits for a turn, while a person waits at a terminal. Linking takes some seconds, and the
  /// visit of another wearable ends within its slice.
  static let unbindingPatience: Duration = .seconds(60)

  /// Ends the binding of a wearable that is bound to this hub. After that the lane ignores it, or the next link would
  /// bind it again.
  ///
  /// - Returns: `bindingLeft` if it still believes that it is bound to this hub; nil: it does not, or never did.
  func unbind(_ wearable: EnrolledWearable) async -> HearthError? {
    guard wearable.isBound else { return nil }
    wearable.visits.running?.interrupt(.link(.cancelled))
    do throws(HearthError) {
      try await ask(wearable, "unbinding", patience: Self.unbindingPatience) { session throws(VisitTrouble) in
        try await unbind(wearable, session)
      }
      return nil
    } catch {
      // The visit found that it belongs to another host.
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
    // The link is useless now.
    wearable.link?.work?.giveUp(.link(.cancelled))
  }
}
