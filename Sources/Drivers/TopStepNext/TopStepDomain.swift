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
  /// Places of what was listed and is neither stored nor fetched; nil: nothing was listed over this link.
  private var left: Set<String>?
  private(set) var readTo: Int64?

  init(
    _ kind: DayKind, _ link: any WearableLink, _ sync: TopStepSync, _ clock: TopStepClock,
    _ monitoring: TopStepMonitoring
  ) { (self.kind, self.link, self.sync, self.clock, self.monitoring) = (kind, link, sync, clock, monitoring) }

  var id: String { kind.id }
  var series: [Series] { kind.series }
  var syncDomains: [SyncDomain] { [kind.syncDomain] }

  /// All that the band keeps of it was listed and is taken.
  var isFetched: Bool { left?.isEmpty ?? false }

  // MARK: list

  /// s of the longest day that is believed: one on which clocks are put back, and an hour more.
  private static let longestDay: Int64 = 93_600
  private static let usualDay: Int64 = 86_400

  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    (contents, left, readTo) = ([:], nil, nil)
    let now = link.hubTime.wall
    let overlap = kind.overlap(interval: monitoring.interval(of: kind.series[0]))
    var begins = link.wish.start(of: kind.series, now: now, overlap: overlap)
    // What an automatic sync left out lies before the watermark that it moved.
    let owed = link.remembered(ManualOwed.self) ?? ManualOwed()
    if link.wish.isAutomaticOnly, kind.syncDomain.tellsManual {
      try link.remember(owed.adding(kind, from: begins))
    } else if let from = owed.from[kind], link.wish.since == nil {
      begins = min(begins, from)
    }
    let start = max(TopStep.times.lowerBound, TopStep.seconds(begins))
    let present = TopStep.seconds(now.microseconds)
    // What has not come was dated by a clock that was ahead: a band may tell nothing of it unless asked up to there.
    let end = link.wish.until.map { TopStep.seconds($0) } ?? present + TopStepClock.longestDoubt
    guard start < min(end, present), TopStep.times.contains(end) else { return [] }
    let messages = try await sync.run(kind, from: start, to: end, now: present) { messages in
      Self.hasKnownDays(known, kind, from: start, messages) && !Self.hasGaps(messages, kind)
    }
    // By as much others may set the clock back: what it measures then is of a time before.
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
    // The same values in a longer message, as a day goes on: what is in the store stays as it is, with its receipt.
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

  /// A person's bounds leave some out.
  private func noteLeft(_ items: [HeldItem]) {
    if link.wish.since == nil, link.wish.until == nil, !link.wish.isAutomaticOnly { left = Set(items.map(\.id)) }
  }

  // MARK: Days that should be there

  /// What is stored of a day that is asked for again was in an answer before, and a band keeps days for weeks.
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

  /// No message for a day between two that have one: nobody wore it, or it was lost.
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
        link.note("\(kind.id) of a day that is none")
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

  /// Two where this hub set the clock for the first time within the day, or somebody else had set it ahead: by which
  /// clock it was before is not known.
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
    // What is of a time that has not come is refused and counted by the hub, which does that of sure times alone.
    let border = min(since, now + FutureValues.tolerance)
    item.until = UInt32(clamping: border)
    if border > end { return await held(place, item, begin) }
    var after = item
    (after.isBeforeSetting, after.from, after.until) = (false, item.until, .max)
    return await held(place + "-before", item, begin) + held(place, after, max(begin, border))
  }

  /// None where nothing is in it. The mark is that of its values: a later look at the same ones is the same item.
  private func held(_ place: String, _ item: DayItem, _ begin: Int64) async -> [HeldItem] {
    let digest = await DayDigest.of(item)
    if let digest, digest.isEmpty { return [] }
    let bytes = item.bytes
    contents[place] = bytes
    let kept = (item.isOver ? "o" : "") + (item.isBeforeSetting ? "b" : "") + (item.isAutomaticOnly ? "a" : "")
    // What cannot be read is fetched, and said.
    let mark = kept + (digest?.mark ?? DayItem.mark(bytes))
    return [HeldItem(id: place, mark: mark, size: bytes.count, begins: TopStep.microseconds(begin))]
  }

  // MARK: fetch

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    guard let bytes = contents[item.id] else { throw .unsupported("\(item.id) was not read") }
    // Bytes of an earlier answer are none of this one, also where both say the same.
    if sink.offset > 0 { try await sink.startOver(mark: item.mark, size: bytes.count) }
    if try await sink.take(copyOf: bytes) == .more { left?.remove(item.id) }
  }

  // MARK: What is in it

  func pieces(of item: HeldItem) -> any ItemPieces { DayPieces(kind, mark: item.mark) }

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

/// What a day says, as a mark.
private final class DayDigest: ItemSink {
  private var crc = CRC32C()
  private var count = 0
  private var hasAnomalies = false

  var isEmpty: Bool { count == 0 && !hasAnomalies }
  var mark: String { String(crc.value, radix: 16) + "-\(count)" }

  /// Of a whole day, a message a turn; nil where it cannot be read.
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
