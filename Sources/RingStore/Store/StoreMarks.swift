// Single facts that the store keeps for the hub: how far wearables are read, orders, identities, the newest backup.

public import EventLoop
public import Reasons

extension Store {
  /// How far a wearable is stored, by series. Empty for one of which nothing was fetched.
  ///
  /// - Throws: `storeInputOutput`; `storeFailing` while the store is being opened again, or is closed.
  public func watermarks(of wearable: WearableID) throws(HearthError) -> [Watermark] {
    try disk.reading { transaction throws(DatabaseFailure) in try Watermarks.all(transaction, of: wearable) }
  }
}

extension Store {
  /// Keeps up to when series of a wearable were read to their end, by number. What is stored of them is durable.
  ///
  /// - Throws: why the disk refused; then nothing has changed.
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
  /// What was kept last; nil: nothing was.
  public func hubOrders() throws(HearthError) -> [UInt8]? {
    try disk.reading { transaction throws(DatabaseFailure) in
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
    try await disk.change(pages: 8) { transaction throws(DatabaseFailure) in
      try transaction.put(transaction.tables.meta, HubOrdersMark.key, bytes)
    }
  }
}

extension Store {
  /// nil: nobody has asked for ordinals yet.
  public func identity() throws(HearthError) -> StoreIdentity? {
    try disk.reading { transaction throws(DatabaseFailure) in try StoreIdentity.load(transaction) }
  }

  /// Makes one where there is none, and another one where this store was copied from another machine: its ordinals go
  /// on, and are not those of the store it was copied of. Durable when it returns.
  ///
  /// - Parameter machine: on which the store is; nil: nobody looks.
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
      // What is not known of the new machine is not that of the old one.
      if isCopied, let machine { try machine.keep(transaction) }
      try made.keep(transaction)
      return made
    }
  }
}

extension Store {
  /// The address that the adapter is to have; nil: its own.
  public func radioIdentity() throws(HearthError) -> RadioIdentity? {
    try disk.reading { transaction throws(DatabaseFailure) in try RadioIdentity.load(transaction) }
  }
}
