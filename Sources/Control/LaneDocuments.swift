// What the control socket says about visits, custody and the queue for the lane.

internal import EventLoop
public import Hub

extension Duration {
  /// Whole milliseconds, for documents.
  var milliseconds: Int { Int(wholeNanoseconds / 1_000_000) }
}

/// One visit, past or running.
public struct VisitDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.visit/1"
  public var number: UInt64
  public var device: String
  /// `seen`, `operator`, `schedule`, `resumption`, `announcement`
  public var trigger: String
  public var began: String
  /// Nil while it runs, and for good if the hub died in it.
  public var ended: String?
  public var running: Bool
  /// `connect`, `identify`, `check`, `list`, `fetch`, `verify`, `store`, `erase`, `finish`: where it is, or ended.
  public var stage: String
  /// `done`, `interrupted`, `slice_over`, `busy`, `refused`, `broken`, `silent`, `no_room`, `needs_attention`, `abandoned`; nil while it runs.
  public var outcome: String?
  public var reason: TroubleDocument?
  public var bytesFetched: UInt64
  public var itemsDone: Int
  public var itemsListed: Int
  /// The item in work: its id, bytes so far, bytes altogether, and percent of these.
  public var item: String?
  public var itemFetched: Int?
  public var itemSize: Int?
  public var percent: Int?
  /// Bytes a second over the visit's fetching.
  public var rate: Int?
  /// When fetching will be over at this rate.
  public var expectedEnd: String?
  /// Of the time that one wearable may hold the lane at a stretch.
  public var sliceUsedMs: Int?
  public var sliceMs: Int?

  public init(_ visit: VisitSnapshot) {
    number = visit.number
    device = visit.wearable
    trigger = visit.trigger.name
    began = visit.began.rfc3339
    ended = visit.ended?.rfc3339
    running = visit.isRunning
    stage = visit.stage.name
    outcome = visit.outcome?.name
    reason = visit.trouble.map { TroubleDocument($0) }
    bytesFetched = visit.bytesFetched
    itemsDone = visit.itemsDone
    itemsListed = visit.itemsListed
    item = visit.item
    itemFetched = visit.itemFetched
    itemSize = visit.itemSize
    percent = Self.percent(visit.itemFetched, of: visit.itemSize)
    rate = visit.rate
    expectedEnd = visit.expectedEnd?.rfc3339
    sliceUsedMs = visit.sliceUsed?.milliseconds
    sliceMs = visit.slice?.milliseconds
  }

  /// 0 to 100; a wearable may claim any size.
  static func percent(_ part: Int?, of whole: Int?) -> Int? {
    guard let part, let whole, whole > 0 else { return nil }
    return Int(min(1, max(0, Double(part) / Double(whole))) * 100)
  }
}

/// Who waits for the lane.
public struct QueuedDocument: Codable, Sendable, Hashable {
  public var device: String
  /// `asked by an operator`, `memory full in 3 h`, …
  public var why: String
  public var notBefore: String?
  public var trigger: String
  /// False where it keeps nothing, and being linked is all that is wanted.
  public var fetches: Bool

  public init(_ queued: QueueSnapshot) {
    device = queued.wearable
    why = queued.why
    notBefore = queued.notBefore?.rfc3339
    trigger = queued.trigger.name
    fetches = queued.fetches
  }
}

/// Item by item: what a wearable holds or held, and how far each is on its way into the store.
public struct CustodyDocument: Codable, Sendable, Hashable {
  public struct Item: Codable, Sendable, Hashable {
    public var id: String
    /// What tells this content from another at the same place.
    public var mark: String
    public var size: Int?
    public var bytesFetched: Int
    /// When each step was reached; nil: not yet.
    public var fetched: String?
    public var verified: String?
    public var durable: String?
    public var erased: String?
    /// Receipts of the store: how many, and the number of the first.
    public var receipts: Int
    public var firstReceipt: UInt64?
    public var remark: String
    public var visit: UInt64

    public init(_ item: CustodySnapshot) {
      id = item.id
      mark = item.mark
      size = item.size
      bytesFetched = item.bytesFetched
      fetched = item.fetched?.rfc3339
      verified = item.verified?.rfc3339
      durable = item.durable?.rfc3339
      erased = item.erased?.rfc3339
      receipts = item.receipts
      firstReceipt = item.firstReceipt
      remark = item.remark
      visit = item.visit
    }
  }

  public var schema = "io.hearth.custody/1"
  public var device: String
  /// The last visit; nil if there was none.
  public var visit: VisitDocument?
  public var items: [Item]

  /// As many as the store keeps of one wearable.
  public static let itemLimit = 1024

  public init(device: String, visit: VisitSnapshot?, items: [CustodySnapshot]) {
    self.device = device
    self.visit = visit.map { VisitDocument($0) }
    self.items = items.prefix(Self.itemLimit).map { Item($0) }
  }
}
