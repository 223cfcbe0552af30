// Encoding of rows as batches: columns of differences in a protobuf message, deflated if that is shorter.

internal import CZlib
internal import SwiftProtobuf

/// Origin of a batch's rows, and the order that they answer.
public struct BatchHead: Sendable, Hashable {
  /// The store's identity.
  public var store: UInt64
  /// Name of the hub.
  public var hub: String
  /// ms since 1970
  public var sent: UInt64
  /// 0, or the number of a resend order.
  public var resend: UInt64

  /// Origin of a batch; `resend` 0: not by order.
  public init(store: UInt64, hub: String, sent: UInt64, resend: UInt64 = 0) {
    (self.store, self.hub, self.sent, self.resend) = (store, hub, sent, resend)
  }
}

/// Changed wearer in a period.
public struct BatchCorrection: Sendable, Hashable {
  /// Number of the enrolment.
  public var enrolment: UInt32
  /// µs since 1970
  public var from: Int64
  /// End of the period, µs since 1970.
  public var to: Int64
  /// Empty: no wearer.
  public var wearer: String

  /// A change of the wearer; empty: no person.
  public init(enrolment: UInt32, from: Int64, to: Int64, wearer: String) {
    (self.enrolment, self.from, self.to, self.wearer) = (enrolment, from, to, wearer)
  }
}

/// Encoder of batches.
public enum RowBatchWriter {
  /// Version of the message.
  public static let version: UInt32 = 1
  /// Largest decompressed batch that a reader accepts.
  public static let openedLimit = 4 << 20

  /// Encodes one message. `runs` come from `RingPlaces`; `retimed` replace rows that were sent before.
  public static func bytes(
    _ runs: [RowGroup], _ head: BatchHead, corrections: [BatchCorrection] = [], heads: [RingHead] = [],
    retimed: [RowGroup] = []
  ) -> [UInt8] {
    var batch = Hearth_Uplink_Batch()
    batch.version = version
    batch.store = head.store
    batch.hub = head.hub
    batch.sentMs = head.sent
    batch.resend = head.resend
    batch.corrections = corrections.map { correction in
      var message = Hearth_Uplink_Correction()
      message.enrolment = correction.enrolment
      message.fromUs = correction.from
      message.toUs = correction.to
      message.wearer = correction.wearer
      return message
    }
    batch.heads = heads.map(\.message)
    var plain = Hearth_Uplink_Runs()
    plain.runs = runs.flatMap { $0.exactParts().map { message($0.run, $0.columns) } }
    plain.retimed = retimed.flatMap { $0.exactParts().map { message($0.run, $0.columns) } }
    let opened: [UInt8] = serialized(plain)
    if let deflated = deflate(opened), deflated.count + 8 < opened.count {
      batch.deflated = foundationBytes(deflated)
    } else {
      (batch.runs, batch.retimed) = (plain.runs, plain.retimed)
    }
    return serialized(batch)
  }

  /// Splits rows into messages: a page with long waveforms needs several.
  public static func pieces(_ rows: [UplinkRow], limit: Int = 192 << 10) -> [ArraySlice<UplinkRow>] {
    var pieces: [ArraySlice<UplinkRow>] = []
    var (start, weight) = (0, 0)
    for (place, row) in rows.enumerated() {
      let own = 8 + row.numbers.count * 3 + row.data.count
      if place > start, weight + own > limit {
        pieces.append(rows[start..<place])
        (start, weight) = (place, 0)
      }
      weight += own
    }
    if start < rows.count { pieces.append(rows[start...]) }
    return pieces
  }

  private static func message(_ run: RowGroup, _ columns: NumberColumns) -> Hearth_Uplink_Run {
    let (first, like) = (run.first, run.first.likeness)
    var message = Hearth_Uplink_Run()
    message.enrolment = first.ring.enrolment
    message.device = like.device
    message.address = addressNumber(like.address)
    message.series = first.ring.series
    message.unit = like.unit
    message.way = first.ring.isFetched ? .fetched : .live
    message.first = first.ordinal
    message.skipped = run.skipped
    let gaps = zip(run.rows.dropFirst(), run.rows).map { $0.ordinal - $1.ordinal - 1 }
    if gaps.contains(where: { $0 != 0 }) { message.gaps = gaps }
    message.timeUs = first.time
    (message.timeStep, message.times) = times(run.rows)
    message.exponent = columns.exponent
    message.multiple = columns.multiple
    message.width = columns.width
    message.widths = columns.widths
    message.numbers = columns.numbers
    if like.hasEnd { message.ends = run.rows.map(\.end) }
    if like.hasData { message.data = run.rows.map { foundationBytes($0.data) } }
    message.origin = like.origin
    message.kind = like.kind
    message.manual = like.manual
    message.wearer = like.wearer
    message.encoding = like.encoding
    message.periodNs = like.period
    message.record = like.record
    message.clockUnsure = like.clockUnsure
    message.lowQuality = like.lowQuality
    message.clockCorrected = like.clockCorrected
    if like.hasCount { message.counts = run.rows.map(\.count) }
    message.rows = UInt32(run.rows.count)
    return message
  }

  /// Second differences of the times, and their common step in µs.
  private static func times(_ rows: [UplinkRow]) -> (UInt32, [Int64]) {
    var (before, difference): (Int64, Int64) = (rows[0].time, 0)
    var changes: [Int64] = []
    var divisor: UInt64 = 0
    for row in rows.dropFirst() {
      let step = row.time &- before
      changes.append(step &- difference)
      divisor = greatestCommonDivisor(divisor, (step &- difference).magnitude)
      (before, difference) = (row.time, step)
    }
    // A step beyond the field's range is not used.
    let step = divisor == 0 || divisor > UInt64(UInt32.max) ? 1 : divisor
    return (UInt32(step), changes.map { $0 / Int64(step) })
  }

  /// Compresses in zlib's format; nil without memory.
  private static func deflate(_ bytes: [UInt8]) -> [UInt8]? {
    if bytes.count < 64 || bytes.count > openedLimit { return nil }
    var size = compressBound(uLong(bytes.count))
    let room = Int(size)
    return try? [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      if compress2(buffer.baseAddress, &size, bytes, uLong(bytes.count), 9) != Z_OK { throw RowMismatch(member: "") }
      count = Int(size)
    }
  }
}
