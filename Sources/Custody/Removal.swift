// Removals: commands that delete items on a wearable, and the proof that every one requires.

/// Identity of a removal among those of one wearable: FNV-1a of its name, 32 bits, because the stored state has no room
/// for paths. Two removals with one identity would be confused: the second is then sent later than possible, without
/// any loss.
public struct RemovalID: Sendable, Hashable {
  /// FNV-1a fingerprint of the name, 32 bits.
  public let digest: UInt32

  /// The identity with this fingerprint, from the store.
  public init(digest: UInt32) { self.digest = digest }

  /// The identity of a removal with this name.
  public init(name: String) { digest = fingerprint(name) }
}

/// FNV-1a, 32 bits: a short hash of a text.
public func fingerprint(_ text: String) -> UInt32 {
  text.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
}

/// Command of the wearable that removes items.
public struct Removal: Sendable, Hashable {
  /// Name for logs: `all activity files`. Unique among the removals of a wearable.
  public let name: String
  /// Items that would lose data. The hub sends the command only if each of them has its receipts.
  public let covers: [HeldItem]
  /// Whether the wearable accepts it once per boot and ignores it afterwards. Whatever the result, it is not sent again
  /// before a restart.
  public let isOncePerBoot: Bool

  /// A removal of `covers`. `isOncePerBoot`: the wearable accepts it once between two restarts.
  public init(name: String, covers: [HeldItem], isOncePerBoot: Bool = false) {
    self.name = name
    self.covers = covers
    self.isOncePerBoot = isOncePerBoot
  }

  public var id: RemovalID { RemovalID(name: name) }
}

/// Result of a removal, after reading back.
public enum RemovalOutcome: Sendable, Hashable {
  /// The wearable reports the items as gone.
  case erased
  /// The wearable acknowledged, but the items are still there; remembered, and not tried again before a restart.
  case ineffective(String)
  /// Removal not possible at the moment.
  case notNow(String)
}

/// Receipts for everything that a removal covers. This is the only way to get a proof: only the store makes receipts,
/// and a missing receipt prevents the proof.
public struct RemovalProof: Sendable {
  /// Removal that the receipts prove to lose no data.
  public let removal: Removal
  /// Receipts of every part of every covered item, and no others.
  public let receipts: [Receipt]

  /// Compares wearable, place, mark and part of each receipt with the removal's items.
  ///
  /// - Parameter receipts: may include those of other wearables or contents, which are ignored.
  /// - Returns: nil if an item is open, has no valid identity, or is not covered by each of its parts exactly once. All
  ///   parts of an item must state the same number of parts.
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

  /// Whether each part is present once, with the same number of parts in all.
  private static func isWhole(_ parts: [ItemPart]) -> Bool {
    guard let count = parts.first?.count, parts.count == count else { return false }
    return parts.allSatisfy { $0.count == count } && Set(parts.map(\.number)).count == count
  }
}
