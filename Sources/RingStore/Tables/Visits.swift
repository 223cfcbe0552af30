// The visit log: when the hub connected to a wearable, the result, and how both clocks differed.

public import EventLoop
public import Health
internal import StateCodec

/// A visit. Written with its first durable result, and again at its end.
public struct VisitRecord: Sendable, Hashable {
  /// Number of the visit; grows with every visit of the store.
  public let number: UInt64
  /// Visited wearable.
  public let wearable: WearableID
  /// Begin of the visit.
  public let began: WallTime
  /// nil while the visit lasts, and for good if the hub died during it.
  public var ended: WallTime?
  /// 0 for success, else the number of a reason code.
  public var outcome: UInt16
  /// Number of bytes fetched in the visit.
  public var bytesFetched: UInt64
  /// Clock evidence at open and at close; nil if the wearable's clock was not read.
  public var opened: ClockEvidence?
  /// Clock evidence at the close; nil if the clock was not read.
  public var closed: ClockEvidence?
  /// The machine's boot, to which the monotonic clock of both belongs; nil in visits of earlier versions.
  public var boot: BootID?
  /// Trigger, present or last stage, and outcome, as the hub numbers them; 0 in visits of earlier versions.
  public var trigger: UInt8
  /// Present or last stage, as the hub numbers it.
  public var stage: UInt8
  /// Outcome, as the hub numbers it; 0 in visits of earlier versions.
  public var laneOutcome: UInt8
  /// Number of items on the wearable.
  public var itemsListed: UInt32
  /// Number of items on the wearable that are durable now.
  public var itemsDone: UInt32
  /// Text for people, at most `remarkLimit` bytes of UTF-8; a longer one is cut.
  public var remark: String
  /// Whether all items on the wearable were listed.
  public var isListed: Bool
  /// Series (numbers) that the wearable should record and does not, as the visit found: at most `seriesLimit`.
  public var unrecorded: [UInt16] = []

  /// Longest remark in bytes.
  public static let remarkLimit = 120
  /// Maximum number of series of a visit.
  public static let seriesLimit = 64

  /// A visit; numbers as in `Custody`.
  public init(
    number: UInt64, wearable: WearableID, began: WallTime, ended: WallTime? = nil, outcome: UInt16 = 0,
    bytesFetched: UInt64 = 0,
    opened: ClockEvidence? = nil, closed: ClockEvidence? = nil, boot: BootID? = nil, trigger: UInt8 = 0,
    stage: UInt8 = 0, laneOutcome: UInt8 = 0,
    itemsDone: UInt32 = 0, itemsListed: UInt32 = 0, remark: String = "", isListed: Bool = false
  ) {
    self.number = number
    self.wearable = wearable
    self.began = began
    self.ended = ended
    self.outcome = outcome
    self.bytesFetched = bytesFetched
    self.opened = opened
    self.closed = closed
    self.boot = boot
    self.trigger = trigger
    self.stage = stage
    self.laneOutcome = laneOutcome
    self.itemsDone = itemsDone
    self.itemsListed = itemsListed
    self.remark = remark
    self.isListed = isListed
  }

  func bounded() -> VisitRecord {
    var visit = self
    visit.remark = remark.cut(toUTF8: Self.remarkLimit)
    visit.unrecorded = Array(unrecorded.prefix(Self.seriesLimit))
    return visit
  }
}

/// The table `visits`.
enum Visits {
  static func load(_ transaction: Transaction, _ number: UInt64) throws(DatabaseFailure) -> VisitRecord? {
    try transaction.record(VisitRecord.self, [UInt8](bigEndian: number))
  }

  /// The number for the next visit. A number that was never written may be assigned again.
  static func nextNumber(_ transaction: Transaction) throws(DatabaseFailure) -> UInt64 {
    try transaction.nextNumber(transaction.tables.visits)
  }

  /// Writes a visit, or replaces it. The oldest visits are deleted.
  static func put(_ transaction: Transaction, _ visit: VisitRecord, limit: Int = TableLimits().visits)
    throws(DatabaseFailure)
  {
    try transaction.put(visit)
    try transaction.giveWay(transaction.tables.visits, limit: limit)
  }

  /// The newest first.
  static func latest(_ transaction: Transaction, limit: Int) throws(DatabaseFailure) -> [VisitRecord] {
    try transaction.latest(VisitRecord.self, limit: limit).records
  }
}

