// The plan of slots for a full house, as an operator queries it.

extension Hearth {
  /// The share of slots that each enrolled wearable gets while all are present.
  public func slotPlan() -> SlotPlan { lane.slotPlan() }
}
