// What people order of the settings that a wearable keeps by itself.

import Reasons
import RingStore
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

/// How ordered settings are kept: `ant-plus=on,worn=chest`, in as many notes as they fill.
enum SettingNotes {
  /// All settings that there are fill one and a half.
  static let keys = ["orders.settings", "orders.settings-2"]

  static func read(_ notes: [String: String]) -> [String: String] {
    var settings: [String: String] = [:]
    for key in keys {
      for word in (notes[key] ?? "").split(separator: ",") {
        let parts = word.split(separator: "=", maxSplits: 1)
        if parts.count == 2 { settings[String(parts[0])] = String(parts[1]) }
      }
    }
    return settings
  }

  /// - Throws: `controlBadParameter` for more than the notes hold.
  static func write(_ settings: [String: String]) throws(HearthError) -> [String: String] {
    var notes: [String: String] = [:]
    var texts: [String] = []
    for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
      let word = "\(name)=\(value)"
      if let last = texts.last, last.utf8.count + 1 + word.utf8.count <= WearableRecord.noteValueLimit {
        texts[texts.count - 1] = last + "," + word
      } else {
        texts.append(word)
      }
    }
    guard texts.count <= keys.count, texts.allSatisfy({ $0.utf8.count <= WearableRecord.noteValueLimit }) else {
      throw HearthError(.controlBadParameter, "more settings than can be kept")
    }
    for (key, text) in zip(keys, texts) { notes[key] = text }
    return notes
  }
}

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
