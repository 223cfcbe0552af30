// Removals: calls of a wearable that take items from it, and the proof without which none of them is made.

/// The identity of a removal among those of one wearable: FNV-1a of its name, 32 bits, because what is remembered of
/// removals has no room for paths. Two removals of one identity would be taken for one: the second is then called later
/// than it could be, and nothing is lost.
public struct RemovalID: Sendable, Hashable {
  public let digest: UInt32

  public init(digest: UInt32) { self.digest = digest }

  public init(name: String) { digest = fingerprint(name) }
}

/// FNV-1a, 32 bits: tells texts apart where there is no room for them.
public func fingerprint(_ text: String) -> UInt32 {
  text.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
}

/// One call of the wearable that removes items.
public struct Removal: Sendable, Hashable {
  /// For people: `all activity files`. Unique among the removals of a wearable.
  public let name: String
  /// Every item whose data would be gone. The hub calls only when each of them has its receipts.
  public let covers: [HeldItem]
  /// The wearable takes it once between two restarts and ignores it after that: whatever came of it, it is not called
  /// again before a restart.
  public let isOncePerBoot: Bool

  public init(name: String, covers: [HeldItem], isOncePerBoot: Bool = false) {
    self.name = name
    self.covers = covers
    self.isOncePerBoot = isOncePerBoot
  }

  public var id: RemovalID { RemovalID(name: name) }
}

/// What a removal led to, after reading back.
public enum RemovalOutcome: Sendable, Hashable {
  /// The wearable says that they are gone.
  case erased
  /// It acknowledged but they are still there; remembered, and not tried again before it was restarted.
  case ineffective(String)
  /// It cannot be done at the moment.
  case notNow(String)
}

/// Receipts for everything a removal covers. There is no other way to one: the store alone makes receipts, and one that
/// is missing makes none.
public struct RemovalProof: Sendable {
  public let removal: Removal
  /// Of every part of every item that it covers, and no others.
  public let receipts: [Receipt]

  /// Compares wearable, place, mark and part of each receipt with what the removal covers.
  ///
  /// - Parameter receipts: receipts of other wearables or other contents may be among them, and prove nothing here.
  /// - Returns: nil where an item is open, has no proper identity, or is not covered by each of its parts exactly once,
  ///   all of them parts of the same number of parts.
  public init?(_ removal: Removal, of wearable: WearableID, receipts: [Receipt]) {
    var found: [ItemID: [(part: ItemPart, receipt: Receipt)]] = [:]
    for receipt in receipts where receipt.wearable == wearable {
      if let part = receipt.part { found[part.item, default: []].append((part, receipt)) }
    }
    var all: [Receipt] = []
    for item in removal.covers {
      guard !item.isOpen, let identity = item.identity, let proofs = found[identity], Self.isWhole(proofs.map(\.part))
      else { return nil }
      all += proofs.map(\.receipt)
    }
    self.removal = removal
    self.receipts = all
  }

  /// Each part once, of one and the same number of parts.
  private static func isWhole(_ parts: [ItemPart]) -> Bool {
    guard let count = parts.first?.count, parts.count == count else { return false }
    return parts.allSatisfy { $0.count == count } && Set(parts.map(\.number)).count == count
  }
}
