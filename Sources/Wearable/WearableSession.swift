// The stages of a visit, as a driver tells them: check, then for each kind of data list, fetch, verify, decode and remove, then finish.
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

/// A driver's side of one link. Made when the link is up, thrown away with it; what must last is in the items' own names and offsets.
@LoopActor
public protocol WearableSession: AnyObject {
  /// The first stage of every visit.
  func check() async throws(VisitTrouble) -> CheckReport
  /// What can be fetched, in the order in which it should be.
  var domains: [any FetchDomain] { get }
  /// The clock once more, for the evidence at the end of a visit; nil if it cannot be read.
  func readClock() async throws(VisitTrouble) -> DeviceClock?
  /// What a `check` that failed had found out, and set, of its clock: only these readings tell when that was. nil: nothing.
  var clockSeen: DeviceClock? { get }
  /// Leaves the wearable as it wants to be left. Called once at the end of a visit while the link is up, also after trouble.
  func finish() async throws(VisitTrouble)
  /// The hub changed the link's profile: a wearable that can change its rates does so.
  func profileChanged(to profile: LinkProfile) async throws(VisitTrouble)
  /// What the wearable needs from time to time while its link stays up (a clock that must be set again): nil, or how often `attend` is called.
  var attendance: Duration? { get }
  func attend() async throws(VisitTrouble)
  /// Reads what the live sources bring over this link, where it depends on what the session arranges; nil: the driver's own decoder.
  var decoder: (any LiveDecoder)? { get }
  /// A visit ended, the live sources are subscribed and the link stays: streams that were ordered begin, unless they run.
  func wentLive() async throws(VisitTrouble)
  /// People changed what they want of it.
  func ordersChanged() async throws(VisitTrouble)
  /// Something goes on at the wearable that would not end with the link: it is told before the hub hangs up.
  var needsFarewell: Bool { get }
  /// The hub is about to hang up.
  func farewell() async throws(VisitTrouble)
  /// What an operator may ask for at this wearable.
  var actions: [WearableAction] { get }
  /// - Parameter arguments: words as the operator gave them, at most `WearableAction.argumentLimit`; hostile.
  /// - Returns: what happened, one sentence, after reading back.
  /// - Throws: `unsupported` for arguments that make no sense, saying which would.
  func perform(_ action: WearableAction, _ arguments: [String]) async throws(VisitTrouble) -> String
  /// What can be told of this wearable, read from it now: names of `report`.
  var reports: [String] { get }
  /// - Throws: `unsupported` for a topic that is none of `reports`.
  func report(_ topic: String) async throws(VisitTrouble) -> [ReportRow]
}

extension WearableSession {
  public var domains: [any FetchDomain] { [] }
  public func readClock() async throws(VisitTrouble) -> DeviceClock? { nil }
  public var clockSeen: DeviceClock? { nil }
  public func finish() async throws(VisitTrouble) {}
  public func profileChanged(to profile: LinkProfile) async throws(VisitTrouble) {}
  public var attendance: Duration? { nil }
  public func attend() async throws(VisitTrouble) {}
  public var decoder: (any LiveDecoder)? { nil }
  public func wentLive() async throws(VisitTrouble) {}
  public func ordersChanged() async throws(VisitTrouble) {}
  public var needsFarewell: Bool { false }
  public func farewell() async throws(VisitTrouble) {}
  public var actions: [WearableAction] { [] }
  public func perform(_ action: WearableAction, _ arguments: [String]) async throws(VisitTrouble) -> String { throw .unsupported(action.name) }
  /// Without arguments.
  public func perform(_ action: WearableAction) async throws(VisitTrouble) -> String { try await perform(action, []) }
  public var reports: [String] { [] }
  public func report(_ topic: String) async throws(VisitTrouble) -> [ReportRow] { throw .unsupported(topic) }
}

/// One line of what a wearable tells of itself: a thing and its properties, in an order that people can read.
public struct ReportRow: Sendable, Hashable {
  public struct Field: Sendable, Hashable {
    /// Lower case, digits and `_`.
    public let name: String
    /// For people and programs: numbers with their unit in the field's name, times as RFC 3339.
    public let value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Lower case, digits, `-` and `_`; unique within a report.
  public let name: String
  public let fields: [Field]

  public init(_ name: String, _ fields: [Field]) {
    self.name = name
    self.fields = fields
  }
}

/// Something an operator can ask of a wearable.
public struct WearableAction: Sendable, Hashable {
  /// `start-activity`: lower case, digits and '-'.
  public let name: String
  /// One sentence for people.
  public let summary: String
  /// What may follow it, as a usage line says it: `TYPE [rate=HZ]`; empty where nothing may.
  public let usage: String

