// Orders of people for a wearable: which are possible, and how an order becomes durable and reaches the wearable.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Takes orders. Each is stored with its wearable.
@LoopActor
struct OrderKeeper {
  let context: HubContext
  let registry: Registry
  let presence: PresenceMonitor

  func orders(of which: String) throws(HearthError) -> OrdersSnapshot { snapshot(of: try registry.require(which)) }

  private func snapshot(of wearable: EnrolledWearable) -> OrdersSnapshot {
    let choices = rateChoices(of: wearable)
    return OrdersSnapshot(
      wearable: wearable.name, streams: Series.all.filter { wearable.choices.orders.streams.contains($0) },
      rates: Series.all.compactMap { series in wearable.choices.orders.rates[series].map { (series, $0) } },
      rateChoices: Series.all.compactMap { series in choices[series].map { (series, $0) } },
      hasSecret: wearable.choices.orders.secret != nil,
      switches: switches(of: wearable).map { ($0, wearable.choices.orders.switchedOff.contains($0.name)) },
      settings: settingOrders(of: wearable),
      wearer: wearable.choices.wearer.flatMap { context.store.wearer($0)?.name })
  }

  private func rateChoices(of wearable: EnrolledWearable) -> [Series: [WearableRate]] {
    let all = wearable.driver?.rated?.rates(of: presence.known(of: wearable)) ?? [:]
    guard let had = wearable.capabilities else { return all }
    return all.filter { had[$0.key].contains(.streamed) }
  }

  private func switches(of wearable: EnrolledWearable) -> [WearableSwitch] {
    wearable.driver?.configurable?.switches(of: presence.known(of: wearable)) ?? []
  }

  /// Series that may be ordered live; nil: all that its kind has.
  private func streamChoices(of wearable: EnrolledWearable) -> [Series]? {
    guard let streaming = wearable.driver?.streaming else { return [] }
    return streaming.streams(of: presence.known(of: wearable))
  }

  /// Returns why a secret is useless for this wearable, as text after its name; nil if it may be useful.
  private func secretRefusal(of wearable: EnrolledWearable) -> String? {
    guard let driver = wearable.driver else { return nil }
    if wearable.capabilities?.keepsData == false { return "stores no data to encrypt" }
    if let encrypting = driver.encrypting { return encrypting.secretRefusal(for: presence.known(of: wearable)) }
    return wearable.needsLink ? "stores no data to encrypt" : "cannot encrypt what it records"
  }

  /// Orders series that the wearable sends live beside its usual ones. Durable when this returns. A linked wearable
  /// gets the order at once.
  ///
  /// - Parameter streams: of several, unsupported ones are left out and reported.
  /// - Throws: `noSuchWearable`; `requestUnsupported` for a series that its kind never sends, or its model or this
  ///   wearable not by order; or the store's error. After an error the orders are unchanged.
  func orderStreams(_ which: String, _ streams: Set<Series>) async throws(HearthError) -> OrdersSnapshot {
    let wearable = try registry.require(which)
    let known = streamChoices(of: wearable)
    let (kept, skipped) = try OrderBatch.sift(Series.all.filter { streams.contains($0) }) { series in
      OrderBatch.streamRefusal(series, wearable, ofModel: known)
    }
    return try await order(wearable, skipping: skipped) { $0.streams = Set(kept) }
  }

  /// Orders samples a second of live series, the complete list: rates that are not named follow the link's profile.
  /// Durable when this returns. A linked wearable gets the order at once.
  ///
  /// - Parameter rates: of several, those of series without rates are left out and reported.
  /// - Throws: `noSuchWearable`; `requestUnsupported` for a series or a rate that its model, or this wearable, does not
  ///   have; or the store's error. After an error the orders are unchanged.
  func orderRates(_ which: String, _ rates: [Series: Int]) async throws(HearthError) -> OrdersSnapshot {
    let wearable = try registry.require(which)
    let choices = rateChoices(of: wearable)
    let (kept, skipped) = try OrderBatch.sift(Series.all.filter { rates[$0] != nil }) { series in
      OrderBatch.rateRefusal(series, wearable, choices)
    }
    for series in kept {
      guard let rate = rates[series], let known = choices[series] else { continue }
      guard rate > 0, known.isEmpty || known.contains(where: { $0.hertz == rate }) else {
        let offered = known.map { "\($0.hertz)" }.joined(separator: ", ")
        throw HearthError(
          .requestUnsupported, "\(wearable.name): it has no \(series.name) at \(rate) Hz; it has \(offered) Hz")
      }
    }
    return try await order(wearable, skipping: skipped) { $0.rates = rates.filter { kept.contains($0.key) } }
  }

  /// Orders features to be off. Durable when this returns. A linked wearable gets the order at once.
  ///
  /// - Throws: `noSuchWearable`; `requestUnsupported` for a feature that its kind cannot switch off or that is ordered
  ///   on; or the store's error. After an error the orders are unchanged.
  func orderSwitchedOff(_ which: String, _ names: Set<String>) async throws(HearthError) -> OrdersSnapshot {
    let wearable = try registry.require(which)
    let known = switches(of: wearable).map { $0.name }
    if let stranger = names.sorted().first(where: { !known.contains($0) }) {
      let choice = known.isEmpty ? "it has no switches" : "it has \(known.joined(separator: ", "))"
      throw HearthError(.requestUnsupported, "\(wearable.name): it has no '\(stranger.prefix(32))'; \(choice)")
    }
    if let wanted = names.sorted().first(where: { wearable.choices.orders.settings[$0] == "on" }) {
      throw HearthError(
        .requestUnsupported, "\(wearable.name): \(wanted) is ordered on; take that back first, with: set \(wanted) none"
      )
    }
    try refuseMonitored(names, of: wearable)
    return try await order(wearable) { $0.switchedOff = names }
  }

  /// Sets the key with which it encrypts its memory from now on; nil: later recordings are unencrypted. Durable when
  /// this returns.
  ///
  /// - Throws: `noSuchWearable`; `controlBadParameter` for another size than 16 bytes; `secretUseless` for a wearable
  ///   that is known not to encrypt; or the store's error. After an error the orders are unchanged.
  func orderSecret(_ which: String, _ secret: [UInt8]?) async throws(HearthError) -> OrdersSnapshot {
    let wearable = try registry.require(which)
    if let secret, secret.count != WearableOrders.secretSize {
      throw HearthError(.controlBadParameter, "a secret has \(WearableOrders.secretSize) bytes, not \(secret.count)")
    }
    if secret != nil, let why = secretRefusal(of: wearable) {
      throw HearthError(.secretUseless, "\(wearable.name) \(why)")
    }
    return try await order(wearable) { $0.secret = secret }
  }

  func order(
    _ wearable: EnrolledWearable, skipping skipped: [SkippedOrder] = [], _ change: (inout WearableOrders) -> Void
  ) async throws(HearthError) -> OrdersSnapshot {
    let before = wearable.choices.orders
    var wanted = before
    change(&wanted)
    // Memory first, so that any other write of this wearable's record includes the orders.
    try wearable.order(wanted)
    do throws(HearthError) { try await registry.write(wearable) } catch {
      if wearable.choices.orders == wanted { try wearable.order(before) }
      throw error
    }
    wearable.applyOrders(context.loop)
    var snapshot = snapshot(of: wearable)
    snapshot.skipped = skipped
    return snapshot
  }
}
