// What one look at a band brought, as bytes: the answer itself, when it was read, and what of it was in the store.
//
// A band keeps days that grow, and nothing of it is removed. What the hub fetches as an item is therefore a look: the
// answer with a head that lets it be verified and decoded by itself, the same way each time. What is stored of the same
// place already is in the look too, so that no value is stored twice.

import Bluetooth
import Wearable

/// The head of a look.
///
///     0     layout, 1
///     1     kind
///     2     bit 0 its times are not sure, bit 1 its day was over, bit 2 its counters began anew, bit 3 all of it once
///           more, bit 4 its clock is moved behind the look
///     3-6   when it was read: seconds since 1970 as the band's clock shows them, little-endian
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
    /// Measured before this hub set the clock, or of a day that nobody can name for certain.
    static let unsure = Marks(rawValue: 1)
    static let dayIsOver = Marks(rawValue: 2)
    static let anew = Marks(rawValue: 4)
    static let again = Marks(rawValue: 8)
    /// The clock is moved when this was stored: what the band is at work on comes to no end by it.
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

  /// Seconds behind which what it says was yet to come.
  var latest: Int64 { Int64(readAt) + MoyoungTime.tolerance }
}

/// A look at one place.
protocol MoyoungLook: Sendable {
  init(_ bytes: RawBytes) throws(ItemDefect)
  var head: LookHead { get }
  var bytes: [UInt8] { get }
  /// Id of its item.
  var name: String { get }
  /// What the band itself says there, as far as it can be stored: the same as long as nothing is new.
  var mark: String { get }
  /// When it begins, seconds, as the clock showed it.
  var begins: Int64 { get }
  /// Values that are stored with it.
  var count: Int { get }
  /// Values of a time that had not come when it was read.
  var future: Int { get }
  /// Of these, values that are never stored and that no look before had.
  var refused: Int { get }
  /// It is kept also where no value is stored with it.
  var isNews: Bool { get }
  /// What is in the store with it, for the next look.
  var progress: [UInt8] { get }
  /// For people.
  var summary: String { get }
  /// It does not grow any more.
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
    // Whoever comes to know the clock better can read them again.
    verdict.keepsBytes = isWhole || isUnsure
    verdict.mayRepeat = head.marks.contains(.again)
    return verdict
  }
}

/// Tells one content from another: FNV-1a with 64 bits.
struct LookDigest: Sendable {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  init(_ bytes: some Sequence<UInt8> = []) { for byte in bytes { add(byte) } }

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

  var mark: String { String(value, radix: 16) }
  var folded: UInt32 { UInt32(truncatingIfNeeded: value ^ (value >> 32)) }
}

/// Which of some places are stored: a bit for each.
struct PlaceSet: Sendable, Hashable {
  private(set) var bytes: [UInt8]

  init(_ count: Int) { bytes = [UInt8](repeating: 0, count: (max(0, count) + 7) / 8) }

  /// Bytes that are too few are zeros.
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
