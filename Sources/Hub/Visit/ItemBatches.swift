// Decoded samples of one item, cut into batches that the store takes, with times corrected to the hub's clock.

import Custody
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Turns one item into batches: its raw bytes first, then what they decode to, in parts that are the same whenever the
/// same bytes are cut.
///
/// The parts are counted before the first is made, because each batch's source names how many there are; so a batch
/// never stands for more than
/// it holds. Both passes go piece by piece, and everybody else has a turn between two pieces.
@LoopActor
struct ItemBatches {
  let item: HeldItem
  let wearable: WearableID
  var times: ItemTimes
  /// Its bytes go before what they decode to.
  var keepsBytes = true
  /// What the store has of it is left out.
  var mayRepeat = false
  /// Where the hub's days begin.
  var zone: TimeZoneRules = .utc
  /// Of the raw bytes, and of what has no time.
  let fallback: WallTime
  /// Bytes of memory in one batch.
  let limit: Int
  let bytes: [UInt8]
  /// Verified; nil where the bytes could not be understood and only they are kept.
  let pieces: (any ItemPieces)?

  /// Receipts that one item may have.
  nonisolated static let partLimit = ItemPart.limit

  /// What the first pass through an item finds.
  struct Count {
    /// Batches that it makes.
    var parts: Int
    /// Oddities, and what they are.
    var anomalies: Int
    var odd: OddTally
    /// Values of the future.
    var refused: Int
    /// Values outside the bounds of their series.
    var impossible: Int
    /// What it takes of the card at most, about.
    var bytes: Int
  }

  /// How many batches it makes, and what is left out of them.
  ///
  /// - Throws: `malformed` for more than `partLimit`, or what decoding throws.
  func count() async throws(ItemDefect) -> Count {
    let sink = PartSink(self)
    let feed = ItemFeed(self, sink)
    while try feed.next() { await Task.yield() }
    if sink.part > Self.partLimit { throw .malformed("it decodes to more than \(Self.partLimit) batches") }
    return Count(
      parts: sink.part, anomalies: sink.anomalies, odd: sink.odd, refused: sink.refused, impossible: sink.impossible,
      bytes: sink.stored)
  }

  /// The batches one after the other, of those that are wanted.
  func cut(into parts: Int, visit: VisitRecord, isWanted: @escaping (Int) -> Bool) -> ItemCut {
    let sink = PartSink(self)
    sink.make = { part throws(HearthError) in
      guard isWanted(part) else { return nil }
      guard let part = item.part(part, of: parts) else {
        throw HearthError(.custodyInvalid, "\(item.id): no such part")
      }
      var batch = FetchedBatch(wearable: wearable, part: part, visit: visit)
      batch.leavesOutRepetitions = mayRepeat
      return batch
    }
    return ItemCut(self, sink, parts: parts)
  }
}

/// The second pass through one item.
@LoopActor
final class ItemCut {
  private let id: String
  private let parts: Int
  private let sink: PartSink
  private let feed: ItemFeed
  private var isOver = false

  fileprivate init(_ batches: ItemBatches, _ sink: PartSink, parts: Int) {
    id = batches.item.id
    self.parts = parts
    self.sink = sink
    feed = ItemFeed(batches, sink)
    sink.begin()
  }

  /// The next batch that is wanted, and which part it is, counted from 1; nil behind the last.
  func next() async throws(HearthError) -> (part: Int, batch: FetchedBatch)? {
    while true {
      if let trouble = sink.trouble { throw trouble }
      if let whole = sink.takeWhole() { return whole }
      if isOver { return nil }
      do throws(ItemDefect) { isOver = try !feed.next() } catch { throw different }
      if isOver {
        if sink.part != parts { throw different }
        sink.finish()
      }
      await Task.yield()
    }
  }

  private var different: HearthError { HearthError(.itemDefective, "\(id) decoded differently the second time") }
}

/// Hands an item to a sink: its raw bytes, then its samples.
@LoopActor
private final class ItemFeed {
  private let bytes: [UInt8]
  private let begins: Int64?
  private let pieces: (any ItemPieces)?
  private let sink: PartSink
  private let rawSize: Int
  private var told = 0
  private var isRaw: Bool

  init(_ batches: ItemBatches, _ sink: PartSink) {
    bytes = batches.bytes
    begins = batches.item.begins
    pieces = batches.pieces
    isRaw = batches.keepsBytes || pieces == nil
    rawSize = max(1, min(FetchedBatch.recordLimit, batches.limit / 2))
    self.sink = sink
    pieces?.rewind()
  }

  /// One piece; false: that was the last.
  func next() throws(ItemDefect) -> Bool {
    if isRaw {
      let piece = bytes[told...].prefix(rawSize)
      sink.appendRaw(Array(piece), at: begins)
      told += piece.count
      isRaw = told < bytes.count
      return isRaw || pieces != nil
    }
    guard let pieces else { return false }
    let piece: Result<Bool, ItemDefect> = bytes.withUnsafeBytes { bytes in
      do throws(ItemDefect) { return .success(try pieces.decodeNext(bytes, into: sink)) } catch {
        return .failure(error)
      }
    }
    return try piece.get()
  }
}

