// What the control socket says about visits, custody and the queue for the lane.

internal import EventLoop
public import Hub
public import HubProtocol

extension Duration {
  /// Whole milliseconds, for documents.
  var milliseconds: Int { Int(wholeNanoseconds / 1_000_000) }
}

extension VisitDocument {
  /// Converts a visit.
  public init(_ visit: VisitSnapshot) {
    self.init(
      number: visit.number, device: visit.wearable, trigger: .init(visit.trigger.name), began: visit.began.rfc3339,
      ended: visit.ended?.rfc3339, running: visit.isRunning, stage: .init(visit.stage.name),
      connection: visit.connection.map { .init($0.rawValue) }, outcome: visit.outcome.map { .init($0.name) },
      reason: visit.trouble.map { TroubleDocument($0) }, remark: visit.remark.isEmpty ? nil : visit.remark,
      bytesFetched: visit.bytesFetched, itemsDone: visit.itemsDone,
      itemsListed: visit.itemsListed, item: visit.item, itemFetched: visit.itemFetched, itemSize: visit.itemSize,
      percent: Self.percent(visit.itemFetched, of: visit.itemSize), rate: visit.rate,
      expectedEnd: visit.expectedEnd?.rfc3339, sliceUsedMs: visit.sliceUsed?.milliseconds,
      sliceMs: visit.slice?.milliseconds)
  }

  /// 0 to 100; a wearable may claim any size.
  static func percent(_ part: Int?, of whole: Int?) -> Int? {
    guard let part, let whole, whole > 0 else { return nil }
    return Int(min(1, max(0, Double(part) / Double(whole))) * 100)
  }
}

extension QueuedDocument {
  /// Converts an entry of the queue.
  public init(_ queued: QueueSnapshot) {
    self.init(
      device: queued.wearable, why: queued.why, notBefore: queued.notBefore?.rfc3339,
      trigger: .init(queued.trigger.name),
      fetches: queued.fetches, after: queued.after, priority: queued.priority.map { .init($0.rawValue) },
      heard: queued.isHeard)
    heldBy = queued.hold?.word
    if case .paced(let until)? = queued.hold { heldUntil = until.rfc3339 }
    guard let availability = queued.slot else { return }
    slot = availability.word
    if case .of(let holder, let at) = availability { (slotOf, slotAt) = (holder, at.rfc3339) }
  }
}

extension LinkHold {
  fileprivate var word: Words.LaneHold {
    switch self {
    case .paced: .pace
    case .radio: .radio
    case .lane: .lane
    case .pairing: .pairing
    case .attempts: .attempts
    case .stableFirst: .stableFirst
    case .newcomerFirst: .newcomerFirst
    case .recoveringFirst: .recoveringFirst
    case .shortPresenceFirst: .shortPresenceFirst
    case .unproven: .unproven
    }
  }
}

extension SlotAvailability {
  fileprivate var word: Words.SlotOutlook {
    switch self {
    case .linked: .linked
    case .free: .free
    case .attempted: .attempted
    case .vacating: .vacating
    case .of: .taken
    case .none: .nothing
    }
  }
}

extension CustodyDocument.Item {
  /// Converts an item in custody.
  public init(_ item: CustodySnapshot) {
    self.init(
      id: item.id, mark: item.mark, size: item.size, bytesFetched: item.bytesFetched, fetched: item.fetched?.rfc3339,
      verified: item.verified?.rfc3339, durable: item.durable?.rfc3339, erased: item.erased?.rfc3339,
      receipts: item.receipts, firstReceipt: item.firstReceipt, remark: item.remark, visit: item.visit)
  }
}

extension CustodyDocument {
  /// Converts the custody of a wearable, at most `itemLimit` items.
  public init(device: String, visit: VisitSnapshot?, items: [CustodySnapshot]) {
    self.init(
      device: device, visit: visit.map { VisitDocument($0) }, items: items.prefix(Self.itemLimit).map { Item($0) })
  }
}
