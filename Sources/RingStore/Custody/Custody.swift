// Custody: the hub's record of each item on a wearable, from the first fetched byte to the moment when the item was
// erased there.

public import Custody
public import EventLoop
internal import StateCodec

/// An item of a wearable on its way into the store.
public struct CustodyRecord: Sendable, Hashable {
  /// Wearable that has the item.
  public let wearable: WearableID
  /// The item's place on the wearable: 1 to `idLimit` bytes of printable ASCII without spaces.
  public let id: String
  /// Distinguishes contents at the same place: at most `markLimit` bytes; a longer mark is cut.
  public var mark: String
  /// Bytes; nil until the size is known.
  public var size: Int?
  /// Bytes of it in `staged`; all of it once it is durable.
  public var fetched: Int
  /// Times when each step was reached; nil before.
  public var fetchedAt: WallTime?
  /// Time at which its content was verified.
  public var verifiedAt: WallTime?
  /// Time at which it was durable.
  public var durableAt: WallTime?
  /// Time at which it was erased on the wearable.
  public var erasedAt: WallTime?
  /// Whether the item is complete and will not grow.
  public var isFinal: Bool
  /// Numbers of the receipts of its parts, at most `receiptLimit`; further ones are dropped.
  public var receipts: [UInt64]
  /// Time when its content begins, on the wearable's clock, microseconds since 1970; nil if unknown.
  public var begins: Int64?
  /// Text for people, at most `remarkLimit` bytes of UTF-8; a longer one is cut.
  public var remark: String
  /// Reason why its bytes are stored undecoded; nil if they were decoded or have not been examined yet.
  public var unread: UnreadReason?
  /// Number of the last visit that handled it.
  public var visit: UInt64
  /// Whether the last listing of the wearable contained it.
  public var isListed: Bool
  /// The driver's position in an item that grows: at most `progressLimit` bytes, in the driver's own encoding; a
  /// longer value is dropped.
  public var progress: [UInt8] = []
  /// Number of the visit that first listed it, until it is durable: that visit's clock dates it. nil: only `visit` is
  /// known.
  public var firstListed: UInt64?
  /// Name of the kind of its data, at most `phaseLimit` bytes; nil if it was not listed since this field exists.
  public var phase: String?

  /// Longest identity in bytes.
  public static let idLimit = ItemID.placeLimit
  /// Longest mark in bytes.
  public static let markLimit = ItemID.markLimit
  /// Maximum number of receipts of one item.
  public static let receiptLimit = ItemPart.limit
  /// Longest remark in bytes.
  public static let remarkLimit = 120
  /// Longest name of a phase in bytes.
  public static let phaseLimit = 32
  /// Longest progress in bytes.
  public static let progressLimit = KnownItem.progressLimit

  /// A record of an item; `size` and `fetched` in bytes.
  public init(
    wearable: WearableID, id: String, mark: String = "", size: Int? = nil, fetched: Int = 0, fetchedAt: WallTime? = nil,
    verifiedAt: WallTime? = nil,
    durableAt: WallTime? = nil, erasedAt: WallTime? = nil, isFinal: Bool = false, receipts: [UInt64] = [],
    begins: Int64? = nil, remark: String = "",
    visit: UInt64, isListed: Bool = true
  ) {
    self.wearable = wearable
    self.id = id
    self.mark = mark
    self.size = size
    self.fetched = fetched
    self.fetchedAt = fetchedAt
    self.verifiedAt = verifiedAt
    self.durableAt = durableAt
    self.erasedAt = erasedAt
    self.isFinal = isFinal
    self.receipts = receipts
    self.begins = begins
    self.remark = remark
    self.visit = visit
    self.isListed = isListed
  }

  /// Whether an id is valid; the store accepts no other.
  public static func isValid(id: String) -> Bool { ItemID.isPlace(id) }

  /// The record with the limits above applied, so that the caller sees exactly what is stored.
  func bounded() -> CustodyRecord {
    var record = self
    record.mark = mark.cut(toUTF8: Self.markLimit)
    record.remark = remark.cut(toUTF8: Self.remarkLimit)
    record.phase = phase?.cut(toUTF8: Self.phaseLimit)
    record.receipts = Array(receipts.prefix(Self.receiptLimit))
    record.size = size.map { max($0, 0) }
    record.fetched = max(fetched, 0)
    if progress.count > Self.progressLimit { record.progress = [] }
    return record
  }

