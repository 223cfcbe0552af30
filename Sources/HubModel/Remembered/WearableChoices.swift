// What people chose for one wearable.

package import RingStore
package import Wearable

/// Orders and choices of people about one wearable, as its record keeps them.
package struct WearableChoices {
  package var orders: WearableOrders
  /// Who wears it; nil for nobody known.
  package var wearer: WearerID?
  /// What is remembered of removals on it, with an operator's choice.
  package var erasing: ErasingNotes
  /// An operator's choice whether values that it advertises are kept; nil: as configured.
  package var listening: Bool?
  /// Limits of its live values.
  package var alerts: AlertOrders
  /// What visits bring unasked, and when.
  package var collection: CollectionOrders
  /// It is left alone.
  package var pause: CollectionPause?

  package init(_ record: WearableRecord) {
    orders = WearableOrders(record)
    erasing = record.hubState[ErasingNotes.self] ?? ErasingNotes()
    listening = record.hubState[ListeningChoice.self]?.isOn
    alerts = record.hubState[KeptAlertOrders.self]?.orders ?? AlertOrders()
    collection = record.hubState[CollectionOrders.self] ?? CollectionOrders()
    pause = record.hubState[CollectionPause.self]
  }
}
