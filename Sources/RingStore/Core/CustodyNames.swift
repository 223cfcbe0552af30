// Identities that the store's interface uses, so that its users need not import `Custody`.

public import Custody

public typealias BatchDigest = Custody.BatchDigest
public typealias BatchSource = Custody.BatchSource
public typealias Receipt = Custody.Receipt
public typealias ReceiptRange = Custody.ReceiptRange
public typealias RingID = Custody.RingID
public typealias VisitOutcome = Custody.VisitOutcome
public typealias VisitStage = Custody.VisitStage
public typealias VisitTrigger = Custody.VisitTrigger
public typealias Way = Custody.Way
public typealias WearableID = Custody.WearableID
public typealias WearableSecret = Custody.WearableSecret
