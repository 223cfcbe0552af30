// Values that are derived from members of documents.

public import Reasons

extension TroubleDocument {
  /// Converts an error with its texts.
  public init(_ error: HearthError) {
    let text = error.reason.text
    self.init(
      code: error.reason.code, area: text.area, sentence: text.sentence, detail: error.detail, effect: text.effect,
      next: text.next)
  }
}

extension DeviceDocument {
  /// Whether a wearable in this state is present: heard lately, linked, or connecting. A paused one without a link is
  /// not looked for.
  public static func isHere(_ state: Words.DeviceCondition) -> Bool { ![.absent, .missing, .paused].contains(state) }
}

extension CustodyDocument {
  /// Maximum number of items of a wearable that the store keeps.
  public static let itemLimit = 1024
}

extension BondKeysDocument {
  /// Maximum bonds in one call of `BondImport`. More of them, with all possible keys, would exceed the size of a call.
  public static let atOnce = 64
}

extension DaysDocument.Night {
  /// Seconds asleep.
  public var asleepS: Int { remS &+ lightS &+ deepS }
}
