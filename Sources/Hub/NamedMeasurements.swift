// Measurements that name a person: a record holds the person it was ordered for, which may not be the wearer.

import EventLoop
public import Reasons
public import RingStore
import Vitals

extension Hearth {
  /// The times of records that name this person, by number, or by name as an earlier hub wrote them.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func measurements(naming id: WearerID) async throws(HearthError) -> [WornSpan] {
    let names = ["\(id.number)"] + [context.store.wearer(id)?.name].compactMap { $0 }
    var spans: [WornSpan] = []
    let session = try await context.store.export(SampleQuery(series: [.measurement]))
    while let page = try await session.next() {
      for sample in page.samples {
        // Records of efforts (kind 2) name no person.
        guard sample.value == MeasurementRecord.kind, let record = try? MeasurementRecord(bytes: sample.bytes),
          names.contains(record.person)
        else { continue }
        spans.append(WornSpan(wearable: sample.wearable, from: sample.time, to: sample.time + .microseconds(1)))
      }
    }
    return spans
  }
}
