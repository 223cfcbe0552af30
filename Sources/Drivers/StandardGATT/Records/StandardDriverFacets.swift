// Facets of the standard driver, for wearables with a clock, with records, or with monitoring.

public import Wearable

extension StandardDriver: ClockedDriver {
  /// The initial time of a clock differs from maker to maker.
  public var clockBeginning: Int64? { nil }
  /// Date Time has no zone: it is local time.
  public var showsLocalTime: Bool { true }
}

extension StandardDriver: SyncedDriver {
  /// Kinds of stored records.
  public var syncDomains: [SyncDomain] { StoredRecordPlace.all.map(\.format.syncDomain) }
  /// Another reader of the sensor's memory may depend on it.
  public var removesByOrderAlone: Bool { true }
}

extension StandardDriver: LinkedDriver {
  /// Stored records are only a few spot-checks; the measurements are live.
  public var needsLink: Bool { true }
}

extension StandardDriver: MonitoringDriver, CapableDriver {
  /// Measurements that can be ordered.
  public func monitoring(of wearable: KnownWearable) -> [MonitoringChoice] { choices }

  /// Automatic measurements that can be ordered.
  public var furtherCapabilities: WearableCapabilities {
    choices.reduce(WearableCapabilities()) { $0.union(WearableCapabilities($1.gates, [$1.series])) }
  }
}
