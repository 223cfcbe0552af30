// Look at a band, as bytes: the answer itself, when it was read, and what of it was already stored.
//
// A band keeps growing days and erases no data. An item is therefore a look: the answer with a head, which can be
// verified and decoded by itself and always yields the same samples. The look also contains which values of its place
// are stored already, so that no value is stored twice.

import Bluetooth
import Wearable

/// Head of a look.
///
///     0     layout, 1
///     1     kind
///     2     bit 0: its times are unsure; bit 1: its day was over; bit 2: its counters restarted; bit 3: the whole
///           place again; bit 4: the clock is moved after this look
///     3-6   time of reading on the band's clock, seconds since 1970, little-endian
struct LookHead: Sendable, Hashable {
  enum Kind: UInt8, Sendable {
    case rates = 1
    case sleep = 2
    case totals = 3
    case training = 4
    case trainingRates = 5
  }

  struct Marks: OptionSet, Sendable, Hashable {
    let rawValue: UInt8
    /// Measured before this hub set the clock, or of a day that cannot be determined.
    static let unsure = Marks(rawValue: 1)
    static let dayIsOver = Marks(rawValue: 2)
    static let anew = Marks(rawValue: 4)
    static let again = Marks(rawValue: 8)
    /// The clock is moved after this look is stored, so the value in progress is never completed.
    static let last = Marks(rawValue: 16)
  }

  let kind: Kind
  let marks: Marks
  let readAt: UInt32

  private static let layout: UInt8 = 1
  static let size = 7

  init(_ kind: Kind, _ marks: Marks, readAt: UInt32) { (self.kind, self.marks, self.readAt) = (kind, marks, readAt) }

  init(_ reader: inout ByteReader, _ kind: Kind) throws(ItemDefect) {
    guard let layout = reader.u8(), let found = reader.u8(), let marks = reader.u8(), let readAt = reader.u32() else {
      throw .cut("a look without its head")
    }
    guard layout == Self.layout else { throw .unknownVersion("a look of layout \(layout)") }
    guard found == kind.rawValue else { throw .malformed("a look of another kind") }
    self.init(kind, Marks(rawValue: marks), readAt: readAt)
  }

  var bytes: [UInt8] {
    var bytes = [Self.layout, kind.rawValue, marks.rawValue]
    bytes.append(littleEndian: readAt)
    return bytes
  }

  /// Latest valid time: values after it were in the future, seconds.
  var latest: Int64 { Int64(readAt) + MoyoungTime.tolerance }
}

/// Look at one place.
protocol MoyoungLook: Sendable {
  init(_ bytes: RawBytes) throws(ItemDefect)
  var head: LookHead { get }
  var bytes: [UInt8] { get }
  /// Id of the item.
  var name: String { get }
  /// Digest of the band's data at this place, as far as it can be stored: unchanged without new data.
  var mark: String { get }
  /// Begin on the band's clock, seconds.
  var begins: Int64 { get }
  /// Values that this look adds to the store.
  var count: Int { get }
  /// Values that were dated in the future when they were read.
  var future: Int { get }
  /// Number of these that are never stored and were in no earlier look.
  var refused: Int { get }
  /// Whether the look is stored even if it adds no value.
  var isNews: Bool { get }
  /// Record of what is stored of the place, for the next look.
  var progress: [UInt8] { get }
  /// Summary for display.
  var summary: String { get }
  /// Whether the place cannot grow any more.
  var isWhole: Bool { get }
  func append(to sink: any ItemSink)
}

extension MoyoungLook {
  var refused: Int { 0 }
  var isNews: Bool { false }
  var item: HeldItem { HeldItem(id: name, mark: mark, size: bytes.count, begins: begins * 1_000_000) }

  var verdict: ItemVerdict {
    let isUnsure = head.marks.contains(.unsure) || future > 0
    let left = future > 0 ? ", \(future) of a time that had not come" : ""
    var verdict = ItemVerdict(summary: summary + left, isFinal: isWhole, mark: mark, isTimeUnsure: isUnsure)
    verdict.progress = progress
    // Kept so that they can be decoded again when the clock is better known.
    verdict.keepsBytes = isWhole || isUnsure
    verdict.mayRepeat = head.marks.contains(.again)
    return verdict
  }
}

/// Digest of a content: FNV-1a with 64 bits.
struct LookDigest: Sendable {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  init(_ bytes: some Sequence<UInt8> = []) { for byte in bytes { add(byte) } }

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

  var mark: String { String(value, radix: 16) }
  var folded: UInt32 { UInt32(truncatingIfNeeded: value ^ (value >> 32)) }
}

/// Set of stored places: one bit for each.
struct PlaceSet: Sendable, Hashable {
  private(set) var bytes: [UInt8]

  init(_ count: Int) { bytes = [UInt8](repeating: 0, count: (max(0, count) + 7) / 8) }

  /// Missing bytes count as zeros.
  init(_ count: Int, _ bytes: some Collection<UInt8>) {
    self.init(count)
    for (place, byte) in bytes.prefix(self.bytes.count).enumerated() { self.bytes[place] = byte }
  }

  subscript(place: Int) -> Bool {
    get { place >= 0 && place / 8 < bytes.count && bytes[place / 8] >> UInt8(place % 8) & 1 == 1 }
    set {
      guard place >= 0, place / 8 < bytes.count else { return }
      if newValue { bytes[place / 8] |= 1 << UInt8(place % 8) } else { bytes[place / 8] &= ~(1 << UInt8(place % 8)) }
    }
  }
}
