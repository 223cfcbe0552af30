// What people chose for one wearable.

import RingStore
import Wearable

/// Orders and choices of people about one wearable, as its record keeps them.
struct WearableChoices {
  var orders: WearableOrders
  /// Who wears it; nil for nobody known.
  var wearer: WearerID?
  /// What is remembered of removals on it, with an operator's choice.
  var erasing: ErasingNotes
  /// An operator's choice whether values that it advertises are kept; nil: as configured.
  var listening: Bool?

  /// Under which that choice is kept in the notes.
  static let listeningKey = "listen"

  init(_ record: WearableRecord) {
    orders = WearableOrders(record)
    erasing = ErasingNotes(record.notes)
    listening = record.notes[Self.listeningKey].flatMap { ["on": true, "off": false][$0] }
  }
}
