// Further listings of the same records in one visit.

import Bluetooth
import EventLoop
import Health
import Wearable

/// A further listing: empty unless the one before left records.
@LoopActor
final class RecordPage: FetchDomain {
  private let domain: RecordDomain

  init(_ domain: RecordDomain) { self.domain = domain }

  var id: String { domain.id }
  var series: [Series] { domain.series }
  var syncDomains: [SyncDomain] { domain.syncDomains }

  func list(known: [KnownItem]) async throws(VisitTrouble) -> [HeldItem] {
    domain.hasMore ? try await domain.list(known: known) : []
  }
  func fetch(_ item: HeldItem, into sink: any ByteSink) async throws(VisitTrouble) {
    try await domain.fetch(item, into: sink)
  }
  func pieces(of item: HeldItem) -> any IncrementalDecoder { domain.pieces(of: item) }
  func verify(_ item: HeldItem, _ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict { try domain.verify(item, bytes) }
  func decode(_ item: HeldItem, _ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) {
    try domain.decode(item, bytes, into: sink)
  }
}
