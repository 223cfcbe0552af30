// A setting that a wearable stores, and its order.

import Reasons
public import Wearable

/// A setting that can be ordered, and its order.
public struct SettingOrder: Sendable {
  /// Setting, with its possible values.
  public var setting: WearableSetting
  /// Ordered value; nil: not ordered.
  public var value: String?

  /// A setting; `value` nil: not ordered.
  public init(_ setting: WearableSetting, value: String?) {
    self.setting = setting
    self.value = value
  }
}
