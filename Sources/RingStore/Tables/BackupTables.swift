// The tables of a backup, their numbers, and the rows of their entries.

/// A table of a backup. Numbers are never used again.
enum BackupTable: UInt8, CaseIterable, Sendable {
  case meta = 1
  case registry = 2
  case wearers = 3
  case assignments = 4
  case readers = 5
  case bonds = 6
  case receipts = 7
  case batches = 8
  case visits = 9
  case events = 10
  case custody = 11
  case staged = 12
  case hubState = 13
  case driverState = 14
  case accesses = 15
  case erasures = 16
  case corrections = 17
  case watermarks = 18
  case rings = 19
  // Only in backups with samples.
  case chunks = 32
  case journal = 33
  case quarantine = 34

  /// The table of the store. `cursors` is retired and has no case.
  var field: any KeyPath<Tables, UInt32> & Sendable {
    switch self {
    case .meta: \.meta
    case .registry: \.registry
    case .wearers: \.wearers
    case .assignments: \.assignments
    case .readers: \.readers
    case .bonds: \.bonds
    case .receipts: \.receipts
    case .batches: \.batches
    case .visits: \.visits
    case .events: \.events
    case .custody: \.custody
    case .staged: \.staged
    case .hubState: \.hubState
    case .driverState: \.driverState
    case .accesses: \.accesses
    case .erasures: \.erasures
    case .corrections: \.corrections
    case .watermarks: \.watermarks
    case .rings: \.rings
    case .chunks: \.chunks
    case .journal: \.journal
    case .quarantine: \.quarantine
    }
  }

  /// The table name to which seals are bound; nil if its records are never sealed.
  var nameOfSeals: String? {
    switch self {
    case .bonds: "bonds"
    case .registry: "registry"
    case .driverState: "driver-state"
    default: nil
    }
  }

  var hasSamples: Bool { rawValue >= BackupTable.chunks.rawValue }

  /// Keys of `meta` in a backup: counters, and past boots. Format, secrets, odometer, wear and run belong to a store.
  /// The number stays with the chunks that it is in.
  static let metaKeys: Set<[UInt8]> = Set(
    ["next-wearable", "next-wearer", "evicted", "boots"].map { Array($0.utf8) } + [StoreNumber.key])
  /// The next number of the journal, for a restored store with an empty journal.
  static let journalEnd = Array("journal-end".utf8)
}

/// An entry of a table, with its secrets in the clear.
///
/// | bytes | field |
/// |---|---|
/// | 1 | table |
/// | 2 | length of the key (u16), 1 to 511: LMDB's bound |
/// | 4 | length of the value (u32), at most 65,536: the bound of a record with fields; all other values are shorter |
/// | … | key, value |
public struct BackupRow: Sendable, Hashable {
  /// Number of the table.
  public let table: UInt8
  /// Key of the entry.
  public let key: [UInt8]
  /// Value of the entry, secrets in clear.
  public let value: [UInt8]

  static let head = 7
  static let keyLimit = 511
  static let valueLimit = 65_536

  static func append(
    _ table: BackupTable, _ key: some Collection<UInt8>, _ value: some Collection<UInt8>, to bytes: inout [UInt8]
  ) {
    bytes.append(table.rawValue)
    bytes.append(littleEndian: UInt16(key.count))
    bytes.append(littleEndian: UInt32(value.count))
    bytes.append(contentsOf: key)
    bytes.append(contentsOf: value)
  }

  /// The rows of one page; nil unless all are whole and within their bounds. Table numbers are not checked.
  public static func parse(_ bytes: [UInt8]) -> [BackupRow]? {
    var rows: [BackupRow] = []
    var place = 0
    while place < bytes.count {
      guard bytes.count - place >= head else { return nil }
      let keySize = Int(bytes[place + 1]) | Int(bytes[place + 2]) << 8
      let valueSize = (3..<7).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
      let begin = place + head
      guard (1...keyLimit).contains(keySize), valueSize <= valueLimit, bytes.count - begin >= keySize + valueSize else {
        return nil
      }
      let middle = begin + keySize
      rows.append(
        BackupRow(
          table: bytes[place], key: Array(bytes[begin..<middle]), value: Array(bytes[middle..<(middle + valueSize)])))
      place = middle + valueSize
    }
    return rows
  }
}

/// Some rows of a backup, one after the other.
public struct BackupPage: Sendable {
  /// Encoded rows.
  public var bytes: [UInt8]
  /// True for the last page.
  public var isLast: Bool

  /// A page of encoded rows.
  public init(bytes: [UInt8], isLast: Bool) {
    self.bytes = bytes
    self.isLast = isLast
  }

  /// A page ends with the row that reaches this size: some milliseconds of the smallest board.
  public static let size = 64 << 10
  /// Largest page: its last row begins below `size`.
  public static let limit = size + BackupRow.head + BackupRow.keyLimit + BackupRow.valueLimit
}
