// Stored state of a wearable's alerts: the limits that people set, and raised alerts until they are acknowledged.

public import EventLoop
package import Reasons
package import StateCodec

/// Whether current values count as measured in exercise.
public enum ExerciseChoice: UInt8, Sendable, Hashable, CaseIterable {
  /// State as the wearables of the same wearer indicate.
  case automatic = 0
  case on = 1
  case off = 2

  /// Name as people write it.
  public var name: String {
    switch self {
    case .automatic: "auto"
    case .on: "on"
    case .off: "off"
    }
  }

  /// The choice of this name; nil: unknown name.
  public init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

/// Limits of one wearable, each in the scale of its series.
public struct AlertOrders: Sendable, Hashable {
  /// Limits in the scale of their series.
  public var limits: [AlertKind: Int64] = [:]
  /// Whether current values count as exercise.
  public var exercise = ExerciseChoice.automatic

  /// Creates states without limits.
  public init() {}

  /// - Throws: `controlBadParameter` if no value would be within two limits.
  package func check(_ wearable: String) throws(HearthError) {
    for kind in AlertKind.allCases where kind.isAbove {
      guard let opposite = kind.opposite, let above = limits[kind], let below = limits[opposite] else { continue }
      if above <= below {
        throw HearthError(
          .controlBadParameter,
          "\(wearable): \(kind.name) \(kind.text(above)) is not above \(opposite.name) \(kind.text(below))")
      }
    }
  }
}

/// Limits as they are stored.
package struct KeptAlertOrders: RememberedState {
  package static let name = "alert-limits"
  package var orders: AlertOrders

  package init(_ orders: AlertOrders) { self.orders = orders }

  package var isEmpty: Bool { orders == AlertOrders() }

  package func write(to fields: inout FieldWriter) {
    for kind in AlertKind.allCases {
      if let limit = orders.limits[kind] { fields.put(1, limit: kind.rawValue, limit) }
    }
    fields.put(2, orders.exercise.rawValue)
  }

  package init?(_ fields: inout FieldReader, version: UInt16) {
    orders = AlertOrders()
    while let tag = fields.next() {
      switch tag {
      case 1: readLimit(&fields)
      case 2:
        var number: UInt8?
        fields.read(&number)
        if let choice = number.flatMap({ ExerciseChoice(rawValue: $0) }) { orders.exercise = choice }
      default: break
      }
    }
  }

  /// Skips a limit that this program does not know, or would not have taken.
  private mutating func readLimit(_ fields: inout FieldReader) {
    guard let (number, limit) = fields.readLimit() else { return }
    if let kind = AlertKind(rawValue: number), kind.range.contains(limit) { orders.limits[kind] = limit }
  }
}

/// Origin of an alert: the hub's own limits, or the wearable's.
public enum AlertSource: UInt8, Sendable, Hashable, CaseIterable {
  /// Comparison by this hub, from live values.
  case hub = 1
  /// The wearable, by its own limits.
  case wearable = 2

  /// Name in documents.
  public var name: String { self == .hub ? "hub" : "wearable" }
}

/// An alert of one kind, with its repetitions.
public struct RaisedAlert: Sendable, Hashable {
  /// Kind of the limit.
  public let kind: AlertKind
  /// Origin of the alert.
  public let source: AlertSource
  /// Limit that was violated, in the scale of the series.
  public var limit: Int64
  /// Last value that raised the alert, in the scale of the series.
  public var value: Int64
  /// First and last time, and number of times that it was raised.
  public var since: WallTime
  /// Last time that it was raised.
  public var last: WallTime
  /// Number of times that it was raised.
  public var count: UInt32 = 1
  /// Time when the value was within the limit again for long enough; nil: not yet.
  public var ended: WallTime?
  /// True after a person acknowledged it.
  public var isAcknowledged = false

  /// A first alert; `limit` and `value` in the scale of the series.
  public init(_ kind: AlertKind, _ source: AlertSource, limit: Int64, value: Int64, at time: WallTime) {
    (self.kind, self.source, self.limit, self.value, since, last) = (kind, source, limit, value, time, time)
  }
}

/// Alerts that are not both over and acknowledged: at most one of each kind.
package struct RaisedAlerts: RememberedState, Hashable {
  package static let name = "alerts"
  package private(set) var all: [RaisedAlert] = []

  package init() {}

  package var isEmpty: Bool { all.isEmpty }
  /// Alerts to show to people.
  package var shown: [RaisedAlert] { all.filter { !$0.isAcknowledged } }
  /// Kinds with an alert that is not over.
  package var underWay: Set<AlertKind> { Set(all.filter { $0.ended == nil }.map(\.kind)) }

  /// - Returns: whether people did not see it yet.
  package mutating func raise(_ alert: RaisedAlert) -> Bool {
    guard let index = all.firstIndex(where: { $0.kind == alert.kind && !$0.isAcknowledged }) else {
      all.removeAll { $0.kind == alert.kind }
      all.append(alert)
      all.sort { $0.kind.rawValue < $1.kind.rawValue }
      return true
    }
    var next = alert
    next.since = all[index].since
    next.count = all[index].count == .max ? .max : all[index].count + 1
    all[index] = next
    return false
  }

  package mutating func end(_ kind: AlertKind, at time: WallTime) {
    for index in all.indices where all[index].kind == kind && all[index].ended == nil { all[index].ended = time }
    tidy()
  }

  package mutating func acknowledge() {
    for index in all.indices { all[index].isAcknowledged = true }
    tidy()
  }

  private mutating func tidy() { all.removeAll { $0.isAcknowledged && $0.ended != nil } }

  package func write(to fields: inout FieldWriter) {
    for alert in all {
      fields.put(1) { nested in
        nested.put(1, alert.kind.rawValue)
        nested.put(2, alert.source.rawValue)
        nested.put(3, alert.limit)
        nested.put(4, alert.value)
        nested.put(5, alert.since.microseconds)
        nested.put(6, alert.last.microseconds)
        nested.put(7, alert.count)
        if let ended = alert.ended { nested.put(8, ended.microseconds) }
        if alert.isAcknowledged { nested.put(9, flag: true) }
      }
    }
  }

  package init?(_ fields: inout FieldReader, version: UInt16) {
    while let tag = fields.next() { if tag == 1 { readAlert(&fields) } }
    if all.count > AlertKind.allCases.count { return nil }
  }

  /// Skips an alert of a kind or a source that this program does not know.
  private mutating func readAlert(_ fields: inout FieldReader) {
    var nested = fields.nested
    var kind: UInt8?
    var source: UInt8?
    var limit: Int64?
    var value: Int64?
    var since: Int64?
    var last: Int64?
    var ended: Int64?
    var count: UInt32?
    var isAcknowledged: Bool?
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&kind)
      case 2: nested.read(&source)
      case 3: nested.read(&limit)
      case 4: nested.read(&value)
      case 5: nested.read(&since)
      case 6: nested.read(&last)
      case 7: nested.read(&count)
      case 8: nested.read(&ended)
      case 9: nested.read(&isAcknowledged)
      default: break
      }
    }
    guard nested.isWhole, let kind, let source, let limit, let value, let since, let last, let count else {
      return fields.refuse()
    }
    guard let known = AlertKind(rawValue: kind), let noticer = AlertSource(rawValue: source) else { return }
    var alert = RaisedAlert(known, noticer, limit: limit, value: value, at: WallTime(microseconds: since))
    (alert.last, alert.count) = (WallTime(microseconds: last), count)
    (alert.ended, alert.isAcknowledged) = (ended.map { WallTime(microseconds: $0) }, isAcknowledged ?? false)
    all.append(alert)
  }
}
