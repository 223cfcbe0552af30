// The store's status: counters, losses, damage, failures, and its medium.

internal import EventLoop
internal import Reasons

@LoopActor
final class StatusKeeper {
  /// Limit of remembered damaged rings and chunks.
  private static let damageLimit = 4096

  private let disk: StoreDisk
  let events: EventLog
  /// Extent as of the last durable transaction.
  private(set) var extent: StoreSummary
  private(set) var latest: StoreStatus
  /// Evictions of each ring since its last event.
  private var unnotedLosses: [RingID: RingLoss] = [:]
  private var lastLossEvent: Instant?
  private var corrupt: Set<DamagedChunk> = []
  /// Called when commits begin to fail, when the reason changes, and with nil when they succeed again.
  var onTrouble: (@LoopActor (HearthError?) -> Void)?

  init(_ disk: StoreDisk, _ events: EventLog, _ extent: StoreSummary, corruptRecords: Int) {
    self.disk = disk
    self.events = events
    self.extent = extent
    latest = StoreStatus(path: disk.options.path, sizeBytes: disk.options.sizeBytes)
    latest.corruptRecords = corruptRecords
  }

  /// Changes a counter.
  func count(_ body: (inout StoreStatus) -> Void) { body(&latest) }

  /// The status without what waits in memory.
  var status: StoreStatus {
    var status = latest
    status.corruptChunks = UInt64(corrupt.count)
    status.droppedEvents = events.dropped
    status.events = events.counts
    status.wear = extent.wear.status(budget: disk.options.budgetPerDay, now: disk.loop.wall)
    return status
  }

  /// Substitutes for rings with damaged rows on the disk.
  var rebuilt: [RingID: RingState] { extent.rings.rebuilt }

  func report(_ trouble: HearthError?) {
    if trouble == latest.trouble { return }
    latest.trouble = trouble
    if trouble != nil { disk.observer?.environmentCloses() }
    onTrouble?(trouble)
  }

  // MARK: Losses and damage

  /// Takes over the disk lane's state after a commit.
  func note(_ outcome: CommitOutcome) {
    extent = outcome.extent
    latest.note(outcome.extent, pageSize: disk.pageSize)
    if outcome.headsMended > 0 { noteMiscount("\(outcome.headsMended) long values stated pages of others") }
    for loss in outcome.losses {
      latest.evictedSinceStart &+= loss.items
      latest.evictedUnexportedSinceStart &+= loss.unexported
      if loss.unexported > 0 { latest.lastUnexportedEviction = disk.loop.now }
      unnotedLosses[loss.ring, default: RingLoss(ring: loss.ring)].add(loss)
    }
    for loss in outcome.stagedLosses {
      latest.stagedGivenUp &+= UInt64(loss.bytes)
      events.note(
        .stagedGivenUp, wearable: loss.item.wearable,
        text: "\(loss.bytes) bytes kept of \(loss.item.id) were given up; they are fetched again")
    }
  }

  /// Evictions become events at most once an hour: a ring at its bound evicts a chunk every hour or so without end.
  func noteLosses() {
    if unnotedLosses.isEmpty { return }
    let now = disk.loop.now
    if let lastLossEvent, now - lastLossEvent < .seconds(3600) { return }
    lastLossEvent = now
    let rings = unnotedLosses.keys.sorted()
    if rings.count > EventQueue.limit / 2 {
      let others = rings.dropFirst(EventQueue.limit / 2).compactMap { unnotedLosses[$0] }
      let (items, unexported) = others.reduce((0, 0)) { ($0.0 &+ $1.items, $0.1 &+ $1.unexported) }
      events.note(
        .storeEvicting, text: "\(items) items of \(others.count) other rings evicted, \(unexported) never exported")
    }
    for ring in rings.prefix(EventQueue.limit / 2) {
      guard let loss = unnotedLosses[ring] else { continue }
      let span =
        loss.from <= loss.to
        ? ", \(WallTime(microseconds: loss.from).rfc3339) to \(WallTime(microseconds: loss.to).rfc3339)" : ""
      let name = ring.series?.name ?? "series \(ring.seriesNumber)"
      events.note(
        .storeEvicting, wearable: ring.wearable,
        text: "\(loss.items) items of \(name) (\(ring.way.name)) evicted, \(loss.unexported) never exported\(span)")
    }
    unnotedLosses = [:]
  }

  /// Reports counts that were wrong when the environment was opened.
  func noteMiscounts(_ environment: Environment) {
    if let text = environment.miscounts { noteMiscount(text) }
    latest.bytesAside = StoreProbe.bytesAside(latest.path)
    if !environment.rescued.isEmpty {
      latest.rescued = environment.rescued
      events.note(.storeRescued, text: environment.rescued)
    }
  }

  private func noteMiscount(_ text: String) {
    latest.miscounts = text
    events.note(.storeMiscounted, text: text)
  }

  /// Reports damage once for each chunk.
  func noteDamage(_ text: String, corrupt chunk: DamagedChunk) {
    if corrupt.count < Self.damageLimit, corrupt.insert(chunk).inserted { events.note(.storeChunkCorrupt, text: text) }
  }

  func noteQuarantined(_ numbers: [UInt64]) {
    for number in numbers {
      noteDamage(
        "journal chunk \(number) has a number that no store reaches and was put into quarantine",
        corrupt: .journal(number))
    }
  }

  func noteDamage(_ chunks: [DamagedChunk]) {
    for chunk in chunks {
      switch chunk {
      case .staged(let wearable, let id):
        noteDamage(
          "bytes kept of \(id) of wearable \(wearable.number) are damaged; they are fetched again", corrupt: chunk)
      case .journal(let sequence): noteDamage("journal chunk \(sequence) is damaged and is not served", corrupt: chunk)
      case .ring(let ring, let ordinal):
        let name = ring.series?.name ?? "series \(ring.seriesNumber)"
        noteDamage(
          """
          chunk \(ordinal) of wearable \(ring.wearable.number) \(name) (\(ring.way.name)) is damaged and is not \
          served
          """,
          corrupt: chunk)
      }
    }
  }

  // MARK: What holds the store

  /// See `Store.mayLetForget`.
  func mayLetForget() -> Bool {
    if let look = disk.options.lookAtMedium {
      let (known, path) = (latest.medium, disk.options.path)
      let found = known.map { Self.judge($0, look(path)) } ?? look(path)
      if let found, found != known { note(found) }
    }
    return latest.medium?.keeps ?? true
  }

  /// Compares the medium at opening with the present one.
  private static func judge(_ known: StoreMedium, _ found: StoreMedium?) -> StoreMedium {
    guard let found else {
      return StoreMedium(kind: .unproven, text: "it cannot be looked at any more", folder: known.folder)
    }
    // The open files belong to the covered folder.
    if let folder = known.folder, let other = found.folder, folder != other {
      return StoreMedium(kind: .unproven, text: "\(found.text), mounted above the open store", folder: folder)
    }
    return found
  }

  /// Notes the medium that `StoreMedium.look` found; its fault is reported as long as it lasts.
  func note(_ medium: StoreMedium) {
    latest.medium = medium
    if let trouble = medium.trouble { events.note(trouble.reason, text: trouble.detail) }
  }
}
