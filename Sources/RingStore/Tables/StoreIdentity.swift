// The identity of a store, for servers that hold rows of many: ordinals are unique within one store only.

internal import EventLoop

/// The value of the key `identity` of `meta`: 64 random bits, never 0 (u64).
///
/// Made by the first request for rows with their ordinals. A backup does not contain it, because ordinals of the
/// restored store continue separately.
public struct StoreIdentity: Sendable, Hashable {
  /// The 64 bits, never 0.
  public let value: UInt64

  /// An identity from the store.
  public init(value: UInt64) { self.value = value }

  private static let key = Array("identity".utf8)

  static func random() -> StoreIdentity { StoreIdentity(value: UInt64.random(in: 1...UInt64.max)) }

  static func load(_ transaction: Transaction) throws(DatabaseFailure) -> StoreIdentity? {
    try transaction.drawnNumber(key).map { StoreIdentity(value: $0) }
  }

  /// The identity; nil if it is missing, or must first be bound to this machine. With nil for `machine`, that is not
  /// checked.
  static func settled(_ transaction: Transaction, on machine: MachineMarks?) throws(DatabaseFailure) -> StoreIdentity? {
    guard let known = try load(transaction) else { return nil }
    guard let machine else { return known }
    guard let kept = try MachineMarks.load(transaction) else { return nil }
    return kept.isSame(as: machine) && machine.following(kept) == kept ? known : nil
  }

  func keep(_ transaction: Transaction) throws(DatabaseFailure) {
    try transaction.put(drawnNumber: value, Self.key)
  }

  /// 16 hexadecimal digits.
  public var text: String { hexadecimal([UInt8](bigEndian: value)).lowercased() }
}
