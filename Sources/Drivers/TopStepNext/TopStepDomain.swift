// Stored days of one kind: requested from the watermark on, and held in memory until they are durable.

import Bluetooth
import EventLoop
import Health
import StateCodec
import TopStepMessages
import Wearable

/// Fetches the days of one kind. Each day of an answer is an item. Days are read whole when they are listed, because a
/// band cannot list them without sending them. The hub never erases days: a band stores them in a ring, and is queried
/// by time.
@LoopActor
final class TopStepDomain: FetchDomain {
  private let link: any WearableLink
  private let sync: TopStepSync
  private let clock: TopStepClock
  private let monitoring: TopStepMonitoring
  let kind: DayKind
  /// Bytes of the days listed last, by place.
  private var contents: [String: [UInt8]] = [:]
  /// Places that were listed but are neither stored nor fetched; nil: no list was made over this link.
  private var left: Set<String>?
  private(set) var readTo: Int64?

  init(
    _ kind: DayKind, _ link: any WearableLink, _ sync: TopStepSync, _ clock: TopStepClock,
    _ monitoring: TopStepMonitoring
  ) { (self.kind, self.link, self.sync, self.clock, self.monitoring) = (kind, link, sync, clock, monitoring) }

  var id: String { kind.id }
  var series: [Series] { kind.series }
  var syncDomains: [SyncDomain] { [kind.syncDomain] }

  /// Whether all that the band stores of this kind was listed and fetched.
  var isFetched: Bool { left?.isEmpty ?? false }

  // MARK: Listing

