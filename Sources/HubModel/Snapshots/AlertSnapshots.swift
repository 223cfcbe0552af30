// Limits and alerts, as shown to people.

public import EventLoop
import Health
public import Reasons

/// An alert, as shown to people.
public struct AlertSnapshot: Sendable, Hashable {
  /// Alert with its values and times.
  public var alert: RaisedAlert
  /// Code, and a sentence with the wearable.
  public var trouble: HearthError
  /// Name of the wearable.
  public var wearable: String
  /// End of the mute, in a list of muted alerts, by the clock as it is set now; nil: until a person withdraws it.
  public var mutedUntil: WallTime?

  /// The alert for the list of troubles.
  public var attention: Attention { Attention(wearable: wearable, trouble: trouble, mutedUntil: mutedUntil) }

  /// An alert with its text.
  public init(_ alert: RaisedAlert, of wearable: String, mutedUntil: WallTime? = nil) {
    self.alert = alert
    (self.wearable, self.mutedUntil) = (wearable, mutedUntil)
    let who = alert.source == .hub ? "" : ", as it says itself"
    trouble = HearthError(alert.kind.reason, "\(wearable): \(alert.kind.sentence(alert.limit))\(who)")
  }
}

/// The limits of one wearable, and its unacknowledged alerts.
public struct AlertsSnapshot: Sendable {
  /// Name of the wearable.
  public var wearable: String
  /// Limits that people set.
  public var orders: AlertOrders
  /// Whether values of now count as measured in exercise.
  public var isExercise: Bool
  /// Alerts without a mute.
  public var alerts: [AlertSnapshot]
  /// Unacknowledged alerts that are muted.
  public var muted: [AlertSnapshot]

  /// Limits and alerts of one wearable.
  public init(
    wearable: String, orders: AlertOrders, isExercise: Bool, alerts: [AlertSnapshot], muted: [AlertSnapshot] = []
  ) {
    (self.wearable, self.orders, self.isExercise) = (wearable, orders, isExercise)
    (self.alerts, self.muted) = (alerts, muted)
  }
}
