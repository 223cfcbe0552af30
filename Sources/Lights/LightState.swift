// State of the hub as shown by the lights.

public import Reasons

/// State of the radio as shown by an LED.
public enum RadioLight: Sendable, Equatable {
  case serving
  /// The hub is recovering it.
  case recovering(Reason)
  /// The hub has tried all that it can.
  case gone(Reason)
}

/// Input of the arbiter. The default value is a hub that is starting without faults.
public struct LightState: Sendable, Equatable {
  /// Phase of the hub.
  public enum Phase: Sendable, Equatable {
    case starting, serving, stopping
  }

  /// Phase of the hub.
  public var phase: Phase = .starting
  /// The configuration on disk was refused; the last valid one is in force.
  public var configInvalid: Reason?
  /// True if a time source disciplines the clock.
  public var clockTrusted = true
  /// An update failed its check, and no operator has acknowledged it.
  public var update: Reason?
  /// Ability of the radio to serve: serving, recovering, or gone.
  public var radio: RadioLight = .serving
  /// A wearable needs an operator, or is missing.
  public var attention: Reason?
  /// Whether every slot is taken and a wearable in range waits longer than the limit.
  public var slotsFullAndOverdue = false
  /// True while the enrolment window is open.
  public var enrolmentOpen = false
  /// Whether a pairing waits for an operator's answer.
  public var pairingWaits = false
  /// A live value was beyond a configured limit, and no operator has acknowledged it.
  public var alert: Reason?
  /// Wearables with a link that delivers data, or that are being visited.
  public var links = 0
  /// The card fails or is read-only; samples are only in memory.
  public var storeFailing: Reason?
  /// Whether more was written to the card today than its budget.
  public var budgetExceeded = false
  /// Whether samples are being deleted that were never exported.
  public var evictingUnexported = false
  /// Samples have waited for a reader longer than the limit.
  public var unread: Reason?
  /// Whether the store is packing, verifying or exporting.
  public var storeBusy = false
  /// Whether an operator wants to identify this hub. The driver ends it after 30 s; to repeat, show false, then true.
  public var locate = false

  /// A hub that starts.
  public init() {}
}
