// Deletes all data of a person: first the link to the person, then the data. An erasure that has begun is always
// finished, if necessary after the next start.

public import EventLoop
internal import Health
public import Reasons

/// The data that erasing a person would delete, and the known copies of it.
public struct ErasurePlan: Sendable {
  /// Samples of one ring.
  public struct Part: Sendable {
    /// Ring that the samples are in.
    public let ring: RingID
    /// Number of samples to be deleted.
    public internal(set) var samples: UInt64 = 0
    /// Number of these samples that no reader has confirmed.
    public internal(set) var unexported: UInt64 = 0
    /// Earliest time of these samples.
    public internal(set) var from: WallTime
    /// Latest time of these samples.
    public internal(set) var to: WallTime
  }

  /// Person that is erased.
  public let wearer: Wearer
  /// Stretches in which the person wore a wearable.
  public let spans: [WornSpan]
  /// Times of items that name the person themselves, while the wearable had no known wearer, or another one.
  public internal(set) var named: [WornSpan] = []
  /// Samples by ring.
  public internal(set) var parts: [Part] = []
  /// Readers that have confirmed some of the data, and how much.
  public internal(set) var readers: [(reader: ExportReader, samples: UInt64)] = []
  /// Items on wearables at the last listing: not fetched, and fetched but still there.
  public internal(set) var unfetched = 0
  /// Items that were fetched and still on their wearables at the last listing.
  public internal(set) var stillHeld = 0
  /// Accesses to the data by others.
  public internal(set) var accesses: [AccessRecord] = []

  /// Number of samples to be deleted in all rings.
  public var samples: UInt64 { parts.reduce(0) { $0 &+ $1.samples } }
  /// Number of these samples that no reader has confirmed.
  public var unexported: UInt64 { parts.reduce(0) { $0 &+ $1.unexported } }
}

extension Store {
  /// Examines everything that was measured of a person.
  ///
  /// - Parameter naming: times of items that name the person, as a reader of their content found; all items of these
  ///   times are deleted.
  /// - Throws: `noSuchWearer`; `storeTableFull` for more spans than one record holds; or why the store cannot be read.
  ///   `wearerStillWears` while a wearable is assigned to the person, because the lost samples could not be counted.
  public func erasurePlan(of id: WearerID, naming: [WornSpan] = []) async throws(HearthError) -> ErasurePlan {
    guard let wearer = wearer(id) else { throw HearthError(.noSuchWearer, "no wearer has the number \(id.number)") }
    let worn = wearables.filter { people.wearer(of: $0.id, at: disk.loop.wall) == id }
    if !worn.isEmpty {
      let names = worn.map(\.name).joined(separator: ", ")
      throw HearthError(.wearerStillWears, "wearer \(id.number) wears \(names): hearth wearer unassign \(worn[0].name)")
    }
    let spans = people.spans(of: id)
    let named = naming.filter { people.wearer(of: $0.wearable, at: $0.from) != id }
    if spans.count + named.count > Erasure.spanLimit {
      throw HearthError(.storeTableFull, "\(spans.count + named.count) stretches of time; at most \(Erasure.spanLimit)")
    }
    try await flush()
    var plan = ErasurePlan(wearer: wearer, spans: spans)
    plan.named = named
    let readers = try readers()
    var taken = [UInt64](repeating: 0, count: readers.count)
    var parts: [RingID: ErasurePlan.Part] = [:]
    for span in spans + named {
      let until = span.to.microseconds == .max ? nil : span.to
      let session = try await export(SampleQuery(wearables: [span.wearable], since: span.from, until: until))
      while let page = try await session.next() {
        for sample in page.samples {
          let ring = RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
          var part = parts[ring] ?? ErasurePlan.Part(ring: ring, from: sample.time, to: sample.time)
          part.samples += 1
          if sample.ordinal >= keeper.extent.rings[ring]?.exported ?? 0 { part.unexported += 1 }
          (part.from, part.to) = (min(part.from, sample.time), max(part.to, sample.time))
          parts[ring] = part
          for (index, reader) in readers.enumerated() where sample.ordinal < reader.rings[ring] ?? 0 {
            taken[index] += 1
          }
        }
        await Task.yield()
      }
    }
    plan.parts = parts.values.sorted { $0.ring < $1.ring }
    plan.readers = zip(readers, taken).filter { $0.1 > 0 }.map { ($0.0, $0.1) }
    for wearable in Set((spans + named).map(\.wearable)) {
      for item in try custody(of: wearable) where item.isListed && item.erasedAt == nil {
        if item.durableAt == nil { plan.unfetched += 1 } else { plan.stillHeld += 1 }
      }
    }
    plan.accesses = try accesses(TableLimits.listLimit).filter { $0.concerns(id) }
    return plan
  }

