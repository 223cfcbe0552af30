// Content of an activity file: verification of its bytes, and decoding into samples, in pieces.

import Bluetooth
import Health
import Wearable

/// Verification and decoding of one activity file.
final class ActivityContents: IncrementalDecoder {
  private let item: HeldItem
  private var reader = Botz.ActivityFileReader()
  private var session = 0
  private var record = 0
  private var clock: Botz.ClockUnwrapper?

  /// Bytes per piece: 315 records, some 2,800 samples, decoded and stored within 2 ms on the smallest board.
  static let size = 8 << 10

  /// Largest item, bytes. A session has at most one record of 26 bytes per second, 94 kB an hour, so this is 33 hours.
  /// Longer files stay on the insole.
  nonisolated static let limit = 3 << 20

  init(_ item: HeldItem) { self.item = item }

  /// - Throws: `unsupported` for more than `limit`.
  static func check(_ id: String, _ size: Int) throws(VisitTrouble) {
    if size > limit { throw .unsupported("\(id) is said to have \(size) bytes; at most \(limit) are fetched") }
  }

  func verifyNext(_ bytes: RawBytes) throws(ItemDefect) -> ItemVerdict? {
    if let size = item.size, bytes.count < size { throw .cut("\(bytes.count) of \(size) bytes") }
    do throws(Botz.ActivityFile.Defect) {
      guard try reader.advance(bytes, by: Self.size) else { return nil }
    } catch {
      throw ItemDefect(error)
    }
    if let unknown = reader.unknownVersion { throw ItemDefect(.unknownVersion(unknown.version)) }
    let records = reader.sessions.reduce(0) { $0 + $1.recordCount }
    let sessions = reader.sessions.count == 1 ? "" : "\(reader.sessions.count) sessions, "
    let ending = reader.sessions.last?.ending ?? ""
    // An unfinished file that is not open counts as final: after a lost session (battery) the insole never closes it.
    return ItemVerdict(
      summary: "\(sessions)\(records) records, \(ending)", isFinal: !item.isOpen,
      mark: ActivityMark(bytes, size: bytes.count).text)
  }

  func rewind() { (session, record, clock) = (0, 0, nil) }

  func decodeNext(_ bytes: RawBytes, into sink: any ItemSink) throws(ItemDefect) -> Bool {
    guard session < reader.sessions.count else { return false }
    let current = reader.sessions[session]
    let end = min(record + Self.size / Botz.ActivityRecord.size, current.recordCount)
    var clock = clock ?? Botz.ClockUnwrapper(start: current.header.start)
    current.forEachRecord(record..<end, in: bytes) { record in
      let time = clock.unwrap(record.time) * 1_000_000
      record.forEachSample { series, values in
        sink.append(series, values, bytes: [], at: time, kind: .normal, isManual: false)
      }
    }
    (self.clock, record) = (clock, end)
    if end == current.recordCount {
      noteEnd(of: current, sink)
      (session, record, self.clock) = (session + 1, 0, nil)
    }
    return session < reader.sessions.count
  }

  private func noteEnd(of session: Botz.ActivityFile.Session, _ sink: any ItemSink) {
    if !session.rest.isEmpty { sink.noteAnomaly("activity file: a cut record at the end") }
    if session.footer != nil, !session.isFooterSound {
      sink.noteAnomaly("activity file: a footer with other counts")
    }
    if session.recordCount == 0, session.footer == nil {
      sink.noteAnomaly("activity file: a session without its records")
    }
  }
}

extension ItemDefect {
  init(_ defect: Botz.ActivityFile.Defect) {
    switch defect {
    case .unknownVersion(let version): self = .unknownVersion("activity file of version \(version)")
    case .cutHeader: self = .cut("it ends within its header")
    case .noHeader: self = .malformed("it does not begin with a header")
    case .tooManySessions: self = .malformed("more than \(Botz.ActivityFile.sessionLimit) sessions")
    case .disorder(let session): self = .malformed("records of session \(session + 1) are in disorder")
    }
  }
}