/// Counts the parts, and fills batches where it is told to make some.
private final class PartSink: ItemSink {
  private let limit: Int
  private let times: ItemTimes
  private let zone: TimeZoneRules
  private let fallback: WallTime
  private(set) var part = 1
  private var size = 0
  private(set) var anomalies = 0
  private(set) var odd = OddTally()
  /// Of the future.
  private(set) var refused = 0
  /// Outside the bounds of their series.
  private(set) var impossible = 0
  /// What is kept takes of the card at most, about.
  private(set) var stored = 0
  /// Nil for a part that nobody wants.
  var make: ((Int) throws(HearthError) -> FetchedBatch?)?
  private var batch: FetchedBatch?
  /// One piece may be the end of several parts.
  private var whole: [(part: Int, batch: FetchedBatch)] = []
  private(set) var trouble: HearthError?
  /// How far each series of the item reaches, by its number; looked at for every sample.
  private var reach: [FetchedReach] = []

  init(_ batches: ItemBatches) {
    limit = batches.limit
    times = batches.times
    zone = batches.zone
    fallback = batches.fallback
  }

  /// The part that begins now.
  func begin() {
    guard let make else { return }
    do throws(HearthError) { batch = try make(part) } catch { trouble = error }
  }

  /// The part is whole.
  func end() {
    if let batch { whole.append((part, batch)) }
    batch = nil
  }

  /// The last part is whole: with it the item is durable, and the watermarks move.
  func finish() {
    for (number, reach) in reach.enumerated() where reach != FetchedReach() {
      batch?.reach[UInt16(truncatingIfNeeded: number)] = reach
    }
    end()
  }

  func takeWhole() -> (part: Int, batch: FetchedBatch)? { whole.isEmpty ? nil : whole.removeFirst() }

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) { append(series, values, bytes: bytes, at: deviceTime, kind: kind, isManual: isManual, isLowQuality: false) }

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isTimeSure: Bool
  ) {
    let flags = SampleFlags(origin: .fetched, kind: kind, isManual: isManual)
    append(series, values, bytes, at: deviceTime, flags, isTimeSure: isTimeSure)
  }

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool,
    isLowQuality: Bool
  ) {
    let flags = SampleFlags(origin: .fetched, kind: kind, isManual: isManual, isLowQuality: isLowQuality)
    append(series, values, bytes, at: deviceTime, flags, isTimeSure: true)
  }

  private func append(
    _ series: Series, _ values: [Int64], _ bytes: [UInt8], at deviceTime: Int64, _ flags: SampleFlags,
    isTimeSure: Bool
  ) {
    // A driver that gets this wrong has met bytes its author did not think of.
    guard values.count == series.layout.valueCount, bytes.isEmpty || series.layout.hasBytes,
      bytes.count <= FetchedBatch.recordLimit
    else {
      anomalies += 1
      return
    }
    let told = times.told(deviceTime)
    var time = (time: told.time, isSure: told.isSure && isTimeSure)
    let canBe = series.canBe(values)
    if !canBe { impossible += 1 }
    if !series.isWaveform {
      time.time = WallTime(microseconds: zone.keepingDay(time.time.microseconds, shown: deviceTime))
    }
    var values = values
    if series.layout == .interval, series.daily == .amount {
      values[0] = times.length(from: deviceTime, values[0])
    }
    if told.isFuture, canBe { refused += 1 }
    if make != nil, canBe { note(series, values, told, at: time.time.microseconds) }
    put(series, values, bytes, at: time, flags, isRefused: told.isFuture || !canBe)
  }

  /// Looks how far the item reaches, and whether it is of the future.
  private func note(_ series: Series, _ values: [Int64], _ told: ItemTimes.Told, at time: Int64) {
    let place = Int(series.id)
    if reach.count <= place { reach += repeatElement(FetchedReach(), count: place + 1 - reach.count) }
    if told.isFuture {
      reach[place].refused += 1
    } else if told.isExplained {
      reach[place].add(end: WallTime(microseconds: series.end(of: values, at: time)))
    }
  }

  func appendRaw(_ bytes: [UInt8], at deviceTime: Int64?) {
    put(.raw, [0], bytes, at: deviceTime.map { times.hubTime(of: $0) } ?? (fallback, times.isTrusted), .fetched)
  }

  /// - Parameter isRefused: it takes its room and is left out, so that the parts are the same whenever they are cut.
  private func put(
    _ series: Series, _ values: [Int64], _ bytes: [UInt8], at time: (time: WallTime, isSure: Bool),
    _ flags: SampleFlags, isRefused: Bool = false
  ) {
    // As the batch itself counts.
    let need = 24 + values.count * 8 + bytes.count
    if size > 0, size + need > limit {
      end()
      part += 1
      size = 0
      begin()
    }
    size += need
    if !isRefused { stored += SampleBudget.size(values.count, bytes.count) }
    guard batch != nil, trouble == nil, !isRefused else { return }
    do throws(HearthError) {
      try batch?.append(series, values, bytes: bytes, at: time.time, flags: flags, isSure: time.isSure)
    } catch { trouble = error }
  }

  func noteAnomaly(_ what: StaticString) {
    anomalies += 1
    odd.note(what)
  }
}
