// Measured items as documents, from the store.

public import CivilTime
internal import EventLoop
public import Export
public import Health
public import HubProtocol
internal import RingStore

extension ItemsDocument {
  /// Converts a page of items.
  public init(_ page: ItemPage, _ request: ItemRequest, zone: TimeZoneRules, names: SampleExport) {
    let series = request.query.series
    var components: [String] = []
    if case .vector(let parts) = series.layout { components = parts }
    self.init(
      name: request.subject.name, series: series.name, unit: series.unit, components: components, zone: zone.name,
      items: page.items.map { Item($0, names: names) }, next: page.next?.text)
  }
}

extension ItemsDocument.Item {
  init(_ item: MeasuredItem, names: SampleExport) {
    let (series, wearable) = (item.series, WearableID(number: item.key.source))
    let values = item.values.map { series.inUnit(Double($0)) }
    var isVector = false
    if case .vector = series.layout { isVector = true }
    let start = WallTime(microseconds: item.start)
    self.init(
      device: names.name(of: wearable), start: start.rfc3339, end: WallTime(microseconds: item.end).rfc3339,
      durationS: Double(item.length) / 1e6, value: values.first ?? 0, components: isVector ? values : [],
      kind: item.kind.name, manual: item.isManual, origin: item.origin.name,
      quality: item.flags.isLowQuality ? "low" : nil,
      wearer: names.wearers(of: wearable, from: start, to: start).first,
      clock: item.isClockSure ? nil : item.isClockCorrected ? "corrected" : "unsure")
  }
}

extension DaysDocument.Value {
  init?(_ extreme: DayPart.Extreme?, _ series: Series) {
    guard let extreme else { return nil }
    self.init(
      value: series.inUnit(Double(extreme.value)), time: WallTime(microseconds: extreme.time).rfc3339)
  }
}

extension DaysDocument.Part {
  /// Returns the parts of a day; classes have no values, and so no parts.
  static func all(_ day: DaySummary, _ series: Series) -> [DaysDocument.Part] {
    if series.daily == .state { return [] }
    var names = [""]
    if case .vector(let components) = series.layout { names = components }
    return zip(names, day.parts).map { name, part in
      let mean = day.mean(of: part).map { (series.inUnit($0) * 10).rounded() / 10 }
      return DaysDocument.Part(
        name: name, maximum: DaysDocument.Value(part.markedMaximum, series),
        minimum: DaysDocument.Value(part.markedMinimum, series),
        derivedMax: DaysDocument.Value(part.derivedMaximum, series),
        derivedMin: DaysDocument.Value(part.derivedMinimum, series), average: mean,
        resting: DaysDocument.Value(part.resting, series))
    }
  }
}
