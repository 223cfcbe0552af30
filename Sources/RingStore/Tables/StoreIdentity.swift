// Which store this is, for those who keep rows of many: ordinals alone tell rows of one store apart.

internal import EventLoop

/// The value of the key `identity` of `meta`: 64 random bits, never 0 (u64).
///
/// Made when somebody first asks for rows with their ordinals. A backup does not take it along: the store that is made
/// of one goes on with ordinals of its own.
public struct StoreIdentity: Sendable, Hashable {
  public let value: UInt64

  public init(value: UInt64) { self.value = value }

  private static let key = Array("identity".utf8)

  static func random() -> StoreIdentity { StoreIdentity(value: UInt64.random(in: 1...UInt64.max)) }

  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> StoreIdentity? {
    guard let bytes = try transaction.get(transaction.tables.meta, key), bytes.count == 8 else { return nil }
    var reader = StoredReader(bytes)
    return reader.integer(UInt64.self).flatMap { $0 == 0 ? nil : StoreIdentity(value: $0) }
  }

  /// nil: there is none, or it is to be bound to this machine first; nil for `machine`: nobody looks.
  static func settled(_ transaction: Transaction, on machine: MachineMarks?) throws(DatabaseFailure) -> StoreIdentity? {
    guard let known = try load(transaction) else { return nil }
    guard let machine else { return known }
    guard let kept = try MachineMarks.load(transaction) else { return nil }
    return kept.isSame(as: machine) && machine.following(kept) == kept ? known : nil
  }

  func keep(_ transaction: Transaction) throws(DatabaseFailure) {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: value)
    try transaction.put(transaction.tables.meta, Self.key, bytes)
  }

  /// 16 hexadecimal digits.
  public var text: String { hexadecimal([UInt8](bigEndian: value)).lowercased() }
}
