// The store on one screen, and its events.

import EventLoop
import HubProtocol
import Reasons
import StoreDocuments

func render(
  _ store: StoreDocument, _ time: HubTime, _ style: Style, _ mutes: KnownMutes = KnownMutes(), verbose: Bool = false
) -> String {
  let now = time.now
  let percent = store.limitBytes > 0 ? Int(clamping: Int128(store.usedBytes) * 100 / Int128(store.limitBytes)) : 0
  var text = line(
    """
    store  \(size(store.usedBytes)) of \(size(store.limitBytes)) (\(percent) %)   \
    \(counted(store.samples, "sample"))   \(counted(store.wearables, "wearable"))
    """
  )
  if let oldest = store.oldest, let newest = store.newest {
    text += line("range  \(time.span(oldest, newest)) \(time.zone.name)   oldest \(age(oldest, now).map(span) ?? "?")")
  } else {
    text += line("range  empty")
  }
  if store.daemon {
    let last = age(store.lastCommit, now).map { "last \(span($0)) ago" } ?? "none yet"
    text += line("commit \(last)   \(counted(store.commits, "commit")), \(grouped(store.failedCommits)) failed")
    text += line(
      "memory \(counted(store.pendingSamples, "sample")) (\(size(store.pendingBytes))) wait for the next commit")
  }
  text += line(
    """
    file   \(size(store.fileBytes)), of it \(size(store.freeBytes)) free   \(grouped(store.readerSlotsUsed)) of \
    \(grouped(store.readerSlots)) read slots in use
    """
  )
  text += stagedLine(store)
  text += ringTable(store, now)
  text += wearLine(store.wear)
  text += exportLine(store, now)
  text += losses(store, time, style)
  if verbose { text += details(store, time) }
  text += "path   \(harmless(store.path, limit: 1024))\n"
  guard let reason = store.reason else { return text }
  if let muted = mutes.words(reason.code, time) { return text + line("- \(reason.code) \(muted) -> hearth mute") }
  return text + style.attention(String(render(reason).dropLast())) + "\n"
}

/// The same without series and without values that change with every commit, for a full-screen view.
func renderLasting(_ store: StoreDocument, _ time: HubTime, _ mutes: KnownMutes) -> String {
  var text = line("store  \(storeWords(store, time, mutes))")
  text += line("live   \(size(store.journal.bytes)) came live and are not sorted by series yet")
  text += line("file   \(size(store.fileBytes)), of it \(size(store.freeBytes)) free")
  text += stagedLine(store) + wearLine(store.wear)
  text += exportLine(store, time.now) + losses(store, time, .plain)
  text += "path   \(harmless(store.path, limit: 1024))\n"
  return text + (store.reason.map { mutes.covers($0.code) ? "" : render($0) } ?? "")
}

/// Whether there is damage or loss that is not muted.
func needsAttention(_ store: StoreDocument, _ mutes: KnownMutes = KnownMutes()) -> Bool {
  func isTold(_ reason: Reason, of device: String? = nil) -> Bool { !mutes.covers(reason.code, of: device) }
  return store.reason.map { !mutes.covers($0.code) } ?? false || store.droppedSamples > 0
    || (store.corruptChunks > 0 || store.corruptRecords > 0) && isTold(.storeChunkCorrupt)
    || store.wear.overBudget && isTold(.storeBudgetExceeded)
    || (store.rings ?? []).contains { $0.refuses && isTold(.storeRefusing, of: $0.device) }
}

// MARK: - Rings

/// Rings of one series.
private struct SeriesRings {
  var rings: [StoreDocument.Ring]

  var wearables: Int { Set(rings.map(\.device)).count }
  var bytes: Int { sum(rings.map(\.bytes)) }
  /// Sum of the quotas; nil if one ring is unbounded.
  var quota: Int? {
    let known = rings.compactMap(\.quotaBytes)
    return known.count == rings.count ? sum(known) : nil
  }
  var oldest: String? { rings.compactMap(\.oldest).min() }
  var perDay: Int? {
    let known = rings.compactMap(\.bytesPerDay)
    return known.isEmpty ? nil : sum(known)
  }
  var evicts: String {
    guard let ring = rings.first else { return "" }
    let keep = ring.keepSeconds.map { ", > \(shortSpan(Int(clamping: $0)))" } ?? ""
    return ring.evict + keep + (rings.contains(where: \.refuses) ? ", full" : "")
  }
}

