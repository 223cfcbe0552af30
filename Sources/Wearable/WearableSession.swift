// The stages of a visit, as a driver tells them: check, then for each kind of data list, fetch, verify, decode and
// remove, then finish.
//
//     check                        who, clock, memory, busy?
//     for each domain, in order:
//       list                       what it holds
//       for each item, in order:
//         fetch from an offset     bytes; whatever came is kept across links
//         verify                   whole and sound?                              pure
//         decode                   samples, on the wearable's own clock           pure
//         -- the hub commits: a receipt
//       remove                     only what has receipts, in the groups that the wearable's own calls have
//     finish                       left as it wants to be left, also after trouble

public import Bluetooth
public import Custody
public import EventLoop
public import Health
public import Reasons

/// A driver's side of one link. Made when the link is up, thrown away with it; what must last is in the items' own
/// names and offsets.
///
/// This is what every session has. What only some have stands in protocols of its own (`SessionFacets`, listed in
/// NOTES.md): a session declares what it has, and what it does not declare is refused or left alone.
@LoopActor
public protocol WearableSession: AnyObject {
  /// The first stage of every visit.
  func check() async throws(VisitTrouble) -> CheckReport
  /// What can be fetched, in the order in which it should be.
  var domains: [any FetchDomain] { get }
  /// Leaves the wearable as it wants to be left. Called once at the end of a visit while the link is up, also after
  /// trouble.
  func finish() async throws(VisitTrouble)
}

/// Whether whoever brings bytes should go on.
public enum Taking: Sendable, Hashable {
  case more
  /// No more now, and nothing is wrong: what came is kept. What is under way is stopped, and fetching returns.
  case enough
}

/// Where fetched bytes go.
@LoopActor
public protocol ByteSink: AnyObject {
  /// How many bytes of the item are kept so far: the offset of what comes next.
  var offset: Int { get }
  /// Takes what follows at `offset`.
  ///
  /// - Returns: `enough` when the turn is over.
  /// - Throws: `noRoom`.
  func take(_ bytes: RawBytes) async throws(VisitTrouble) -> Taking
  /// The content changed on the wearable: what is kept of it is thrown away, `offset` is 0 again. Allowed three times
  /// in a visit.
  func startOver(mark: String, size: Int?) async throws(VisitTrouble)
}

extension ByteSink {
  /// Takes bytes that lie in an array.
  public func take(copyOf bytes: some Collection<UInt8>) async throws(VisitTrouble) -> Taking {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return try await take(RawBytes(copy))
  }
}

/// Where decoded samples go. Times are those of the wearable's clock; the hub corrects them and keeps the evidence.
public protocol ItemSink: AnyObject {
  /// An item of any layout; see `Series.layout` for how many values and whether bytes belong to it.
  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool)
  /// The same of an item that the wearable itself doubts, or does not.
  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isLowQuality: Bool)
  /// The same of an item of which the driver says whether its time is sure, in the hub's own time or the wearable's.
  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isTimeSure: Bool)
  /// Values that the driver does not hand over, as they say that they are yet to come: people are told how many. Each
  /// is counted whenever this says so; a driver that sees the same ones at each visit says it once.
  func refuse(_ series: Series, _ count: Int)
  func noteAnomaly(_ what: StaticString)
}

extension ItemSink {
  /// For sinks that count nothing.
  public func refuse(_ series: Series, _ count: Int) {}

  /// For sinks to which doubt says nothing.
  public func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isLowQuality: Bool
  ) { append(series, values, bytes: bytes, at: deviceTime, kind: kind, isManual: isManual) }

  /// For sinks to which it says nothing.
  public func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isTimeSure: Bool
  ) { append(series, values, bytes: bytes, at: deviceTime, kind: kind, isManual: isManual) }

  public func append(_ series: Series, _ value: Int64, at deviceTime: Int64) {
    append(series, [value], bytes: [], at: deviceTime, kind: .normal, isManual: false)
  }
}

