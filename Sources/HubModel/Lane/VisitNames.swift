// How visits are named.

public import Custody

/// The names and numbers that the store writes (`Custody/VisitNames.swift`).
public typealias VisitTrigger = Custody.VisitTrigger
public typealias VisitOutcome = Custody.VisitOutcome
public typealias VisitStage = Custody.VisitStage
