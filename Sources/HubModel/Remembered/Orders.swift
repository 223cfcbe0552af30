// Orders of people for a wearable: stored with its record, carried out by its session.

import EventLoop
public import Health
public import Reasons
package import RingStore
package import StateCodec
public import Wearable

/// Orders as they are stored: without the secret, and without the wearer.
package struct KeptOrders: RememberedState {
  package static let name = "orders"
  /// Limit of live series, and of rates.
  package static let streamLimit = 64
  /// Limit of features to be off.
  package static let featureLimit = 32
  package static let settingLimit = 32
  /// Bytes of UTF-8 of the name of a feature or a setting, and of a value.
  package static let wordLimit = 32

  package var streams: [Series]
  package var rates: [(series: Series, hertz: UInt32)]
  package var switchedOff: [String]
  package var settings: [(name: String, value: String)]

  package init(_ orders: WearableOrders) {
    streams = Series.all.filter { orders.streams.contains($0) }
    rates = Series.all.compactMap { series in orders.rates[series].map { (series, UInt32(clamping: $0)) } }
    switchedOff = orders.switchedOff.sorted()
    settings = orders.settings.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  package var isEmpty: Bool { streams.isEmpty && rates.isEmpty && switchedOff.isEmpty && settings.isEmpty }

  /// - Throws: `storeTableFull` for too many entries, or too long words.
  package func check() throws(HearthError) {
    let lists = [
      ("streams", streams.count, Self.streamLimit), ("rates", rates.count, Self.streamLimit),
      ("features that are off", switchedOff.count, Self.featureLimit), ("settings", settings.count, Self.settingLimit),
    ]
    for (what, count, limit) in lists where count > limit {
      throw HearthError(.storeTableFull, "\(count) \(what) are ordered; at most \(limit) are kept of one wearable")
    }
    let words = switchedOff + settings.flatMap { [$0.name, $0.value] }
    if let long = words.first(where: { $0.utf8.count > Self.wordLimit }) {
      throw HearthError(
        .storeTableFull, "'\(long.prefix(64))' has more than the \(Self.wordLimit) bytes that are kept of a word")
    }
  }

  package func write(to fields: inout FieldWriter) {
    for series in streams { fields.put(1, series.id) }
    for rate in rates {
      fields.put(2) { nested in
        nested.put(1, rate.series.id)
        nested.put(2, rate.hertz)
      }
    }
    for name in switchedOff { fields.put(3, name) }
    for setting in settings {
      fields.put(4) { nested in
        nested.put(1, setting.name)
        nested.put(2, setting.value)
      }
    }
  }

  /// Series that this program does not know are skipped.
  package init?(_ fields: inout FieldReader, version: UInt16) {
    self.init(WearableOrders())
    while let tag = fields.next() {
      switch tag {
      case 1:
        var id: UInt16?
        fields.read(&id)
        if let series = id.flatMap({ Series(id: $0) }) { streams.append(series) }
      case 2: readRate(&fields)
      case 3:
        var name: String?
        fields.read(&name, atMost: Self.wordLimit)
        if let name { switchedOff.append(name) }
      case 4: readSetting(&fields)
      default: break
      }
    }
  }

  private mutating func readRate(_ fields: inout FieldReader) {
    var nested = fields.nested
    var id: UInt16?
    var hertz: UInt32?
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&id)
      case 2: nested.read(&hertz)
      default: break
      }
    }
    guard nested.isWhole, let id, let hertz else { return fields.refuse() }
    if let series = Series(id: id) { rates.append((series, hertz)) }
  }

  private mutating func readSetting(_ fields: inout FieldReader) {
    var nested = fields.nested
    var name: String?
    var value: String?
    while let tag = nested.next() {
      switch tag {
      case 1: nested.read(&name, atMost: Self.wordLimit)
      case 2: nested.read(&value, atMost: Self.wordLimit)
      default: break
      }
    }
    guard nested.isWhole, let name, let value else { return fields.refuse() }
    settings.append((name, value))
  }
}

extension WearableOrders {
  /// The stored orders; the wearer follows from the time.
  package init(_ record: WearableRecord) {
    self.init()
    if let kept = record.hubState[KeptOrders.self] {
      streams = Set(kept.streams)
      for rate in kept.rates { rates[rate.series] = Int(rate.hertz) }
      switchedOff = Set(kept.switchedOff)
      for setting in kept.settings { settings[setting.name] = setting.value }
    }
    monitoring = record.hubState[KeptMonitoring.self]?.orders ?? [:]
    secret = record.secret?.bytes
  }

  /// - Throws: `storeTableFull` beyond the limit; then the record is unchanged.
  package func write(to record: inout WearableRecord) throws(HearthError) {
    let kept = KeptOrders(self)
    try kept.check()
    let monitored = KeptMonitoring(monitoring)
    try monitored.check()
    var states = record.hubState
    try states.keep(kept)
    try states.keep(monitored)
    record.hubState = states
    record.secret = secret.flatMap { WearableSecret($0) }
  }
}

/// A part of an order for several things that was left out, because the wearable does not support it.
public struct SkippedOrder: Sendable {
  /// Series that was left out.
  public var series: Series
  /// Reason why it was left out.
  public var refusal: HearthError

  /// A series, and why it was left out.
  public init(_ series: Series, _ refusal: HearthError) {
    self.series = series
    self.refusal = refusal
  }
}

/// Orders for one wearable, without its secret.
public struct OrdersSnapshot: Sendable {
  /// Name of the wearable.
  public var wearable: String
  /// Series ordered live, by number.
  public var streams: [Series]
  /// Ordered samples a second, by number of the series.
  public var rates: [(series: Series, hertz: Int)]
  /// Possible rates, by number of the series, slowest first; empty: unknown before a link.
  public var rateChoices: [(series: Series, rates: [WearableRate])]
  /// True if a secret is ordered.
  public var hasSecret: Bool
  /// Features that it can switch off, and whether that is ordered.
  public var switches: [(switch: WearableSwitch, isOff: Bool)]
  /// Settings that can be ordered, and their orders.
  public var settings: [SettingOrder]
  /// Name of the wearer; nil: unknown.
  public var wearer: String?
  /// Parts left out of the order that this answers.
  public var skipped: [SkippedOrder] = []

  /// Orders for one wearable.
  public init(
    wearable: String, streams: [Series], rates: [(series: Series, hertz: Int)] = [],
    rateChoices: [(series: Series, rates: [WearableRate])] = [], hasSecret: Bool,
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