  /// Longest plausible day, s: a day on which clocks go back, and one more hour.
  private static let longestDay: Int64 = 93_600
  private static let usualDay: Int64 = 86_400

  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    (contents, left, readTo) = ([:], nil, nil)
    let now = link.hubTime.wall
    let overlap = kind.overlap(interval: monitoring.interval(of: kind.series[0]))
    var begins = link.wish.start(of: kind.series, now: now, overlap: overlap)
    // Values that an automatic-only sync left out lie before the watermark that the sync moved.
    let owed = link.remembered(ManualPending.self) ?? ManualPending()
    if link.wish.isAutomaticOnly, kind.syncDomain.tellsManual {
      try link.remember(owed.adding(kind, from: begins))
    } else if let from = owed.from[kind], link.wish.since == nil {
      begins = min(begins, from)
    }
    let start = max(TopStep.times.lowerBound, TopStep.seconds(begins))
    let present = TopStep.seconds(now.microseconds)
    // Data that seems to be of the future came from a clock that was ahead. A band may send it only if the range covers
    // it.
    let end = link.wish.until.map { TopStep.seconds($0) } ?? present + TopStepClock.longestDoubt
    guard start < min(end, present), TopStep.times.contains(end) else { return [] }
    let messages = try await sync.run(kind, from: start, to: end, now: present) { messages in
      Self.hasKnownDays(known, kind, from: start, messages) && !Self.hasGaps(messages, kind)
    }
    // Another host may set the clock back by this much; later values are then dated before now.
    if sync.isWhole { readTo = TopStep.microseconds(present - TopStepClock.longestDoubt) }
    guard let messages else {
      noteLeft([])
      return []
    }
    let before = link.remembered(SlotsLeftEmpty.self) ?? SlotsLeftEmpty()
    let noted = before.noting(messages, kind, now: present)
    if noted != before { try link.remember(noted) }
    let leavesEmpty = noted.kinds.contains(kind)
    if let ahead = FutureValues.end(of: messages, kind, now: present, leavesEmpty: leavesEmpty) {
      link.note("its clock was ahead: it has \(kind.id) of a time that has not come")
      try clock.doubt(until: ahead)
    }
    if let unit = messages.last(where: { $0.sleepUnit != nil })?.sleepUnit {
      let shown = SleepUnitShown(unit: unit)
      if link.remembered(SleepUnitShown.self) != shown { try link.remember(shown) }
    }
    let held = await items(of: messages, now: TopStep.seconds(now.microseconds))
    // A growing day sends the same values in a longer message: the stored item keeps its receipt.
    let stored = Dictionary(known.filter(\.isDurable).map { ($0.id, $0) }) { first, _ in first }
    let isAllStored = held.allSatisfy { item in stored[item.id].map { $0.mark == item.mark } ?? false }
    if !link.wish.isAutomaticOnly, owed.from[kind].map({ $0 >= begins }) ?? false, link.wish.until == nil, isAllStored {
      try link.remember(owed.without(kind))
    }
    noteLeft(held.filter { stored[$0.id]?.mark != $0.mark })
    return held.map { item in
      guard let same = stored[item.id], same.mark == item.mark else { return item }
      return HeldItem(id: item.id, mark: item.mark, size: same.size, begins: item.begins)
    }
  }

  /// A wish with bounds does not list all items, so the rest stays unknown.
  private func noteLeft(_ items: [HeldItem]) {
    if link.wish.since == nil, link.wish.until == nil, !link.wish.isAutomaticOnly { left = Set(items.map(\.id)) }
  }

  // MARK: Expected days

  /// Whether the answer contains each requested day that is already stored. Bands keep days for weeks.
  private static func hasKnownDays(
    _ known: [KnownItem], _ kind: DayKind, from start: Int64, _ messages: [DayMessage]
  ) -> Bool {
    if kind == .sport || kind == .sleep { return true }
    let begins = begins(of: messages)
    return known.filter(\.isDurable).allSatisfy { item in
      guard let place = item.id.split(separator: "/").last, let begin = Int64(place.prefix { $0 != "-" }) else {
        return true
      }
      return begin > start || begin <= start - usualDay || begins.contains(begin)
    }
  }

  /// Whether a day is missing between two others: the band was not worn, or a message was lost.
  private static func hasGaps(_ messages: [DayMessage], _ kind: DayKind) -> Bool {
    if kind == .sport { return false }
    let begins = begins(of: messages).sorted()
    return zip(begins, begins.dropFirst()).contains { $1 - $0 > longestDay }
  }

  private static func begins(of messages: [DayMessage]) -> Set<Int64> {
    Set(messages.compactMap(\.span?.begin).filter(TopStep.times.contains))
  }

  // MARK: Items

  /// - Parameter now: s since 2000.
  private func items(of messages: [DayMessage], now: Int64) async -> [HeldItem] {
    var days: [(begin: Int64, end: Int64, messages: [[UInt8]])] = []
    for message in messages {
      guard let span = message.span, TopStep.times.contains(span.begin) else {
        link.note("\(kind.id) of an invalid day")
        continue
      }
      let (length, isFar) = span.end.subtractingReportingOverflow(span.begin)
      let isDay = !isFar && (1...Self.longestDay).contains(length)
      let end = span.begin + (isDay ? length : Self.usualDay)
      if let place = days.firstIndex(where: { $0.begin == span.begin }) {
        days[place].messages.append(message.bytes)
        days[place].end = max(days[place].end, end)
      } else {
        days.append((span.begin, end, [message.bytes]))
      }
    }
    days.sort { $0.begin < $1.begin }
    var items: [HeldItem] = []
    for day in days {
      items += await self.items(ofDay: day.begin, day.end, day.messages, now: now)
      await Task.yield()
    }
    return items
  }

  /// Items of one day: two if the clock became sure within it. That is the case if this hub first set the clock on that
  /// day, or another host had set it ahead. The clock behind the earlier times is unknown.
  private func items(ofDay begin: Int64, _ end: Int64, _ messages: [[UInt8]], now: Int64) async -> [HeldItem] {
    var item = DayItem(kind)
    item.isAutomaticOnly = link.wish.isAutomaticOnly && kind.syncDomain.tellsManual
    if kind == .sleep { item.sleepUnit = link.remembered(SleepUnitShown.self)?.unit }
    item.messages = messages
    item.isOver = end < now
    if !item.isOver { item.settled = UInt32(clamping: kind.settled(now)) }
    let place = "\(kind.id)/\(begin)"
    let since = clock.sureSince
    guard begin < since else { return await held(place, item, begin) }
    item.isBeforeSetting = true
    // The hub refuses and counts values of the future, but only if their times are sure.
    let border = min(since, now + FutureValues.tolerance)
    item.until = UInt32(clamping: border)
    if border > end { return await held(place, item, begin) }
    var after = item
    (after.isBeforeSetting, after.from, after.until) = (false, item.until, .max)
    return await held(place + "-before", item, begin) + held(place, after, max(begin, border))
  }

  /// Item of a day; empty if the day has no values. The mark is a digest of the values, so equal values are the same
  /// item.
  private func held(_ place: String, _ item: DayItem, _ begin: Int64) async -> [HeldItem] {
    let digest = await DayDigest.of(item)
    if let digest, digest.isEmpty { return [] }
    let bytes = item.bytes
    contents[place] = bytes
    let kept = (item.isOver ? "o" : "") + (item.isBeforeSetting ? "b" : "") + (item.isAutomaticOnly ? "a" : "")
    // An unreadable day is fetched all the same, and reported.
    let mark = kept + (digest?.mark ?? DayItem.mark(bytes))
    return [HeldItem(id: place, mark: mark, size: bytes.count, begins: TopStep.microseconds(begin))]
  }

  // MARK: Fetching

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    guard let bytes = contents[item.id] else { throw .unsupported("\(item.id) was not read") }
    // Bytes of an earlier answer are not continued, even if both have the same values.
    if sink.offset > 0 { try await sink.startOver(mark: item.mark, size: bytes.count) }
    if try await sink.take(copyOf: bytes) == .more { left?.remove(item.id) }
  }

  // MARK: Content

  func pieces(of item: HeldItem) -> any IncrementalDecoder { DayPieces(kind, mark: item.mark) }

  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    try pieces(of: item).verifyAll(bytes)
  }

  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    try pieces(of: item).decodeAll(bytes, into: sink)
  }

  func span(of item: HeldItem) -> Range<Int64>? {
    item.begins.flatMap { Self.span($0, before: kind == .sleep ? 86_400_000_000 : 0) }
  }
}

/// Digest of a day's values, used as the item's mark.
private final class DayDigest: ItemSink {
  private var crc = CRC32C()
  private var count = 0
  private var hasAnomalies = false

  var isEmpty: Bool { count == 0 && !hasAnomalies }
  var mark: String { String(crc.value, radix: 16) + "-\(count)" }

  /// Digest of a whole day, one message per turn; nil if it cannot be read.
  @LoopActor
  static func of(_ item: DayItem) async -> DayDigest? {
    let digest = DayDigest()
    var reader = DayReader(item, into: digest)
    do throws(ItemDefect) { while try reader.next() { await Task.yield() } } catch { return nil }
    return digest
  }

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
