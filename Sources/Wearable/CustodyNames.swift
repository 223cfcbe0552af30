// Re-export of custody names, so that a driver imports `Wearable` alone.

public import Custody

/// Item of a listing.
public typealias HeldItem = Custody.HeldItem
/// Item of earlier visits.
public typealias KnownItem = Custody.KnownItem
/// Proof that a batch is durable.
public typealias Receipt = Custody.Receipt
/// Command that removes items.
public typealias Removal = Custody.Removal
/// Result of a removal.
public typealias RemovalOutcome = Custody.RemovalOutcome
/// Receipts of all that a removal covers.
public typealias RemovalProof = Custody.RemovalProof