  /// Order of deletion: first erased items, the earliest erasure first; then items no longer on the wearable; then
  /// durable ones that are; then the rest.
  fileprivate var precedence: (rank: Int, since: Int64) {
    if let erasedAt { return (0, erasedAt.microseconds) }
    if let durableAt { return (isListed ? 2 : 1, durableAt.microseconds) }
    return (isListed ? 3 : 1, Int64(clamping: visit))
  }
}

/// Keys of the table `custody`: number of the wearable, then the item's id.
enum CustodyTable {
  static func key(_ wearable: WearableID, _ id: String) -> [UInt8] {
    [UInt8](bigEndian: wearable.number) + Array(id.utf8)
  }

  static func load(_ transaction: Transaction, _ wearable: WearableID, _ id: String) throws(DatabaseFailure)
    -> CustodyRecord?
  {
    try transaction.record(CustodyRecord.self, key(wearable, id))
  }

  /// Returns the records of a wearable, by id.
  static func all(_ transaction: Transaction, of wearable: WearableID) throws(DatabaseFailure) -> [CustodyRecord] {
    try transaction.records(CustodyRecord.self, prefix: [UInt8](bigEndian: wearable.number)).records
  }

  /// Writes a record. If that exceeds a limit, other records of the same wearable are deleted with their staged bytes.
  /// Records of other wearables are deleted only if the table is full and this wearable has no more records.
  ///
  /// - Returns: how many were deleted.
  static func put(_ transaction: Transaction, _ record: CustodyRecord, _ limits: TableLimits) throws(DatabaseFailure)
    -> Int
  {
    let table = transaction.tables.custody
    var gone = 0
    if try transaction.get(table, record.key) == nil {
      let kept = try count(transaction, of: record.wearable)
      let surplus = max(kept + 1 - limits.custodyOfWearable, transaction.entries(table) + 1 - limits.custody)
      if surplus > 0 { gone = try giveWay(transaction, of: record.wearable, min(surplus, giveWayLimit)) }
      // This wearable has no record to delete: the table's first record is deleted.
      if surplus > 0, gone == 0, transaction.entries(table) >= limits.custody {
        let first = try transaction.withCursor(table) { cursor throws(DatabaseFailure) in
          try cursor.first().map { Array($0.key) }
        }
        if let first { gone = try giveWay(transaction, of: StagedItem(custodyKey: first).wearable, 1) }
      }
    }
    try transaction.put(record)
    return gone
  }

  /// Deletes the records and staged bytes of a wearable that is forgotten.
  static func removeAll(_ transaction: Transaction, of wearable: WearableID) throws(DatabaseFailure) {
    let tables = transaction.tables
    try transaction.removeAll([tables.custody, tables.staged], prefix: [UInt8](bigEndian: wearable.number))
  }

  /// Records deleted at a time: after a limit was lowered, a large table shrinks step by step.
  private static let giveWayLimit = 16

  private static func count(_ transaction: Transaction, of wearable: WearableID) throws(DatabaseFailure) -> Int {
    let prefix = [UInt8](bigEndian: wearable.number)
    return try transaction.withCursor(transaction.tables.custody) { cursor throws(DatabaseFailure) in
      var count = 0
      var entry = try cursor.seek(prefix)
      while let found = entry, found.key.starts(with: prefix) {
        count += 1
        entry = try cursor.next()
      }
      return count
    }
  }

  private static func giveWay(_ transaction: Transaction, of wearable: WearableID, _ count: Int) throws(DatabaseFailure)
    -> Int
  {
    let prefix = [UInt8](bigEndian: wearable.number)
    // A damaged record is deleted first, because it cannot be read.
    var candidates: [(rank: Int, since: Int64, key: [UInt8])] = []
    try transaction.withCursor(transaction.tables.custody) { cursor throws(DatabaseFailure) in
      var entry = try cursor.seek(prefix)
      while let found = entry, found.key.starts(with: prefix) {
        let precedence = CustodyRecord.decode(found)?.precedence ?? (rank: -1, since: 0)
        candidates.append((precedence.rank, precedence.since, Array(found.key)))
        entry = try cursor.next()
      }
    }
    candidates.sort { ($0.rank, $0.since) < ($1.rank, $1.since) }
    for candidate in candidates.prefix(count) { try remove(transaction, candidate.key) }
    return min(count, candidates.count)
  }

