// Watermarks: the end of the newest fetched item for each series, and how many items with future times were refused. A
// sync begins there; a watermark is no proof of custody.

public import EventLoop
public import Health
internal import StateCodec

/// Fetched part of one series of one wearable. The end changes only with the commit that stores the newest item.
public struct Watermark: Sendable, Hashable {
  /// Wearable that was fetched from.
  public let wearable: WearableID
  /// Number of the series.
  public let series: UInt16
  /// End of the newest stored item with a known time; nil for an empty series.
  public var end: WallTime?
  /// Number of the visit that changed the record last.
  public var visit: UInt64
  /// Time of the last change.
  public var movedAt: WallTime
  /// Items ever refused for a time in the future; each counts once.
  public var refused: UInt64
  /// Refused items that are still in the future.
  public var ahead = AheadValues()
  /// Time before which all that the wearable dated is stored, even if it was empty; nil if unknown.
  public var readTo: WallTime?

  /// Tolerance: items later than the hub's clock by more than this count as of the future, and their time is not
  /// believed.
  public static let tolerance: Duration = .seconds(120)

  /// A watermark; `end` nil: no item was fetched.
  public init(
    wearable: WearableID, series: UInt16, end: WallTime?, visit: UInt64, movedAt: WallTime, refused: UInt64 = 0
  ) {
    self.wearable = wearable
    self.series = series
    self.end = end
    self.visit = visit
    self.movedAt = movedAt
    self.refused = refused
  }

  /// Moves the end after a batch. The end never goes back, unless it lies in the future itself: then the hub's clock
  /// was ahead when the end was set.
  mutating func move(_ reach: FetchedReach, visit: UInt64, now: WallTime) {
    if let newest = reach.end {
      let latest = min(newest, now)
      if let end, end <= now + Self.tolerance { self.end = max(end, latest) } else { end = latest }
    }
    let fresh = ahead.merge(reach.ahead, now: now.microseconds)
    let (sum, overflow) = refused.addingReportingOverflow(UInt64(clamping: reach.refused + fresh))
    refused = overflow ? .max : sum
    (self.visit, movedAt) = (visit, now)
  }

  /// Limited by the hub's clock, whatever a time source says later: items beyond it were not read.
  mutating func read(to time: WallTime, visit: UInt64, now: WallTime) {
    readTo = min(time, now)
    (self.visit, movedAt) = (visit, now)
  }
}

/// Reach to which one batch extends a series.
public struct FetchedReach: Sendable, Hashable {
  /// End of its newest item with a known time.
  public var end: WallTime?
  /// Items with future times that the driver knows to be new, and those for which `ahead` has no room.
  public var refused = 0
  /// The other items with future times: each counts if it was not counted before.
  public private(set) var ahead = AheadValues()

  /// A reach; nil: no item.
  public init(end: WallTime? = nil) { self.end = end }

  /// Extends the reach to a later end.
  public mutating func add(end other: WallTime) { end = max(end ?? other, other) }

  /// Refuses an item with a time in the future.
  ///
  /// - Parameter time: µs, as the wearable dated it.
  public mutating func refuse(_ values: [Int64], at time: Int64, _ flags: SampleFlags) {
    if !ahead.note(values, at: time, flags) { refused += 1 }
  }
}

/// The table `watermarks`.
enum Watermarks {
  /// Leaves and paths that a batch may change: its series are adjacent.
  static let pagesOfBatch = 6
  /// Records of one wearable: more than there are series.
  static let limitOfWearable = 256

  static func key(_ wearable: WearableID, _ series: UInt16) -> [UInt8] {
    [UInt8](bigEndian: wearable.number) + [UInt8](bigEndian: series)
  }

  /// Returns the watermarks of a wearable, by series.
  static func all(_ transaction: Transaction, of wearable: WearableID) throws(DatabaseFailure) -> [Watermark] {
    try transaction.records(Watermark.self, prefix: [UInt8](bigEndian: wearable.number)).records
  }

  static func move(
    _ transaction: Transaction, _ wearable: WearableID, _ reach: [UInt16: FetchedReach], visit: UInt64, now: WallTime
  ) throws(DatabaseFailure) {
    for (series, reach) in reach.sorted(by: { $0.key < $1.key }).prefix(limitOfWearable) where reach != FetchedReach() {
      let fresh = Watermark(wearable: wearable, series: series, end: nil, visit: visit, movedAt: now)
      // A damaged record is replaced by a fresh one: the position is lost, and more is fetched.
      var mark = try transaction.record(Watermark.self, key(wearable, series)) ?? fresh
      mark.move(reach, visit: visit, now: now)
      try transaction.put(mark)
    }
  }

  static func read(
    _ transaction: Transaction, _ wearable: WearableID, _ series: [UInt16: WallTime], visit: UInt64, now: WallTime
  ) throws(DatabaseFailure) {
    for (series, time) in series.sorted(by: { $0.key < $1.key }).prefix(limitOfWearable) {
      let fresh = Watermark(wearable: wearable, series: series, end: nil, visit: visit, movedAt: now)
      var mark = try transaction.record(Watermark.self, key(wearable, series)) ?? fresh
      mark.read(to: time, visit: visit, now: now)
      try transaction.put(mark)
    }
  }

  static func removeAll(_ transaction: Transaction, of wearable: WearableID) throws(DatabaseFailure) {
    try transaction.removeAll([transaction.tables.watermarks], prefix: [UInt8](bigEndian: wearable.number))
  }
}

/// Key: wearable (u32), series (u16). Tags: 1 end of the newest (i64), 2 visit (u64), 3 when (i64), 4 refused (u64),
/// 5 those that are ahead, 6 read to (i64).
extension Watermark: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.watermarks }
  static var tags: ClosedRange<UInt8> { 1...6 }

  var key: [UInt8] { Watermarks.key(wearable, series) }

  func write(to fields: inout FieldWriter) {
    if let end { fields.put(1, end.microseconds) }
    fields.put(2, visit)
    fields.put(3, movedAt.microseconds)
    if refused > 0 { fields.put(4, refused) }
    if !ahead.isEmpty { fields.put(5, ahead.bytes) }
    if let readTo { fields.put(6, readTo.microseconds) }
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var end: Int64?
    var visit: UInt64?
    var movedAt: Int64?
    var refused: UInt64?
    var ahead: [UInt8]?
    var readTo: Int64?
    while let tag = fields.next() {
      switch tag {
      case 1: fields.read(&end)
      case 2: fields.read(&visit)
      case 3: fields.read(&movedAt)
      case 4: fields.read(&refused)
      case 5: fields.read(&ahead, atMost: AheadValues.sizeLimit)
      case 6: fields.read(&readTo)
      default: break
      }
    }
    guard let wearable = key.bigEndian(UInt32.self), let series = key.bigEndian(UInt16.self), let visit, let movedAt
    else { return nil }
    self.init(
      wearable: WearableID(number: wearable), series: series, end: end.map { WallTime(microseconds: $0) }, visit: visit,
      movedAt: WallTime(microseconds: movedAt), refused: refused ?? 0)
    self.ahead = AheadValues(ahead ?? [])
    self.readTo = readTo.map { WallTime(microseconds: $0) }
  }
}
