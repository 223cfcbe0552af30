// The methods of `io.hearth.Hub` about limits of live values, and what was beyond them; and their documents.

public import EventLoop
internal import Health
public import Hub
public import HubProtocol
public import Reasons
internal import RingStore
internal import StoreDocuments

/// Alerts of a hub, as the control socket needs them.
@LoopActor
public protocol AlertService {
  /// Returns alerts by name.
  func alerts() -> [AlertsSnapshot]
  func alerts(of which: String) throws(HearthError) -> AlertsSnapshot
  /// Durable when it returns.
  func orderAlerts(_ which: String, _ change: (inout AlertOrders) -> Void) async throws(HearthError) -> AlertsSnapshot
  func acknowledgeAlerts(_ which: String) async throws(HearthError) -> AlertsSnapshot
}

extension HubInterface: AlertMethods {
  func alerts(_ parameters: Methods.Alerts.Parameters) throws -> Methods.Alerts.Reply {
    let found = try parameters.name.map { [try service.alerts(of: $0)] } ?? service.alerts()
    noteAccess("Alerts", to: found)
    return .init(alerts: found.map { AlertsDocument($0) })
  }

  func alertsSet(_ parameters: Methods.AlertsSet.Parameters) async throws -> Methods.AlertsSet.Reply {
    let (name, texts, word) = (parameters.name, parameters.limits?.entries ?? [], parameters.exercise)
    var changes: [(kind: AlertKind, limit: Int64?)] = []
    for entry in texts {
      guard let kind = AlertKind(name: entry.name) else { throw VarlinkError.invalidParameter("limits") }
      let limit = kind.limit(entry.value)
      if limit == nil, entry.value != Self.noOrder { throw Self.refusal(of: entry.value, as: kind) }
      changes.append((kind, limit))
    }
    let exercise = word.flatMap { ExerciseChoice(name: $0) }
    if word != nil, exercise == nil { throw VarlinkError.invalidParameter("exercise") }
    if changes.isEmpty, exercise == nil { throw VarlinkError.invalidParameter("limits") }
    let parts = texts.map { "\($0.name) \($0.value)" } + (word.map { ["exercise \($0)"] } ?? [])
    return try await changed("change the alerts of \(harmless(name)): \(parts.joined(separator: ", "))", of: name) {
      let found = try await service.orderAlerts(name) { orders in
        for change in changes { orders.limits[change.kind] = change.limit }
        if let exercise { orders.exercise = exercise }
      }
      return .init(alerts: AlertsDocument(found))
    }
  }

  func alertsAcknowledge(
    _ parameters: Methods.AlertsAcknowledge.Parameters
  ) async throws -> Methods.AlertsAcknowledge.Reply {
    try await changed("acknowledge the alerts of \(harmless(parameters.name))", of: parameters.name) {
      .init(alerts: AlertsDocument(try await service.acknowledgeAlerts(parameters.name)))
    }
  }

  /// Error for a limit that is no number or out of range, with the range in the unit of its series.
  static func refusal(of text: String, as kind: AlertKind) -> HearthError {
    func inUnit(_ value: Int64) -> String { "\(Int(kind.series.inUnit(Double(value))))" }
    let range = "\(inUnit(kind.range.lowerBound)) to \(inUnit(kind.range.upperBound)) \(kind.series.unit)"
    return HearthError(
      .controlBadParameter, "\(kind.name) takes \(range), or \(noOrder); not '\(harmless(text, limit: 16))'")
  }

  /// An alert contains a measured value, so reading alerts counts as data access.
  private func noteAccess(_ method: String, to found: [AlertsSnapshot]) {
    for one in found {
      let shown = one.alerts + one.muted
      if !shown.isEmpty { noteAccess(method, toAlertsOf: one.wearable, shown.map(\.alert)) }
    }
  }

  private func noteAccess(_ method: String, toAlertsOf wearable: String, _ alerts: [RaisedAlert]) {
    guard let id = stored.wearableRecords().first(where: { $0.retiredAt == nil && $0.name == wearable })?.id,
      let since = alerts.map(\.since).min(), let until = alerts.map(\.last).max()
    else { return }
    noteAccess(method, of: id, series: alerts.map(\.kind.series), since: since, until: until)
  }
}

extension AlertDocument {
  /// Converts an alert; values in the unit of its series.
  public init(_ snapshot: AlertSnapshot) {
    let alert = snapshot.alert
    let series = alert.kind.series
    self.init(
      kind: alert.kind.name, series: series.name, unit: series.unit, source: alert.source.name,
      limit: series.inUnit(Double(alert.limit)), value: series.inUnit(Double(alert.value)), since: alert.since.rfc3339,
      last: alert.last.rfc3339, count: Int(alert.count), ended: alert.ended?.rfc3339,
      reason: TroubleDocument(snapshot.trouble), mutedUntil: snapshot.mutedUntil?.rfc3339)
  }
}

extension AlertsDocument {
  /// Converts the limits and alerts of one wearable.
  public init(_ found: AlertsSnapshot) {
    self.init(
      device: found.wearable,
      limits: AlertKind.allCases.map { kind in
        func inUnit(_ value: Int64) -> Double { kind.series.inUnit(Double(value)) }
        return Limit(
          kind: kind.name, series: kind.series.name, unit: kind.series.unit, lowest: inUnit(kind.range.lowerBound),
          highest: inUnit(kind.range.upperBound), limit: found.orders.limits[kind].map(inUnit))
      },
      exerciseChoice: found.orders.exercise.name, exercise: found.isExercise,
      alerts: found.alerts.map { AlertDocument($0) },
      muted: found.muted.isEmpty ? nil : found.muted.map { AlertDocument($0) })
  }
}
