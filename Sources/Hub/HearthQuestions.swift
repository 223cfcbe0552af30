// Queries about the hub and its wearables, and notes about its backups, forwarded to the component in charge.

public import EventLoop
public import Lights
public import Reasons
public import RingStore

extension Hearth {
  // MARK: The hub

  /// Settings in effect.
  public var options: HearthOptions { context.options }
  /// State of the hub on one screen.
  public func snapshot() -> HubSnapshot { status.snapshot() }
  /// Enrolled wearables by name, then candidates that are heard.
  public func wearables() -> [WearableSnapshot] { status.wearables.all() }

  /// Finds an enrolled wearable or a candidate, by its name (a candidate's advertised name) or its address.
  ///
  /// - Throws: `noSuchWearable`, with the most similar name if there is one.
  public func wearable(named which: String) throws(HearthError) -> WearableSnapshot {
    try status.wearables.named(which)
  }

  /// Shows why the configuration could not be loaded again; nil: the last reload succeeded.
  public func noteConfiguration(_ trouble: HearthError?) { status.noteConfiguration(trouble) }
  /// Shows a trouble of the hub itself, until the hub stops.
  public func note(_ trouble: HearthError) { status.note(trouble) }
  /// Shows an update that failed or was rolled back; nil: no such update, or an operator acknowledged it.
  public func noteUpdate(_ trouble: HearthError?) { status.noteUpdate(trouble) }
  /// State that the LEDs have to show now; an LED may still show the state before.
  public func lightState() -> LightState { status.lightState() }
  /// Shows the locate pattern on the LEDs for 30 s, so that the hub can be found; false ends it.
  public func locate(_ on: Bool) { status.locate(on) }

  /// Outages that the next hourly report will contain, as they stand now; newest first. Their numbers are not those of
  /// stored events.
  public func pendingEvents() -> [StoreEvent] { events.untold() }

  /// Notes the begin of a check or an export: the STORE LED shows it until the last one has ended.
  public func storeTaskBegan() { status.storeTaskBegan() }
  /// Notes the end of a check or an export.
  public func storeTaskEnded() { status.storeTaskEnded() }

  /// Notes that a backup was made at a time, or why it failed. Durable when it returns.
  ///
  /// - Throws: the store's error; then the state of backups is unchanged.
  public func noteBackup(_ outcome: Result<WallTime, HearthError>) async throws(HearthError) {
    if case .success(let time) = outcome { try await context.store.keepBackup(at: time) }
    status.noteBackup(outcome)
  }

  // MARK: Live values and changes

  /// Passes every live value of one wearable, or of all (nil), to `handler` until `unsubscribeLive`.
  ///
  /// - Returns: token of the subscription.
  /// - Throws: `noSuchWearable`.
  public func subscribeLive(
    _ which: String?, _ handler: @escaping @LoopActor (LiveValue) -> Void
  ) throws(HearthError) -> Int { try live.subscribe(which, handler) }

  /// Ends a subscription of live values by its token.
  public func unsubscribeLive(_ token: Int) { live.unsubscribe(token) }

  /// Calls `handler` when the state that people see may have changed, until `unsubscribeChanges`; often it is the same.
  ///
  /// - Returns: token of the subscription.
  public func subscribeChanges(_ handler: @escaping @LoopActor () -> Void) -> Int {
    context.changes.subscribe(handler)
  }

  /// Ends a subscription of changes by its token.
  public func unsubscribeChanges(_ token: Int) { context.changes.unsubscribe(token) }

  // MARK: Components that answer

  var questions: WearableQuestions {
    WearableQuestions(
      context: context, registry: registry, presence: presence, lane: lane, requests: visitOrders.requests)
  }
  var syncs: SyncKeeper {
    SyncKeeper(context: context, registry: registry, presence: presence, lane: lane, orders: visitOrders)
  }
  var collection: CollectionKeeper { CollectionKeeper(context: context, registry: registry) }
}
