// Content of a sealed bond file as plain bytes: written by one hub, read by another. Untrusted, even after the seal has
// been opened.

public import EventLoop
public import RingStore

/// Bond with the data that another hub needs to adopt its wearable.
public struct BundledBond: Sendable, Hashable {
  /// Name of the wearable.
  public let name: String
  /// Text for an operator.
  public let kind: String
  /// Identity of the driver that recognised it.
  public let driver: String
  /// The bond; its wearable number is only valid on the hub that exported it.
  public let bond: Bond

  /// A bond with the facts of its wearable.
  public init(name: String, kind: String, driver: String, bond: Bond) {
    self.name = name
    self.kind = kind
    self.driver = driver
    self.bond = bond
  }
}

/// Bonds of a hub at one moment.
///
/// Layout (integers little-endian; *text*: length (u8), UTF-8):
///
/// | bytes | field |
/// |---|---|
/// | 1 | layout: 1 |
/// | 8 | time of the export, microseconds since 1970 (i64) |
/// | text | name of the hub |
/// | 2 | number of bonds (u16), at most 512 |
/// | … | each bond |
///
/// A bond:
///
/// | bytes | field |
/// |---|---|
/// | 1 | address type: 1 LE public, 2 LE random |
/// | 6 | address, least significant first |
/// | 8 | time it was made (i64) |
/// | texts | name, kind, driver: at most 32, 64, 64 |
/// | 1 | number of keys, at most 16 |
/// | … | each key: its kind (u8), length (u8, at most 64), content |
public struct BondBundle: Sendable, Hashable {
  /// Name of the hub.
  public let hub: String
  /// Time of the export.
  public let madeAt: WallTime
  /// Bonds with their keys, at most `bondLimit`.
  public let bonds: [BundledBond]

  /// Maximum number of bonds of a file.
  public static let bondLimit = 512
  static let layout: UInt8 = 1

  /// Bonds of a hub at one moment.
  public init(hub: String, madeAt: WallTime, bonds: [BundledBond]) {
    self.hub = hub
    self.madeAt = madeAt
    self.bonds = bonds
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = [Self.layout]
    bytes.append(little: UInt64(bitPattern: madeAt.microseconds), 8)
    bytes.append(text: hub, 255)
    let kept = bonds.prefix(Self.bondLimit)
    bytes.append(little: UInt64(kept.count), 2)
    for entry in kept {
      bytes.append(entry.bond.addressKind)
      bytes.append(little: entry.bond.addressValue, 6)
      bytes.append(little: UInt64(bitPattern: entry.bond.createdAt.microseconds), 8)
      bytes.append(text: entry.name, WearableRecord.nameLimit)
      bytes.append(text: entry.kind, WearableRecord.labelLimit)
      bytes.append(text: entry.driver, WearableRecord.labelLimit)
      let keys = entry.bond.keys.prefix(Bond.keyLimit).filter { $0.bytes.count <= BondKey.sizeLimit }
      bytes.append(UInt8(keys.count))
      for key in keys { bytes += [key.kind, UInt8(key.bytes.count)] + key.bytes }
    }
    return bytes
  }

  /// nil for anything but a whole bundle of this layout.
  init?(_ bytes: [UInt8]) {
    var reader = PlaintextReader(bytes)
    guard reader.u8() == Self.layout, let time = reader.little(8), let hub = reader.text(255),
      let count = reader.little(2),
      count <= UInt64(Self.bondLimit)
    else { return nil }
    var bonds: [BundledBond] = []
    for _ in 0..<count {
      guard let entry = reader.bond() else { return nil }
      bonds.append(entry)
    }
    guard reader.isAtEnd else { return nil }
    self.init(hub: hub, madeAt: WallTime(microseconds: Int64(bitPattern: time)), bonds: bonds)
  }
}

extension PlaintextReader {
  fileprivate mutating func bond() -> BundledBond? {
    guard let addressKind = u8(), (1...2).contains(addressKind), let address = little(6), let createdAt = little(8),
      let name = text(WearableRecord.nameLimit), (try? WearableRecord.validate(name: name)) != nil,
      let kind = text(WearableRecord.labelLimit),
      let driver = text(WearableRecord.labelLimit), let count = u8(), Int(count) <= Bond.keyLimit
    else { return nil }
    var keys: [BondKey] = []
    for _ in 0..<count {
      guard let kind = u8(), let length = u8(), Int(length) <= BondKey.sizeLimit, let content = take(Int(length)) else {
        return nil
      }
      keys.append(BondKey(kind: kind, bytes: Array(content)))
    }
    let bond = Bond(
      addressValue: address, addressKind: addressKind, wearable: WearableID(number: 0),
      createdAt: WallTime(microseconds: Int64(bitPattern: createdAt)),
      keys: keys)
    return BundledBond(name: name, kind: kind, driver: driver, bond: bond)
  }
}

extension [UInt8] {
  /// The low `count` bytes, least significant first.
  mutating func append(little value: UInt64, _ count: Int) {
    for place in 0..<count { append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(place)))) }
  }

  /// Appends at most `limit` bytes of UTF-8, cut between characters.
  fileprivate mutating func append(text: String, _ limit: Int) {
    var kept = text
    while kept.utf8.count > limit { kept.removeLast() }
    append(UInt8(kept.utf8.count))
    append(contentsOf: kept.utf8)
  }
}