  public static let argumentLimit = 16

  public init(_ name: String, usage: String = "", _ summary: String) {
    self.name = name
    self.usage = usage
    self.summary = summary
  }
}

/// A wearable's clock beside the hub's.
public struct DeviceClock: Sendable, Hashable {
  /// As the wearable said, before anything was set.
  public let evidence: ClockEvidence
  /// It was set to the hub's time, and read back within the driver's bound.
  public let wasSet: Bool
  /// As it said after that; nil if it was not set.
  public let afterwards: ClockEvidence?
  /// µs by which it shows less than the last of these says, where that tells what it would show had its counter not fallen back.
  public let fallen: Int64

  public init(evidence: ClockEvidence, wasSet: Bool = false, afterwards: ClockEvidence? = nil, fallen: Int64 = 0) {
    self.evidence = evidence
    self.wasSet = wasSet
    self.afterwards = afterwards
    self.fallen = fallen
  }
}

/// What the first stage found out.
public struct CheckReport: Sendable {
  public enum Activity: String, Sendable, CaseIterable {
    case idle, recording, paused, streaming, busy
  }
  public var clock: DeviceClock?
  public var activity = Activity.idle
  /// Bytes; nil if it does not say.
  public var memoryFree: Int?
  public var memoryTotal: Int?
  /// Percent; nil if it does not say or the value is known to be invented.
  public var battery: Int?
  /// Since its start; a smaller one than before means that it was restarted.
  public var uptime: Duration?
  public var facts: [WearableFact] = []
  /// Why nothing may be fetched now, though all is well (a training is running); nil if it may.
  public var mayNotFetch: String?
  /// Where nothing may be fetched because the wearable is busy: when to look again. The visit then ends as one that met a busy wearable; nil: it comes again
  /// when it is due.
  public var comeAgainAfter: Duration?

  public init() {}
}

/// Where fetched bytes go.
@LoopActor
public protocol ByteSink: AnyObject {
  /// How many bytes of the item are kept so far: the offset of what comes next.
  var offset: Int { get }
  /// Takes what follows at `offset`.
  ///
  /// - Throws: `sliceOver` when the turn is over (the bytes are kept), `noRoom`.
  func take(_ bytes: RawBytes) async throws(VisitTrouble)
  /// The content changed on the wearable: what is kept of it is thrown away, `offset` is 0 again. Allowed three times in a visit.
  func startOver(mark: String, size: Int?) async throws(VisitTrouble)
}

extension ByteSink {
  /// Takes bytes that lie in an array.
  public func take(copyOf bytes: some Collection<UInt8>) async throws(VisitTrouble) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    try await take(RawBytes(copy))
  }
}

/// Where decoded samples go. Times are those of the wearable's clock; the hub corrects them and keeps the evidence.
public protocol ItemSink: AnyObject {
  /// An item of any layout; see `Series.layout` for how many values and whether bytes belong to it.
  func append(_ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool)
  func noteAnomaly(_ what: StaticString)
}

extension ItemSink {
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
  /// What of it is in the store once this is: kept with the item for the next time that it is listed, also when something else is listed at its place then; nil: as
  /// it was. At most `progressLimit` bytes.
  public var progress: [UInt8]?
  /// Its bytes are kept beside what they decode to. Not those of one look at something that grows: they come once more, and whole.
  public var keepsBytes = true

  public static let progressLimit = KnownItem.progressLimit

  public init(summary: String, isFinal: Bool, mark: String, isTimeUnsure: Bool = false) {
    self.summary = summary
    self.isFinal = isFinal
    self.mark = mark
    self.isTimeUnsure = isTimeUnsure
  }
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
  /// An item can be fetched from any offset. Where it cannot, the hub lets an item that was begun come to its end although the turn is over: what is
  /// given up would have to come anew from its first byte.
  var resumesAtOffset: Bool { get }
  /// Fetches from `sink.offset` on until all of it is there.
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
  /// Asked when `remove` threw: whether the wearable may have been told to remove. False only where it certainly was not: then a removal that it takes
  /// once between two restarts is not spent.
  var mayHaveRemoved: Bool { get }
}

extension FetchDomain {
  public var resumesAtOffset: Bool { true }
  public func pieces(of item: HeldItem) -> any ItemPieces { WholeItem(self, item) }

  public func removals(of items: [HeldItem]) -> [Removal] { [] }
  public func remove(_ proof: RemovalProof) async throws(VisitTrouble) -> RemovalOutcome { .notNow("nothing can be removed") }
  public var mayHaveRemoved: Bool { true }
}
