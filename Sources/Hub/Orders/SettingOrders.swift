// What people order of the settings that a wearable keeps by itself.

import Reasons
import Wearable

extension OrderKeeper {
  func settingOrders(of wearable: EnrolledWearable) -> [SettingOrder] {
    settingChoices(of: wearable).map { SettingOrder($0, value: wearable.choices.orders.settings[$0.name]) }
  }

  private func settingChoices(of wearable: EnrolledWearable) -> [WearableSetting] {
    wearable.driver?.configurable?.settings(of: presence.known(of: wearable)) ?? []
  }

  /// Settings that it is to have; those that are not named stay as they are ordered. Durable when this returns, and
  /// asked of it at once where it is linked.
  ///
  /// - Parameter changes: by name; nil: no longer ordered, and as it was before where this hub changed it.
  /// - Throws: `noSuchWearable`, `requestUnsupported` for a setting or a value that its model does not have, or that
  ///   contradicts what is ordered to be off, or
  ///   why the disk refused; then nothing has changed.
  func orderSettings(_ which: String, _ changes: [String: String?]) async throws(HearthError) -> OrdersSnapshot {
    let wearable = try registry.require(which)
    let choices = settingChoices(of: wearable)
    var wanted = wearable.choices.orders.settings
    for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
      guard let value else {
        // Also one that another driver, or an earlier version of this one, had.
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
      choices.isEmpty ? "nothing of it can be set" : "it has \(choices.map { $0.name }.joined(separator: ", "))"
    throw HearthError(.requestUnsupported, "\(wearable.name): no setting is called '\(name.prefix(32))'; \(choice)")
  }
}
