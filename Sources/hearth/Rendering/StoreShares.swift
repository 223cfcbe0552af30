// Share of the store of each wearable.

import HubProtocol
import StoreDocuments

/// Data of a wearable in the rings of a store.
struct StoreShare: Codable, Sendable, Hashable {
  var device: String
  /// Names of its series, in the order of the store.
  var series: [String]
  var samples: UInt64
  var bytes: Int
  /// Share of the bytes of all rings, 0 to 1; 0 without any.
  var share: Double
  var oldest: String?
  var newest: String?
}

/// The largest share first; equal ones by name. Samples that are not in a ring yet are not included: see `journal`.
func storeShares(_ store: StoreDocument) -> [StoreShare] {
  let rings = store.rings ?? []
  let total = max(1, rings.reduce(0.0) { $0 + Double($1.bytes) })
  let shares = Dictionary(grouping: rings, by: \.device).map { device, rings in
    let series = rings.map(\.series).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let bytes = rings.reduce(0) { Int(clamping: Int128($0) + Int128($1.bytes)) }
    return StoreShare(
      device: device, series: series, samples: rings.reduce(0) { UInt64(clamping: UInt128($0) + UInt128($1.samples)) },
      bytes: bytes, share: Double(bytes) / total, oldest: rings.compactMap(\.oldest).min(),
      newest: rings.compactMap(\.newest).max())
  }
  return shares.sorted { ($1.bytes, $0.device) < ($0.bytes, $1.device) }
}

/// `strap-07   41 %   12.3 MB   1 204 113 samples   heart_rate, rr_interval`
func renderShares(_ shares: [StoreShare], _ store: StoreDocument, _ time: HubTime, _ style: Style) -> String {
  if shares.isEmpty { return "no wearable has samples in a ring\n" }
  let name = room(for: shares.map(\.device), least: 8, others: 40, style)
  var text = shares.map { share in
    let range = share.oldest.flatMap { oldest in share.newest.map { "   " + time.span(oldest, $0) } } ?? ""
    return line(
      """
      \(cell(share.device, name))  \(cell("\(Int((share.share * 100).rounded())) %", 5, right: true))  \
      \(cell(size(share.bytes), 9, right: true))  \(counted(share.samples, "sample")) of \
      \(share.series.count) series\(range)
      """)
  }.joined()
  if store.journal.samples > 0 {
    text += line("besides \(counted(store.journal.samples, "sample")) that came live and are in no ring yet")
  }
  return text
}
