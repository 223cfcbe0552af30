// State of one component for each enrolled wearable.

import EventLoop
import RingStore

/// The state of a component for each enrolled wearable. Private to the component: others ask the component.
///
/// A wearable's state is deleted with its enrolment. State that a late task writes afterwards is deleted at the next
/// write of any. At most one more is stored than wearables were enrolled at the same time.
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
      // A wearable gets its states before the registry has it.
      guard states.count > registry.all.count + 1 else { return }
      let enrolled = Set(registry.all.map(\.id) + [registry.admitting, wearable.id].compactMap { $0 })
      states = states.filter { enrolled.contains($0.key) }
    }
  }
}