/// Key: number (u64).
///
/// Tags: 1 wearable (u32), 2 began (i64), 3 ended (i64), 4 outcome (u16), 5 bytes fetched (u64). 6 and 7 clock
/// evidence at open and at close: device (i64), monotonic (i64), wall (i64), trusted (u8). 8 trigger, 9 stage, 10 lane
/// outcome (u8), 11 items done, 12 items listed (u32), 13 remark. 14 boot of the monotonic clock: its two halves (u64,
/// u64). 15 and 16 offset of the wearable's clock at open and at close, minutes east of Greenwich (i16). 17 all items
/// on the wearable were listed (flag). 18 series that it does not record (u16 each).
extension VisitRecord: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.visits }
  static var tags: ClosedRange<UInt8> { 1...18 }

  var key: [UInt8] { [UInt8](bigEndian: number) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, wearable.number)
    fields.put(2, began.microseconds)
    if let ended { fields.put(3, ended.microseconds) }
    fields.put(4, outcome)
    fields.put(5, bytesFetched)
    if let opened { fields.put(6, opened.bytes) }
    if let closed { fields.put(7, closed.bytes) }
    if trigger != 0 { fields.put(8, trigger) }
    if stage != 0 { fields.put(9, stage) }
    if laneOutcome != 0 { fields.put(10, laneOutcome) }
    if itemsDone != 0 { fields.put(11, itemsDone) }
    if itemsListed != 0 { fields.put(12, itemsListed) }
    if !remark.isEmpty { fields.put(13, remark) }
    if let boot { fields.put(14, boot.bytes) }
    if let offset = opened?.offset { fields.put(15, Int16(clamping: offset)) }
    if let offset = closed?.offset { fields.put(16, Int16(clamping: offset)) }
    if isListed { fields.put(17, flag: true) }
    if !unrecorded.isEmpty {
      fields.put(18, unrecorded.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
    }
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var wearable: UInt32?
    var began: Int64?
    var ended: Int64?
    var outcome: UInt16?
    var bytesFetched: UInt64?
    var opened: ClockEvidence?
    var closed: ClockEvidence?
    var trigger: UInt8?
    var stage: UInt8?
    var laneOutcome: UInt8?
    var itemsDone: UInt32?
    var itemsListed: UInt32?
    var remark: String?
    var boot: BootID?
    var openedOffset: Int16?
    var closedOffset: Int16?
    var isListed: Bool?
    var unrecorded: [UInt8]?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&wearable)
      case 2: fields.read(&began)
      case 3: fields.read(&ended)
      case 4: fields.read(&outcome)
      case 5: fields.read(&bytesFetched)
      case 6, 7:
        guard let clock = ClockEvidence(fields.content) else { return nil }
        if tag == 6 { opened = clock } else { closed = clock }
      case 8: fields.read(&trigger)
      case 9: fields.read(&stage)
      case 10: fields.read(&laneOutcome)
      case 11: fields.read(&itemsDone)
      case 12: fields.read(&itemsListed)
      case 13: fields.read(&remark, atMost: Self.remarkLimit)
      case 14:
        guard let id = BootID(fields.content) else { return nil }
        boot = id
      case 15: fields.read(&openedOffset)
      case 16: fields.read(&closedOffset)
      case 17: fields.read(&isListed)
      case 18: fields.read(&unrecorded, atMost: 2 * Self.seriesLimit)
      default: break
      }
    }
    guard let number = key.bigEndian(UInt64.self), let wearable, let began, let outcome, let bytesFetched,
      unrecorded?.count.isMultiple(of: 2) ?? true
    else { return nil }
    self.init(
      number: number, wearable: WearableID(number: wearable), began: WallTime(microseconds: began),
      ended: ended.map { WallTime(microseconds: $0) }, outcome: outcome, bytesFetched: bytesFetched,
      opened: opened?.saying(openedOffset),
      closed: closed?.saying(closedOffset), boot: boot, trigger: trigger ?? 0, stage: stage ?? 0,
      laneOutcome: laneOutcome ?? 0, itemsDone: itemsDone ?? 0, itemsListed: itemsListed ?? 0, remark: remark ?? "",
      isListed: isListed ?? false)
    let bytes = unrecorded ?? []
    self.unrecorded = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
  }
}

extension BootID {
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: high)
    bytes.append(littleEndian: low)
    return bytes
  }

  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = StoredReader(bytes)
    guard let high = reader.integer(UInt64.self), let low = reader.integer(UInt64.self), reader.isAtEnd else {
      return nil
    }
    self.init(high: high, low: low)
  }
}

extension ClockEvidence {
  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: device)
    bytes.append(littleEndian: monotonic)
    bytes.append(littleEndian: wall)
    bytes.append(isTrusted ? 1 : 0)
    return bytes
  }

  fileprivate init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = StoredReader(bytes)
    guard let device = reader.integer(Int64.self), let monotonic = reader.integer(Int64.self),
      let wall = reader.integer(Int64.self),
      let trusted = reader.u8(), reader.isAtEnd
    else { return nil }
    self.init(device: device, monotonic: monotonic, wall: wall, isTrusted: trusted != 0)
  }

  fileprivate func saying(_ offset: Int16?) -> ClockEvidence {
    ClockEvidence(
      device: device, monotonic: monotonic, wall: wall, isTrusted: isTrusted, offset: offset.map { Int($0) })
  }
}
