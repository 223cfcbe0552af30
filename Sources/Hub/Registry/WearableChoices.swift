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
  /// Limits of its live values.
  var alerts: AlertOrders
  /// What visits bring unasked, and when.
  var collection: CollectionOrders
  /// It is left alone.
  var pause: CollectionPause?

  init(_ record: WearableRecord) {
    orders = WearableOrders(record)
    erasing = record.hubState[ErasingNotes.self] ?? ErasingNotes()
    listening = record.hubState[ListeningChoice.self]?.isOn
    alerts = record.hubState[KeptAlertOrders.self]?.orders ?? AlertOrders()
    collection = record.hubState[CollectionOrders.self] ?? CollectionOrders()
    pause = record.hubState[CollectionPause.self]
  }
}
