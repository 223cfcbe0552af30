// What a full house would get, as people ask it of the hub.

extension Hearth {
  /// What each wearable gets of the slots while all that are enrolled are here.
  public func slotPlan() -> SlotPlan { lane.slotPlan() }
}
