// Everything the lights may know about the hub.

public import Reasons

/// The radio, as far as a lamp can say it.
public enum RadioLight: Sendable, Equatable {
  case serving
  /// The hub is working on it.
  case recovering(Reason)
  /// The hub has tried everything it can.
  case gone(Reason)
}

/// The input of the arbiter. A fresh value is a hub that is starting and has no trouble.
public struct LightState: Sendable, Equatable {
  public enum Phase: Sendable, Equatable {
    case starting, serving, stopping
  }

  public var phase: Phase = .starting
  /// The configuration on disk was refused; the last good one is in force.
  public var configInvalid: Reason?
  public var clockTrusted = true
  /// An update did not serve, and nobody has seen to it.
  public var update: Reason?
  public var radio: RadioLight = .serving
  /// A wearable needs a person, or is missing.
  public var attention: Reason?
  /// Every slot is taken and someone present waits longer than the bound.
  public var slotsFullAndOverdue = false
  public var enrolmentOpen = false
  /// A pairing waits for a person's answer.
  public var pairingWaits = false
  /// A live value was beyond a limit that people set, and nobody has acknowledged it.
  public var alert: Reason?
  /// Wearables with a link over which something comes, or that are being visited.
  public var links = 0
  /// The card fails or is read-only; samples are in memory only.
  public var storeFailing: Reason?
  /// More was written to the card today than its budget.
  public var budgetExceeded = false
  /// Samples are evicted that were never exported.
  public var evictingUnexported = false
  /// Samples wait for a reader for longer than is wanted.
  public var unread: Reason?
  /// Packing, verifying or exporting.
  public var storeBusy = false
  /// Someone asked which box this is. The driver ends it after 30 s; ask again by showing false, then true.
  public var locate = false

  public init() {}
}
