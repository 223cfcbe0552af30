// The address that this hub's adapter must have, because bonds were made with it.

/// The address of an adapter: 48 bits and their type.
///
/// The value of the key `radio` of `meta`: type (u8: 1 public, 2 random), address (6 bytes, the top one first).
public struct RadioIdentity: Sendable, Hashable {
  /// The 48 bits of the address.
  public let value: UInt64
  /// Type of the address: 1 public, 2 random.
  public let kind: UInt8

  /// An address; higher bits of `value` are ignored.
  public init(value: UInt64, kind: UInt8) {
    self.value = value & 0xFFFF_FFFF_FFFF
    self.kind = kind
  }

  private static let key = Array("radio".utf8)

  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> RadioIdentity? {
    guard let bytes = try transaction.get(transaction.tables.meta, key), bytes.count == 7, (1...2).contains(bytes[0])
    else { return nil }
    return RadioIdentity(value: bytes.dropFirst().reduce(0) { $0 << 8 | UInt64($1) }, kind: bytes[0])
  }

  func keep(_ transaction: Transaction) throws(DatabaseFailure) {
    try transaction.put(transaction.tables.meta, Self.key, [kind] + [UInt8](bigEndian: value).dropFirst(2))
  }

  /// `B8:27:EB:01:02:03`
  public var text: String {
    [UInt8](bigEndian: value).dropFirst(2).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
      .joined(separator: ":")
  }
}
