// Time up to which series were read completely, with or without data. So a wearable that is read by time is not asked
// for a month again.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

extension VisitRunner {
  /// A mark this old is moved: about as much is requested once more, and a write a day costs 25 KB of flash.
  private static let markAge: Duration = .seconds(86_400)

  /// Notes domains with a complete listing and all items in the store. A hub with an untrusted clock notes no mark, as
  /// later data could be before it.
  ///
  /// - Parameter domains: all domains of the session.
  func noteRead(
    _ listings: [(domain: any FetchDomain, items: [HeldItem])], of domains: [any FetchDomain]
  ) async {
    guard loop.wallIsTrusted, wish.since == nil, wish.until == nil, !wish.isAutomaticOnly else { return }
    let marks = (try? store.watermarks(of: wearable.id)) ?? []
    let known = Dictionary(marks.map { ($0.series, $0.readTo) }) { first, _ in first }
    var read: [UInt16: WallTime] = [:]
    for series in Set(domains.flatMap(\.series)) where series != .raw {
      // A series of several kinds of data was read as far as the least of them.
      let parts = domains.filter { $0.series.contains(series) }.map { domain in
        listings.first { $0.domain === domain && $0.items.allSatisfy(isStored) }?.domain.readTo
      }
      guard !parts.contains(nil), let to = parts.compactMap({ $0 }).min().map({ WallTime(microseconds: $0) }) else {
        continue
      }
      // A future mark comes from a clock that was ahead.
      if let mark = known[series.id] ?? nil, mark <= loop.wall, to - mark < Self.markAge { continue }
      read[series.id] = to
    }
    if read.isEmpty { return }
    // Without the mark the same data is requested once more, without a loss.
    do throws(HearthError) { try await store.noteRead(wearable.id, read, visit: record.number) } catch {
      hub.logger.warning("\(error)", metadata: ["DEVICE": "\(wearable.name)"])
    }
  }

  private func isStored(_ item: HeldItem) -> Bool {
    guard let known = book[item.id], known.durableAt != nil, known.unread == nil else { return false }
    return known.mark == item.mark || known.erasedAt != nil
  }
}
