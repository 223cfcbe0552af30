// How visits are named.

public import Custody

/// The names and numbers that the store writes (`Custody/VisitNames.swift`).
public typealias VisitTrigger = Custody.VisitTrigger
/// Result of a visit.
public typealias VisitOutcome = Custody.VisitOutcome
/// Stage of a visit.
public typealias VisitStage = Custody.VisitStage
