// The file format of time zones (TZif, RFC 9636).

/// Parsed time zone file.
///
/// | bytes | header, once in version 1 and twice from version 2 on |
/// |---:|---|
/// | 4 | `TZif` |
/// | 1 | version: 0, or `2` to `4` as text |
/// | 15 | unused |
/// | 6 × 4 | counts: UT indicators, standard indicators, leap seconds, changes, types, characters of names |
///
/// After each header its data. First come the times of changes, big-endian, with 4 bytes each after the first header
/// and 8 after the second. Then their types (1 byte each), types (4 bytes offset, 1 daylight or not, 1 name), names,
/// leap seconds, indicators. The second ends with a line feed, the yearly rule and a line feed.
struct TZif {
  /// Ascending, seconds since 1970.
  private(set) var changes: [Int64] = []
  /// Offset from each change on.
  private(set) var offsets: [Int64] = []
  private(set) var firstOffset: Int64 = 0
  private(set) var rule: YearlyRule?

  /// Largest file in bytes. Real ones have less than 4,000.
  static let sizeLimit = 65_536
  /// Maximum number of changes in a file. Real ones have up to 310.
  static let changeLimit = 4_096

  /// nil for any format error. Leap seconds count as an error, because times here have no leap seconds.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.sizeLimit else { return nil }
    var reader = FileReader(bytes: bytes)
    guard var header = Header(&reader) else { return nil }
    var timeSize = 4
    if header.version != 0 {
      guard reader.skip(header.dataSize(timeSize: 4)), let second = Header(&reader), second.version == header.version
      else { return nil }
      header = second
      timeSize = 8
    }
    guard header.leapCount == 0, (1...256).contains(header.typeCount), header.changeCount <= Self.changeLimit else {
      return nil
    }

    // Checks that all data is in the file before it is parsed.
    let dataEnd = reader.offset + header.dataSize(timeSize: timeSize)
    guard dataEnd <= bytes.count else { return nil }
    changes.reserveCapacity(header.changeCount)
    for _ in 0..<header.changeCount {
      guard let time = reader.signed(timeSize) else { return nil }
      // Some files begin with a change before the Big Bang; it is clamped.
      let change = Swift.min(Swift.max(time, -TimeZoneRules.never), TimeZoneRules.never)
      if let last = changes.last, change <= last { return nil }
      changes.append(change)
    }
    var types: [Int] = []
    types.reserveCapacity(header.changeCount)
    for _ in 0..<header.changeCount {
      guard let type = reader.unsigned(1), type < header.typeCount else { return nil }
      types.append(type)
    }
    var typeOffsets: [Int64] = []
    typeOffsets.reserveCapacity(header.typeCount)
    for _ in 0..<header.typeCount {
      guard let offset = reader.signed(4), TimeZoneRules.offsetRange.contains(offset), reader.skip(2) else {
        return nil
      }
      typeOffsets.append(offset)
    }
    firstOffset = typeOffsets[0]
    offsets = types.map { typeOffsets[$0] }
    if header.version == 0 { return }

    guard bytes.count >= dataEnd + 2, bytes[dataEnd] == 0x0A, let end = bytes[(dataEnd + 1)...].firstIndex(of: 0x0A)
    else { return nil }
    let text = bytes[(dataEnd + 1)..<end]
    if text.isEmpty { return }
    guard let rule = YearlyRule(text) else { return nil }
    self.rule = rule
  }

  private struct Header {
    let version: UInt8
    let indicatorCount: Int
    let leapCount: Int
    let changeCount: Int
    let typeCount: Int
    let characterCount: Int

    init?(_ reader: inout FileReader) {
      guard reader.unsigned(4) == 0x545A_6966, let version = reader.unsigned(1),
        version == 0 || (0x32...0x34).contains(version), reader.skip(15),
        let utCount = reader.unsigned(4), let standardCount = reader.unsigned(4), let leapCount = reader.unsigned(4),
        let changeCount = reader.unsigned(4), let typeCount = reader.unsigned(4),
        let characterCount = reader.unsigned(4)
      else { return nil }
      self.version = UInt8(version)
      indicatorCount = utCount + standardCount
      self.leapCount = leapCount
      self.changeCount = changeCount
      self.typeCount = typeCount
      self.characterCount = characterCount
    }

    /// Size of the data. The counts have 32 bits each, so the sum cannot overflow.
    func dataSize(timeSize: Int) -> Int {
      changeCount * (timeSize + 1) + typeCount * 6 + characterCount + leapCount * (timeSize + 4) + indicatorCount
    }
  }
}

private struct FileReader {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func skip(_ count: Int) -> Bool {
    guard count <= bytes.count - offset else { return false }
    offset += count
    return true
  }

  /// Big-endian; `size` is 1 to 4.
  mutating func unsigned(_ size: Int) -> Int? {
    guard size <= bytes.count - offset else { return nil }
    var value = 0
    for byte in bytes[offset..<(offset + size)] { value = value << 8 | Int(byte) }
    offset += size
    return value
  }

  /// Big-endian; `size` is 4 or 8.
  mutating func signed(_ size: Int) -> Int64? {
    guard size <= bytes.count - offset else { return nil }
    var value: UInt64 = 0
    for byte in bytes[offset..<(offset + size)] { value = value << 8 | UInt64(byte) }
    offset += size
    return size == 8 ? Int64(bitPattern: value) : Int64(Int32(truncatingIfNeeded: value))
  }
}
