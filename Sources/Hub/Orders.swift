// What people order for a wearable: kept with its record, brought about by its session.

import EventLoop
public import Health
public import Reasons
import RingStore
public import Wearable

extension WearableOrders {
  static let streamsKey = "orders.streams"
  static let switchedOffKey = "orders.off"

  /// As they were kept; who wears it is found by the time.
  init(_ record: WearableRecord) {
    self.init()
    streams = Set(Self.words(record.notes[Self.streamsKey]).compactMap { Series(name: $0) })
    switchedOff = Set(Self.words(record.notes[Self.switchedOffKey]))
    secret = record.secret?.bytes
  }

  private static func words(_ note: String?) -> [String] { note?.split(separator: ",").map { String($0) } ?? [] }

  /// - Throws: `controlBadParameter` for more than a note holds; then nothing has changed.
  func write(to record: inout WearableRecord) throws(HearthError) {
    let (live, off) = (try Self.note(Series.all.filter { streams.contains($0) }.map(\.name)), try Self.note(switchedOff.sorted()))
    record.notes[Self.streamsKey] = live
    record.notes[Self.switchedOffKey] = off
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
  public var hasSecret: Bool
  /// What it could switch off, and whether that is ordered.
  public var switches: [(switch: WearableSwitch, isOff: Bool)]
  public var wearer: String?

  public init(wearable: String, streams: [Series], hasSecret: Bool, switches: [(switch: WearableSwitch, isOff: Bool)], wearer: String?) {
    self.wearable = wearable
    self.streams = streams
    self.hasSecret = hasSecret
    self.switches = switches
    self.wearer = wearer
  }
}

extension Hearth {
  public func orders(of which: String) throws(HearthError) -> OrdersSnapshot { snapshot(of: try require(which)) }

  private func snapshot(of tenant: Tenant) -> OrdersSnapshot {
    OrdersSnapshot(
      wearable: tenant.record.name, streams: Series.all.filter { tenant.orders.streams.contains($0) }, hasSecret: tenant.orders.secret != nil,
      switches: tenant.driver?.switches.map { ($0, tenant.orders.switchedOff.contains($0.name)) } ?? [],
      wearer: tenant.wearer.flatMap { store.wearer($0)?.name })
  }

  /// What it is to send live beside what it sends anyway. Durable when this returns, and asked of it at once where it is linked.
  ///
  /// - Throws: `noSuchWearable`, `visitUnsupported` for a series that its kind never sends, or why the disk refused; then nothing has changed.
  public func orderStreams(_ which: String, _ streams: Set<Series>) async throws(HearthError) -> OrdersSnapshot {
    let tenant = try require(which)
    for series in Series.all where streams.contains(series) && tenant.driver?.capabilities.contains(.live(series)) != true {
      throw HearthError(.visitUnsupported, "\(tenant.record.name): its kind sends no \(series.name) live")
    }
    return try await order(tenant) { $0.streams = streams }
  }

  /// Features that are to be off. Durable when this returns, and asked of it at once where it is linked.
  ///
  /// - Throws: `noSuchWearable`, `visitUnsupported` for what its kind cannot switch off, or why the disk refused; then nothing has changed.
  public func orderSwitchedOff(_ which: String, _ names: Set<String>) async throws(HearthError) -> OrdersSnapshot {
    let tenant = try require(which)
    let known = tenant.driver?.switches.map(\.name) ?? []
    if let stranger = names.sorted().first(where: { !known.contains($0) }) {
      let choice = known.isEmpty ? "it has no switches" : "it has \(known.joined(separator: ", "))"
      throw HearthError(.visitUnsupported, "\(tenant.record.name): nothing is called '\(stranger.prefix(32))'; \(choice)")
    }
    return try await order(tenant) { $0.switchedOff = names }
  }

  /// The key of what it keeps encrypted, from now on; nil: what it records from now on is in clear. Durable when this returns.
  ///
  /// - Throws: `noSuchWearable`, `controlBadParameter` for another size than 16 bytes, or why the disk refused; then nothing has changed.
  public func orderSecret(_ which: String, _ secret: [UInt8]?) async throws(HearthError) -> OrdersSnapshot {
    let tenant = try require(which)
    if let secret, secret.count != WearableOrders.secretSize {
      throw HearthError(.controlBadParameter, "a secret has \(WearableOrders.secretSize) bytes, not \(secret.count)")
    }
    return try await order(tenant) { $0.secret = secret }
  }

  /// A key that nobody has seen.
  public nonisolated static func freshSecret() -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<WearableOrders.secretSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  private func order(_ tenant: Tenant, _ change: (inout WearableOrders) -> Void) async throws(HearthError) -> OrdersSnapshot {
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
