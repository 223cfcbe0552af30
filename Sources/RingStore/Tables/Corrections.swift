// Corrections: the changed wearer of samples that were measured, and perhaps exported, before an assignment was
// changed.

public import EventLoop
internal import StateCodec

/// Samples of `wearable` from `from` until before `to` now belong to another wearer.
public struct Correction: Sendable, Hashable {
  /// Number of the correction; grows with every correction of the store.
  public let number: UInt64
  /// Corrected wearable.
  public let wearable: WearableID
  /// Begin of the stretch.
  public let from: WallTime
  /// End of the stretch.
  public let to: WallTime
  /// The wearer before; nil for no wearer.
  public let old: WearerID?
  /// Wearer after the correction, if any.
  public let new: WearerID?
  /// Time at which it was entered.
  public let enteredAt: WallTime
}

/// The table `corrections`.
enum Corrections {
  /// Some three a day for a year, at most 80 KB. A reader that comes less often gets the number that it missed.
  static let limit = 1024

  /// Numbers and stores the changes; the oldest corrections are deleted.
  static func add(_ transaction: Transaction, _ changes: [CorrectedSpan], wearable: WearableID, at time: WallTime)
    throws(DatabaseFailure)
  {
    var number = try transaction.nextNumber(transaction.tables.corrections)
    for change in changes.prefix(limit) {
      try transaction.put(
        Correction(
          number: number, wearable: wearable, from: change.from, to: change.to, old: change.old, new: change.new,
          enteredAt: time))
      try transaction.giveWay(transaction.tables.corrections, limit: limit)
      number = number == .max ? .max : number + 1
    }
  }

  /// Pages that this number of corrections may need.
  static func pages(_ count: Int) -> Int { 4 + count / 8 }

  static func last(_ transaction: Transaction) throws(DatabaseFailure) -> UInt64 {
    try transaction.nextNumber(transaction.tables.corrections) - 1
  }

  /// Corrections that a reader has not confirmed, in order, and the number deleted before it came.
  static func since(_ transaction: Transaction, _ reader: ExportReader?) throws(DatabaseFailure) -> ReaderCorrections {
    let clocks = try BootClocks.load(transaction)
    var found = ReaderCorrections(last: try last(transaction), lastClock: clocks.lastKnown)
    // A new reader needs no correction: its rows have the right wearer and time.
    guard let reader else { return found }
    found.retimed = RetimedRows(clocks.known(after: reader.clock), reader.rings)
    let had = Set(reader.rings.filter { $0.value > 0 }.map(\.key.wearable))
    let all = try transaction.records(Correction.self).records
    if let first = all.first?.number, first > reader.corrections {
      found.missed = first - reader.corrections - 1
    }
    found.corrections = all.filter { $0.number > reader.corrections && had.contains($0.wearable) }
    return found
  }
}

/// Corrections that a reader gets before its rows: the present wearers of rows that it had before.
public struct ReaderCorrections: Sendable, Equatable {
  /// Corrections in order of their numbers.
  public var corrections: [Correction] = []
  /// Number of corrections deleted before this reader came. The reader must query the wearers of its rows again.
  public var missed: UInt64 = 0
  /// Number of the last correction in the store.
  var last: UInt64 = 0
  /// Rows that the reader got before their times could be corrected; nil for no such rows.
  var retimed: RetimedRows?
  /// The last boot with a known clock difference.
  var lastClock: BootID?
}

/// A time span with a changed wearer.
struct CorrectedSpan: Sendable, Equatable {
  let from: WallTime
  let to: WallTime
  let old: WearerID?
  let new: WearerID?

  /// The differences between two lists of one wearable's assignments, before `now`. Later samples need no correction.
  static func between(_ before: [Assignment], _ after: [Assignment], until now: WallTime) -> [CorrectedSpan] {
    let (old, new) = (People(wearers: [], assignments: before), People(wearers: [], assignments: after))
    guard let wearable = before.first?.wearable ?? after.first?.wearable else { return [] }
    let times = Set((before + after).map(\.from).filter { $0 < now }).sorted()
    var spans: [CorrectedSpan] = []
    for (index, from) in times.enumerated() {
      let to = index + 1 < times.count ? times[index + 1] : now
      let (was, becomes) = (old.wearer(of: wearable, at: from), new.wearer(of: wearable, at: from))
      if was == becomes { continue }
      if let last = spans.last, last.to == from, last.old == was, last.new == becomes {
        spans[spans.count - 1] = CorrectedSpan(from: last.from, to: to, old: was, new: becomes)
      } else {
        spans.append(CorrectedSpan(from: from, to: to, old: was, new: becomes))
      }
    }
    return spans
  }
}

/// Key: number (u64). Tags: 1 wearable (u32), 2 from, 3 to (i64), 4 wearer before, 5 wearer now (u32, 0 for no
/// wearer), 6 entered (i64).
extension Correction: StoredRecord {
  static var table: any KeyPath<Tables, UInt32> & Sendable { \.corrections }
  static var tags: ClosedRange<UInt8> { 1...6 }

  var key: [UInt8] { [UInt8](bigEndian: number) }

  func write(to fields: inout FieldWriter) {
    fields.put(1, wearable.number)
    fields.put(2, from.microseconds)
    fields.put(3, to.microseconds)
    fields.put(4, old?.number ?? 0)
    fields.put(5, new?.number ?? 0)
    fields.put(6, enteredAt.microseconds)
  }

  init?(key: inout StoredReader, fields: inout FieldReader) {
    var numbers: [UInt8: UInt32] = [:]
    var times: [UInt8: Int64] = [:]
    while let tag = fields.next() {
      switch tag {
      case 1, 4, 5:
        var number: UInt32?
        fields.read(&number)
        numbers[tag] = number
      case 2, 3, 6:
        var time: Int64?
        fields.read(&time)
        times[tag] = time
      default: break
      }
    }
    guard let number = key.bigEndian(UInt64.self), let wearable = numbers[1], let old = numbers[4],
      let new = numbers[5], let from = times[2], let to = times[3], let entered = times[6]
    else { return nil }
    self.init(
      number: number, wearable: WearableID(number: wearable), from: WallTime(microseconds: from),
      to: WallTime(microseconds: to), old: old == 0 ? nil : WearerID(number: old),
      new: new == 0 ? nil : WearerID(number: new), enteredAt: WallTime(microseconds: entered))
  }
}
