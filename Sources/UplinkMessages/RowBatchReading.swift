// Decoding of a message to a batch of rows. An invalid message is refused as a whole. The bytes are untrusted: any
// client allowed to publish may send anything.

internal import CZlib
internal import MessageReading

/// Reason why a batch was refused.
public enum RowBatchDefect: Error, Hashable, Sendable, CustomStringConvertible {
  case malformed
  case tooLarge
  case unknownVersion(UInt32)
  /// The zlib data is damaged or truncated.
  case notInflated
  /// Contradictory columns, or an impossible value.
  case contradiction(String)

  public var description: String {
    switch self {
    case .malformed: "no message of rows"
    case .tooLarge: "more than a batch may have"
    case .unknownVersion(let version): "version \(version), which this program does not know"
    case .notInflated: "its compressed part is damaged"
    case .contradiction(let what): what
    }
  }
}

extension RowBatch {
  /// Largest message in bytes, compressed or not.
  public static let sizeLimit = 4 << 20
  /// Largest compressed part in bytes after decompression.
  public static let openLimit = 4 << 20
  /// Maximum number of runs of a message.
  public static let runLimit = 4096
  /// Maximum number of rows of a message.
  public static let rowLimit = 65_536
  /// Longest names and units in bytes. The hub's own have at most 64.
  public static let textLimit = 256
  /// Digits after the decimal point: 1/1024 has ten, and no series of a hub has more than sixteen.
  public static let exponentLimit = 30
  /// Memory limit in bytes for each of both messages: 4 MiB of one-byte numbers become 32 MiB.
  private static let cost = 48 << 20

  /// Decodes a message of `hearth/1/GROUP/HUB/rows`.
  ///
  /// - Throws: the first defect; `unknownVersion` for all versions but 1, `tooLarge` beyond the limits above.
  public init(reading bytes: [UInt8]) throws(RowBatchDefect) {
    let message: Hearth_Uplink_Batch = try Self.message(bytes, Self.batchShape, limit: Self.sizeLimit)
    if message.version != 1 { throw .unknownVersion(message.version) }
    store = message.store
    hub = message.hub
    resend = message.resend
    try require(isPlain(hub) && !hub.isEmpty, "the name of its hub is not valid")
    guard let sent = Int64(exactly: message.sentMs), sent <= lastMoment / 1000 else {
      throw .contradiction("it was sent at no time that there is")
    }
    sentMs = sent
    var (wireRuns, retimed) = (message.runs, message.retimed)
    if !message.deflated.isEmpty {
      try require(wireRuns.isEmpty && retimed.isEmpty, "it has rows both compressed and not")
      let opened = try inflated([UInt8](message.deflated), limit: Self.openLimit)
      let runs: Hearth_Uplink_Runs = try Self.message(opened, Self.runsShape, limit: Self.openLimit)
      (wireRuns, retimed) = (runs.runs, runs.retimed)
    }
    if max(wireRuns.count + retimed.count, message.corrections.count, message.heads.count) > Self.runLimit {
      throw .tooLarge
    }
    runs = []
    runs.reserveCapacity(wireRuns.count)
    for run in wireRuns { runs.append(try RowRun(reading: run)) }
    for run in retimed {
      try require(run.clockCorrected, "rows without corrected times are sent again")
      runs.append(try RowRun(reading: run))
    }
    corrections = []
    for correction in message.corrections {
      try require(isPlain(correction.wearer), "a wearer's name is not valid")
      try require(
        correction.fromUs <= correction.toUs && isMoment(correction.fromUs) && isMoment(correction.toUs),
        "a correction is of no time that there is")
      corrections.append(
        RowCorrection(
          enrolment: correction.enrolment, times: correction.fromUs..<correction.toUs, wearer: correction.wearer))
    }
    heads = []
    for head in message.heads { heads.append(try RingHead(reading: head)) }
  }

  private static func message<Content: WireMessage>(_ bytes: [UInt8], _ shape: WireShape, limit: Int)
    throws(RowBatchDefect) -> Content
  {
    let bounds = ReadingBounds(size: limit, cost: cost)
    let result: Result<Content, ReadingDefect> = bytes.withUnsafeBytes { raw in
      do throws(ReadingDefect) { return .success(try MessageReader<Content>.whole(raw, shape, bounds)) } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let content): return content
    case .failure(.malformed): throw .malformed
    case .failure(.tooLarge): throw .tooLarge
    }
  }

  /// Memory of an empty run, correction and position in bytes.
  private static let runShape = WireShape([
    9: .varints(8), 12: .varints(8), 16: .varints(4), 17: .varints(8), 18: .varints(8), 29: .varints(4),
  ])
  private static let batchShape = WireShape(
    [
      5: .messages(512, runShape), 7: .messages(64, WireShape()), 9: .messages(128, WireShape()),
      10: .messages(512, runShape),
    ], messages: 3 * runLimit)
  private static let runsShape = WireShape(
    [1: .messages(512, runShape), 2: .messages(512, runShape)], messages: runLimit)
}

/// 0001-01-01 and 10000-01-01, µs since 1970: years that every database and calendar can represent.
private let firstMoment: Int64 = -62_135_596_800_000_000
private let lastMoment: Int64 = 253_402_300_800_000_000

func isMoment(_ microseconds: Int64) -> Bool { microseconds >= firstMoment && microseconds < lastMoment }

/// Whether a text is short enough and free of zero bytes, which a hub never sends and PostgreSQL could not store.
func isPlain(_ text: String) -> Bool { text.utf8.count <= RowBatch.textLimit && !text.utf8.contains(0) }

func require(_ holds: Bool, _ what: @autoclosure () -> String) throws(RowBatchDefect) {
  if !holds { throw .contradiction(what()) }
}

/// Decompresses zlib's format (RFC 1950), complete and without trailing bytes.
func inflated(_ bytes: [UInt8], limit: Int) throws(RowBatchDefect) -> [UInt8] {
  // Deflate expands a byte to at most 1032 (RFC 1951: 258 bytes from two bits).
  let most = min(limit, bytes.count * 1032)
  var made = 0
  var whole = true
  var result = Z_OK
  let content = [UInt8](unsafeUninitializedCapacity: most + 1) { buffer, count in
    var (size, taken) = (uLongf(most + 1), uLong(bytes.count))
    result = uncompress2(buffer.baseAddress, &size, bytes, &taken)
    whole = taken == bytes.count
    made = result == Z_OK ? Int(size) : 0
    count = made
  }
  if result == Z_BUF_ERROR && most == limit { throw .tooLarge }
  if result != Z_OK || !whole { throw .notInflated }
  if made > limit { throw .tooLarge }
  return content
}
