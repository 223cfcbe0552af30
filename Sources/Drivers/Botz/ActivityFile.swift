// An activity file of version 3: one session, or several that were appended to each other. Records are read in place.

public import Bluetooth
import Wearable

extension Botz {
  /// `header(53) record(26) × N [footer(20)]`, and the same again where a session was appended to an older file (after
  /// number 255 the numbers begin anew, and files are opened for appending). No marks between records, no checksum.
  ///
  /// Where a session ends is told by the next header, or by the end of the bytes; what is left of its bytes after whole
  /// records is 20 for a footer and 0 for none. A footer at the very end is believed only if it counts the records
  /// before it and these are numbered from 0 on: a file that was cut 20 bytes into a record looks just like it.
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
        forEachRecord(0..<recordCount, in: bytes, body)
      }

      /// Of these alone.
      func forEachRecord(_ records: Range<Int>, in bytes: RawBytes, _ body: (ActivityRecord) -> Void) {
        for index in records {
          guard let record = Self.record(bytes, firstRecord + index * ActivityRecord.size) else { return }
          body(record)
        }
      }

      static func record(_ bytes: RawBytes, _ offset: Int) -> ActivityRecord? {
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
      var reader = ActivityFileReader()
      while try !reader.advance(bytes, by: bytes.count + 1) {}
      sessions = reader.sessions
      unknownVersion = reader.unknownVersion
    }
  }

  /// Follows the clock of a session, which falls back by 512 s each time they have passed since it was last set.
  ///
  /// A step back of more than `jitter` is such a fall. A step forward of 512 s or more, which it cannot make by itself,
  /// is the clock being set: from then on it is right again. Smaller steps are corrections.
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
