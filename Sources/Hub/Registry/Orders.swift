// What people order for a wearable: kept with its record, brought about by its session.

import EventLoop
public import Health
public import Reasons
import RingStore
public import Wearable

extension WearableOrders {
  static let streamsKey = "orders.streams"
  static let ratesKey = "orders.rates"
  static let switchedOffKey = "orders.off"

  /// As they were kept; who wears it is found by the time.
  init(_ record: WearableRecord) {
    self.init()
    streams = Set(Self.words(record.notes[Self.streamsKey]).compactMap { Series(name: $0) })
    for word in Self.words(record.notes[Self.ratesKey]) {
      let parts = word.split(separator: "=")
      if parts.count == 2, let series = Series(name: String(parts[0])), let rate = Int(parts[1]) { rates[series] = rate }
    }
    switchedOff = Set(Self.words(record.notes[Self.switchedOffKey]))
    settings = SettingNotes.read(record.notes)
    secret = record.secret?.bytes
  }

  private static func words(_ note: String?) -> [String] { note?.split(separator: ",").map { String($0) } ?? [] }

  /// - Throws: `controlBadParameter` for more than notes hold; then nothing has changed.
  func write(to record: inout WearableRecord) throws(HearthError) {
    let live = try Self.note(Series.all.filter { streams.contains($0) }.map(\.name))
    let fast = try Self.note(Series.all.compactMap { series in rates[series].map { "\(series.name)=\($0)" } })
    let off = try Self.note(switchedOff.sorted())
    let set = try SettingNotes.write(settings)
    record.notes[Self.streamsKey] = live
    record.notes[Self.ratesKey] = fast
    record.notes[Self.switchedOffKey] = off
    for key in SettingNotes.keys { record.notes[key] = set[key] }
    record.secret = secret.flatMap { WearableSecret($0) }
  }

  private static func note(_ words: [String]) throws(HearthError) -> String? {
    let text = words.joined(separator: ",")
    guard text.utf8.count <= WearableRecord.noteValueLimit else { throw HearthError(.controlBadParameter, "more than can be kept: \(text)") }
    return text.isEmpty ? nil : text
  }
}

/// What is ordered for one wearable, without its secret.
public struct OrdersSnapshot: Sendable {
  public var wearable: String
  /// Series that are to be sent live, by number.
  public var streams: [Series]
  /// Samples a second that are wanted, by number of the series.
  public var rates: [(series: Series, hertz: Int)]
  /// What `rates` may be, by number of the series, slowest first; none: it is not known before a link.
  public var rateChoices: [(series: Series, rates: [WearableRate])]
  public var hasSecret: Bool
  /// What it could switch off, and whether that is ordered.
  public var switches: [(switch: WearableSwitch, isOff: Bool)]
  /// What it keeps by itself and can be ordered, and what is.
  public var settings: [SettingOrder]
  public var wearer: String?

  public init(
    wearable: String, streams: [Series], rates: [(series: Series, hertz: Int)] = [], rateChoices: [(series: Series, rates: [WearableRate])] = [], hasSecret: Bool,
    switches: [(switch: WearableSwitch, isOff: Bool)], settings: [SettingOrder] = [], wearer: String?
  ) {
    self.wearable = wearable
    self.streams = streams
    self.rates = rates
    self.rateChoices = rateChoices
    self.hasSecret = hasSecret
    self.switches = switches
    self.settings = settings
    self.wearer = wearer
  }
}

extension Hearth {
  public func orders(of which: String) throws(HearthError) -> OrdersSnapshot { snapshot(of: try require(which)) }

  private func snapshot(of tenant: Tenant) -> OrdersSnapshot {
    let choices = rateChoices(of: tenant)
    return OrdersSnapshot(
      wearable: tenant.record.name, streams: Series.all.filter { tenant.orders.streams.contains($0) },
      rates: Series.all.compactMap { series in tenant.orders.rates[series].map { (series, $0) } },
      rateChoices: Series.all.compactMap { series in choices[series].map { (series, $0) } }, hasSecret: tenant.orders.secret != nil,
      switches: tenant.driver?.switches.map { ($0, tenant.orders.switchedOff.contains($0.name)) } ?? [], settings: settingOrders(of: tenant),
      wearer: tenant.wearer.flatMap { store.wearer($0)?.name })
  }

  private func rateChoices(of tenant: Tenant) -> [Series: [WearableRate]] {
    tenant.driver?.rates(of: known(of: tenant)) ?? [:]
  }

  /// What it is to send live beside what it sends anyway. Durable when this returns, and asked of it at once where it is linked.
  ///
  /// - Throws: `noSuchWearable`, `requestUnsupported` for a series that its kind never sends, or its model does not by order, or why the disk refused; then
  ///   nothing has changed.
  public func orderStreams(_ which: String, _ streams: Set<Series>) async throws(HearthError) -> OrdersSnapshot {
    let tenant = try require(which)
    let known = tenant.driver?.streams(of: known(of: tenant))
    for series in Series.all where streams.contains(series) {
      guard tenant.driver?.capabilities.contains(.live(series)) == true else {
        throw HearthError(.requestUnsupported, "\(tenant.record.name): its kind sends no \(series.name) live")
      }
      guard let known, !known.contains(series) else { continue }
      let choice = known.isEmpty ? "it sends nothing by order" : "it has \(known.map(\.name).joined(separator: ", "))"
      throw HearthError(.requestUnsupported, "\(tenant.record.name): its model sends no \(series.name) by order; \(choice)")
    }
    return try await order(tenant) { $0.streams = streams }
  }

