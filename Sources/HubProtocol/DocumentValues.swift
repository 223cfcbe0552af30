// What documents say beyond their members.

public import Reasons

extension TroubleDocument {
  public init(_ error: HearthError) {
    let text = error.reason.text
    self.init(
      code: error.reason.code, area: text.area, sentence: text.sentence, detail: error.detail, effect: text.effect,
      next: text.next)
  }
}

extension DeviceDocument {
  /// Whether a wearable in this state is here: heard lately, linked, or on its way. One that is paused and has no link
  /// is not looked for.
  public static func isHere(_ state: Words.DeviceCondition) -> Bool { ![.absent, .missing, .paused].contains(state) }
}

extension CustodyDocument {
  /// As many as the store keeps of one wearable.
  public static let itemLimit = 1024
}

extension BondKeysDocument {
  /// Bonds of one call of `BondImport`: more than that, with all the keys there may be, do not fit a call.
  public static let atOnce = 64
}

extension DaysDocument.Night {
  /// Asleep, seconds.
  public var asleepS: Int { remS &+ lightS &+ deepS }
}
