// Re-export of custody names, so that a driver imports `Wearable` alone.

public import Custody

public typealias HeldItem = Custody.HeldItem
public typealias KnownItem = Custody.KnownItem
public typealias Receipt = Custody.Receipt
public typealias Removal = Custody.Removal
public typealias RemovalOutcome = Custody.RemovalOutcome
public typealias RemovalProof = Custody.RemovalProof
