// libFuzzer harness: stored records, and what a wearable answers for them. Compiled together with
// Sources/Drivers/StandardGATT by ./run.

import Bluetooth
import Health
import Wearable

private final class RecordSink: ItemSink {
  private(set) var values = 0

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {
    precondition(values.count == series.layout.valueCount && bytes.isEmpty && values.allSatisfy { $0 > 0 })
    self.values += 1
  }
  func noteAnomaly(_ what: StaticString) {}
}

/// The first byte chooses what the rest is.
public func fuzzRecord(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = RawBytes(start: start, count: count)
  guard let choice = bytes.first else { return 0 }
  let rest = RawBytes(rebasing: bytes.dropFirst())
  switch choice % 5 {
  case 0: answer(rest)
  case 1: record(rest, .spotChecks)
  case 2: record(rest, .observations)
  case 3: item(rest)
  default: digests(rest)
  }
  return 0
}

private func answer(_ bytes: RawBytes) {
  guard let response = try? RecordAccess.Response(bytes) else { return }
  precondition(response.trailingBytes >= 0 && response.trailingBytes <= bytes.count - 4)
}

/// What has no place cannot be decoded, and the other way round.
private func record(_ bytes: RawBytes, _ format: RecordFormat) {
  let place = format.place(bytes)
  let identity = format.identity(Array(bytes))
  precondition(identity.bytes.count <= bytes.count && identity.formerBytes?.count ?? bytes.count == bytes.count)
  // What it is known by as a whole is a record, its own twin's and of the same number.
  if identity.bytes.count == bytes.count {
    precondition(format.identity(identity.bytes).bytes == identity.bytes)
    precondition(identity.bytes.withUnsafeBytes { format.place($0).number } == place.number, "another record")
  }
  precondition(place.slot.utf8.count <= 64, "\(place.slot)")
  let sink = RecordSink()
  do throws(ItemDefect) {
    try format.decode(bytes, sink)
    precondition(place.slot != RecordPlace.odd.slot)
  } catch {
    precondition(place == .odd && sink.values == 0, "\(place) of what is refused: \(error)")
  }
}

/// Records that were read apart are the same bytes when they are joined.
private func item(_ bytes: RawBytes) {
  var records: [(bytes: [UInt8], isTold: Bool)] = []
  do throws(ItemDefect) {
    var place = 0
    while let (record, isTold) = try RecordBytes.next(bytes, at: &place) { records.append((Array(record), isTold)) }
    precondition(RecordBytes.joined(records) == Array(bytes))
  } catch {
    let whole = records.reduce(0) { $0 + $1.bytes.count + 2 }
    precondition(whole <= bytes.count)
  }
}

private func digests(_ bytes: RawBytes) {
  let kept = RecordDigests(Array(bytes))
  precondition(RecordDigests(kept.progress) == kept, "does not read what it wrote")
  precondition(kept.digests.count * 4 <= bytes.count && !kept.mark.isEmpty)
}
