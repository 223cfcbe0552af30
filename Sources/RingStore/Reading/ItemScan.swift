// A page of measured items, ascending by time, from rings that are in the order of arrival.
//
// All chunks that may hold one of its items are examined, most of them by their header alone. Once the page is full, a
// chunk that begins behind its last item is skipped.

internal import EventLoop
public import Health
public import Reasons

struct ItemScan {
  private(set) var page: ItemPage
  private(set) var isDone = false
  private let query: ItemQuery
  private let journalEnd: UInt64
  private let rebuilt: [RingID: RingState]
  private var waiting: ArraySlice<ItemSource>
  private var current: (source: ItemSource, walk: SampleWalk)?

  /// Samples of one transaction.
  private static let step = SampleWalk.sampleLimit / 4

  init(_ query: ItemQuery, journalEnd: UInt64 = .max, rebuilt: [RingID: RingState]) {
    self.query = query
    self.journalEnd = journalEnd
    self.rebuilt = rebuilt
    waiting = query.sources[...]
    page = ItemPage(after: query.after, limit: query.limit)
  }

  /// Reads some chunks. Returns the chunks that could not be read.
  mutating func step(_ transaction: Transaction) throws(DatabaseFailure) -> [DamagedChunk] {
    guard let (source, now) = current ?? next() else {
      isDone = true
      return []
    }
    var walk = now
    if let full = page.fullFrom { walk.narrow(until: WallTime(microseconds: full)) }
    let found = try walk.page(transaction, limit: Self.step)
    for sample in found.samples where query.filter.wants(sample.flags) && source.wants(sample.time.microseconds) {
      if page.hasRoom(for: sample.itemKey) { page.add(MeasuredItem(sample)) }
    }
    current = found.isLast ? nil : (source, walk)
    return found.corrupt
  }

  private mutating func next() -> (source: ItemSource, walk: SampleWalk)? {
    guard let source = waiting.popFirst() else { return nil }
    let after = query.after.map { WallTime(microseconds: $0.time) }
    let since = [query.since, after].compactMap { $0 }.max()
    let wanted = SampleQuery(wearables: [source.wearable], series: [query.series], since: since, until: query.until)
    return (source, SampleWalk(wanted, journalEnd: journalEnd, rebuilt: rebuilt))
  }
}

extension StoredSample {
  fileprivate var itemKey: ItemKey {
    ItemKey(
      time: time.microseconds, isManual: flags.isManual, source: wearable.number, way: way.rawValue, ordinal: ordinal)
  }
}

extension MeasuredItem {
  /// The item of a stored sample.
  public init(_ sample: StoredSample) {
    self.init(
      sample.series, source: sample.wearable.number, way: sample.way.rawValue, ordinal: sample.ordinal,
      time: sample.time.microseconds, flags: sample.flags,
      values: sample.values.isEmpty ? [sample.value] : sample.values, isClockSure: sample.clockTrusted,
      isClockCorrected: sample.isCorrected)
  }
}

extension StoreReader {
  /// Returns items like `Store.items`.
  ///
  /// - Throws: the reader's error, see `StoreReader`.
  public func items(_ query: ItemQuery) throws(HearthError) -> ItemPage {
    var scan = ItemScan(query, rebuilt: rebuilt)
    while !scan.isDone { _ = try reading { transaction throws(DatabaseFailure) in try scan.step(transaction) } }
    return scan.page
  }
}
