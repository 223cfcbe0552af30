// Up to when series were read to their end, whether or not anything came of it: a wearable that is asked by time is not
// asked for a month again.

import EventLoop
import Health
import Reasons
import RingStore
import Wearable

extension VisitRunner {
  /// A mark that lies so far back is moved: as much is asked for once more, and a write a day costs 25 KB of flash.
  private static let markAge: Duration = .seconds(86_400)

  /// Of domains whose listing went to its end, where all of it is in the store. A hub that does not know the time says
  /// nothing: once it does, a mark of its own could lie behind what comes then.
  ///
  /// - Parameter domains: all that the session has.
  func noteRead(
    _ listings: [(domain: any FetchDomain, items: [HeldItem])], of domains: [any FetchDomain]
  ) async {
    guard loop.wallIsTrusted, wish.since == nil, wish.until == nil, !wish.isAutomaticOnly else { return }
    let marks = (try? store.watermarks(of: wearable.id)) ?? []
    let known = Dictionary(marks.map { ($0.series, $0.readTo) }) { first, _ in first }
    var read: [UInt16: WallTime] = [:]
    for series in Set(domains.flatMap(\.series)) where series != .raw {
      // What several kinds of data have was read as far as each of them was.
      let parts = domains.filter { $0.series.contains(series) }.map { domain in
        listings.first { $0.domain === domain && $0.items.allSatisfy(isStored) }?.domain.readTo
      }
      guard !parts.contains(nil), let to = parts.compactMap({ $0 }).min().map({ WallTime(microseconds: $0) }) else {
        continue
      }
      // One of a time to come is of a clock that was ahead.
      if let mark = known[series.id] ?? nil, mark <= loop.wall, to - mark < Self.markAge { continue }
      read[series.id] = to
    }
    if read.isEmpty { return }
    // Without it as much is asked for once more, and nothing is lost.
    do throws(HearthError) { try await store.noteRead(wearable.id, read, visit: record.number) } catch {
      hub.logger.warning("\(error)", metadata: ["DEVICE": "\(wearable.name)"])
    }
  }

  private func isStored(_ item: HeldItem) -> Bool {
    guard let known = book[item.id], known.durableAt != nil, known.unread == nil else { return false }
    return known.mark == item.mark || known.erasedAt != nil
  }
}