/// What `verify` says about whole bytes.
public struct ItemVerdict: Sendable, Hashable {
  /// What is in it, for people: `3,600 records, closed`.
  public var summary: String
  /// It is complete and will not grow: it may be removed once it is durable.
  public var isFinal: Bool
  /// The mark of what was really there. Once it is durable the item is listed under it, for as long as it is the same.
  public var mark: String
  /// Nobody knows when it was measured: the times are the best bound there is, whatever clock they rest on.
  public var isTimeUnsure: Bool
  /// What of it is in the store once this is: kept with the item for the next time that it is listed, also when
  /// something else is listed at its place then; nil: as it was. At most `progressLimit` bytes.
  public var progress: [UInt8]?
  /// Its bytes are kept beside what they decode to. Not those of one look at something that grows: they come once more,
  /// and whole.
  public var keepsBytes = true
  /// It was asked for from a time on, with an overlap: what the store has of it already is left out.
  public var mayRepeat = false

  /// What people are told of it beside that it was stored.
  public var notices: [ItemNotice] = []

  public static let progressLimit = KnownItem.progressLimit

  public init(summary: String, isFinal: Bool, mark: String, isTimeUnsure: Bool = false) {
    self.summary = summary
    self.isFinal = isFinal
    self.mark = mark
    self.isTimeUnsure = isTimeUnsure
  }
}

/// Something that people are told of an item that was stored: what of it was left out, or is an estimate.
public struct ItemNotice: Sendable, Hashable {
  public let reason: Reason
  /// Without the item's name.
  public let text: String

  public init(_ reason: Reason, _ text: String) { (self.reason, self.text) = (reason, text) }
}

/// One kind of data on a wearable, with its own way to be listed, fetched and removed.
@LoopActor
public protocol FetchDomain: AnyObject {
  /// `activity`: stable, part of nothing durable.
  var id: String { get }
  /// What its items may decode to: the store is asked whether it has room before anything is fetched.
  var series: [Series] { get }
  /// What there is now, in the order in which it should be fetched; items that are known and unchanged are listed too.
  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem]
  /// An item can be fetched from any offset. Where it cannot, the hub lets an item that was begun come to its end
  /// although the turn is over: what is given up would have to come anew from its first byte.
  var resumesAtOffset: Bool { get }
  /// Fetches from `sink.offset` on until all of it is there, or the sink has enough.
  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble)
  /// Whether whole bytes are sound. Pure.
  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict
  /// Samples of sound bytes. Pure: the same bytes give the same samples.
  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect)
  /// Both in pieces, for kinds of data whose items may have more than some ten kilobytes.
  func pieces(of item: HeldItem) -> any ItemPieces
  /// The calls that remove what is listed, each with everything it covers.
  func removals(of items: [HeldItem]) -> [Removal]
  /// Calls, and reads back.
  func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome
  /// What of it a person may ask for alone. Without saying so it is one. Where a visit's wish (`WearableLink.wish`)
  /// leaves some out, `list` asks for nothing that only those need, and may list what it knows of them all the same.
  var syncDomains: [SyncDomain] { get }
  /// Id of the one that an item belongs to.
  func syncDomain(of item: HeldItem) -> String
  /// When its content was measured, from at the earliest until before at the latest, on the wearable's clock, µs since
  /// 1970; nil: that is not told.
  func span(of item: HeldItem) -> Range<Int64>?
  /// Why what it keeps of this could not be listed over this link, for people, although the visit goes on; nil: it was.
  var unread: String? { get }
  /// Up to when all was in the last listing that this domain's series have, µs by the hub's clock: it has nothing else
  /// of a time before, and nothing of it is yet to come. nil: that is not known.
  var readTo: Int64? { get }
  /// Asked when `remove` threw: whether the wearable may have been told to remove. False only where it certainly was
  /// not: then a removal that it takes once between two restarts is not spent.
  var mayHaveRemoved: Bool { get }
}

extension FetchDomain {
  public var resumesAtOffset: Bool { true }
  public var unread: String? { nil }
  public var readTo: Int64? { nil }
  public func pieces(of item: HeldItem) -> any ItemPieces { WholeItem(self, item) }

  public func removals(of items: [HeldItem]) -> [Removal] { [] }
  public func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome {
    .notNow("nothing can be removed")
  }
  public var mayHaveRemoved: Bool { true }
}
