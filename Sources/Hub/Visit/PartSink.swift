// Where the samples of an item go: into parts of batches, those of the future and impossible ones left out and counted.

import CivilTime
import Custody
import EventLoop
import Health
import Reasons
import RingStore
import Wearable

/// Counts the parts, and fills batches where it is told to make some.
final class PartSink: ItemSink {
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

  /// Where `reach` has a series.
  private func place(of series: Series) -> Int {
    let place = Int(series.id)
    if reach.count <= place { reach += repeatElement(FetchedReach(), count: place + 1 - reach.count) }
    return place
  }

  /// Looks how far the item reaches.
  private func note(_ series: Series, _ values: [Int64], _ told: ItemTimes.Told, at time: Int64) {
    guard told.isExplained else { return }
    reach[place(of: series)].add(end: WallTime(microseconds: series.end(of: values, at: time)))
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
