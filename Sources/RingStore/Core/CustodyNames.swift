// Identities that the store's interface uses, so that its users need not import `Custody`.

public import Custody

/// Digest of a batch's content, 128 bits.
public typealias BatchDigest = Custody.BatchDigest
/// Origin of a batch: a part of an item, or another place on the wearable.
public typealias BatchSource = Custody.BatchSource
/// Proof that a batch is durable.
public typealias Receipt = Custody.Receipt
/// Samples of a batch in one ring.
public typealias ReceiptRange = Custody.ReceiptRange
/// Identity of a ring.
public typealias RingID = Custody.RingID
/// Result of a visit.
public typealias VisitOutcome = Custody.VisitOutcome
/// Stage of a visit, by its number in the store.
public typealias VisitStage = Custody.VisitStage
/// Reason of a visit.
public typealias VisitTrigger = Custody.VisitTrigger
/// Way of samples into the store.
public typealias Way = Custody.Way
/// Number of an enrolment.
public typealias WearableID = Custody.WearableID
/// Key that a wearable and the hub share.
public typealias WearableSecret = Custody.WearableSecret
