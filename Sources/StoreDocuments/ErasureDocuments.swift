// Erasure of a person as a document: what it deletes, and what it cannot reach.

public import Export
public import HubProtocol
public import RingStore

extension ErasureDocument {
  /// Converts a plan of an erasure.
  public init(_ plan: ErasurePlan, names: SampleExport) {
    self.init(
      wearer: plan.wearer.id.number, name: plan.wearer.name, samples: plan.samples, unexported: plan.unexported,
      parts: plan.parts.map { part in
        Part(
          device: names.name(of: part.ring.wearable), series: part.ring.seriesName, way: part.ring.way.name,
          samples: part.samples, unexported: part.unexported, from: part.from.rfc3339, to: part.to.rfc3339)
      },
      assignments: plan.spans.count, copies: Self.copies(plan), erased: nil)
  }

  private static func copies(_ plan: ErasurePlan) -> [String] {
    var copies = plan.readers.map { reader, samples in
      let by = reader.by.isEmpty ? "" : ", last for \(reader.by)"
      return "reader \(reader.name) has had \(samples) of these samples\(by), confirmed \(reader.confirmedAt.rfc3339)"
    }
    for access in plan.accesses.prefix(20) where access.note.method.hasPrefix("Export") && access.note.cursor.isEmpty {
      let user = access.note.userName.isEmpty ? "uid \(access.note.user)" : access.note.userName
      copies.append("\(user) exported without a cursor, last \(access.last.rfc3339)")
    }
    if plan.unfetched > 0 {
      copies.append(
        "wearables hold \(plan.unfetched) items that were not fetched: their values of that time will have no wearer")
    }
    if plan.stillHeld > 0 { copies.append("wearables still hold \(plan.stillHeld) items that were fetched") }
    copies.append("wearables keep the facts of a body until another person's replace them or they are reset")
    copies.append("raw bytes, intervals and waveforms that began before the person wore the wearable")
    copies.append("what was evicted or purged before may have been exported; backups and images of the card")
    copies.append("the journal of the machine may have the name from before this version")
    copies.append("deleted values stay in free pages of data.mdb until they are written over, and in the card's flash")
    return copies
  }
}
