// The methods of `io.hearth.Hub` about what people order of wearables, and what wearables are asked and say.

import EventLoop
import Export
import Health
import Hub
internal import HubProtocol
import Reasons
import RingStore
import StoreDocuments
import Wearable

extension HubInterface: OrderMethods {
  /// The value that removes the order for a setting.
  nonisolated static let noOrder = "none"

  // MARK: Asking wearables

  func actions(_ parameters: Methods.Actions.Parameters) async throws -> Methods.Actions.Reply {
    let found = try await service.actions(of: parameters.name)
    return .init(actions: found.actions.map { ActionDocument($0) }, reports: found.reports)
  }

  func act(_ parameters: Methods.Act.Parameters) async throws -> Methods.Act.Reply {
    let (name, action, words) = (parameters.name, parameters.action, parameters.arguments ?? [])
    let what = "let \(harmless(name)) do \(harmless(([action] + words).joined(separator: " ")))"
    return try await changed(what, of: name) { .init(result: try await service.perform(action, words, on: name)) }
  }

  func report(_ parameters: Methods.Report.Parameters) async throws -> Methods.Report.Reply {
    let (name, topic) = (parameters.name, parameters.topic)
    let rows = try await service.report(topic, of: name)
    if let id = try? ExportFilter.wearable(name, stored.wearableRecords()) {
      noteAccess("Report", of: id, since: server.loop.wall, until: nil)
    }
    return .init(report: ReportDocument(device: try service.wearable(named: name).name, topic: topic, rows: rows))
  }

  // MARK: Orders

  func orders(_ parameters: Methods.Orders.Parameters) throws -> Methods.Orders.Reply {
    .init(orders: try ordersDocument(of: parameters.name, try service.orders(of: parameters.name)))
  }

  func ordersSet(_ parameters: Methods.OrdersSet.Parameters) async throws -> Methods.OrdersSet.Reply {
    let (name, off, measure) = (parameters.name, parameters.switchedOff, parameters.measure)
    let schedule = measure.flatMap { MeasurementSchedule(text: $0) }
    if let measure, measure != Self.noOrder, schedule == nil { throw VarlinkError.invalidParameter("measure") }
    let collected = try CollectionChange(phases: parameters.phases, visitAt: parameters.visitAt)
    let series = try parameters.streams?.map { try Self.series($0, of: "streams") }
    var rates: [Series: Int]?
    for entry in parameters.rates?.entries ?? [] {
      rates = rates ?? [:]
      rates?[try Self.series(entry.name, of: "rates")] = entry.value
    }
    if let given = parameters.rates, given.entries.isEmpty { rates = [:] }
    let settings = parameters.settings?.entries.map { (name: $0.name, value: $0.value) }
    if series == nil, rates == nil, off == nil, settings == nil, measure == nil, collected.isEmpty {
      throw VarlinkError.invalidParameter("streams")
    }
    let what = Self.named(changes: series, rates, off, settings, measure: measure, collected.names)
    return try await changed("change the orders of \(harmless(name))\(what)", of: name) {
      var skipped: [SkippedOrder] = []
      if let series { skipped += try await service.orderStreams(name, Set(series)).skipped }
      if let rates { skipped += try await service.orderRates(name, rates).skipped }
      if let off { _ = try await service.orderSwitchedOff(name, Set(off)) }
      if let settings {
        let changes = settings.map { ($0.name, $0.value == Self.noOrder ? nil : $0.value) }
        _ = try await service.orderSettings(name, Dictionary(changes) { _, last in last })
      }
      if measure != nil { _ = try await service.orderSchedule(name, schedule) }
      if let phases = collected.phases { _ = try await service.orderPhases(name, phases) }
      if let times = collected.visitAt { _ = try await service.orderVisitTimes(name, times) }
      var orders = try service.orders(of: name)
      orders.skipped = skipped
      return .init(orders: try ordersDocument(of: name, orders))
    }
  }

  private static func series(_ name: String, of parameter: String) throws(VarlinkError) -> Series {
    guard let series = Series(name: name) else { throw .invalidParameter(parameter) }
    return series
  }

  /// The key itself is in no answer and in no line of the log.
  func secretSet(_ parameters: Methods.SecretSet.Parameters) async throws -> Methods.SecretSet.Reply {
    let (name, generates) = (parameters.name, parameters.generate ?? false)
    var secret: [UInt8]?
    if let digits = parameters.secret {
      guard !generates, let bytes = Self.bytes(hexadecimal: digits), bytes.count == WearableOrders.secretSize else {
        throw VarlinkError.invalidParameter("secret")
      }
      secret = bytes
    }
    if generates { secret = Hearth.freshSecret() }
    let what = secret == nil ? "forget the secret of" : generates ? "make a secret for" : "set the secret of"
    return try await changed("\(what) \(harmless(name))", of: name) {
      .init(orders: try ordersDocument(of: name, try await service.orderSecret(name, secret)))
    }
  }

  /// Pairs of digits; nil for anything else.
  nonisolated static func bytes(hexadecimal text: String) -> [UInt8]? {
    text.contains(" ") ? nil : [UInt8](hexadecimal: text)
  }
}
