// Wearables that belong to one host at a time.

public import EventLoop
internal import Reasons

/// Session of a wearable that is bound to this hub. The first link binds it, every later one logs in, and forgetting
/// unbinds it. Binding and login are parts of `check`. Without this facet a wearable serves every client.
@LoopActor
public protocol BindingSession: WearableSession {
  /// Whether the wearable is bound to this hub, as it reported over this link.
  var isBound: Bool { get }
  /// Unbinds the wearable when it is forgotten. The link is unusable after that.
  func unbind() async throws(VisitTrouble)
}

extension WearableSession {
  /// The facet for binding; nil: the wearable serves every client.
  public var binding: (any BindingSession)? { self as? any BindingSession }
}

/// Progress of a link to a bound wearable. A link that is lost or ends has no stage.
public enum BindingStage: String, Sendable, Hashable, CaseIterable {
  /// Services are discovered; the wearable has not accepted this hub yet.
  case authenticating
  /// Accepted: identity and capabilities are read, and the clock is set.
  case preparing
  /// Ready for all requests.
  case connected
}

/// Reason for which a wearable did not accept this hub.
public enum BindingRefusal: Sendable, Hashable, CaseIterable {
  /// Bound by another host meanwhile, or to another user.
  case otherHost
  /// A person pressed "cancel" on it.
  case cancelled
  /// The binding was not confirmed on it in time.
  case notConfirmed
  /// The battery is too low for binding.
  case batteryLow
  /// The wearable is being reset.
  case resetting
  /// The wearable must be reset before it can be bound.
  case resetNeeded
  /// Refused without a reason.
  case unexplained
}

extension VisitTrouble {
  /// End of a visit after a refusal: most refusals need a person's attention, and one is temporary.
  public static func bindingRefused(_ why: BindingRefusal) -> VisitTrouble {
    switch why {
    case .otherHost: .needsAttention(.boundElsewhere, "belongs to another user: a phone or another hub has bound it")
    case .cancelled: .needsAttention(.bindingNotConfirmed, "was not bound: cancel was pressed on it")
    case .notConfirmed: .needsAttention(.bindingNotConfirmed, "was not bound: it was not confirmed on it in time")
    case .batteryLow: .needsAttention(.bindingBatteryLow, "is not bound: its battery is too low for that")
    case .resetting: .busy(what: "it is being reset", retryAfter: .seconds(60))
    case .resetNeeded: .needsAttention(.bindingNeedsReset, "cannot be bound before it is reset")
    case .unexplained: .needsAttention(.bindingRefused, "refused to be bound, and does not say why")
    }
  }
}
