// Stages of a visit, as a driver implements them: check; list, fetch, verify, decode and remove for each kind of data;
// finish.
//
//     check                        identity, clock, memory, busy?
//     for each domain, in order:
//       list                       what it holds
//       for each item, in order:
//         fetch from an offset     bytes; received ones are kept across links
//         verify                   whole and sound?                              pure
//         decode                   samples, on the wearable's own clock           pure
//         -- the hub commits: a receipt
//       remove                     only items with receipts, in the groups that the wearable's own calls have
//     finish                       left in the state that it needs, also after trouble

public import Bluetooth
public import Custody
public import EventLoop
public import Health
public import Reasons

/// Driver's side of one link. Created when the link is up, and discarded with it. Lasting information is in the names
/// and offsets of the items.
///
/// This protocol is common to all sessions. Abilities of some sessions have their own protocols (`SessionFacets`,
/// listed in NOTES.md). What a session does not declare is refused or left alone.
@LoopActor
public protocol WearableSession: AnyObject {
  /// Runs the first stage of every visit.
  func check() async throws(VisitTrouble) -> CheckReport
  /// Kinds of data that can be fetched, in order.
  var domains: [any FetchDomain] { get }
  /// Leaves the wearable in the state that it needs. Called once at the end of a visit while the link is up, also after
  /// trouble.
  func finish() async throws(VisitTrouble)
}

/// Whether a fetch should continue.
public enum Taking: Sendable, Hashable {
  case more
  /// Stop for now, without an error. Received bytes are kept; running transfers are stopped, and the fetch returns.
  case enough
}

/// Sink for fetched bytes.
@LoopActor
public protocol ByteSink: AnyObject {
  /// Number of stored bytes of the item, which is the offset of the next ones.
  var offset: Int { get }
  /// Stores the bytes that follow at `offset`.
  ///
  /// - Returns: `enough` when the turn is over.
  /// - Throws: `noRoom`.
  func take(_ bytes: RawBytes) async throws(VisitTrouble) -> Taking
  /// Discards the stored bytes, because the content changed on the wearable; `offset` becomes 0. Allowed three times in
  /// a visit.
  func startOver(mark: String, size: Int?) async throws(VisitTrouble)
}

extension ByteSink {
  /// Stores bytes of an array.
  ///
  /// - Throws: `noRoom`, as the other `take`.
  public func take(copyOf bytes: some Collection<UInt8>) async throws(VisitTrouble) -> Taking {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return try await take(RawBytes(copy))
  }
}

/// Sink for decoded samples. Times are those of the wearable's clock; the hub corrects them and keeps the evidence.
public protocol ItemSink: AnyObject {
  /// Appends an item of any layout; `Series.layout` defines the number of values, and whether it has bytes.
  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool)
  /// The same, with the quality that the wearable itself reports.
  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isLowQuality: Bool)
  /// The same, with the driver's statement whether the time is sure. The time is the hub's or the wearable's.
  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isTimeSure: Bool)
  /// Reports values that the driver leaves out, since they are dated in the future; the number is shown to operators.
  /// Each call counts, so a driver that sees the same values at each visit reports them once.
  func refuse(_ series: Series, _ count: Int)
  func noteAnomaly(_ what: StaticString)
}

extension ItemSink {
  /// Default for sinks without counters.
  public func refuse(_ series: Series, _ count: Int) {}

  /// Default for sinks without quality.
  public func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isLowQuality: Bool
  ) { append(series, values, bytes: bytes, at: deviceTime, kind: kind, isManual: isManual) }

  /// Default for sinks that ignore sureness of time.
  public func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isTimeSure: Bool
  ) { append(series, values, bytes: bytes, at: deviceTime, kind: kind, isManual: isManual) }

  /// Adds a scalar with the wearable's time, microseconds since 1970.
  public func append(_ series: Series, _ value: Int64, at deviceTime: Int64) {
    append(series, [value], bytes: [], at: deviceTime, kind: .normal, isManual: false)
  }
}

