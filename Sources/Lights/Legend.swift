// Printable legend of the lights: `hearth led legend` and the card for the lid.

/// Row of the printed legend: one pattern of one LED.
public struct LegendRow: Sendable, Equatable {
  /// LED that shows the pattern.
  public let lamp: Lamp
  /// Precedence among patterns of the LED, 0 to 9; the lowest wins.
  public let precedence: Int
  /// Pattern that the row explains.
  public let pattern: Pattern
  /// `2 x (150 ms on, 350 ms off), 2 s dark`
  public let timing: String
  /// Meaning for a person.
  public let meaning: String
  /// `H31xx`; empty if the row has no code.
  public let codes: String
}

/// Returns the rows of the table, LED by LED, highest priority first.
public func legend(_ language: LightLanguage) -> [LegendRow] {
  lightTable.map { row in
    LegendRow(
      lamp: row.lamp, precedence: row.precedence, pattern: row.pattern, timing: row.pattern.timing(language),
      meaning: row.meaning,
      codes: row.codes)
  }
}

/// Card for the lid: plain text, at most 80 columns.
public func legendCard(_ language: LightLanguage) -> String {
  var lines = ["Hearth: what the LEDs say (\(language.rawValue))", ""]
  if language == .ward { lines += ["Data hub - not an alarm", ""] }
  var lamp: Lamp?
  for row in legend(language) {
    if row.lamp != lamp { lines += (lamp == nil ? [] : [""]) + ["\(row.lamp.name) (\(row.lamp.colour))"] }
    lamp = row.lamp
    let codes = row.codes.isEmpty ? "" : "  [\(row.codes)]"
    lines.append("  \(padded(row.pattern.name, to: 10)) \(row.meaning)\(codes)")
  }
  lines += ["", "Timing"]
  var named: [String] = []
  for row in legend(language) where !named.contains(row.pattern.name) {
    named.append(row.pattern.name)
    lines.append("  \(padded(row.pattern.name, to: 10)) \(row.timing)")
  }
  lines += [
    "", "Button, if there is one", "  short press  enrolment window open for 120 s", "  hold 3 s     locate",
    "  hold 10 s    clean stop; then the power may be cut",
  ]
  lines += [
    "", "Of several, an LED shows the one highest in its list, to the end of its cycle.",
    "On the hub: hearth led explain",
  ]
  return lines.joined(separator: "\n") + "\n"
}

extension Pattern {
  /// Description of the pattern in words and times.
  public func timing(_ language: LightLanguage) -> String {
    switch self {
    case .off: "dark"
    case .steady: "on; a dip is \(Self.blinkMilliseconds) ms dark"
    case .wink: "dark; a wink is \(Self.blinkMilliseconds) ms on"
    case .frozen: "on or dark for more than 5 s"
    case .code(let count):
      """
      \(count) x (\(Self.codeOnMilliseconds) ms on, \(Self.codeCycleMilliseconds - Self.codeOnMilliseconds) ms off), \
      then 2 s dark
      """
    case .locate: "HUB, LINK, STORE one after another, 100 ms each, once a second"
    case .heartbeat, .calm, .slow:
      frames(language).map { "\($0.milliseconds ?? 0) ms \($0.on ? "on" : "off")" }.joined(separator: ", ")
    }
  }
}

private func padded(_ text: String, to width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}
