// Single facts that the store holds for the hub: watermarks, orders, identities, the newest backup.

public import EventLoop
public import Reasons

extension Store {
  /// Returns how far a wearable is stored, by series; empty before the first fetch.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func watermarks(of wearable: WearableID) throws(HearthError) -> [Watermark] {
    try disk.reading { transaction throws(DatabaseFailure) in try Watermarks.all(transaction, of: wearable) }
  }
}

extension Store {
  /// Records until which time series of a wearable were read completely, by number. Their samples must be durable.
  ///
  /// - Throws: the disk's error; the store is then unchanged.
  public func noteRead(_ wearable: WearableID, _ series: [UInt16: WallTime], visit: UInt64) async throws(HearthError) {
    let now = disk.loop.wall
    await registry.turn.take()
    defer { registry.turn.give() }
    try await disk.change(pages: Watermarks.pagesOfBatch) { transaction throws(DatabaseFailure) in
      try Watermarks.read(transaction, wearable, series, visit: visit, now: now)
    }
  }
}

extension Store {
  /// The orders stored last; nil before the first.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func hubOrders() throws(HearthError) -> [UInt8]? {
    try disk.reading { transaction throws(DatabaseFailure) in
      try transaction.get(transaction.tables.meta, HubOrdersMark.key).map { Array($0) }
    }
  }

  /// Replaces the stored orders; durable on return.
  ///
  /// - Throws: `storeTableFull` beyond 3,072 bytes, or the disk's error, see `Store`; the store is then unchanged.
  public func keepHubOrders(_ bytes: [UInt8]) async throws(HearthError) {
    guard bytes.count <= HubOrdersMark.limit else {
      throw HearthError(.storeTableFull, "\(bytes.count) bytes of orders; at most \(HubOrdersMark.limit) are kept")
    }
    try await disk.change(pages: 8) { transaction throws(DatabaseFailure) in
      try transaction.put(transaction.tables.meta, HubOrdersMark.key, bytes)
    }
  }
}

extension Store {
  /// The identity; nil before the first request for ordinals.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func identity() throws(HearthError) -> StoreIdentity? {
    try disk.reading { transaction throws(DatabaseFailure) in try StoreIdentity.load(transaction) }
  }

  /// Makes an identity if it is missing, and a new one if this store was copied from another machine. Ordinals of a
  /// copy continue separately from those of the original. Durable on return.
  ///
  /// - Parameter machine: the store's machine; nil for no check.
  /// - Throws: the store's error, see `Store`; the identity is then unchanged.
  public func makeIdentity(on machine: MachineMarks? = nil) async throws(HearthError) -> StoreIdentity {
    let known = try disk.reading { transaction throws(DatabaseFailure) in
      try StoreIdentity.settled(transaction, on: machine)
    }
    if let known { return known }
    let made = StoreIdentity.random()
    return try await disk.change(pages: 8) { transaction throws(DatabaseFailure) -> StoreIdentity in
      // Another call may have been faster.
      if let known = try StoreIdentity.settled(transaction, on: machine) { return known }
      let kept = try MachineMarks.load(transaction)
      if let machine { try (kept.map { machine.following($0) } ?? machine).keep(transaction) }
      let isCopied = machine.flatMap { here in kept.map { !$0.isSame(as: here) } } ?? false
      if !isCopied, let known = try StoreIdentity.load(transaction) { return known }
      // Unknown marks of the new machine must not be those of the old one.
      if isCopied, let machine { try machine.keep(transaction) }
      try made.keep(transaction)
      return made
    }
  }
}

extension Store {
  /// The address that the adapter is to have; nil for its own.
  ///
  /// - Throws: why the store cannot be read, see `Store`.
  public func radioIdentity() throws(HearthError) -> RadioIdentity? {
    try disk.reading { transaction throws(DatabaseFailure) in try RadioIdentity.load(transaction) }
  }
}