/// Result of `verify` for complete bytes.
public struct ItemVerdict: Sendable, Hashable {
  /// Content for display: `3,600 records, closed`.
  public var summary: String
  /// Whether the item is complete and cannot grow, so that it may be erased once it is durable.
  public var isFinal: Bool
  /// Mark of the actual content. Once it is durable, the unchanged item is listed under it.
  public var mark: String
  /// Whether the time of measurement is unknown: the times are the best estimate, whatever their clock.
  public var isTimeUnsure: Bool
  /// Record of what is stored of the item, kept for its next listing, even if another content is listed at its place
  /// then. nil: unchanged. At most `progressLimit` bytes.
  public var progress: [UInt8]?
  /// Whether its bytes are stored besides its samples. False for one look at a growing content, since the bytes come
  /// again, and complete.
  public var keepsBytes = true
  /// Whether it was requested by time, with an overlap: samples that are already stored are dropped.
  public var mayRepeat = false

  /// Notices for operators, besides the fact that it was stored.
  public var notices: [ItemNotice] = []

  /// Longest progress in bytes.
  public static let progressLimit = KnownItem.progressLimit

  /// A verdict; `summary` is for people.
  public init(summary: String, isFinal: Bool, mark: String, isTimeUnsure: Bool = false) {
    self.summary = summary
    self.isFinal = isFinal
    self.mark = mark
    self.isTimeUnsure = isTimeUnsure
  }
}

/// Notice about a stored item: which part was left out, or is an estimate.
public struct ItemNotice: Sendable, Hashable {
  /// Code of the notice.
  public let reason: Reason
  /// Text without the item's name.
  public let text: String

  /// A notice with one clause of detail.
  public init(_ reason: Reason, _ text: String) { (self.reason, self.text) = (reason, text) }
}

/// Kind of data on a wearable, with its own way to list, fetch and remove.
@LoopActor
public protocol FetchDomain: AnyObject {
  /// `activity`: stable, but not part of any durable record.
  var id: String { get }
  /// Series that its items may decode to. The hub checks the room in the store for them before a fetch.
  var series: [Series] { get }
  /// Lists the present items, in the order in which they should be fetched, including known and unchanged ones.
  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem]
  /// Whether an item can be fetched from any offset. If not, the hub lets a fetch finish although the turn is over: an
  /// aborted one would have to restart at the first byte.
  var resumesAtOffset: Bool { get }
  /// Fetches from `sink.offset` on until the item is complete, or the sink has enough.
  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble)
  /// Verifies that complete bytes are sound. Pure.
  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict
  /// Decodes sound bytes. Pure: the same bytes give the same samples.
  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect)
  /// Both in pieces, for kinds of data with items of more than some ten kilobytes.
  func pieces(of item: HeldItem) -> any IncrementalDecoder
  /// Calls that remove the listed items, each with everything that it covers.
  func removals(of items: [HeldItem]) -> [Removal]
  /// Removes, and reads back.
  func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome
  /// Parts that a person may request alone; by default the domain is one part. If the scope of a visit
  /// (`WearableLink.wish`) excludes some, `list` makes no requests for those alone. Their known items may be listed all
  /// the same.
  var syncDomains: [SyncDomain] { get }
  /// Id of the part that an item belongs to.
  func syncDomain(of item: HeldItem) -> String
  /// Time span of an item's content on the wearable's clock, µs since 1970, end exclusive; nil: unknown.
  func span(of item: HeldItem) -> Range<Int64>?
  /// Reason why this domain could not be listed over this link, for display, though the visit continues; nil: listed.
  var unread: String? { get }
  /// Time up to which the last listing was complete for this domain's series, µs by the hub's clock. Data from before
  /// is complete and stays so. Nil: unknown.
  var readTo: Int64? { get }
  /// Called when `remove` threw: whether the wearable may have received the removal. False only if it certainly did
  /// not. Then a removal that works once per restart is not used up.
  var mayHaveRemoved: Bool { get }
}

extension FetchDomain {
  /// True: an item can be fetched from any offset.
  public var resumesAtOffset: Bool { true }
  /// nil: the domain was listed.
  public var unread: String? { nil }
  /// nil: unknown.
  public var readTo: Int64? { nil }
  /// A decoder of the whole item at once.
  public func pieces(of item: HeldItem) -> any IncrementalDecoder { WholeItem(self, item) }

  /// Empty: items are not removed.
  public func removals(of items: [HeldItem]) -> [Removal] { [] }
  /// Refuses with `notNow`, as no item can be removed. Never throws.
  public func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome {
    .notNow("no item can be removed")
  }
  /// True: a removal may have succeeded without an answer.
  public var mayHaveRemoved: Bool { true }
}
