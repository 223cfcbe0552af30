// A setting that a wearable keeps by itself, and what is ordered of it.

import Reasons
public import Wearable

/// A setting that can be ordered, and what is.
public struct SettingOrder: Sendable {
  public var setting: WearableSetting
  /// nil: it is left as it is.
  public var value: String?

  public init(_ setting: WearableSetting, value: String?) {
    self.setting = setting
    self.value = value
  }
}
