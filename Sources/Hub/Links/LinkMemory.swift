// State that a driver's session stores for its wearable through the link.

import Health
import Reasons
import StateCodec
import Wearable

extension HubLink {
  func remembered<S: RememberedState>(_ kind: S.Type) -> S? { events.memory()[kind] }

  func remember<S: RememberedState>(_ state: S) throws(VisitTrouble) {
    var states = events.memory()
    do throws(HearthError) {
      if try states.keep(state) { events.onRemember(states) }
    } catch {
      throw .needsAttention(error.reason, "cannot have more remembered of it: \(error.detail)")
    }
  }

  func forget<S: RememberedState>(_ kind: S.Type) {
    var states = events.memory()
    if states.forget(kind) { events.onRemember(states) }
  }

  func clockWillMove(from shown: ClockEvidence, to time: Int64?) async throws(VisitTrouble) {
    if let time {
      let (by, overflow) = time.subtractingReportingOverflow(shown.device)
      if !overflow, by.magnitude <= UInt64(ClockCorrection.readingError) { return }
    }
    do throws(HearthError) { try await events.beforeClockMoves(shown) } catch { throw .noRoom(error.detail) }
  }
}
