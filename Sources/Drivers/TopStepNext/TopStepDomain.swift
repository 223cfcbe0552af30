// What a band keeps of one kind, day by day: asked for from the watermark on, held until it is durable.

import Bluetooth
import EventLoop
import Health
import StateCodec
import TopStepMessages
import Wearable

/// The days that one answer had are its items. They are read whole when they are listed, as a band has no way to tell
/// what it has without sending it. Nothing is removed: a band keeps its days in a ring, and is asked by time.
@LoopActor
final class TopStepDomain: FetchDomain {
  private let link: any WearableLink
  private let sync: TopStepSync
  private let clock: TopStepClock
  private let monitoring: TopStepMonitoring
  let kind: DayKind
  /// Bytes of what was listed last, by place.
  private var contents: [String: [UInt8]] = [:]

  init(
    _ kind: DayKind, _ link: any WearableLink, _ sync: TopStepSync, _ clock: TopStepClock,
    _ monitoring: TopStepMonitoring
  ) { (self.kind, self.link, self.sync, self.clock, self.monitoring) = (kind, link, sync, clock, monitoring) }

  var id: String { kind.id }
  var series: [Series] { kind.series }
  var syncDomains: [SyncDomain] { [kind.syncDomain] }

  // MARK: list

  /// s of the longest day that is believed: one on which clocks are put back, and an hour more.
  private static let longestDay: Int64 = 93_600
  private static let usualDay: Int64 = 86_400

  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    contents = [:]
    let now = link.hubTime.wall
    let overlap = kind.overlap(interval: monitoring.interval(of: kind.series[0]))
    let begins = link.wish.start(of: kind.series, now: now, overlap: overlap)
    let start = max(TopStep.times.lowerBound, TopStep.seconds(begins))
    // Never of the future.
    let end = min(TopStep.seconds(now.microseconds), link.wish.until.map { TopStep.seconds($0) } ?? .max)
    guard start < end, TopStep.times.contains(end) else { return [] }
    let messages = try await sync.run(kind, from: start, to: end) { messages in
      Self.hasKnownDays(known, kind, from: start, messages) && !Self.hasGaps(messages, kind)
    }
    guard let messages else { return [] }
    let held = items(of: messages, now: TopStep.seconds(now.microseconds))
    // The same values in a longer message, as a day goes on: what is in the store stays as it is, with its receipt.
    let stored = Dictionary(known.filter(\.isDurable).map { ($0.id, $0) }) { first, _ in first }
    return held.map { item in
      guard let same = stored[item.id], same.mark == item.mark else { return item }
      return HeldItem(id: item.id, mark: item.mark, size: same.size, begins: item.begins)
    }
  }

  // MARK: Days that should be there

  /// What is stored of a day that is asked for again was in an answer before, and a band keeps days for weeks.
  private static func hasKnownDays(_ known: [KnownItem], _ kind: DayKind, from start: Int64, _ messages: [[UInt8]])
    -> Bool
  {
    if kind == .sport || kind == .sleep { return true }
    let begins = begins(of: messages, kind)
    return known.filter(\.isDurable).allSatisfy { item in
      guard let place = item.id.split(separator: "/").last, let begin = Int64(place.prefix { $0 != "-" }) else {
        return true
      }
      return begin > start || begin <= start - usualDay || begins.contains(begin)
    }
  }

  /// No message for a day between two that have one: nobody wore it, or it was lost.
  private static func hasGaps(_ messages: [[UInt8]], _ kind: DayKind) -> Bool {
    if kind == .sport { return false }
    let begins = begins(of: messages, kind).sorted()
    return zip(begins, begins.dropFirst()).contains { $1 - $0 > longestDay }
  }

  private static func begins(of messages: [[UInt8]], _ kind: DayKind) -> Set<Int64> {
    Set(messages.compactMap { try? kind.span(of: $0).begin }.filter(TopStep.times.contains))
  }

  // MARK: Items

  /// - Parameter now: s since 2000.
  private func items(of messages: [[UInt8]], now: Int64) -> [HeldItem] {
    var days: [(begin: Int64, end: Int64, messages: [[UInt8]])] = []
    for message in messages {
      guard let span = try? kind.span(of: message), TopStep.times.contains(span.begin) else {
        link.note("\(kind.id) of a day that is none")
        continue
      }
      let (length, isFar) = span.end.subtractingReportingOverflow(span.begin)
      let isDay = !isFar && (1...Self.longestDay).contains(length)
      let end = span.begin + (isDay ? length : Self.usualDay)
      if let place = days.firstIndex(where: { $0.begin == span.begin }) {
        days[place].messages.append(message)
        days[place].end = max(days[place].end, end)
      } else {
        days.append((span.begin, end, [message]))
      }
    }
    days.sort { $0.begin < $1.begin }
    return days.flatMap { items(ofDay: $0.begin, $0.end, $0.messages, now: now) }
  }

  /// Two where this hub set the clock for the first time within the day: nobody knows by which clock it was before.
  private func items(ofDay begin: Int64, _ end: Int64, _ messages: [[UInt8]], now: Int64) -> [HeldItem] {
    var item = DayItem(kind)
    item.messages = messages
    item.isOver = end < now
    if !item.isOver { item.settled = UInt32(clamping: kind.settled(now)) }
    let place = "\(kind.id)/\(begin)"
    guard let since = clock.setSince, begin < since else { return held(place, item, begin) }
    item.isBeforeSetting = true
    item.until = UInt32(clamping: since)
    if since > end { return held(place, item, begin) }
    var after = item
    (after.isBeforeSetting, after.from, after.until) = (false, item.until, .max)
    return held(place + "-before", item, begin) + held(place, after, max(begin, since))
  }

  /// None where nothing is in it. The mark is that of its values: a later look at the same ones is the same item.
  private func held(_ place: String, _ item: DayItem, _ begin: Int64) -> [HeldItem] {
    let digest = DayDigest()
    var reader = DayReader(item, into: digest)
    let isRead: Void? = try? reader.read()
    if isRead != nil, digest.isEmpty { return [] }
    let bytes = item.bytes
    contents[place] = bytes
    let kept = (item.isOver ? "o" : "") + (item.isBeforeSetting ? "b" : "")
    // What cannot be read is fetched, and said.
    let mark = kept + (isRead == nil ? DayItem.mark(bytes) : digest.mark)
    return [HeldItem(id: place, mark: mark, size: bytes.count, begins: TopStep.microseconds(begin))]
  }

  // MARK: fetch

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    guard let bytes = contents[item.id] else { throw .unsupported("\(item.id) was not read") }
    // Bytes of an earlier answer are none of this one, also where both say the same.
    if sink.offset > 0 { try await sink.startOver(mark: item.mark, size: bytes.count) }
    _ = try await sink.take(copyOf: bytes)
  }

  // MARK: What is in it

  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    let day = try DayItem(bytes)
    guard day.kind == kind else { throw .malformed("data of another kind") }
    var reader = DayReader(day, into: NoSink())
    try reader.read()
    let noun = reader.count == 1 ? "value" : "values"
    // An answer is whole as it is: what comes later is another one.
    var verdict = ItemVerdict(
      summary: "\(reader.count) \(noun)\(day.isOver ? "" : " so far")", isFinal: true, mark: item.mark,
      isTimeUnsure: day.isBeforeSetting)
    verdict.keepsBytes = day.isOver
    verdict.mayRepeat = true
    return verdict
  }

  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    var reader = DayReader(try DayItem(bytes), into: sink)
    try reader.read()
  }

  func span(of item: HeldItem) -> Range<Int64>? {
    item.begins.flatMap { Self.span($0, before: kind == .sleep ? 86_400_000_000 : 0) }
  }
}

