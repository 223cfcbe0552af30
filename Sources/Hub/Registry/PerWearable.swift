// What one component keeps of each enrolled wearable.

import EventLoop
import RingStore

/// The state that a component keeps of each enrolled wearable. It is private to the component: others ask that.
///
/// The state of a wearable goes when it is forgotten. What a late flow writes of it then goes when the next one is
/// written: at most as many are kept as were enrolled at the same time, and one more.
@LoopActor
final class PerWearable<State> {
  private let registry: Registry
  private var states: [WearableID: State] = [:]

  init(_ registry: Registry) {
    self.registry = registry
    registry.onGone { [weak self] wearable in self?.states[wearable] = nil }
  }

  subscript(wearable: EnrolledWearable) -> State? {
    get { states[wearable.id] }
    set {
      states[wearable.id] = newValue
      // A wearable is given its states before the registry has it.
      guard states.count > registry.all.count + 1 else { return }
      let enrolled = Set(registry.all.map(\.id) + [registry.admitting, wearable.id].compactMap { $0 })
      states = states.filter { enrolled.contains($0.key) }
    }
  }
}
