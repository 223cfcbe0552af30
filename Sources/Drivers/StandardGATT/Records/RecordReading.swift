// One pass over the stored records of a wearable: what came, and whether that is all.

import Bluetooth
import EventLoop
import Wearable

/// A record as it was read.
struct ReadRecord: Sendable {
  let bytes: [UInt8]
  let place: RecordPlace
  let digest: UInt32
  /// By which earlier versions of the hub knew it; the same where that has not changed.
  let formerDigest: UInt32
  /// Its values came live, and are in the store.
  var isTold = false

  func isAmong(_ digests: Set<UInt32>) -> Bool { digests.contains(digest) || digests.contains(formerDigest) }
}

/// What came.
struct RecordReading: Sendable {
  var records: [ReadRecord] = []
  /// Values of which no record could be made.
  var lost = 0
  /// Values that were a record once more.
  var repeated = 0
  /// It ended because enough had come.
  var hasMore = false
  /// As many came as the wearable says there are.
  var isWhole = false
  /// The wearable cannot be asked so.
  var isUnsupported = false

  /// What is kept of one record, bytes: longer than any observation but samples by the thousand.
  static let recordLimit = 8192
  /// Bytes of the records of one reading: twice what `RecordDomain.readLimit` spot-checks of 20 bytes have, and the
  /// headers of both. Each record is some 200 bytes of memory beside its own.
  static let sizeLimit = 256 << 10
}

/// Reads records over an access point, and keeps live values apart from them meanwhile.
@LoopActor
final class RecordReader {
  private let link: any WearableLink
  private let point: RecordAccessPoint
  private let format: RecordFormat
  private let gate: RecordGate

  init(_ link: any WearableLink, _ point: RecordAccessPoint, _ format: RecordFormat, _ gate: RecordGate) {
    (self.link, self.point, self.format, self.gate) = (link, point, format, gate)
  }

  /// - Parameters:
  ///   - limit: records; more are left for another pass, and so is what exceeds `RecordReading.sizeLimit`.
  ///   - counted: how many the wearable says there are of these; nil: it did not say.
  func read(_ selection: RecordAccess.Selection, limit: Int, counted: UInt32?) async throws(VisitTrouble)
    -> RecordReading
  {
    var reading = RecordReading()
    var end = try await pass(format.isNumbered ? .combinedReport : .report, selection, limit, &reading)
    if case .code(let result?) = end, result.isUnsupported, format.isNumbered {
      // The plain report is all that older builds have.
      end = try await pass(.report, selection, limit, &reading)
    }
    switch end {
    case .enough: reading.hasMore = true
    case .code(.noneFound): reading.isWhole = counted ?? 0 == 0
    // It has them, and not now: the next visit asks anew.
    case .code(.busy): throw .busy(what: "its stored records", retryAfter: nil)
    case .code(.notCompleted) where reading.records.isEmpty:
      throw .busy(what: "its stored records", retryAfter: nil)
    case .code(let result):
      reading.isUnsupported = result?.isUnsupported ?? false
      if !reading.isUnsupported {
        link.note("its stored records: \(result.map { "\($0)" } ?? "an end that is not understood")")
      }
    case .over(let count): judge(&reading, count ?? counted)
    }
    for place in reading.records.indices {
      if place % Self.step == Self.step - 1 { await Task.yield() }
      guard let mark = reading.records[place].bytes.withUnsafeBytes({ format.mark($0) }) else { continue }
      reading.records[place].isTold = try await link.hasReading(mark)
    }
    if reading.repeated > 0 { link.note("\(reading.repeated) of its stored records came more than once") }
    if reading.lost > 0 { link.note("\(reading.lost) of its stored records came in pieces that do not fit") }
    return reading
  }

  /// Records of which a turn looks whether they are known: each is a look into the store.
  private static let step = 128

  /// Whether as many came as there are. One that came again counts once: nobody knows which other one it hides.
  private func judge(_ reading: inout RecordReading, _ count: UInt32?) {
    let came = reading.records.count
    guard let count else { return }
    reading.isWhole = reading.lost == 0 && came >= Int(count)
    if came < Int(count) { link.note("of \(count) stored records it sent \(came)") }
  }

  private func pass(
    _ operation: RecordAccess.Operation, _ selection: RecordAccess.Selection, _ limit: Int,
    _ reading: inout RecordReading
  ) async throws(VisitTrouble) -> RecordAccessPoint.End {
    // Shut no longer than records come: a value that came while they are looked up would be no record, and lost.
    gate.isClosed = true
    defer { gate.isClosed = false }
    let assembly = format.makeAssembly()
    var alike: [[UInt8]: Int] = [:]
    var passed = RecordReading()
    var size = 0
    let end = try await point.report(operation, selection) { [format] value in
      do throws(DecodeError) {
        guard let record = try assembly.take(value) else { return .more }
        guard record.count <= RecordReading.recordLimit else { throw .outOfRange }
        size += record.count
        // Far above one record: a reading always has some.
        if size > RecordReading.sizeLimit { return .enough }
        let identity = format.identity(record)
        let occurrence = alike[identity.bytes, default: 0]
        alike[identity.bytes] = occurrence + 1
        if identity.isUnique, occurrence > 0 {
          passed.repeated += 1
        } else {
          let digest = RecordDigests.digest(identity.bytes, occurrence: occurrence)
          let former = identity.formerBytes.map { RecordDigests.digest($0, occurrence: occurrence) }
          passed.records.append(
            ReadRecord(
              bytes: record, place: record.withUnsafeBytes { format.place($0) }, digest: digest,
              formerDigest: former ?? digest))
        }
      } catch { passed.lost += 1 }
      return passed.records.count + passed.lost + passed.repeated < limit ? .more : .enough
    }
    reading = passed
    return end
  }
}

/// Shut while stored records come where live values come too. On the loop alone.
final class RecordGate {
  var isClosed = false
}