extension DayKind {
  /// s since 2000, of a message: where its day begins, and the last second of it. What says no end, or none that makes
  /// sense, has the length of a day.
  func span(of bytes: [UInt8]) throws(MalformedMessage) -> (begin: Int64, end: Int64) {
    switch self {
    case .heartRate:
      let day = try TopStepHeartRateDay(wire: bytes)
      return (day.start, day.end)
    case .spo2, .stress:
      let day = try TopStepMeasuredDay(wire: bytes)
      return (day.start, day.end)
    case .sleep: return (try TopStepSleepNight(wire: bytes).midnight, 0)
    case .activity:
      let day = try TopStepActivityDay(wire: bytes)
      return (day.start, day.end)
    case .sport:
      let sport = try TopStepSport(wire: bytes)
      return (sport.start, sport.end)
    }
  }
}

/// What a day says, as a mark.
private final class DayDigest: ItemSink {
  private var crc = CRC32C()
  private var count = 0
  private var hasAnomalies = false

  var isEmpty: Bool { count == 0 && !hasAnomalies }
  var mark: String { String(crc.value, radix: 16) + "-\(count)" }

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {
    count += 1
    for number in [Int64(series.id), deviceTime, Int64(kind.rawValue), isManual ? 1 : 0] + values {
      withUnsafeBytes(of: number.littleEndian) { crc.update($0) }
    }
  }
  func noteAnomaly(_ what: StaticString) { hasAnomalies = true }
}

/// For verifying: what is decoded goes nowhere.
private final class NoSink: ItemSink {
  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {}
  func noteAnomaly(_ what: StaticString) {}
}
