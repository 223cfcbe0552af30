// An activity file of version 3: one session, or several that were appended to each other. Records are read in place.

public import Bluetooth
import Wearable

extension Botz {
  /// `header(53) record(26) × N [footer(20)]`, and the same again where a session was appended to an older file (after number 255 the numbers begin anew,
  /// and files are opened for appending). No marks between records, no checksum.
  ///
  /// Where a session ends is told by the next header, or by the end of the bytes; what is left of its bytes after whole records is 20 for a footer and 0
  /// for none. A footer at the very end is believed only if it counts the records before it and these are numbered from 0 on: a file that was cut 20
  /// bytes into a record looks just like it.
  public struct ActivityFile: Sendable {
    /// One session of a file.
    public struct Session: Sendable {
      public let header: ActivityHeader
      /// Where its first record begins, and how many there are.
      public let firstRecord: Int
      public let recordCount: Int
      /// nil where the session was not stopped in order, is still recorded, or was cut.
      public let footer: ActivityFooter?
      /// The footer counts the records that are there.
      public let isFooterSound: Bool
      /// Bytes at its end that are neither a whole record nor a footer.
      public let rest: Range<Int>

      /// How it ended, for people.
      public var ending: String {
        if footer != nil { return isFooterSound ? "closed" : "closed, with a footer that counts otherwise" }
        return rest.isEmpty ? "not closed" : "cut"
      }

      /// Calls with each record, in order. The bytes must be those of which the file was made.
      public func forEachRecord(in bytes: RawBytes, _ body: (ActivityRecord) -> Void) {
        for index in 0..<recordCount {
          guard let record = Self.record(bytes, firstRecord + index * ActivityRecord.size) else { return }
          body(record)
        }
      }

      fileprivate static func record(_ bytes: RawBytes, _ offset: Int) -> ActivityRecord? {
        guard offset >= 0, offset + ActivityRecord.size <= bytes.count else { return nil }
        return try? ActivityRecord(RawBytes(rebasing: bytes[offset..<(offset + ActivityRecord.size)]))
      }
    }

    public let sessions: [Session]
    /// Where a header of a version begins that nobody here knows; it and all behind it is not parsed.
    public let unknownVersion: (offset: Int, version: UInt8)?

    /// Of one file: its memory holds no more headers than some thousands, and no real file more than a few.
    public static let sessionLimit = 1024

    public enum Defect: Error, Sendable, Hashable {
      /// It does not begin with the magic.
      case noHeader
      /// It ends within its first header.
      case cutHeader
      case unknownVersion(UInt8)
      case tooManySessions
      /// A session's numbers do not ascend.
      case disorder(session: Int)
    }

    public init(_ bytes: RawBytes) throws(Defect) {
      var sessions: [Session] = []
      var unknown: (offset: Int, version: UInt8)?
      var start = 0
      while start < bytes.count {
        let rest = RawBytes(rebasing: bytes[start...])
        guard ActivityHeader.isMagic(rest) else { throw .noHeader }
        guard rest.count > 4 else { throw .cutHeader }
        if rest[4] != ActivityHeader.version {
          if start == 0 { throw .unknownVersion(rest[4]) }
          unknown = (start, rest[4])
          break
        }
        guard let header = try? ActivityHeader(rest) else { throw .cutHeader }
        if sessions.count == Self.sessionLimit { throw .tooManySessions }
        let end = Self.nextHeader(bytes, after: start) ?? bytes.count
        let session = Self.session(header, bytes, start + ActivityHeader.size..<end, isFollowed: end < bytes.count)
        guard Self.ascends(session, bytes) else { throw .disorder(session: sessions.count) }
        sessions.append(session)
        start = end
      }
      if sessions.isEmpty { throw .noHeader }
      self.sessions = sessions
      unknownVersion = unknown
    }

    /// The records and the footer between a header and `body`'s end.
    private static func session(_ header: ActivityHeader, _ bytes: RawBytes, _ body: Range<Int>, isFollowed: Bool) -> Session {
      let whole = body.count / ActivityRecord.size
      let left = body.lowerBound + whole * ActivityRecord.size..<body.upperBound
      var footer: ActivityFooter?
      if left.count == ActivityFooter.size { footer = try? ActivityFooter(RawBytes(rebasing: bytes[left])) }
      let counts = footer?.packetCount == UInt32(exactly: whole) && isNumbered(bytes, body.lowerBound, whole)
      // A header behind it proves that the session was closed, whatever the footer counts.
      if !counts, !isFollowed { footer = nil }
      return Session(
        header: header, firstRecord: body.lowerBound, recordCount: whole, footer: footer, isFooterSound: footer != nil && counts,
        rest: footer == nil ? left : left.upperBound..<left.upperBound)
    }

    private static func isNumbered(_ bytes: RawBytes, _ first: Int, _ count: Int) -> Bool {
      (0..<count).allSatisfy { Session.record(bytes, first + $0 * ActivityRecord.size)?.number == UInt32(exactly: $0) }
    }

    /// Numbers may leave some out, for records that were lost inside the insole, but never go back: that would be bytes in disorder.
    private static func ascends(_ session: Session, _ bytes: RawBytes) -> Bool {
      var last: UInt32?
      var ascends = true
      session.forEachRecord(in: bytes) { record in
        if let last, record.number <= last { ascends = false }
        last = record.number
      }
      return ascends
    }

    /// The next header behind the one at `start`: magic, version and the insole's own service, wherever it stands; or a magic right behind a footer that
    /// counts its records.
    private static func nextHeader(_ bytes: RawBytes, after start: Int) -> Int? {
      let body = start + ActivityHeader.size
      guard body <= bytes.count else { return nil }
      for offset in body..<bytes.count where bytes[offset] == ActivityHeader.magic[0] {
        let rest = RawBytes(rebasing: bytes[offset...])
        guard ActivityHeader.isMagic(rest), rest.count > 4 else { continue }
        if let header = try? ActivityHeader(rest), header.service == Botz.advertisedService { return offset }
        let records = (offset - body) / ActivityRecord.size
        guard (offset - body) % ActivityRecord.size == ActivityFooter.size,
          let footer = try? ActivityFooter(RawBytes(rebasing: bytes[(offset - ActivityFooter.size)..<offset])),
          footer.packetCount == UInt32(exactly: records), isNumbered(bytes, body, records)
        else { continue }
        return offset
      }
      return nil
    }
  }

  /// Follows the clock of a session, which falls back by 512 s each time they have passed since it was last set.
  ///
  /// A step back of more than `jitter` is such a fall. A step forward of 512 s or more, which it cannot make by itself, is the clock being set: from then on it is
  /// right again. Smaller steps are corrections.
  public struct ClockUnwrapper: Sendable {
    /// Seconds that the clock is put right by in daily life.
    public static let jitter: Int64 = 2

    private var last: Int64
    private var added: Int64 = 0

    /// - Parameter start: as in the header, s since 1970.
    public init(start: UInt32) { last = Int64(start) }

    /// The time in s since 1970 that the clock would have shown had it not fallen back.
    public mutating func unwrap(_ time: UInt32) -> Int64 {
      let time = Int64(time)
      let step = time - last
      last = time
      if step < -Self.jitter {
        added += Int64(Botz.clockWrap)
      } else if added > 0, step >= Int64(Botz.clockWrap) {
        added = 0
      }
      return time + added
    }
  }
}
