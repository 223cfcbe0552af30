// Choices of people for one wearable.

package import RingStore
package import Wearable

/// Orders and choices of people for one wearable, as its record stores them.
package struct WearableChoices {
  package var orders: WearableOrders
  /// The wearer; nil: unknown.
  package var wearer: WearerID?
  /// State of removals on it, with an operator's choice.
  package var erasing: ErasingNotes
  /// An operator's choice whether its advertised values are stored; nil: as configured.
  package var listening: Bool?
  /// Limits of its live values.
  package var alerts: AlertOrders
  /// Phases and times of collection.
  package var collection: CollectionOrders
  /// The pause, if it is paused.
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
