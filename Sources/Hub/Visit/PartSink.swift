// The sink of an item's samples: parts of batches, without impossible and future ones, which are counted.

import CivilTime
import Custody
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Counts the parts, and fills batches if `make` is set.
final class PartSink: ItemSink {
  private let limit: Int
  private let times: ItemTimes
  private let zone: TimeZoneRules
  private let fallback: WallTime
  private(set) var part = 1
  private var size = 0
  private(set) var anomalies = 0
  private(set) var odd = OddTally()
  /// Values with a future time.
  private(set) var refused = 0
  /// Number of values outside the bounds of their series.
  private(set) var impossible = 0
  /// Approximate upper bound of the stored bytes on the card.
  private(set) var stored = 0
  /// Makes the batch of a part; nil for a part that is not wanted.
  var make: ((Int) throws(HearthError) -> FetchedBatch?)?
  private var batch: FetchedBatch?
  /// Complete parts; one piece may complete several.
  private var whole: [(part: Int, batch: FetchedBatch)] = []
  private(set) var trouble: HearthError?
  /// Reach of each series of the item, by its number; updated for every sample.
  private var reach: [FetchedReach] = []

  init(_ batches: ItemBatches) {
    limit = batches.limit
    times = batches.times
    zone = batches.zone
    fallback = batches.fallback
  }

  /// Begins the next part.
  func begin() {
    guard let make else { return }
    do throws(HearthError) { batch = try make(part) } catch { trouble = error }
  }

  /// Ends a complete part.
  func end() {
    if let batch { whole.append((part, batch)) }
    batch = nil
  }

  /// Ends the last part: with it the item is durable, and the watermarks move.
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
    // A wrong number of values is a fault of the driver, with bytes that its author did not expect.
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
    if make != nil, canBe {
      if told.isFuture {
        reach[place(of: series)].refuse(values, at: deviceTime, flags)
      } else {
        note(series, values, told, at: time.time.microseconds)
      }
    }
    put(series, values, bytes, at: time, flags, isRefused: told.isFuture || !canBe)
  }

  func refuse(_ series: Series, _ count: Int) {
    guard count > 0 else { return }
    refused += count
    if make != nil { reach[place(of: series)].refused += count }
  }

  /// Place of a series in `reach`.
  private func place(of series: Series) -> Int {
    let place = Int(series.id)
    if reach.count <= place { reach += repeatElement(FetchedReach(), count: place + 1 - reach.count) }
    return place
  }

  /// Updates how far the item reaches.
  private func note(_ series: Series, _ values: [Int64], _ told: ItemTimes.Told, at time: Int64) {
    guard told.isExplained else { return }
    reach[place(of: series)].add(end: WallTime(microseconds: series.end(of: values, at: time)))
  }

  func appendRaw(_ bytes: [UInt8], at deviceTime: Int64?) {
    put(.raw, [0], bytes, at: deviceTime.map { times.hubTime(of: $0) } ?? (fallback, times.isTrusted), .fetched)
  }

  /// - Parameter isRefused: the sample takes its room and is left out, so that equal bytes are always split into equal
  ///   parts.
  private func put(
    _ series: Series, _ values: [Int64], _ bytes: [UInt8], at time: (time: WallTime, isSure: Bool),
    _ flags: SampleFlags, isRefused: Bool = false
  ) {
    // The same rule as in the batch itself.
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
