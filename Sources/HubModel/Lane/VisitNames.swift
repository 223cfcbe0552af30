// How visits are named.

public import Custody

/// The names and numbers that the store writes (`Custody/VisitNames.swift`).
public typealias VisitTrigger = Custody.VisitTrigger
/// Result of a visit, by its number in the store.
public typealias VisitOutcome = Custody.VisitOutcome
/// Stage of a visit, by its number in the store.
public typealias VisitStage = Custody.VisitStage
