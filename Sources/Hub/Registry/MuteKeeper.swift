// Orders about which troubles people are notified of.

import EventLoop
import Reasons
import RingStore

/// Takes orders to mute troubles. Stores no state of its own: every component reads the mutes (`HubContext.mutes`).
@LoopActor
struct MuteKeeper {
  let context: HubContext
  let registry: Registry

  func mutes() -> [MuteSnapshot] {
    context.mutes.all.map { mute in
      let name = mute.wearable.map { id in registry[id]?.name ?? "wearable-\(id.number)" }
      let until = mute.end.map { $0.shown(context.loop) }
      return MuteSnapshot(mute.reason, of: name, since: mute.since, until: until)
    }
  }

  /// Mutes a trouble, or changes an existing mute. Durable when it returns.
  ///
  /// - Parameter until: by the hub's clock; nil: until it is withdrawn.
  /// - Throws: `noSuchWearable`; `controlBadParameter` for a time in the past; `storeTableFull` beyond the limit; or
  ///   the store's error. After an error the mutes are unchanged.
  func mute(_ reason: Reason, of which: String?, until: WallTime?) async throws(HearthError) -> [MuteSnapshot] {
    let wearable: EnrolledWearable? = if let which { try registry.require(which) } else { nil }
    let end = try OrderEnd.of(until, context.loop)
    await context.mutesTurn.take()
    defer { context.mutesTurn.give() }
    var wanted = context.mutes
    wanted.all.removeAll { $0.reason == reason && $0.wearable == wearable?.id }
    guard wanted.all.count < Mutes.limit else {
      throw HearthError(.storeTableFull, "\(Mutes.limit) troubles are muted already")
    }
    wanted.all.append(Mute(reason: reason, wearable: wearable?.id, since: context.loop.wall, end: end))
    try await keep(wanted)
    return mutes()
  }

  /// Withdraws a mute. Durable when it returns.
  ///
  /// - Throws: `noSuchWearable`; `controlBadParameter` if there is no such mute; or the store's error. After an error
  ///   the mutes are unchanged.
  func unmute(_ reason: Reason, of which: String?) async throws(HearthError) -> [MuteSnapshot] {
    let wearable: EnrolledWearable? = if let which { try registry.require(which) } else { nil }
    await context.mutesTurn.take()
    defer { context.mutesTurn.give() }
    var wanted = context.mutes
    wanted.all.removeAll { $0.reason == reason && $0.wearable == wearable?.id }
    guard wanted.all.count < context.mutes.all.count else {
      let other = context.mutes.all.contains { $0.reason == reason }
      let whose = wearable.map { " of \($0.name)" } ?? ""
      throw HearthError(
        .controlBadParameter,
        "\(reason.code)\(whose) is not muted\(other ? "; hearth mute lists what is muted" : "")")
    }
    try await keep(wanted)
    return mutes()
  }

  private func keep(_ wanted: Mutes) async throws(HearthError) {
    try await context.store.keepHubOrders(wanted.bytes)
    context.mutes = wanted
    context.changes.raise(.shown)
  }

  /// Removes mutes that are over, or are for wearables that are no longer enrolled.
  ///
  /// - Returns: whether any was removed.
  func endWhatIsOver() -> Bool {
    let before = context.mutes.all.count
    if before == 0 { return false }
    context.mutes.all = context.mutes.all.compactMap { mute in
      var mute = mute
      if mute.end?.look(context.loop) == true { return nil }
      return mute.wearable.map { registry[$0] == nil } ?? false ? nil : mute
    }
    if context.mutes.all.count == before { return false }
    context.changes.raise(.shown)
    return true
  }

  /// Writes all mutes as they are; a failure is the store's trouble.
  func keepWhatIsLeft() async {
    await context.mutesTurn.take()
    defer { context.mutesTurn.give() }
    let bytes = context.mutes.bytes
    let kept = try? context.store.hubOrders()
    if kept == bytes || kept == nil && context.mutes.all.isEmpty { return }
    do throws(HearthError) { try await context.store.keepHubOrders(bytes) } catch { context.logger.error("\(error)") }
  }
}

extension HubContext {
  /// A trouble that is muted, with the end of its mute.
  func muted(_ trouble: HearthError, of id: WearableID?, called name: String?) -> Attention {
    let mute = mutes.mute(of: trouble.reason, id, loop.now)
    return Attention(wearable: name, trouble: trouble, mutedUntil: mute?.end.map { $0.shown(loop) })
  }

  func muted(_ trouble: HearthError, of wearable: EnrolledWearable) -> Attention {
    muted(trouble, of: wearable.id, called: wearable.name)
  }
}

extension OrderEnd {
  /// nil for an order without an end.
  ///
  /// - Throws: `controlBadParameter` for a time that is over.
  @LoopActor
  static func of(_ until: WallTime?, _ loop: any Loop) throws(HearthError) -> OrderEnd? {
    guard let until else { return nil }
    if until <= loop.wall { throw HearthError(.controlBadParameter, "that time is over by the hub's clock") }
    return OrderEnd(until: until, loop)
  }
}
