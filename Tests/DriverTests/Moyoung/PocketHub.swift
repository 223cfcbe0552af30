// What a hub does with a band, in some lines: it keeps custody of items, and what they decode to.

import Bluetooth
import EventLoop
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import MoyoungFamily

@LoopActor
final class PocketHub {
  struct Value: Hashable {
    let series: Series
    let values: [Int64]
    /// As the band's clock shows it, s.
    let time: Int64
    let isUnsure: Bool
    /// As the hub has it, s.
    let hub: Int64
  }

  private(set) var custody: [String: KnownItem] = [:]
  private(set) var stored: [Value] = []
  /// Items that were fetched, in order.
  private(set) var fetched: [String] = []
  private(set) var defects: [String] = []
  /// Values that it was told were refused.
  private(set) var refused: [Series: Int] = [:]
  /// Of its clock, as visits bring them.
  private var readings: [ClockCurve.Reading] = []
  private var setting: ClockEvidence?
  private weak var link: ScriptedLink?
  private var now: HubTime? { link?.hubTime }

  var known: [KnownItem] { custody.values.sorted { $0.id < $1.id } }

  @discardableResult
  func visit(_ link: ScriptedLink) async throws -> MoyoungSession {
    self.link = link
    let session = try #require(MoyoungDriver().makeSession(link) as? MoyoungSession)
    try await visit(session)
    return session
  }

  func visit(_ session: MoyoungSession, only wanted: Set<String>? = nil) async throws {
    if let clock = try await session.check().clock {
      readings.append(ClockCurve.Reading(clock.evidence, isOfThisBoot: true))
      setting = clock.afterwards
    }
    for domain in session.domains where wanted?.contains(domain.id) ?? true {
      for item in try await domain.list(known: known) { try await bring(item, domain) }
    }
    if let closed = try await session.readClock()?.evidence ?? setting {
      readings.append(ClockCurve.Reading(closed, isOfThisBoot: true))
    }
    setting = nil
    try await session.finish()
  }

  /// As the hub's own times are: of the newest setting of the clock that can have shown it.
  private func time(_ device: Int64, now: HubTime) -> Int64 {
    let after = setting.map { [ClockCurve.Reading($0, isOfThisBoot: true)] } ?? []
    for all in [readings, readings + after] {
      guard let last = all.last else { continue }
      let since = (now.monotonic - last.evidence.monotonic) / 1000
      if let told = ClockCurve(all, since: since)?.told(device), told.time <= now.wall.microseconds + 2_000_000 {
        return told.time / 1_000_000
      }
    }
    return min(device, now.wall.microseconds) / 1_000_000
  }

  private func bring(_ item: HeldItem, _ domain: any FetchDomain) async throws {
    if let had = custody[item.id], had.isDurable, had.mark == item.mark, had.size == item.size { return }
    let sink = CollectingSink()
    try await domain.fetch(item, into: sink)
    fetched.append(item.id)
    let samples = CollectingItems()
    let verdict: ItemVerdict
    do {
      verdict = try sink.bytes.withUnsafeBytes { bytes in
        let verdict = try domain.verify(item, bytes)
        try domain.decode(item, bytes, into: samples)
        return verdict
      }
    } catch {
      defects.append("\(item.id): \(error)")
      custody[item.id] = KnownItem(
        id: item.id, mark: item.mark, size: item.size, fetched: sink.bytes.count, isDurable: true, isErased: false)
      return
    }
    refused.merge(samples.refused, uniquingKeysWith: +)
    for sample in samples.items {
      stored.append(
        Value(
          series: sample.series, values: sample.values, time: sample.time / 1_000_000,
          isUnsure: verdict.isTimeUnsure, hub: now.map { time(sample.time, now: $0) } ?? sample.time / 1_000_000))
    }
    custody[item.id] = KnownItem(
      id: item.id, mark: verdict.mark, size: item.size, fetched: sink.bytes.count, isDurable: true, isErased: false,
      progress: verdict.progress ?? custody[item.id]?.progress ?? [])
  }

  func values(_ series: Series) -> [Value] { stored.filter { $0.series == series } }

  /// Sum of a day as a day's line has it: what of each interval lies in it.
  func sum(_ series: Series, _ day: Int64) -> Int64 {
    values(series).filter { $0.time / 86_400 == day }.reduce(0) { $0 + $1.values[1] }
  }
}
