// The changes that correcting an assignment makes to stored samples.

public import EventLoop
public import Reasons

/// The changes that correcting an assignment makes to stored samples.
public struct CorrectionPlan: Sendable {
  /// Stretch with one old and one new wearer.
  public struct Part: Sendable {
    /// Begin of the stretch.
    public let from: WallTime
    /// End of the stretch.
    public let to: WallTime
    /// Wearer so far, if any.
    public let old: WearerID?
    /// Wearer after the correction, if any.
    public let new: WearerID?
    /// Samples in the stretch.
    public internal(set) var samples: UInt64 = 0
  }

  /// Wearable that is corrected.
  public let wearable: WearableID
  /// Stretches, in the order of time.
  public internal(set) var parts: [Part]
  /// Names of export cursors that have had some of these samples.
  public internal(set) var readers: [String] = []
}

extension Store {
  /// The changes that `edit` would make to stored samples, and the readers that have had these. Reads all of them.
  ///
  /// - Throws: the errors of `edit`, or why the store cannot be read.
  public func correctionPlan(_ wearable: WearableID, from time: WallTime, _ edit: AssignmentEdit)
    async throws(HearthError) -> CorrectionPlan
  {
    let spans = try registry.spans(wearable, from: time, edit)
    var plan = CorrectionPlan(
      wearable: wearable,
      parts: spans.map { CorrectionPlan.Part(from: $0.from, to: $0.to, old: $0.old, new: $0.new) })
    try await flush()
    let readers = try readers()
    var had: Set<String> = []
    for (index, span) in spans.enumerated() {
      let session = try await export(SampleQuery(wearables: [wearable], since: span.from, until: span.to))
      while let page = try await session.next() {
        plan.parts[index].samples += UInt64(page.samples.count)
        for sample in page.samples where had.count < readers.count {
          let ring = RingID(wearable: sample.wearable, seriesNumber: sample.series.id, way: sample.way)
          for reader in readers where sample.ordinal < reader.rings[ring] ?? 0 { had.insert(reader.name) }
        }
        await Task.yield()
      }
    }
    plan.readers = had.sorted()
    return plan
  }
}
