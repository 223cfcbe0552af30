// Number of missing slots for all enrolled wearables, by numbers alone.

import Bluetooth
import EventLoop

/// Wearables and their possible slots: bonded wearables by adapter, and all others.
struct SlotShortage {
  private struct Share {
    var wanting = 0
    var slots = 0
    var missing: Int { max(0, wanting - slots) }
  }

  private var bonded: [Share]
  private var others = Share()

  init(_ wearables: [ForecastWearable], _ adapters: [AdapterSlots]) {
    bonded = adapters.map { Share(slots: $0.capacity) }
    for wearable in wearables where wearable.wantsLink {
      switch wearable.bond {
      case .none: others.wanting += 1
      case .at(let place): if bonded.indices.contains(place) { bonded[place].wanting += 1 }
      case .absent: break
      }
    }
    // Visits are made one at a time, and mostly so are links of wearables that are on for seconds.
    if wearables.contains(where: { !$0.wantsLink && $0.bond != .absent }) { others.wanting += 1 }
    others.slots = zip(bonded, adapters).reduce(0) { sum, adapter in
      adapter.1.onlyListens ? sum : sum + max(0, adapter.0.slots - adapter.0.wanting)
    }
  }

  /// Number of further slots with which no wearable would wait.
  var missing: Int { bonded.reduce(others.missing) { $0 + $1.missing } }

  /// Returns how long a wearable is without a link while all that share its slots take turns; nil: it has a slot.
  ///
  /// - Parameters:
  ///   - turn: length of each turn, with the time to make the link.
  ///   - limit: the longest wait that is reported, also for a wearable without any slot.
  func wait(of bond: AdapterPlace.Bond, turn: Duration, atMost limit: Duration) -> Duration? {
    var share = others
    if case .at(let place) = bond, bonded.indices.contains(place) { share = bonded[place] }
    if share.missing == 0 { return nil }
    return share.slots == 0 ? limit : min(turn * share.missing / share.slots, limit)
  }
}
