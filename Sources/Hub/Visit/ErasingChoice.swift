// An operator's choice whether the hub removes data on a wearable.

import EventLoop
import Reasons
import RingStore
import Wearable

extension Visits {
  /// Stores an operator's choice whether the hub removes data on this wearable; nil: as configured. Durable when it
  /// returns.
  ///
  /// - Throws: `noSuchWearable`; `requestUnsupported` if its kind removes or stores no data; or the store's error.
  ///   After an error the choice is unchanged.
  func setErasing(_ which: String, _ choice: EraseChoice?) async throws(HearthError) -> EnrolledWearable {
    let wearable = try registry.require(which)
    if choice == .yes || choice == .ask, wearable.driver?.capabilities.contains(.erase) != true {
      throw HearthError(.requestUnsupported, "\(wearable.name): its kind stores no data to remove")
    }
    if choice == .yes || choice == .ask, wearable.capabilities?.keepsData == false {
      throw HearthError(.requestUnsupported, "\(wearable.name): it stores no data to remove")
    }
    try await registry.change(ErasingNotes.self, of: wearable) { (kept: inout ErasingNotes?) in
      var notes = wearable.choices.erasing
      notes.choice = choice
      kept = notes
    } after: { _ in
      // The other notes may have changed meanwhile.
      wearable.choices.erasing.choice = choice
      wearable.writeErasing()
    }
    return wearable
  }
}
