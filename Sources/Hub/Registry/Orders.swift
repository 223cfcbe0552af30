// What people order for a wearable: kept with its record, brought about by its session.

import EventLoop
public import Health
import Reasons
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
      if parts.count == 2, let series = Series(name: String(parts[0])), let rate = Int(parts[1]) {
        rates[series] = rate
      }
    }
    switchedOff = Set(Self.words(record.notes[Self.switchedOffKey]))
    settings = SettingNotes.read(record.notes)
    secret = record.secret?.bytes
  }

  private static func words(_ note: String?) -> [String] { note?.split(separator: ",").map { String($0) } ?? [] }

  /// - Throws: `controlBadParameter` for more than notes hold; then nothing has changed.
  func write(to record: inout WearableRecord) throws(HearthError) {
    let live = try Self.note(Series.all.filter { streams.contains($0) }.map { $0.name })
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
    guard text.utf8.count <= WearableRecord.noteValueLimit else {
      throw HearthError(.controlBadParameter, "more than can be kept: \(text)")
    }
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
