// A pass over a wearable's stored records: the records that came, and whether they are complete.

import Bluetooth
import EventLoop
import Wearable

/// Record as read: its bytes, its place and their digests.
struct ReadRecord: Sendable {
  let bytes: [UInt8]
  let place: RecordPlace
  let digest: UInt32
  /// The digest in earlier versions of the hub; the same unless it has changed.
  let formerDigest: UInt32
  /// The record's values came live and are stored.
  var isTold = false

  func isAmong(_ digests: Set<UInt32>) -> Bool { digests.contains(digest) || digests.contains(formerDigest) }
}

/// Result of a pass.
struct RecordReading: Sendable {
  var records: [ReadRecord] = []
  /// Values that gave no record.
  var lost = 0
  /// Records that came more than once.
  var repeated = 0
  /// The pass stopped at a limit.
  var hasMore = false
  /// True if as many records came as the wearable reports.
  var isWhole = false
  /// The wearable does not support the request.
  var isUnsupported = false

  /// Longest record, in bytes: longer than any observation except for thousands of samples.
  static let recordLimit = 8192
  /// Maximum number of bytes of the records of one reading: twice those of `RecordDomain.readLimit` spot-checks of 20
  /// bytes, with headers. Each record takes some 200 bytes of memory besides its own.
  static let sizeLimit = 256 << 10
}

/// Reads records over an access point, and separates them from live values.
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
  ///   - limit: most records. More are left for another pass, and so are those beyond `RecordReading.sizeLimit`.
  ///   - counted: the wearable's number of selected records; nil if unknown.
  func read(_ selection: RecordAccess.Selection, limit: Int, counted: UInt32?) async throws(VisitTrouble)
    -> RecordReading
  {
    var reading = RecordReading()
    var end = try await pass(format.isNumbered ? .combinedReport : .report, selection, limit, &reading)
    if case .code(let result?) = end, result.isUnsupported, format.isNumbered {
      // Older builds support only the plain report.
      end = try await pass(.report, selection, limit, &reading)
    }
    switch end {
    case .enough: reading.hasMore = true
    case .code(.noneFound): reading.isWhole = counted ?? 0 == 0
    // The wearable has records but is busy: the next visit tries again.
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

  /// Records per turn that are looked up in the store.
  private static let step = 128

  /// Compares the number of records with the expected one. A repeated record counts once, as it may stand for a lost
  /// one.
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
    // Closed only while records arrive: a live value that comes during the lookup would be lost.
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
        // Far above the size of a record, so that a reading always has some.
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

/// Closed while stored records arrive over the characteristic of live values. Only used on the loop.
final class RecordGate {
  var isClosed = false
}
