// What a driver carries out of a series beside listening to it and fetching it.

import Health

/// A driver that carries out more than the core and the other facets say: monitoring, a denser mode, values at rest,
/// alerts, measuring by order. Without this facet it carries out none of them, whatever its wearables announce; what
/// can be measured by order and is not among it is refused, whatever a `MeasuringSession` could do.
public protocol CapableDriver: WearableDriver {
  /// Beside what `implemented(for:)` makes of the driver's other words; of whichever wearable.
  var furtherCapabilities: WearableCapabilities { get }
}

extension WearableDriver {
  /// What more it carries out; nil: nothing.
  public var capable: (any CapableDriver)? { self as? any CapableDriver }

  /// All that this driver carries out for a wearable, series by series. What the wearable announces beyond it is of no
  /// use, and what it does not announce is not there: the intersection is what can be had.
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
