// Orders of people for the settings that a wearable stores.

import Reasons
import Wearable

extension OrderKeeper {
  func settingOrders(of wearable: EnrolledWearable) -> [SettingOrder] {
    settingChoices(of: wearable).map { SettingOrder($0, value: wearable.choices.orders.settings[$0.name]) }
  }

  private func settingChoices(of wearable: EnrolledWearable) -> [WearableSetting] {
    wearable.driver?.configurable?.settings(of: presence.known(of: wearable)) ?? []
  }

  /// Orders values of settings; settings that are not named keep their order. Durable when this returns. A linked
  /// wearable gets the order at once.
  ///
  /// - Parameter changes: values by name. nil: no longer ordered; the earlier value is restored if this hub changed it.
  /// - Throws: `noSuchWearable`; `requestUnsupported` for a setting or a value that its model does not have, or that
  ///   contradicts features ordered off; or the store's error. After an error the orders are unchanged.
  func orderSettings(_ which: String, _ changes: [String: String?]) async throws(HearthError) -> OrdersSnapshot {
    let wearable = try registry.require(which)
    let choices = settingChoices(of: wearable)
    var wanted = wearable.choices.orders.settings
    for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
      guard let value else {
        // Also an order for a setting of another driver, or of an earlier version.
        if wanted.removeValue(forKey: name) == nil { try Self.require(name, among: choices, of: wearable) }
        continue
      }
      let setting = try Self.require(name, among: choices, of: wearable)
      guard setting.takes(value) else {
        throw HearthError(
          .requestUnsupported, "\(wearable.name): \(name) is not '\(value.prefix(32))'; it may be \(setting.choiceText)"
        )
      }
      if value == "on", wearable.choices.orders.switchedOff.contains(name) {
        throw HearthError(
          .requestUnsupported,
          "\(wearable.name): \(name) is one of the features that are ordered off; take it out of features-off first")
      }
      wanted[name] = value
    }
    return try await order(wearable) { $0.settings = wanted }
  }

  @discardableResult
  private static func require(_ name: String, among choices: [WearableSetting], of wearable: EnrolledWearable)
    throws(HearthError) -> WearableSetting
  {
    if let found = choices.first(where: { $0.name == name }) { return found }
    let choice =
      choices.isEmpty ? "it has no settings" : "it has \(choices.map { $0.name }.joined(separator: ", "))"
    throw HearthError(.requestUnsupported, "\(wearable.name): no setting is called '\(name.prefix(32))'; \(choice)")
  }
}
