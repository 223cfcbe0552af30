// Where an activity lies and how its content is told from another's: the names under which the hub keeps custody of it.

import Bluetooth
import Wearable

/// A file, or what was appended to a file after all before it was fetched: `activity_007.dat`, `activity_001.dat+1500`.
struct ActivityPlace: Hashable {
  let number: Botz.FileNumber
  /// Bytes of the file that belong to earlier items.
  let base: Int

  init(_ number: Botz.FileNumber, base: Int = 0) {
    self.number = number
    self.base = base
  }

  /// nil for what this driver never named so.
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

/// `start-size-check`: when the session began on the insole's clock, how long the content is, and a checksum over
/// header and first record. The start alone would not do: a clock that nobody sets begins anew with every restart.
struct ActivityMark: Hashable {
  /// Bytes of the content that it is made of.
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

  /// Seconds in a mark made earlier; nil where there was no header.
  static func start(of text: String) -> UInt32? {
    text.split(separator: "-").first.flatMap { UInt32($0) }.flatMap { $0 == 0 ? nil : $0 }
  }
}

/// What the hub knows of one file from before: the items it became, from the beginning of the file on, without gap.
struct KnownActivity {
  let number: Botz.FileNumber
  /// Those that are in the store, from the beginning of the file on.
  let durable: [KnownItem]
  /// What comes behind them and is not.
  let open: KnownItem?

  /// What its beginning is known as: in the store, or being fetched.
  var first: KnownItem? { durable.first ?? (open.flatMap { ActivityPlace(id: $0.id)?.base == 0 ? $0 : nil }) }

  /// Bytes of the file that are in the store.
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
      // Sizes come from the store: what 64 bits cannot add up is not believed.
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
