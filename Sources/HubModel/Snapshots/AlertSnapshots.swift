// What people are told of limits, and of what is beyond them.

public import EventLoop
import Health
public import Reasons

/// What people are shown of one alert.
public struct AlertSnapshot: Sendable, Hashable {
  public var alert: RaisedAlert
  /// Its code, and what happened to whom.
  public var trouble: HearthError
  /// Name of the wearable.
  public var wearable: String
  /// In a list of muted alerts: until when, by the clock as it is now; nil: until a person takes the mute back.
  public var mutedUntil: WallTime?

  public var attention: Attention { Attention(wearable: wearable, trouble: trouble, mutedUntil: mutedUntil) }

  public init(_ alert: RaisedAlert, of wearable: String, mutedUntil: WallTime? = nil) {
    self.alert = alert
    (self.wearable, self.mutedUntil) = (wearable, mutedUntil)
    let who = alert.source == .hub ? "" : ", as it says itself"
    trouble = HearthError(alert.kind.reason, "\(wearable): \(alert.kind.sentence(alert.limit))\(who)")
  }
}

/// What is watched of one wearable, and what is not acknowledged.
public struct AlertsSnapshot: Sendable {
  public var wearable: String
  public var orders: AlertOrders
  /// What is measured now counts as exercise.
  public var isExercise: Bool
  public var alerts: [AlertSnapshot]
  /// What is not acknowledged either, and muted.
  public var muted: [AlertSnapshot]

  public init(
    wearable: String, orders: AlertOrders, isExercise: Bool, alerts: [AlertSnapshot], muted: [AlertSnapshot] = []
  ) {
    (self.wearable, self.orders, self.isExercise) = (wearable, orders, isExercise)
    (self.alerts, self.muted) = (alerts, muted)
  }
}
