// What the store tells of what it gave up, and of damage.

internal import EventLoop

extension Store {
  /// What the disk's side knows now.
  func note(_ outcome: CommitOutcome) {
    latestExtent = outcome.extent
    latestStatus.note(outcome.extent, pageSize: pageSize)
    if outcome.headsMended > 0 { noteMiscount("\(outcome.headsMended) long values stated pages of others") }
    for loss in outcome.losses {
      latestStatus.evictedSinceStart &+= loss.items
      latestStatus.evictedUnexportedSinceStart &+= loss.unexported
      if loss.unexported > 0 { latestStatus.lastUnexportedEviction = loop.now }
      unnotedLosses[loss.ring, default: RingLoss(ring: loss.ring)].add(loss)
    }
    for loss in outcome.stagedLosses {
      latestStatus.stagedGivenUp &+= UInt64(loss.bytes)
      noteEvent(
        .stagedGivenUp, wearable: loss.item.wearable,
        text: "\(loss.bytes) bytes kept of \(loss.item.id) were given up; they are fetched again")
    }
  }

  /// Evictions become events at most once an hour: a ring at its bound gives a chunk up every hour or so for ever.
  func noteLosses() {
    if unnotedLosses.isEmpty { return }
    if let lastLossEvent, loop.now - lastLossEvent < .seconds(3600) { return }
    lastLossEvent = loop.now
    let rings = unnotedLosses.keys.sorted()
    if rings.count > EventQueue.limit / 2 {
      let others = rings.dropFirst(EventQueue.limit / 2).compactMap { unnotedLosses[$0] }
      let (items, unexported) = others.reduce((0, 0)) { ($0.0 &+ $1.items, $0.1 &+ $1.unexported) }
      noteEvent(
        .storeEvicting, text: "\(items) items of \(others.count) other rings evicted, \(unexported) never exported")
    }
    for ring in rings.prefix(EventQueue.limit / 2) {
      guard let loss = unnotedLosses[ring] else { continue }
      let span =
        loss.from <= loss.to
        ? ", \(WallTime(microseconds: loss.from).rfc3339) to \(WallTime(microseconds: loss.to).rfc3339)" : ""
      let name = ring.series?.name ?? "series \(ring.seriesNumber)"
      noteEvent(
        .storeEvicting, wearable: ring.wearable,
        text: "\(loss.items) items of \(name) (\(ring.way.name)) evicted, \(loss.unexported) never exported\(span)")
    }
    unnotedLosses = [:]
  }

  /// Counts that were wrong when the environment was opened.
  func noteMiscounts(_ environment: Environment) {
    if let text = environment.miscounts { noteMiscount(text) }
  }

  private func noteMiscount(_ text: String) {
    latestStatus.miscounts = text
    noteEvent(.storeMiscounted, text: text)
  }

  /// Damage is told once for each chunk.
  func noteDamage(_ text: String, corrupt chunk: DamagedChunk) {
    if corrupt.count < 4096, corrupt.insert(chunk).inserted {
      noteEvent(.storeChunkCorrupt, text: text)
    }
  }
}
