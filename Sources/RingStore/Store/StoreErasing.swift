// Deletes everything of one person: first that it was theirs, then what it was. Once begun it is finished, by the next
// start if need be.

public import EventLoop
internal import Health
public import Reasons

/// What erasing a person would delete, and who has had a copy of it.
public struct ErasurePlan: Sendable {
  public struct Part: Sendable {
    public let ring: RingID
    public internal(set) var samples: UInt64 = 0
    /// No reader has confirmed them.
    public internal(set) var unexported: UInt64 = 0
    public internal(set) var from: WallTime
    public internal(set) var to: WallTime
  }

  public let wearer: Wearer
  public let spans: [WornSpan]
  /// Moments at which items name the person themselves, while nobody is known to have worn the wearable, or another.
  public internal(set) var named: [WornSpan] = []
  public internal(set) var parts: [Part] = []
  /// Readers that have confirmed some of it, and how much.
  public internal(set) var readers: [(reader: ExportReader, samples: UInt64)] = []
  /// Items that wearables held when they were listed last: not fetched, and fetched but still there.
  public internal(set) var unfetched = 0
  public internal(set) var stillHeld = 0
  /// Who else was given some of it.
  public internal(set) var accesses: [AccessRecord] = []

  public var samples: UInt64 { parts.reduce(0) { $0 &+ $1.samples } }
  public var unexported: UInt64 { parts.reduce(0) { $0 &+ $1.unexported } }
}

extension Store {
  /// Looks at everything that was measured of a person.
  ///
  /// - Parameter naming: moments of items that name the person, as whoever can read them found; all of that moment
  ///   goes.
  /// - Throws: `noSuchWearer`; `wearerStillWears` while a wearable is on the person: what is lost could not be counted;
  ///   `storeTableFull` for more stretches than one record holds; or why the store cannot be read.
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

  /// Deletes what the plan found, and all else of that person: name, body, assignments, which become nobody's. Returns
  /// how many items of rings went when everything is done. That it was theirs is gone first, in one commit; a power cut
  /// behind it does not keep the rest, as the next start goes on.
  ///
  /// - Throws: `noSuchWearer`, or why the disk refused; then nothing has changed, or the rest follows at the next
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

  /// Goes on with what was begun before the store was opened.
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
    // What waits for the journal, and the journal, go into rings first, its newest chunk too.
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
    // Nothing of it stays in the copy of the records, nor in pages that are free now.
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

  /// Bytes of items that are not whole: whose they are is not known before they are. They are fetched again.
  private func dropStaged(of wearable: WearableID) async throws(HearthError) {
    for var record in try custody(of: wearable) where record.durableAt == nil && record.fetched > 0 {
      record.fetched = 0
      try await unstage(record)
    }
  }
}
