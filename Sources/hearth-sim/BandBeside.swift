// Stored data of a band besides the items of its memory: raw bytes, and live values.

import BandTwin
import EventLoop
import Health

extension BandJudge {
  // MARK: Raw bytes

  /// Checks raw bytes: an item without a published layout that the band was ordered to delete is stored byte for byte.
  mutating func judge(raw stored: [BandKept], _ band: VirtualBand, _ name: String) {
    let confirmed = band.ledger.deliveries.filter { $0.verdict == true && !$0.content.isEmpty }
    for content in Set(confirmed.map(\.content)) {
      if stored.contains(where: { $0.bytes.suffix(content.count) == content[...] }) { continue }
      outcome.wrong += 1
      let at = confirmed.first { $0.content == content }?.verdictAt.map { ($0 - wallSteps[0].at).inSeconds } ?? 0
      report("\(name): \(content.count) bytes that were confirmed at \(Int(at)) s are not kept")
    }
  }

  // MARK: Live values

  mutating func judge(live stored: [BandKept], _ band: VirtualBand, _ name: String) {
    var told = band.ledger.live
    var strange: [BandKept] = []
    for kept in stored.sorted(by: { $0.time < $1.time }) {
      let place = told.firstIndex { value in
        value.series == kept.series && value.values.first == kept.numbers.first
          && abs(value.deliveredAt.nanoseconds / 1000 + total(at: value.deliveredAt) - kept.time)
            <= 2_000_000
      }
      if let place { told.remove(at: place) } else { strange.append(kept) }
    }
    outcome.live += stored.count - strange.count
    // Live values besides those of a measurement, such as today's totals, are not checked yet.
    if let first = strange.first(where: { !Self.sums.contains($0.series) }) {
      report(
        "\(name) \(first.series.name): \(strange.count) live values were never reported; the first is \(first.numbers)"
      )
    }
  }
}
