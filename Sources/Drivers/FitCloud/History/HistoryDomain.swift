// Fetch domain of one kind of history: a transfer serves as the listing, and the verdict "complete" as the removal.
//
// A transfer has some kilobytes and no offset, and the band keeps its records until it gets the verdict. A listing
// therefore takes the whole transfer, and names the item by its contents. "Complete" is sent only with a receipt.

import Bands
import Bluetooth
import EventLoop
import Health
import Wearable

@LoopActor
final class HistoryDomain: FetchDomain {
  private let link: any WearableLink
  private let history: HistoryTransfers
  private let kind: HistoryKind
  private let clock: FitCloudClock
  /// Content of the last transfer.
  private var held: Held?
  private(set) var mayHaveRemoved = false

  private struct Held {
    let item: HeldItem
    let bytes: [UInt8]
    let placing: HistoryPlacing
    let survey: HistorySurvey
    let isClockMoved: Bool
    /// Time of the request, µs of the hub's clock. Everything recorded until then is included.
    let asked: Int64
  }

  init(_ link: any WearableLink, _ history: HistoryTransfers, _ kind: HistoryKind, _ clock: FitCloudClock) {
    (self.link, self.history, self.kind, self.clock) = (link, history, kind, clock)
  }

  var id: String { kind.id }
  var series: [Series] { kind.series }
  var syncDomains: [SyncDomain] { [kind.syncDomain] }

  // MARK: Listing

  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    held = nil
    guard link.wish.wants(id) else { return [] }
    let asked = link.hubTime.wall.microseconds
    let content = try await history.transfer(kind)
    let code = kind.code(history.generation)
    if content.isEmpty {
      if history.isAnswered { clock.note(HistoryReach(at: asked), of: code) }
      return []
    }
    let now = link.hubTime
    let head = HistoryHead(
      code: code, history.generation, shown: BandClock.local(link), isSure: now.isTrusted)
    guard let start = head.bytes else { throw .unsupported("a history of a year that its records cannot name") }
    let bytes = start + content
    let fetched = now.isTrusted ? now.wall.microseconds : nil
    var isClockMoved = false
    if let fetched {
      let learned: Result<Bool, VisitTrouble> = bytes.withUnsafeBytes { raw in
        do throws(VisitTrouble) { return .success(try clock.learn(raw, kind, code: code, fetched: fetched)) } catch {
          return .failure(error)
        }
      }
      isClockMoved = try learned.get()
    }
    let eras = clock.eras
    let placing = bytes.withUnsafeBytes { raw in
      HistoryPlacing(eras, kind, code: code, fetched: fetched, in: raw).resolved(raw, kind).resolved(raw, kind)
    }
    let survey = bytes.withUnsafeBytes { HistorySurvey($0, kind, placing) }
    let item = HeldItem(id: id, mark: Self.mark(content, survey), size: bytes.count, begins: survey.span?.lowerBound)
    held = Held(
      item: item, bytes: bytes, placing: placing, survey: survey, isClockMoved: isClockMoved, asked: asked)
    if let tail = bytes.withUnsafeBytes({ HistoryTail.last(of: $0, kind, placing) }) {
      clock.note(HistoryReach(at: asked, tail: tail), of: code)
    }
    return [item]
  }

  /// Mark of an item: 64 bits of FNV-1a and the size. The number of values that are still in the future is part of it.
  /// Once their time has come, the same bytes are thus decoded again.
  private static func mark(_ bytes: [UInt8], _ survey: HistorySurvey) -> String {
    let digest = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(digest, radix: 16) + "-\(bytes.count)" + (survey.left > 0 ? "-\(survey.left)" : "")
  }

  func span(of item: HeldItem) -> Range<Int64>? { held.flatMap { $0.item.id == item.id ? $0.survey.span : nil } }

  // MARK: Fetching

  /// Bytes per write to the sink.
  private static let chunk = 4096

  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    guard let held, held.item.id == item.id else { throw .unsupported("\(item.id) was not transferred") }
    // The sink has other content, or more bytes than exist.
    if item.mark != held.item.mark || sink.offset > held.bytes.count {
      try await sink.startOver(mark: held.item.mark, size: held.bytes.count)
    }
    while sink.offset < held.bytes.count {
      let next = held.bytes[sink.offset...].prefix(Self.chunk)
      if try await sink.take(copyOf: next) == .enough { return }
    }
  }

  // MARK: Content

  func pieces(of item: HeldItem) -> any IncrementalDecoder {
    let code = kind.code(history.generation)
    let placing = held?.placing ?? HistoryPlacing(clock.eras, kind, code: code, fetched: nil)
    return HistoryPieces(kind, mark: item.mark, placing, isClockMoved: held?.isClockMoved ?? false)
  }

  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict {
    try pieces(of: item).verifyAll(bytes)
  }

  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    try pieces(of: item).decodeAll(bytes, into: sink)
  }

  // MARK: Removal

  func removals(of items: [HeldItem]) -> [Removal] {
    // A transfer stays on the band if it has bytes that could be values but are in no series.
    if items.isEmpty || held.map({ !$0.survey.isComplete }) ?? false { return [] }
    return [Removal(name: "the history of \(id)", covers: items)]
  }

  /// Sends the verdict "complete", after which the band may erase the transfer, and then requests the kind once more.
  func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome {
    mayHaveRemoved = false
    guard let held, proof.removal.covers == [held.item] else { return .notNow("it was transferred otherwise since") }
    let content = Array(held.bytes.dropFirst(HistoryHead.size))
    // A verdict applies to the transfer before it, of any kind.
    if history.pending != kind, try await history.transfer(kind) != content {
      return .notNow("it has something else now")
    }
    mayHaveRemoved = true
    try await history.complete()
    if try await history.transfer(kind) == content { return .ineffective("it sends the same once more") }
    let newest = held.bytes.withUnsafeBytes { held.placing.newestSure($0) }
    try clock.emptied(kind.code(history.generation), at: held.asked, newest: newest)
    return .erased
  }
}
