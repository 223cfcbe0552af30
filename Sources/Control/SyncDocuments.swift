// What the control socket says about a sync.

public import Hub
public import HubProtocol
internal import Reasons

extension SyncDocument {
  /// Converts a sync; times in UTC.
  public init(_ sync: SyncSnapshot) {
    self.init(
      device: sync.wearable, number: sync.number, ordered: sync.ordered.rfc3339, ended: sync.ended?.rfc3339,
      since: sync.request.since?.rfc3339, until: sync.request.until?.rfc3339,
      automaticOnly: sync.request.isAutomaticOnly, visit: sync.visit, domainsOver: sync.domainsOver,
      domains: sync.domains.map { Part($0) }, reason: sync.trouble.map { TroubleDocument($0) }, item: sync.item,
      itemFetched: sync.itemFetched, itemSize: sync.itemSize,
      percent: VisitDocument.percent(sync.itemFetched, of: sync.itemSize),
      watermarks: sync.watermarks.map {
        Mark(series: $0.series.name, end: $0.end?.rfc3339, refused: $0.refused)
      })
  }
}

extension SyncDocument.Part {
  fileprivate init(_ domain: SyncedDomain) {
    self.init(
      domain: domain.id, series: domain.series.map(\.name), state: .init(domain.state.rawValue),
      reason: domain.trouble.map { TroubleDocument($0) }, itemsListed: domain.itemsListed,
      itemsStored: domain.itemsStored, bytes: domain.bytes, itemsUndated: domain.itemsUndated)
  }
}