/// Sum, limited to the range of `Int`, as quotas may have any value of it.
private func sum(_ numbers: [Int]) -> Int { Int(clamping: numbers.reduce(Int128(0)) { $0 + Int128($1) }) }

private func ringTable(_ store: StoreDocument, _ now: WallTime) -> String {
  guard let rings = store.rings else { return "" }
  var bySeries: [(name: String, rings: SeriesRings)] = []
  for ring in rings {
    if let index = bySeries.firstIndex(where: { $0.name == ring.series }) {
      bySeries[index].rings.rings.append(ring)
    } else {
      bySeries.append((ring.series, SeriesRings(rings: [ring])))
    }
  }
  var text = "\n" + ringRow("SERIES", "DEVICES", "SIZE / QUOTA", "OLDEST", "RATE/DAY", "EVICTS")
  let journal = store.journal
  text += ringRow(
    "(new, live)", "-", size(journal.bytes) + " / -", age(journal.oldest, now).map(shortSpan) ?? "-", "-",
    "to their series")
  for (name, rings) in bySeries.sorted(by: { $0.name < $1.name }) {
    text += ringRow(
      name, grouped(rings.wearables), size(rings.bytes) + " / " + (rings.quota.map(size) ?? "-"),
      age(rings.oldest, now).map(shortSpan) ?? "-",
      rings.perDay.map(size) ?? "-", rings.evicts)
  }
  // With this row the rows add up to the used bytes of the store. Registry, custody and indexes come on top of the
  // samples, and small rings share pages, while each is counted with a page of its own.
  let samples = sum([journal.bytes] + rings.map(\.bytes))
  if store.usedBytes > samples {
    text += ringRow("other", "-", size(store.usedBytes - samples) + " / -", "-", "-", "lists, indexes")
  } else if store.usedBytes < samples {
    text += ringRow("shared", "-", "-" + size(samples - store.usedBytes) + " / -", "-", "-", "shared pages")
  }
  text += ringRow(
    "in all", "-", size(store.usedBytes) + " / " + size(store.limitBytes),
    age(store.oldest, now).map(shortSpan) ?? "-", "-", "")
  return text
}

private func ringRow(
  _ ring: String, _ devices: String, _ size: String, _ oldest: String, _ rate: String, _ evicts: String
) -> String {
  let columns = [
    cell(ring, 16), cell(devices, 7, right: true), cell(size, 17, right: true), cell(oldest, 6, right: true),
    cell(rate, 8, right: true), evicts,
  ]
  return line(columns.joined(separator: "  "))
}

// MARK: - Wear, exports, losses

/// Staged bytes and deleted staging data; empty without any.
private func stagedLine(_ store: StoreDocument) -> String {
  var parts: [String] = []
  if store.stagedBytes > 0 { parts.append("\(size(store.stagedBytes)) of items that are not whole yet") }
  if store.stagedGivenUp > 0 { parts.append("\(size(Int(clamping: store.stagedGivenUp))) given up, fetched again") }
  let staged = parts.isEmpty ? "" : line("staged \(parts.joined(separator: "   "))")
  return staged
    + (store.custodyGivenWay > 0
      ? line("gone   \(counted(store.custodyGivenWay, "record")) of custody gave way to newer ones") : "")
}

private func wearLine(_ wear: StoreDocument.Wear) -> String {
  func size(_ bytes: UInt64) -> String { hearth.size(Int(clamping: bytes)) }
  let budget = wear.budgetPerDay.map { "budget \(size($0))" } ?? "no budget"
  let forecast = wear.forecastPerYear.map { "   forecast \(size($0)) a year" } ?? "   no forecast yet"
  let written = line(
    "card   \(size(wear.bytesToday)) written today (\(budget))\(forecast)   \(size(wear.odometer)) ever")
  return written + (cardShare(wear).map { line("       \($0)") } ?? "")
}

