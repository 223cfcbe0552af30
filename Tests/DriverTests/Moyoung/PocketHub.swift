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
  }

  private(set) var custody: [String: KnownItem] = [:]
  private(set) var stored: [Value] = []
  /// Items that were fetched, in order.
  private(set) var fetched: [String] = []
  private(set) var defects: [String] = []

  var known: [KnownItem] { custody.values.sorted { $0.id < $1.id } }

  @discardableResult
  func visit(_ link: ScriptedLink) async throws -> MoyoungSession {
    let session = try #require(MoyoungDriver().makeSession(link) as? MoyoungSession)
    try await visit(session)
    return session
  }

  func visit(_ session: MoyoungSession, only wanted: Set<String>? = nil) async throws {
    _ = try await session.check()
    for domain in session.domains where wanted?.contains(domain.id) ?? true {
      for item in try await domain.list(known: known) { try await bring(item, domain) }
    }
    try await session.finish()
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
    for sample in samples.items {
      stored.append(
        Value(
          series: sample.series, values: sample.values, time: sample.time / 1_000_000,
          isUnsure: verdict.isTimeUnsure))
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
