// Place and mark of an activity: the names under which the hub keeps custody of it.

import Bluetooth
import Wearable

/// File, or the content appended to a file after its earlier content was fetched: `activity_007.dat`,
/// `activity_001.dat+1500`.
struct ActivityPlace: Hashable {
  let number: Botz.FileNumber
  /// Bytes of the file that belong to earlier items.
  let base: Int

  init(_ number: Botz.FileNumber, base: Int = 0) {
    self.number = number
    self.base = base
  }

  /// nil for an id that this driver never made.
  init?(id: String) {
    let parts = id.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let number = parts.first.flatMap({ Botz.FileNumber(name: $0) }), number.name == parts.first else {
      return nil
    }
    if parts.count == 1 {
      self.init(number)
    } else {
      guard let base = Int(parts[1]), base > 0 else { return nil }
      self.init(number, base: base)
    }
    guard self.id == id else { return nil }
  }

  var id: String { base == 0 ? number.name : "\(number.name)+\(base)" }
}

/// Mark `start-size-check`: start on the insole's clock, length of the content, and a checksum of header and first
/// record. The start alone is not unique, because a clock that is never set begins at the same time after every
/// restart.
struct ActivityMark: Hashable {
  /// Bytes of the content that the mark covers.
  static let prefix = Botz.ActivityHeader.size + Botz.ActivityRecord.size

  let start: UInt32
  let text: String

  /// - Parameter bytes: the content, or at least its first `prefix` bytes.
  init(_ bytes: RawBytes, size: Int) {
    let part = RawBytes(rebasing: bytes.prefix(min(Self.prefix, max(0, size))))
    start = (try? Botz.ActivityHeader(part))?.start ?? 0
    // FNV-1a.
    let check = part.reduce(UInt32(0x811C_9DC5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    text = "\(start)-\(size)-\(String(check, radix: 16))"
  }

  /// Start in an earlier mark, seconds; nil if there was no header.
  static func start(of text: String) -> UInt32? {
    text.split(separator: "-").first.flatMap { UInt32($0) }.flatMap { $0 == 0 ? nil : $0 }
  }
}

/// Known items of one file, from its beginning on and without gaps.
struct KnownActivity {
  let number: Botz.FileNumber
  /// Stored items, from the beginning of the file on.
  let durable: [KnownItem]
  /// The item after them, which is not stored yet.
  let open: KnownItem?

  /// Item at the beginning of the file: stored, or being fetched.
  var first: KnownItem? { durable.first ?? (open.flatMap { ActivityPlace(id: $0.id)?.base == 0 ? $0 : nil }) }

  /// Stored bytes of the file.
  let durableSize: Int

  init(_ number: Botz.FileNumber, _ items: [KnownItem]) {
    self.number = number
    var durable: [KnownItem] = []
    var size = 0
    var open: KnownItem?
    let parts = items.compactMap { item in ActivityPlace(id: item.id).map { (place: $0, item: item) } }.sorted {
      $0.place.base < $1.place.base
    }
    for part in parts where part.place.base == size {
      // Sizes come from the store; a sum beyond 64 bits is not plausible.
      guard part.item.isDurable, let itemSize = part.item.size, itemSize > 0,
        case (let end, let overflow) = size.addingReportingOverflow(itemSize), !overflow
      else {
        open = part.item
        break
      }
      durable.append(part.item)
      size = end
    }
    self.durable = durable
    durableSize = size
    self.open = open
  }
}
