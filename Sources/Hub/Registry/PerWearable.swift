// What one component keeps of each enrolled wearable.

import EventLoop
import RingStore

/// The state that a component keeps of each enrolled wearable. It is private to the component: others ask that.
///
/// States of wearables that were forgotten go when the next one is enrolled: at most as many are kept as were enrolled
/// at the same time.
@LoopActor
final class PerWearable<State> {
  private let registry: Registry
  private var states: [WearableID: State] = [:]

  init(_ registry: Registry) { self.registry = registry }

  subscript(wearable: EnrolledWearable) -> State? {
    get { states[wearable.id] }
    set {
      states[wearable.id] = newValue
      // A wearable is given its states before the registry has it.
      guard states.count > registry.all.count + 1 else { return }
      let enrolled = Set(registry.all.map(\.id))
      states = states.filter { enrolled.contains($0.key) || $0.key == wearable.id }
      guard states.count <= registry.all.count + 1 else { fatalError("states of more wearables than are enrolled") }
    }
  }
}
