// Visits and custody as the store holds them, for a command line without a running daemon.

internal import EventLoop
public import HubProtocol
internal import Reasons
public import RingStore

extension VisitDocument {
  /// A visit of the store. Without an end, the hub died in it, or was ordered to write no more.
  public init(_ visit: VisitRecord, device: String) {
    self.init(
      number: visit.number, device: device, trigger: .init(VisitTrigger(rawValue: visit.trigger)?.name ?? "unknown"),
      began: visit.began.rfc3339, ended: visit.ended?.rfc3339, running: false,
      stage: .init(VisitStage(rawValue: visit.stage)?.name ?? "unknown"),
      outcome: visit.ended == nil ? nil : .init(VisitOutcome(rawValue: visit.laneOutcome)?.name ?? "unknown"),
      reason: visit.outcome == 0
        ? nil : Reason(rawValue: visit.outcome).map { TroubleDocument(HearthError($0, visit.remark)) },
      remark: visit.outcome == 0 && !visit.remark.isEmpty ? visit.remark : nil, bytesFetched: visit.bytesFetched,
      itemsDone: Int(visit.itemsDone), itemsListed: Int(visit.itemsListed))
  }
}

extension CustodyDocument {
  /// Custody of a wearable's items; with `lastOnly` those of its last visit.
  public init(device: String, visit: VisitDocument?, records: [CustodyRecord], lastOnly: Bool) {
    self.init(
      device: device, visit: visit,
      items: records.filter { !lastOnly || $0.visit == visit?.number }.prefix(Self.itemLimit).map { Item($0) })
  }
}

extension CustodyDocument.Item {
  init(_ record: CustodyRecord) {
    self.init(
      id: record.id, mark: record.mark, size: record.size, bytesFetched: record.fetched,
      fetched: record.fetchedAt?.rfc3339, verified: record.verifiedAt?.rfc3339, durable: record.durableAt?.rfc3339,
      erased: record.erasedAt?.rfc3339, receipts: record.receipts.count, firstReceipt: record.receipts.first,
      remark: record.remark, visit: record.visit)
  }
}
