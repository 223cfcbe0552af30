// What people order of the hub as a whole, kept beside what it measures.

internal import EventLoop
public import Reasons

/// The value of the key `hub-orders` of `meta`: the hub's own bytes, with their own checksum.
enum HubOrdersMark {
  static let key = Array("hub-orders".utf8)
  /// A page of the store and no more.
  static let limit = 3072
}

extension Store {
  /// What was kept last; nil: nothing was.
  public func hubOrders() throws(HearthError) -> [UInt8]? {
    try reading { transaction throws(DatabaseFailure) in
      try transaction.get(transaction.tables.meta, HubOrdersMark.key).map { Array($0) }
    }
  }

  /// Keeps it in the place of what was kept; durable when it returns.
  ///
  /// - Throws: `storeTableFull` for more than has room; then nothing has changed.
  public func keepHubOrders(_ bytes: [UInt8]) async throws(HearthError) {
    guard bytes.count <= HubOrdersMark.limit else {
      throw HearthError(.storeTableFull, "\(bytes.count) bytes of orders; at most \(HubOrdersMark.limit) are kept")
    }
    try await change(pages: 8) { transaction throws(DatabaseFailure) in
      try transaction.put(transaction.tables.meta, HubOrdersMark.key, bytes)
    }
  }
}