  /// Samples a second of what it sends live, all that are wanted: what is not named follows the link's profile. Durable when this returns, and asked of it at
  /// once where it is linked.
  ///
  /// - Throws: `noSuchWearable`, `requestUnsupported` for a series or a rate that its model does not have, or why the disk refused; then nothing has changed.
  public func orderRates(_ which: String, _ rates: [Series: Int]) async throws(HearthError) -> OrdersSnapshot {
    let tenant = try require(which)
    let choices = rateChoices(of: tenant)
    for series in Series.all {
      guard let rate = rates[series] else { continue }
      guard let known = choices[series] else {
        let names = Series.all.filter { choices[$0] != nil }.map(\.name).joined(separator: ", ")
        throw HearthError(.requestUnsupported, "\(tenant.record.name): no rate of \(series.name) can be ordered\(names.isEmpty ? "" : "; it has rates of \(names)")")
      }
      guard rate > 0, known.isEmpty || known.contains(where: { $0.hertz == rate }) else {
        let offered = known.map { "\($0.hertz)" }.joined(separator: ", ")
        throw HearthError(.requestUnsupported, "\(tenant.record.name): it has no \(series.name) at \(rate) Hz; it has \(offered) Hz")
      }
    }
    return try await order(tenant) { $0.rates = rates }
  }

  /// Features that are to be off. Durable when this returns, and asked of it at once where it is linked.
  ///
  /// - Throws: `noSuchWearable`, `requestUnsupported` for what its kind cannot switch off or is ordered on, or why the disk refused; then nothing has changed.
  public func orderSwitchedOff(_ which: String, _ names: Set<String>) async throws(HearthError) -> OrdersSnapshot {
    let tenant = try require(which)
    let known = tenant.driver?.switches.map(\.name) ?? []
    if let stranger = names.sorted().first(where: { !known.contains($0) }) {
      let choice = known.isEmpty ? "it has no switches" : "it has \(known.joined(separator: ", "))"
      throw HearthError(.requestUnsupported, "\(tenant.record.name): nothing is called '\(stranger.prefix(32))'; \(choice)")
    }
    if let wanted = names.sorted().first(where: { tenant.orders.settings[$0] == "on" }) {
      throw HearthError(.requestUnsupported, "\(tenant.record.name): \(wanted) is ordered on; take that back first, with: set \(wanted) none")
    }
    return try await order(tenant) { $0.switchedOff = names }
  }

  /// The key of what it keeps encrypted, from now on; nil: what it records from now on is in clear. Durable when this returns.
  ///
  /// - Throws: `noSuchWearable`, `controlBadParameter` for another size than 16 bytes, `secretUseless` for a wearable that is known to encrypt
  ///   nothing, or why the disk refused; then nothing has changed.
  public func orderSecret(_ which: String, _ secret: [UInt8]?) async throws(HearthError) -> OrdersSnapshot {
    let tenant = try require(which)
    if let secret, secret.count != WearableOrders.secretSize {
      throw HearthError(.controlBadParameter, "a secret has \(WearableOrders.secretSize) bytes, not \(secret.count)")
    }
    if secret != nil, let why = tenant.driver?.secretRefusal(for: known(of: tenant)) {
      throw HearthError(.secretUseless, "\(tenant.record.name) \(why)")
    }
    return try await order(tenant) { $0.secret = secret }
  }

  /// A key that nobody has seen.
  public nonisolated static func freshSecret() -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<WearableOrders.secretSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// What is known of it now, of which what may be ordered depends.
  func known(of tenant: Tenant) -> KnownWearable { tenant.known(presence[tenant.address]?.sighting.name) }

  func order(_ tenant: Tenant, _ change: (inout WearableOrders) -> Void) async throws(HearthError) -> OrdersSnapshot {
    let before = tenant.orders
    var wanted = before
    change(&wanted)
    // Memory first: whatever else is written of the wearable meanwhile has the orders too.
    try wanted.write(to: &tenant.record)
    tenant.orders = wanted
    do throws(HearthError) { try await store.update(tenant.record) } catch {
      if tenant.orders == wanted {
        try before.write(to: &tenant.record)
        tenant.orders = before
      }
      throw error
    }
    obey(tenant)
    return snapshot(of: tenant)
  }

  /// Tells a session that people want something else; one that is not there finds it with its next link.
  func obey(_ tenant: Tenant) {
    guard let session = tenant.link?.session else { return }
    let orders = tenant.orders
    loop.spawn { await session.obey(orders) }
  }
}
