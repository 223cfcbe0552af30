// The methods of `io.hearth.Hub` about syncs, and their document.

internal import EventLoop
public import Hub
public import HubProtocol
internal import Reasons

extension HubInterface {
  func syncNow(_ parameters: inout Parameters) async throws(VarlinkError) -> JSON {
    let name = try parameters.text("name")
    let words = try parameters.optionalTexts("series", atMost: SyncRequest.wordLimit) ?? []
    let (since, until) = try span(&parameters)
    let isAutomaticOnly = try parameters.optionalTruth("automatic_only") ?? false
    try parameters.end()
    let request = SyncRequest(words, since: since, until: until, isAutomaticOnly: isAutomaticOnly)
    return try await changed("sync \(harmless(name))", of: name) { () async throws(HearthError) in
      ["sync": JSON(encoding: SyncDocument(try service.orderSync(name, request)))]
    }
  }

  /// How far the sync of a wearable is, whenever that has changed, until it is over.
  func syncWatch(_ call: VarlinkCall, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON? {
    let name = try parameters.text("name")
    try parameters.end()
    return try await tell(call) { () throws(HearthError) in
      let sync = try service.sync(of: name)
      return (["sync": sync.map { JSON(encoding: SyncDocument($0)) } ?? .null], sync?.isOver ?? true)
    }
  }
}

extension SyncDocument {
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
      domain: domain.id, series: domain.series.map(\.name), state: domain.state.rawValue,
      reason: domain.trouble.map { TroubleDocument($0) }, itemsListed: domain.itemsListed,
      itemsStored: domain.itemsStored, bytes: domain.bytes, itemsUndated: domain.itemsUndated)
  }
}
