// Device addresses and attribute types.

import EventLoop

/// Device address with its type, as in mgmt and socket addresses (six bytes, least significant first, then the type).
///
/// Printed and parsed most significant byte first. A type suffix is added if the digits do not show the type. The top
/// bits of `F0:F1:F2:F3:F4:00` mean random static, but only the advertiser's statement makes it so. The type is
/// therefore always stored.
public struct BluetoothAddress: Hashable, Sendable, Comparable {
  /// Address type as the kernel numbers it on sockets and in management (`bdaddr_type`); HCI uses other numbers.
  public enum Kind: UInt8, Sendable, Hashable {
    case classic = 0
    case lePublic = 1
    case leRandom = 2
  }

  /// The address in the low 48 bits: byte 0 on the wire is the least significant.
  public let value: UInt64
  /// Type of the address.
  public let kind: Kind

  /// An address from its 48 bits; higher bits of `value` are ignored.
  public init(value: UInt64, kind: Kind) {
    self.value = value & 0xFFFF_FFFF_FFFF
    self.kind = kind
  }

  /// Six bytes, least significant first.
  public init?(_ reader: inout ByteReader, kind: Kind) {
    guard let low = reader.u32(), let high = reader.u16() else { return nil }
    self.init(value: UInt64(low) | UInt64(high) << 32, kind: kind)
  }

  /// Parses `F0:F1:F2:F3:F4:00` (any case). The text does not contain the type; `kind` does.
  public init?(_ text: some StringProtocol, kind: Kind) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6 else { return nil }
    var value: UInt64 = 0
    for part in parts {
      guard let byte = UInt64(hexadecimal: part, count: 2) else { return nil }
      value = value << 8 | byte
    }
    self.init(value: value, kind: kind)
  }

  /// Bytes on the wire, least significant byte first, as on the wire.
  public var wireBytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) } }

  public static func < (a: BluetoothAddress, b: BluetoothAddress) -> Bool {
    a.value == b.value ? a.kind.rawValue < b.kind.rawValue : a.value < b.value
  }
}

extension BluetoothAddress {
  /// Lifetime of an address, by its type and its two highest bits (Core specification, volume 6, part B, 1.3).
  public enum Permanence: Sendable {
    /// Public, or random and static: the address identifies its device.
    case identity
    /// Random and resolvable: as a rule it changes within a quarter of an hour. The identity resolving key of a bond
    /// shows which device it belongs to.
    case resolvable
    /// Random and not resolvable with any key. Reserved top bits count as such.
    case unresolvable
  }

  /// Lifetime of the address.
  public var permanence: Permanence {
    switch kind {
    case .lePublic: .identity
    case .leRandom:
      switch value >> 46 {
      case 0b11: .identity
      case 0b01: .resolvable
      default: .unresolvable
      }
    case .classic: .unresolvable
    }
  }

  /// True if the address never changes.
  public var isIdentity: Bool { permanence == .identity }
}

extension BluetoothAddress: CustomStringConvertible {
  public var description: String { hexadecimal(wireBytes.reversed(), separator: ":") }
}

/// Attribute type: 16 bits if assigned by the SIG, else 128. Stored as 128 bits so that both spellings of one type are
/// equal.
public struct BluetoothUUID: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// Upper 64 bits: the first eight bytes of the text.
  public let high: UInt64
  /// Lower 64 bits: the last eight bytes of the text.
  public let low: UInt64

  /// The Bluetooth base UUID is 0000xxxx-0000-1000-8000-00805F9B34FB (Core specification, volume 3, part B, 2.5.1).
  private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB
  private static let baseHigh: UInt64 = 0x0000_0000_0000_1000

  /// A UUID from its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A UUID of 16 bits, as assigned by the SIG.
  public init(_ short: UInt16) { self.init(high: Self.baseHigh | UInt64(short) << 32, low: Self.baseLow) }
  public init(integerLiteral value: UInt16) { self.init(value) }

  /// 2, 4 or 16 bytes, least significant first; nil for any other count.
  public init?(wire bytes: RawBytes) {
    var reader = ByteReader(bytes)
    switch bytes.count {
    case 2:
      guard let short = reader.u16() else { return nil }
      self.init(short)
    case 4:
      guard let middle = reader.u32() else { return nil }
      self.init(high: Self.baseHigh | UInt64(middle) << 32, low: Self.baseLow)
    case 16:
      guard let low = reader.u64(), let high = reader.u64() else { return nil }
      self.init(high: high, low: low)
    default: return nil
    }
  }

  /// `180D`, or `fb005c80-02e7-f387-1cad-8acd2d8df0c8` in any case.
  public init?(_ text: some StringProtocol) {
    let digits = String(text.filter { $0 != "-" })
    if let short = UInt64(hexadecimal: digits, count: 4) {
      self.init(UInt16(truncatingIfNeeded: short))
      return
    }
    guard digits.utf8.count == 32, let high = UInt64(hexadecimal: digits.prefix(16), count: 16),
      let low = UInt64(hexadecimal: digits.suffix(16), count: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// The 16-bit form, if there is one.
  public var short: UInt16? {
    low == Self.baseLow && high & 0xFFFF_0000_FFFF_FFFF == Self.baseHigh ? UInt16(truncatingIfNeeded: high >> 32) : nil
  }

  /// Bytes on the wire, least significant first: two bytes if there is a short form, else sixteen.
  public var wireBytes: [UInt8] {
    var bytes: [UInt8] = []
    if let short {
      bytes.append(littleEndian: short)
    } else {
      bytes.append(littleEndian: low)
      bytes.append(littleEndian: high)
    }
    return bytes
  }

  public var description: String {
    if let short { return hexadecimal([UInt8(short >> 8), UInt8(truncatingIfNeeded: short)]) }
    let hex = Array(hexadecimal(wireBytes.reversed()).utf8)
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
    return groups.map { String(decoding: hex[$0], as: UTF8.self).lowercased() }.joined(separator: "-")
  }
}
