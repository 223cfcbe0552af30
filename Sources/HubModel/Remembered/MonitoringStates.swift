// Stored state of what wearables measure by themselves: orders of people for each series, and what each wearable
// reported.

package import EventLoop
package import Health
package import Reasons
package import StateCodec
package import Wearable

/// Orders as they are stored with a wearable.
package struct KeptMonitoring: RememberedState {
  package static let name = "monitoring"
  /// Series of one wearable.
  package static let limit = 16
  package var orders: [Series: MonitoringOrder]

  package init(_ orders: [Series: MonitoringOrder]) { self.orders = orders }

  package var isEmpty: Bool { orders.isEmpty }

  /// - Throws: `storeTableFull` beyond the limit.
  package func check() throws(HearthError) {
    if orders.count <= Self.limit { return }
    throw HearthError(
      .storeTableFull, "\(orders.count) series are monitored; at most \(Self.limit) are kept of one wearable")
  }

  package func write(to fields: inout FieldWriter) {
    for series in Series.all {
      guard let order = orders[series] else { continue }
      fields.put(1) { nested in
        nested.put(1, series.id)
        order.write(to: &nested)
      }
    }
  }

  /// Series that this program does not know are skipped.
  package init?(_ fields: inout FieldReader, version: UInt16) {
    orders = [:]
    while let tag = fields.next() {
      if tag != 1 { continue }
      var nested = fields.nested
      var id: UInt16?
      guard let order = MonitoringOrder(reading: &nested, id: &id), let id else {
        fields.refuse()
        continue
      }
      if let series = Series(id: id), !order.isEmpty { orders[series] = order }
    }
    if orders.count > Self.limit { return nil }
  }
}

/// The last report of a wearable on how it measures by itself.
package struct SeenMonitoring: RememberedState, Equatable {
  package static let name = "monitoring-seen"
  /// Time when it was first read so.
  package var since: WallTime
  package var states: [MonitoringState]

  package init(since: WallTime, _ states: [MonitoringState]) { (self.since, self.states) = (since, states) }

  package var isEmpty: Bool { states.isEmpty }

  package func write(to fields: inout FieldWriter) {
    fields.put(1, since.microseconds)
    for state in states {
      fields.put(2) { nested in
        nested.put(1, state.series.id)
        if let got = state.got { nested.put(2) { got.write(to: &$0) } }
        nested.put(3) { state.says.write(to: &$0) }
        if let asked = state.asked { nested.put(4) { asked.write(to: &$0) } }
        if let takes = state.takes {
          nested.put(5, UInt32(clamping: takes.lowerBound))
          nested.put(6, UInt32(clamping: takes.upperBound))
        }
      }
    }
  }

  package init?(_ fields: inout FieldReader, version: UInt16) {
    var since: Int64?
    states = []
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&since)
      case 2: Self.read(&fields, into: &states)
      default: break
      }
    }
    guard let since, states.count <= KeptMonitoring.limit else { return nil }
    self.since = WallTime(microseconds: since)
  }

  private static func read(_ fields: inout FieldReader, into states: inout [MonitoringState]) {
    var nested = fields.nested
    var id: UInt16?
    var got: MonitoringOrder?
    var says: MonitoringOrder?
    var asked: MonitoringOrder?
    var ignored: UInt16?
    var lowest: UInt32?
    var highest: UInt32?
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&id)
      case 2, 3, 4:
        var inner = nested.nested
        guard let order = MonitoringOrder(reading: &inner, id: &ignored) else { return fields.refuse() }
        if tag == 2 { got = order } else if tag == 3 { says = order } else { asked = order }
      case 5: nested.read(&lowest)
      case 6: nested.read(&highest)
      default: break
      }
    }
    guard nested.isWhole, let id, let says else { return fields.refuse() }
    var takes: ClosedRange<Int>?
    if let lowest, let highest, lowest <= highest { takes = Int(lowest)...Int(highest) }
    if let series = Series(id: id) {
      states.append(MonitoringState(series, asked: asked, got: got, says: says, takes: takes))
    }
  }
}

extension MonitoringOrder {
  /// Tags from 2 on: 1 is the series.
  fileprivate func write(to fields: inout FieldWriter) {
    if let isOn { fields.put(2, flag: isOn) }
    if let window {
      fields.put(3, UInt16(clamping: window.begin))
      fields.put(4, UInt16(clamping: window.end))
    }
    if let interval { fields.put(5, UInt32(clamping: interval)) }
    for limit in MonitoringLimit.allCases {
      if let value = limits[limit] { fields.put(6, limit: limit.rawValue, value) }
    }
    if let maximumHeartRate { fields.put(7, UInt16(clamping: maximumHeartRate)) }
  }

  /// nil for damaged fields. Values that could not have been ordered are skipped.
  fileprivate init?(reading fields: inout FieldReader, id: inout UInt16?) {
    self.init()
    var begin: UInt16?
    var end: UInt16?
    var seconds: UInt32?
    var highest: UInt16?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&id)
      case 2: fields.read(&isOn)
      case 3: fields.read(&begin)
      case 4: fields.read(&end)
      case 5: fields.read(&seconds)
      case 6: readLimit(&fields)
      case 7: fields.read(&highest)
      default: break
      }
    }
    guard fields.isWhole else { return nil }
    if let begin, let end { window = MonitoringWindow(begin: Int(begin), end: Int(end)) }
    interval = seconds.map { Int($0) }
    maximumHeartRate = highest.map { Int($0) }
  }

  private mutating func readLimit(_ fields: inout FieldReader) {
    guard let (number, value) = fields.readLimit() else { return }
    if let limit = MonitoringLimit(rawValue: number) { limits[limit] = value }
  }
}
