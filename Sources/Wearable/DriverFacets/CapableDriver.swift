// Abilities of a driver besides receiving and fetching a series.

import Health

/// Driver that implements more than the core and the other facets declare: monitoring, a denser mode, resting values,
/// alerts, measuring by order. Without this facet these abilities are missing, whatever its wearables announce. A
/// series missing from its on-demand list is refused, even if a `MeasuringSession` could measure it.
public protocol CapableDriver: WearableDriver {
  /// Capabilities for any wearable of the family, besides those that `implemented(for:)` derives from other
  /// declarations.
  var furtherCapabilities: WearableCapabilities { get }
}

extension WearableDriver {
  /// The facet for further capabilities; nil without it.
  public var capable: (any CapableDriver)? { self as? any CapableDriver }

  /// Returns what this driver implements for a wearable, series by series. The intersection with what the wearable
  /// announces is what is available.
  public func implemented(for known: KnownWearable) -> WearableCapabilities {
    var all = capable?.furtherCapabilities ?? WearableCapabilities()
    let live = capabilities.live
    all.insert(.live, live)
    all.insert([.recorded, .history], capabilities.recorded)
    if let streaming {
      let ordered = streaming.streams(of: known) ?? live
      all.insert(.streamed, ordered.filter { live.contains($0) })
    }
    return all
  }
}
