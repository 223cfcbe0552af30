// Wearables for which only a link shows the right driver.

public import EventLoop

/// Session that may find another driver's protocol, because both families advertise alike. Without this facet a
/// wearable keeps the driver that recognised it.
@LoopActor
public protocol IdentifyingSession: WearableSession {
  /// Id of the right driver, once that is certain: the hub moves the wearable there, and the next link uses that
  /// driver. Nil: this driver is right, or it is unknown.
  var belongsTo: String? { get }
}

extension WearableSession {
  /// The facet for identification; nil without it.
  public var identifying: (any IdentifyingSession)? { self as? any IdentifyingSession }
}
