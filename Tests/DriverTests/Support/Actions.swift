import EventLoop
import Wearable

extension OperatedSession {
  /// Without arguments.
  func perform(_ action: WearableAction) async throws(VisitTrouble) -> String { try await perform(action, []) }
}
