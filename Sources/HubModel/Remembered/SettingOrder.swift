// A setting that a wearable stores, and its order.

import Reasons
public import Wearable

/// A setting that can be ordered, and its order.
public struct SettingOrder: Sendable {
  public var setting: WearableSetting
  /// nil: not ordered.
  public var value: String?

  public init(_ setting: WearableSetting, value: String?) {
    self.setting = setting
    self.value = value
  }
}
