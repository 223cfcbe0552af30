// Which measurements name a person: a record has whom it was ordered for, whoever wore the wearable.

import EventLoop
public import Reasons
public import RingStore
import Vitals

extension Hearth {
  /// The moments of records that name somebody, by number or as an earlier hub did by name.
  public func measurements(naming id: WearerID) async throws(HearthError) -> [WornSpan] {
    let names = ["\(id.number)"] + [context.store.wearer(id)?.name].compactMap { $0 }
    var spans: [WornSpan] = []
    let session = try await context.store.export(SampleQuery(series: [.measurement]))
    while let page = try await session.next() {
      for sample in page.samples {
        // Records of efforts (kind 2) name nobody.
        guard sample.value == MeasurementRecord.kind, let record = try? MeasurementRecord(bytes: sample.bytes),
          names.contains(record.person)
        else { continue }
        spans.append(WornSpan(wearable: sample.wearable, from: sample.time, to: sample.time + .microseconds(1)))
      }
    }
    return spans
  }
}
