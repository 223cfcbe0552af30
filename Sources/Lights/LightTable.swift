// Table of the light language. The arbiter, the pins, `hearth led explain` and the card for the lid all use it.

public import Reasons

/// Meaning of an LED's pattern, with its reason.
public struct LightMeaning: Sendable, Equatable {
  /// LED that shows the pattern.
  public let lamp: Lamp
  /// Lower wins. 0 is the highest priority; 9 means that all is well.
  public let precedence: Int
  /// Pattern of this meaning.
  public let pattern: Pattern
  /// Text without the LED and the pattern: `serving`, `5 links; a dip is a finished visit`.
  public let meaning: String
  /// Reason code; nil: no trouble.
  public let reason: Reason?
  /// Language in which the pattern is shown.
  public let language: LightLanguage
  /// Whether its reason no longer applies: an LED shows a code for as long as a person needs to read it.
  public internal(set) var isOver = false

  /// A row of the table.
  public init(lamp: Lamp, precedence: Int, pattern: Pattern, meaning: String, reason: Reason?, language: LightLanguage)
  {
    self.lamp = lamp
    self.precedence = precedence
    self.pattern = pattern
    self.meaning = meaning
    self.reason = reason
    self.language = language
  }
}

extension LightMeaning {
  /// The same while the LEDs are off: dark, if all is well and no person is waiting for this.
  var atNight: LightMeaning {
    // Of STORE, also "packing": this happens every hour, and no person asked for it.
    if reason != nil || pattern == .locate || precedence < 8 && lamp != .store { return self }
    return LightMeaning(
      lamp: lamp, precedence: precedence, pattern: .off, meaning: "off at night: \(meaning)", reason: nil,
      language: language)
  }
}

/// Row of the table: its condition, its pattern and its meaning.
struct LightRow: Sendable {
  /// Whether a row applies in a state, and its reason.
  enum Match: Sendable, Equatable {
    case no
    case yes(Reason?)

    static func when(_ condition: Bool, _ reason: Reason? = nil) -> Match { condition ? .yes(reason) : .no }
    static func when(_ reason: Reason?) -> Match { reason == nil ? .no : .yes(reason) }
  }

  let precedence: Int
  let lamp: Lamp
  let pattern: Pattern
  let meaning: String
  /// Reason codes of the row, as printed on the card; may be empty.
  let codes: String
  let match: @Sendable (LightState) -> Match

  init(
    _ precedence: Int, _ lamp: Lamp, _ pattern: Pattern, _ meaning: String, _ codes: String = "",
    _ match: @escaping @Sendable (LightState) -> Match
  ) {
    self.precedence = precedence
    self.lamp = lamp
    self.pattern = pattern
    self.meaning = meaning
    self.codes = codes
    self.match = match
  }
}

/// Rows of one LED are together, highest priority first. The last row of each LED always applies.
let lightTable: [LightRow] = [
  LightRow(0, .hub, .locate, "someone asked which box this is; ends by itself after 30 s") { .when($0.locate) },
  LightRow(1, .hub, .frozen, "daemon dead or hung for more than 5 s; it is restarted within 30 s") { _ in .no },
  LightRow(2, .hub, .code(4), "configuration invalid; serving with the last good one", "H10xx") {
    .when($0.configInvalid)
  },
  LightRow(3, .hub, .code(3), "clock cannot be right; samples are stored with evidence", "H50xx") {
    .when(!$0.clockTrusted, .clockUntrusted)
  },
  LightRow(4, .hub, .code(2), "radio being recovered", "H31xx") {
    if case .recovering(let reason) = $0.radio { .yes(reason) } else { .no }
  },
  LightRow(5, .hub, .slow, "starting, stopping or updating") { .when($0.phase != .serving) },
  LightRow(7, .hub, .calm, "an update failed; see hearth update", "H8060, H8061") { .when($0.update) },
  LightRow(9, .hub, .heartbeat, "serving") { _ in .yes(nil) },

  LightRow(0, .link, .locate, "someone asked which box this is; ends by itself after 30 s") { .when($0.locate) },
  LightRow(2, .link, .code(4), "radio gone; the hub has tried all it can", "H31xx") {
    if case .gone(let reason) = $0.radio { .yes(reason) } else { .no }
  },
  LightRow(3, .link, .code(3), "a wearable needs a person, or is missing", "H22xx, H2140") { .when($0.attention) },
  LightRow(4, .link, .calm, "a live value was beyond its limit; no alarm", "H24xx") { .when($0.alert) },
  LightRow(5, .link, .code(2), "a wearable is overdue: each slot that it may use is busy", "H2101") {
    .when($0.slotsFullAndOverdue, .slotsFull)
  },
  LightRow(6, .link, .slow, "enrolment window open, or a pairing waits for an answer") {
    .when($0.enrolmentOpen || $0.pairingWaits)
  },
  LightRow(8, .link, .steady, "links that deliver data; a dip is a finished visit") { .when($0.links > 0) },
  LightRow(9, .link, .off, "no link, or no link delivers data") { _ in .yes(nil) },

  LightRow(0, .store, .locate, "someone asked which box this is; ends by itself after 30 s") { .when($0.locate) },
  LightRow(2, .store, .code(4), "card failing, read-only or none; samples in memory", "H40xx, H4199") {
    .when($0.storeFailing)
  },
  LightRow(3, .store, .code(3), "write budget exceeded for a day", "H4110") {
    .when($0.budgetExceeded, .storeBudgetExceeded)
  },
  LightRow(4, .store, .code(2), "evicting samples that were never exported", "H4101") {
    .when($0.evictingUnexported, .storeEvicting)
  },
  LightRow(5, .store, .slow, "packing, verifying or exporting") { .when($0.storeBusy) },
  LightRow(7, .store, .calm, "samples wait for a reader beyond store.export_within", "H4114") { .when($0.unread) },
  LightRow(8, .store, .wink, "commit: samples are safe on the card") { _ in .no },
  LightRow(9, .store, .off, "idle") { _ in .yes(nil) },
]

/// Meanings of a state: one per LED, in the order HUB, LINK, STORE. The applicable row with the lowest number wins.
public func arbitrate(_ state: LightState, _ language: LightLanguage) -> [LightMeaning] {
  Lamp.allCases.map { lamp in
    for row in lightTable where row.lamp == lamp {
      guard case .yes(let reason) = row.match(state) else { continue }
      let counted =
        row.pattern == .steady
        ? "\(state.links) \(state.links == 1 ? "link" : "links"); a dip is a finished visit" : row.meaning
      return LightMeaning(
        lamp: lamp, precedence: row.precedence, pattern: row.pattern, meaning: counted, reason: reason,
        language: language)
    }
    fatalError("the last row of \(lamp.name) always holds")
  }
}