  /// Deletes the planned data and all else of that person: name, body, assignments. These become "no wearer". Returns
  /// the number of deleted items of rings, once everything is done. The link to the person is deleted first, in one
  /// commit; after a power cut the next start continues.
  ///
  /// - Throws: `noSuchWearer`, or the disk's error. The store is then unchanged, or the rest follows at the next
  ///   start.
  public func erase(_ plan: ErasurePlan) async throws(HearthError) -> UInt64 {
    try await beginErasure(plan)
    return try await finishErasure(of: plan.wearer.id)
  }

  /// Separate from its end for tests of a power cut between them.
  func beginErasure(_ plan: ErasurePlan) async throws(HearthError) {
    try await registry.beginErasure(of: plan.wearer.id, naming: plan.named)
    await records.keep()
  }

  /// Continues erasures that were begun before the store was opened.
  func resumeErasures() {
    if registry.erasures.isEmpty { return }
    disk.loop.spawn {
      for erasure in self.registry.erasures {
        do throws(HearthError) { _ = try await self.finishErasure(of: erasure.wearer) } catch {
          self.keeper.report(error)
        }
      }
    }
  }

  func finishErasure(of id: WearerID) async throws(HearthError) -> UInt64 {
    guard var erasure = registry.erasures.first(where: { $0.wearer == id }) else { return 0 }
    // Waiting samples and the whole journal are moved into rings first, its newest chunk too.
    try await flush()
    try await pack(whole: true)
    let wearables = Set(erasure.spans.map(\.wearable))
    await packer.turn.take()
    do throws(HearthError) {
      for (ring, _) in keeper.extent.rings.rings where wearables.contains(ring.wearable) {
        erasure.items += try await erase(ring, erasure.spans.filter { $0.wearable == ring.wearable })
      }
      packer.turn.give()
    } catch {
      packer.turn.give()
      throw error
    }
    for wearable in wearables { try await dropStaged(of: wearable) }
    erasure.doneAt = disk.loop.wall
    let done = erasure
    try await registry.endErasure(done)
    // Then the copy of the records is written again and free pages are overwritten.
    await records.keep()
    _ = await overwriteDeleted()
    return done.items
  }

  private func erase(_ ring: RingID, _ spans: [WornSpan]) async throws(HearthError) -> UInt64 {
    try disk.refuseIfShut()
    var (next, gone): (UInt64?, UInt64) = (0, 0)
    while let from = next {
      do {
        let writer = try await disk.openWriter()
        let (result, outcome) = try await disk.perform { try writer.erase(ring, spans, from: from) }
        disk.note(outcome)
        next = result.next
        gone += result.items
      } catch {
        throw await disk.explain(error)
      }
    }
    return gone
  }

  /// Staged bytes: before an item is whole, its wearer is unknown. Later visits fetch it again.
  private func dropStaged(of wearable: WearableID) async throws(HearthError) {
    for var record in try custody(of: wearable) where record.durableAt == nil && record.fetched > 0 {
      record.fetched = 0
      try await unstage(record)
    }
  }
}