/// `0.44 % a year of what a card of 32 GB bears`; nil without a forecast, and on another medium than a card.
func cardShare(_ wear: StoreDocument.Wear) -> String? {
  guard let year = wear.forecastPerYear, let bytes = wear.cardBytes, let bears = wear.cardBears, bears > 0 else {
    return nil
  }
  let hundredths = (Double(year) / Double(bears) * 10_000).rounded(.up)
  let share = hundredths < 1000 ? "\(hundredths / 100)" : "\(Int((hundredths / 100).rounded()))"
  return "\(share) % a year of what a card of \(size(Int(clamping: bytes))) bears"
}

private func exportLine(_ store: StoreDocument, _ now: WallTime) -> String {
  var text = "export \(counted(store.unexported, "sample")) that no export has confirmed"
  if let last = store.readers?.max(by: { $0.confirmedAt < $1.confirmedAt }) {
    text +=
      "   last \(age(last.confirmedAt, now).map(shortSpan) ?? "?") ago by \(last.by.isEmpty ? last.name : last.by)"
  }
  return line(text)
}

private func losses(_ store: StoreDocument, _ time: HubTime, _ style: Style) -> String {
  var text = ""
  if store.evictedSamples > 0 {
    let range = store.evictedFrom.flatMap { from in store.evictedTo.map { time.span(from, $0) } }
    text += line(
      "evicted \(counted(store.evictedSamples, "sample")), \(grouped(store.evictedUnexported)) of them never exported")
    if let range { text += line("       of \(range)") }
  }
  for ring in store.rings ?? [] where ring.refuses {
    text +=
      style.attention(
        String(
          line("H4102  \(ring.series) of \(ring.device) is left on the wearable: its share of the store is full")
            .dropLast()))
      + "\n"
  }
  if store.wear.overBudget {
    text += style.attention("H4110  more was written to the card today than its budget") + "\n"
  }
  if store.droppedSamples > 0 {
    text += line("lost   \(counted(store.droppedSamples, "sample")) that the disk did not take")
  }
  if store.corruptChunks > 0 {
    text += line("damage \(counted(store.corruptChunks, "chunk")) with a wrong checksum, not served")
  }
  if store.corruptRecords > 0 {
    text += line("damage \(counted(store.corruptRecords, "record")) with a wrong checksum")
  }
  if let bytes = store.asideBytes {
    text += line("aside  \(size(bytes)) of damaged files, yours to delete: \(store.path)/data.mdb.damaged-*")
  }
  return text
}

/// Rings and cursors in full.
private func details(_ store: StoreDocument, _ time: HubTime) -> String {
  var text = ""
  for ring in store.rings ?? [] {
    text += line(
      """
      ring   \(cell(ring.device, 16)) \(cell(ring.series, 16)) \(cell(ring.way, 7)) \
      \(cell(size(ring.bytes), 7, right: true))  
      """
        + counted(ring.samples, "sample"))
    if ring.evictedSamples > 0, let from = ring.evictedFrom, let to = ring.evictedTo {
      text += line("       evicted \(counted(ring.evictedSamples, "sample")) of \(time.span(from, to))")
    }
  }
  for reader in store.readers ?? [] {
    text += line(
      """
      cursor \(cell(reader.name, 16)) \(counted(reader.samples, "sample")), last \
      \(age(reader.confirmedAt, time.now).map(shortSpan) ?? "?") ago by \(reader.by)
      """
    )
  }
  return text
}

// MARK: - Events

/// Events with the newest last, where a person looks first. They are sorted by their times, as some are found later: a
/// start without a time server is recorded after two minutes.
func render(_ events: [EventDocument], _ time: HubTime, _ style: Style) -> String {
  if events.isEmpty { return "no events\n" }
  return zoneLine(time)
    + byTime(events).map { event in
      let what = harmless(whatHappened(event), limit: 320)
      return "\(time.text(event.time))  \(event.code)  \(what)\n"
    }.joined()
}

/// Events in the order of time, the oldest first, from a list with the newest number first. A number may be later than
/// its event: the start of the hub is recorded once its clock is known.
func byTime(_ events: [EventDocument]) -> [EventDocument] {
  events.reversed().enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
}

/// Text with the name of the wearable, once: most texts begin with it.
func whatHappened(_ event: EventDocument) -> String {
  guard let device = event.device else { return event.text }
  let isNamed = [" ", ":", ",", "'"].contains { event.text.hasPrefix(device + $0) }
  return isNamed ? event.text : "\(device): \(event.text)"
}
