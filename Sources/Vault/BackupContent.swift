// Content of a backup as plain bytes: entries one after the other. Untrusted, even after the seal has been opened.

public import EventLoop
public import Reasons
public import RingStore

/// Header of a backup.
public struct BackupHead: Sendable, Hashable {
  /// Name of the hub.
  public var hub: String
  /// Version of the program that made it.
  public var version: String
  /// Time of the backup.
  public var madeAt: WallTime
  /// Number of the format of the backed-up store.
  public var storeFormat: UInt16
  /// True if samples are in it.
  public var hasSamples: Bool
  /// Address of the adapter that bonds were made with; nil: unknown.
  public var radio: RadioIdentity?

  /// Header of a backup; `radio` nil: no address is fixed.
  public init(
    hub: String, version: String, madeAt: WallTime, storeFormat: UInt16, hasSamples: Bool,
    radio: RadioIdentity? = nil
  ) {
    self.hub = hub
    self.version = version
    self.madeAt = madeAt
    self.storeFormat = storeFormat
    self.hasSamples = hasSamples
    self.radio = radio
  }
}

/// Entry of a backup: the head comes first, the end last.
public enum BackupEntry: Sendable, Hashable {
  case head(BackupHead)
  /// File of the configuration: its name within the folder of the main file, and its text.
  case file(name: String, text: [UInt8])
  case rows([BackupRow])
  /// Last entry: the number of rows.
  case end(rows: UInt64)
}

/// Encoding of entries (integers little-endian; *text*: length (u8), UTF-8):
///
/// | bytes | field |
/// |---|---|
/// | 1 | kind: 1 head, 2 file, 3 rows, 4 end |
/// | 4 | length of the content (u32), at most 256 KiB |
/// | … | content |
///
/// Head: layout (u8): 1; time (i64, microseconds since 1970); format of the store (u16); flags (u8): bit 0 with
/// samples. Then the type of the adapter's address (u8): 0 unknown, 1 public, 2 random; address (6); texts: hub,
/// version. File: text name, then the bytes of the file. Rows: as `BackupRow`. End: number of rows (u64). A backup has
/// one head, first, and one end, last.
public enum BackupContent {
  /// Maximum number of bytes of a file.
  public static let fileLimit = 128 << 10
  /// Maximum number of files of a backup.
  public static let files = 65
  static let entryLimit = 256 << 10
  static let layout: UInt8 = 1
  fileprivate static let frame = 5

  /// The header as an entry.
  public static func head(_ head: BackupHead) -> [UInt8] {
    var content: [UInt8] = [layout]
    content.append(little: UInt64(bitPattern: head.madeAt.microseconds), 8)
    content.append(little: UInt64(head.storeFormat), 2)
    content.append(head.hasSamples ? 1 : 0)
    content.append(head.radio?.kind ?? 0)
    content.append(little: head.radio?.value ?? 0, 6)
    for text in [head.hub, head.version] { append(text, to: &content) }
    return framed(1, content)
  }

  /// A file as an entry, cut to `fileLimit`.
  public static func file(name: String, text: [UInt8]) -> [UInt8] {
    var content: [UInt8] = []
    append(name, to: &content)
    return framed(2, content + text.prefix(fileLimit))
  }

  /// Rows as an entry.
  public static func rows(_ page: BackupPage) -> [UInt8] { framed(3, page.bytes) }

  /// The end as an entry.
  public static func end(rows: UInt64) -> [UInt8] {
    var content: [UInt8] = []
    content.append(little: rows, 8)
    return framed(4, content)
  }

  private static func framed(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
    var bytes = [kind]
    bytes.append(little: UInt64(content.count), 4)
    return bytes + content
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    let cut = Array(text.utf8.prefix(255))
    bytes.append(UInt8(cut.count))
    bytes += cut
  }
}

/// Incremental parser of entries.
public struct BackupContentReader {
  private var waiting: [UInt8] = []
  private var hasHead = false
  private var hasEnded = false
  private var rows: UInt64 = 0
  private var files = 0

  /// A parser at the first byte.
  public init() {}

  /// Adds bytes; returns the entries that are complete by now.
  ///
  /// - Throws: `backupDamaged`.
  public mutating func add(_ bytes: [UInt8]) throws(HearthError) -> [BackupEntry] {
    waiting += bytes
    var entries: [BackupEntry] = []
    var place = 0
    while waiting.count - place >= BackupContent.frame {
      let size = (1...4).reversed().reduce(0) { $0 << 8 | Int(waiting[place + $1]) }
      if size > BackupContent.entryLimit { throw Self.damaged("an entry of \(size) bytes") }
      let begin = place + BackupContent.frame
      if waiting.count - begin < size { break }
      entries.append(try entry(waiting[place], Array(waiting[begin..<(begin + size)])))
      place = begin + size
    }
    if place > 0 { waiting.removeFirst(place) }
    return entries
  }

  /// - Throws: `backupDamaged` if the end is missing.
  public func finish() throws(HearthError) {
    if !hasEnded || !waiting.isEmpty { throw Self.damaged("no end") }
  }

  private static func damaged(_ what: String) -> HearthError {
    HearthError(.backupDamaged, "what was sealed is no backup of this version: it has \(what)")
  }

  private mutating func entry(_ kind: UInt8, _ content: [UInt8]) throws(HearthError) -> BackupEntry {
    if hasEnded { throw Self.damaged("something behind its end") }
    if hasHead == (kind == 1) { throw Self.damaged(hasHead ? "two beginnings" : "no beginning") }
    var reader = PlaintextReader(content)
    switch kind {
    case 1:
      guard let head = reader.head() else { throw Self.damaged("another beginning") }
      hasHead = true
      return .head(head)
    case 2:
      files += 1
      guard let name = reader.text(), let text = reader.rest(), text.count <= BackupContent.fileLimit,
        files <= BackupContent.files, Self.isPlain(name)
      else { throw Self.damaged("an invalid file") }
      return .file(name: name, text: text)
    case 3:
      guard let found = BackupRow.parse(content) else { throw Self.damaged("invalid rows") }
      rows += UInt64(found.count)
      return .rows(found)
    case 4:
      guard let count = reader.little(8), reader.isAtEnd, count == rows else { throw Self.damaged("another end") }
      hasEnded = true
      return .end(rows: count)
    default: throw Self.damaged("an entry of kind \(kind)")
    }
  }

  /// Whether a name stays in its folder: `hearth.yaml` or `hearth.d/10-gym.yaml`.
  private static func isPlain(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return (1...2).contains(parts.count)
      && parts.allSatisfy { part in
        !part.isEmpty && !part.hasPrefix(".") && part.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      }
  }
}

extension PlaintextReader {
  fileprivate mutating func head() -> BackupHead? {
    guard u8() == BackupContent.layout, let time = little(8), let format = little(2), let flags = u8(), flags <= 1,
      let kind = u8(), kind <= 2, let address = little(6), let hub = text(), let version = text(), isAtEnd
    else { return nil }
    return BackupHead(
      hub: hub, version: version, madeAt: WallTime(microseconds: Int64(bitPattern: time)),
      storeFormat: UInt16(truncatingIfNeeded: format), hasSamples: flags == 1,
      radio: kind == 0 ? nil : RadioIdentity(value: address, kind: kind))
  }
}
