// Which store this is, for those who keep rows of many: ordinals alone tell rows of one store apart.

internal import EventLoop
public import Reasons

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

  func keep(_ transaction: Transaction) throws(DatabaseFailure) {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: value)
    try transaction.put(transaction.tables.meta, Self.key, bytes)
  }

  /// 16 hexadecimal digits.
  public var text: String { hexadecimal([UInt8](bigEndian: value)).lowercased() }
}

extension Store {
  /// nil: nobody has asked for ordinals yet.
  public func identity() throws(HearthError) -> StoreIdentity? {
    try reading { transaction throws(DatabaseFailure) in try StoreIdentity.load(transaction) }
  }

  /// Makes one where there is none; durable when it returns.
  public func makeIdentity() async throws(HearthError) -> StoreIdentity {
    if let known = try identity() { return known }
    let made = StoreIdentity.random()
    return try await change(pages: 8) { transaction throws(DatabaseFailure) -> StoreIdentity in
      // Another call may have been faster.
      if let known = try StoreIdentity.load(transaction) { return known }
      try made.keep(transaction)
      return made
    }
  }
}

extension StoreReader {
  /// As `Store.identity`, of a store at rest.
  public func identity() throws(HearthError) -> StoreIdentity? {
    try reading { transaction throws(DatabaseFailure) in try StoreIdentity.load(transaction) }
  }
}