  private static func remove(_ transaction: Transaction, _ key: [UInt8]) throws(DatabaseFailure) {
    try Staged.drop(transaction, StagedItem(custodyKey: key))
    try transaction.delete(transaction.tables.custody, key)
  }
}

/// Key: wearable (u32), id.
///
/// Tags: 1 mark, 2 size (u64), 3 bytes kept (u64), 4 fetched, 5 verified, 6 durable, 7 erased (i64), 8 flags (u8). 9 a
/// receipt's number (u64; repeated), 10 begins (i64), 11 remark, 12 visit (u64), 13 progress. 14 visit of the first
/// listing (u64), 15 why it is unread (u8; 0: it is not), 16 phase.
extension CustodyRecord: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.custody }
  static var tags: ClosedRange<UInt8> { 1...16 }

  private static let finalFlag: UInt8 = 1
  private static let listedFlag: UInt8 = 2

  var key: [UInt8] { CustodyTable.key(wearable, id) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, mark)
    if let size { fields.put(2, UInt64(size)) }
    fields.put(3, UInt64(fetched))
    if let fetchedAt { fields.put(4, fetchedAt.microseconds) }
    if let verifiedAt { fields.put(5, verifiedAt.microseconds) }
    if let durableAt { fields.put(6, durableAt.microseconds) }
    if let erasedAt { fields.put(7, erasedAt.microseconds) }
    fields.put(8, (isFinal ? Self.finalFlag : 0) | (isListed ? Self.listedFlag : 0))
    for receipt in receipts { fields.put(9, receipt) }
    if let begins { fields.put(10, begins) }
    if !remark.isEmpty { fields.put(11, remark) }
    fields.put(12, visit)
    if !progress.isEmpty { fields.put(13, progress) }
    if let firstListed { fields.put(14, firstListed) }
    // Written always: a record without this field is an older writer's.
    fields.put(15, unread?.rawValue ?? 0)
    if let phase { fields.put(16, phase) }
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var mark: String?
    var size: UInt64?
    var fetched: UInt64?
    var times: [UInt8: Int64] = [:]
    var flags: UInt8?
    var receipts: [UInt64] = []
    var begins: Int64?
    var remark: String?
    var visit: UInt64?
    var progress: [UInt8]?
    var firstListed: UInt64?
    var unread: UInt8?
    var phase: String?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&mark, atMost: Self.markLimit)
      case 2: fields.read(&size)
      case 3: fields.read(&fetched)
      case 4...7:
        var time: Int64?
        fields.read(&time)
        times[tag] = time
      case 8: fields.read(&flags)
      case 9:
        var receipt: UInt64?
        fields.read(&receipt)
        guard let receipt, receipts.count < Self.receiptLimit else { return nil }
        receipts.append(receipt)
      case 10: fields.read(&begins)
      case 11: fields.read(&remark, atMost: Self.remarkLimit)
      case 12: fields.read(&visit)
      case 13: fields.read(&progress, atMost: Self.progressLimit)
      case 14: fields.read(&firstListed)
      case 15: fields.read(&unread)
      case 16: fields.read(&phase, atMost: Self.phaseLimit)
      default: break
      }
    }
    guard let wearable = key.bigEndian(UInt32.self), let id = key.rest(), Self.isValid(id: id), let mark, let flags,
      let visit,
      let fetched = fetched.flatMap({ Int(exactly: $0) })
    else { return nil }
    var knownSize: Int?
    if let size {
      guard let fits = Int(exactly: size) else { return nil }
      knownSize = fits
    }
    self.init(
      wearable: WearableID(number: wearable), id: id, mark: mark, size: knownSize, fetched: fetched,
      fetchedAt: times[4].map { WallTime(microseconds: $0) }, verifiedAt: times[5].map { WallTime(microseconds: $0) },
      durableAt: times[6].map { WallTime(microseconds: $0) }, erasedAt: times[7].map { WallTime(microseconds: $0) },
      isFinal: flags & Self.finalFlag != 0, receipts: receipts, begins: begins, remark: remark ?? "", visit: visit,
      isListed: flags & Self.listedFlag != 0)
    self.progress = progress ?? []
    self.firstListed = firstListed
    self.phase = phase
    self.unread = unread.map { UnreadReason(stored: $0) } ?? UnreadReason(formerRemark: self.remark, isFinal: isFinal)
  }
}
