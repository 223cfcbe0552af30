// What the driver of standard services declares beside the core, for wearables with a clock or with records, and for
// those that measure by themselves.

public import Wearable

extension StandardDriver: ClockedDriver {
  /// Whatever it begins with differs from maker to maker.
  public var clockBeginning: Int64? { nil }
  /// Date Time has no zone: it is what a clock on a wall shows.
  public var showsLocalTime: Bool { true }
}

extension StandardDriver: SyncedDriver {
  public var syncDomains: [SyncDomain] { StoredRecordPlace.all.map(\.format.syncDomain) }
  /// Whoever else reads a sensor's memory may count on it.
  public var removesByOrderAlone: Bool { true }
}

extension StandardDriver: LinkedDriver {
  /// What some keep is a few spot-checks; what they measure by is live.
  public var needsLink: Bool { true }
}

extension StandardDriver: MonitoringDriver, CapableDriver {
  public func monitoring(of wearable: KnownWearable) -> [MonitoringChoice] { choices }

  public var furtherCapabilities: WearableCapabilities {
    choices.reduce(WearableCapabilities()) { $0.union(WearableCapabilities($1.gates, [$1.series])) }
  }
}
