// Activity file of version 3: one session, or several appended to each other. Records are read in place.

public import Bluetooth
import Wearable

extension Botz {
  /// Activity file: `header(53) record(26) × N [footer(20)]`, repeated if a session was appended to an older file.
  /// After number 255 the numbers restart, and files are opened for appending. There are no separators between records,
  /// and no checksum.
  ///
  /// A session ends at the next header, or at the end of the bytes. After whole records 20 bytes remain with a footer,
  /// and 0 without one. A footer at the very end counts only if it has the right number of records, and these are
  /// numbered from 0 on. A file truncated 20 bytes into a record looks the same otherwise.
  public struct ActivityFile: Sendable {
    /// Session of a file.
    public struct Session: Sendable {
      /// Header of the session.
      public let header: ActivityHeader
      /// Offset of its first record, and number of records.
      public let firstRecord: Int
      /// Number of records.
      public let recordCount: Int
      /// nil if the session was not stopped properly, is still recording, or was truncated.
      public let footer: ActivityFooter?
      /// Whether the footer has the right number of records.
      public let isFooterSound: Bool
      /// Bytes at its end that are neither a whole record nor a footer.
      public let rest: Range<Int>

      /// Ending for display.
      public var ending: String {
        if footer != nil { return isFooterSound ? "closed" : "closed, with a footer of other counts" }
        return rest.isEmpty ? "not closed" : "cut"
      }

      /// Calls with each record, in order. The bytes must be those from which the file was parsed.
      public func forEachRecord(in bytes: RawBytes, _ body: (ActivityRecord) -> Void) {
        forEachRecord(0..<recordCount, in: bytes, body)
      }

      /// Calls with each of these records.
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

    /// Sessions in the order of the file.
    public let sessions: [Session]
    /// Offset of a header with an unknown version. That header and all bytes after it are not parsed.
    public let unknownVersion: (offset: Int, version: UInt8)?

    /// Maximum number of sessions of a file. The memory has room for some thousand headers, and a real file has a few.
    public static let sessionLimit = 1024

    /// Reason why a file cannot be read.
    public enum Defect: Error, Sendable, Hashable {
      /// The file does not begin with the magic.
      case noHeader
      /// The file ends within its first header.
      case cutHeader
      case unknownVersion(UInt8)
      case tooManySessions
      /// The record numbers of a session do not ascend.
      case disorder(session: Int)
    }

    /// Reads a whole file.
    ///
    /// - Throws: the first defect, as `ActivityFileReader.advance`.
    public init(_ bytes: RawBytes) throws(Defect) {
      var reader = ActivityFileReader()
      while try !reader.advance(bytes, by: bytes.count + 1) {}
      sessions = reader.sessions
      unknownVersion = reader.unknownVersion
    }
  }

  /// Reconstructs the clock of a session, which falls back by 512 s whenever that time has passed since it was set.
  ///
  /// A step back of more than `jitter` is such a fall. A step forward of 512 s or more, which the clock cannot make by
  /// itself, means that it was set and is right again. Smaller steps are corrections.
  public struct ClockUnwrapper: Sendable {
    /// Seconds of an ordinary correction.
    public static let jitter: Int64 = 2

    private var last: Int64
    private var added: Int64 = 0

    /// - Parameter start: as in the header, s since 1970.
    public init(start: UInt32) { last = Int64(start) }

    /// Time in s since 1970 without the falls.
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
