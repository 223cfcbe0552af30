// Wearables that belong to one host at a time.

public import EventLoop
internal import Reasons

/// A session whose wearable is bound to this hub with its first link, logged in to with every later one, and unbound
/// when it is forgotten. Binding and logging in are parts of `check`. Without this facet a wearable serves whoever
/// connects.
@LoopActor
public protocol BindingSession: WearableSession {
  /// It is bound to this hub, as the wearable said over this link.
  var isBound: Bool { get }
  /// Ends the binding at the wearable: it is being forgotten. The link is of no use after that.
  func unbind() async throws(VisitTrouble)
}

extension WearableSession {
  /// What belongs to this hub alone; nil: it serves whoever connects.
  public var binding: (any BindingSession)? { self as? any BindingSession }
}

/// How far a link to a wearable has come that is bound. A link that is lost, or ends, is at none of them.
public enum BindingStage: String, Sendable, Hashable, CaseIterable {
  /// Its services are found; it has not said yet that it accepts this hub.
  case authenticating
  /// It accepted; what it is and can do is read, its clock set.
  case preparing
  /// Ready for everything.
  case connected
}

/// Why a wearable did not accept this hub.
public enum BindingRefusal: Sendable, Hashable, CaseIterable {
  /// Bound by another host meanwhile, or to another user.
  case otherHost
  /// Somebody pressed "cancel" on it.
  case cancelled
  /// Nobody confirmed on it in time.
  case notConfirmed
  /// Its battery is too low to be bound.
  case batteryLow
  /// It is being reset just now.
  case resetting
  /// It has to be reset before anybody can bind it.
  case resetNeeded
  /// It says no and not why.
  case unexplained
}

extension VisitTrouble {
  /// What a visit ends with where a wearable does not accept this hub: those that a person has to do something about,
  /// and the one that goes by.
  public static func bindingRefused(_ why: BindingRefusal) -> VisitTrouble {
    switch why {
    case .otherHost: .needsAttention(.boundElsewhere, "belongs to another user: a phone or another hub has bound it")
    case .cancelled: .needsAttention(.bindingNotConfirmed, "was not bound: somebody pressed cancel on it")
    case .notConfirmed: .needsAttention(.bindingNotConfirmed, "was not bound: nobody confirmed on it in time")
    case .batteryLow: .needsAttention(.bindingBatteryLow, "is not bound: its battery is too low for that")
    case .resetting: .busy(what: "it is being reset", retryAfter: .seconds(60))
    case .resetNeeded: .needsAttention(.bindingNeedsReset, "cannot be bound before it is reset")
    case .unexplained: .needsAttention(.bindingRefused, "refused to be bound, and does not say why")
    }
  }
}
