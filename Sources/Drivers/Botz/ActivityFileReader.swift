// Search for the sessions of an activity file, in pieces.

public import Bluetooth

extension Botz {
  /// Scans one activity file for its sessions. Each byte is examined once, whatever its value. Bytes forged to resemble
  /// footers and headers therefore cost no more time than others.
  public struct ActivityFileReader: Sendable {
    /// Sessions found so far.
    public private(set) var sessions: [ActivityFile.Session] = []
    /// Offset of a header with an unknown version. That header and all bytes after it are not parsed.
    public private(set) var unknownVersion: (offset: Int, version: UInt8)?
    private var open: OpenSession?
    /// Offset at which `sessions` end.
    private var start = 0

    /// A reader at the first byte.
    public init() {}

    /// Scans about `count` further bytes. The bytes must be the same each time.
    ///
    /// - Returns: true at the end.
    /// - Throws: the first defect. `unknownVersion` only for the first session: a later one of an unknown version ends
    ///   the reading.
    public mutating func advance(_ bytes: RawBytes, by count: Int) throws(ActivityFile.Defect) -> Bool {
      var left = count
      while true {
        if open == nil {
          if start >= bytes.count || unknownVersion != nil {
            if sessions.isEmpty { throw .noHeader }
            return true
          }
          open = try header(bytes)
          continue
        }
        let found = open?.scan(bytes, &left)
        open?.follow(bytes)
        guard let end = found ?? open.flatMap({ $0.position >= bytes.count ? bytes.count : nil }) else { return false }
        try close(bytes, end)
      }
    }

    /// nil after the last session that can be parsed.
    private mutating func header(_ bytes: RawBytes) throws(ActivityFile.Defect) -> OpenSession? {
      let rest = RawBytes(rebasing: bytes[start...])
      guard ActivityHeader.isMagic(rest) else { throw .noHeader }
      guard rest.count > 4 else { throw .cutHeader }
      if rest[4] != ActivityHeader.version {
        if start == 0 { throw .unknownVersion(rest[4]) }
        unknownVersion = (start, rest[4])
        return nil
      }
      guard let header = try? ActivityHeader(rest) else { throw .cutHeader }
      if sessions.count == ActivityFile.sessionLimit { throw .tooManySessions }
      return OpenSession(header, body: start + ActivityHeader.size)
    }

    private mutating func close(_ bytes: RawBytes, _ end: Int) throws(ActivityFile.Defect) {
      guard let closed = open else { return }
      if !closed.ascends { throw .disorder(session: sessions.count) }
      sessions.append(closed.session(bytes, end))
      open = nil
      start = end
    }
  }

  /// Session with a parsed header, for which the end is not found yet.
  private struct OpenSession: Sendable {
    let header: ActivityHeader
    /// Offset of its records.
    let body: Int
    /// The next byte at which another header might begin.
    private(set) var position: Int
    /// Records examined before `position`, how many of the first are numbered 0, 1, 2 …, and the last number.
    private var followed = 0
    private var numbered = 0
    private var last: UInt32?
    /// Whether the numbers ascend. Gaps are possible, for records lost inside the insole; a step back means disordered
    /// bytes.
    private(set) var ascends = true

    init(_ header: ActivityHeader, body: Int) {
      self.header = header
      self.body = body
      position = body
    }

    /// Searches for the next header. Either magic, version and the insole's own service match, at any offset, or a
    /// magic directly follows a footer with the right number of records.
    mutating func scan(_ bytes: RawBytes, _ left: inout Int) -> Int? {
      while position < bytes.count, left > 0 {
        if bytes[position] == ActivityHeader.magic[0], isHeader(bytes) { return position }
        position += 1
        left -= 1
      }
      return nil
    }

    private mutating func isHeader(_ bytes: RawBytes) -> Bool {
      let rest = RawBytes(rebasing: bytes[position...])
      guard ActivityHeader.isMagic(rest), rest.count > 4 else { return false }
      if let header = try? ActivityHeader(rest), header.service == Botz.advertisedService { return true }
      let records = (position - body) / ActivityRecord.size
      guard (position - body) % ActivityRecord.size == ActivityFooter.size,
        let footer = try? ActivityFooter(RawBytes(rebasing: bytes[(position - ActivityFooter.size)..<position])),
        footer.packetCount == UInt32(exactly: records)
      else { return false }
      follow(bytes)
      return numbered >= records
    }

    /// Examines the records before `position`.
    mutating func follow(_ bytes: RawBytes) {
      while followed < (position - body) / ActivityRecord.size {
        guard let number = ActivityFile.Session.record(bytes, body + followed * ActivityRecord.size)?.number else {
          return
        }
        if let last, number <= last { ascends = false }
        if numbered == followed, number == UInt32(exactly: followed) { numbered += 1 }
        last = number
        followed += 1
      }
    }

    /// Session with the records and the footer up to `end`.
    func session(_ bytes: RawBytes, _ end: Int) -> ActivityFile.Session {
      let whole = (end - body) / ActivityRecord.size
      let left = body + whole * ActivityRecord.size..<end
      var footer: ActivityFooter?
      if left.count == ActivityFooter.size { footer = try? ActivityFooter(RawBytes(rebasing: bytes[left])) }
      let counts = footer?.packetCount == UInt32(exactly: whole) && numbered >= whole
      // A header after it proves that the session was closed, whatever number the footer has.
      if !counts, end == bytes.count { footer = nil }
      return ActivityFile.Session(
        header: header, firstRecord: body, recordCount: whole, footer: footer, isFooterSound: footer != nil && counts,
        rest: footer == nil ? left : left.upperBound..<left.upperBound)
    }
  }
}
