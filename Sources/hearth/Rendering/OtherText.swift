// LEDs, settings and reasons as text.

import Configuration
import HubProtocol
import Lights
import Reasons

func render(_ lights: LightsDocument, _ style: Style) -> String {
  if lights.lights.isEmpty { return "this hub has no LEDs\n" }
  let rows = lights.lights.map { light in
    let head = "\(cell(light.lamp, 6)) \(cell(light.pattern, 18)) "
    guard let code = light.code else { return line(head + light.meaning) }
    if light.over == true {
      return line(head + light.meaning + "  \(code), over by now: an LED shows it for ten seconds")
    }
    var text = style.attention(head + cell(light.meaning, 73 - columns(head)) + "  \(code)") + "\n"
    if let sentence = light.sentence { text += indented("", sentence) }
    if let next = light.next, !next.isEmpty { text += indented("next: ", next) }
    return text
  }
  let night: String =
    switch lights.night {
    case "dimmed": "night  the LEDs are dimmed\n"
    case "off": "night  the LEDs are off, but for trouble and for locating (lights.off)\n"
    case "cannot_dim": "night  the LEDs shine as by day: the board has no dimmer (lights.night)\n"
    default: ""
    }
  return rows.joined() + night
}

private func indented(_ label: String, _ text: String) -> String {
  wrapped(label + harmless(text, limit: 512), indent: "       ")
}

/// The whole language of the lights, for a screen.
func renderLegend(_ language: LightLanguage) -> String {
  var text = line("LEDs of a \(language.rawValue); of several, an LED shows the first")
  for row in legend(language) {
    let head = "\(cell(row.lamp.name, 6)) \(cell(row.pattern.name, 18))"
    let body = wrapped(
      row.meaning + (row.codes.isEmpty ? "" : " (\(row.codes))"), indent: String(repeating: " ", count: columns(head)))
    text += head + body.dropFirst(columns(head))
  }
  return text
}

func legendJSON(_ language: LightLanguage) -> JSON {
  let rows = legend(language).map { row -> JSON in
    [
      "lamp": .string(row.lamp.name), "colour": .string(row.lamp.colour), "precedence": .integer(Int64(row.precedence)),
      "pattern": .string(row.pattern.name), "timing": .string(row.timing), "meaning": .string(row.meaning),
      "codes": row.codes.isEmpty ? .null : .string(row.codes),
    ]
  }
  return ["schema": "io.hearth.legend/1", "language": .string(language.rawValue), "rows": .array(rows)]
}

func render(_ settings: [SettingDocument], origin: Bool) -> String {
  let key = settings.map { columns($0.key) }.max() ?? 0
  let value = min(32, settings.map { columns(harmless($0.value)) }.max() ?? 0)
  // Not cut to 80 columns: a part of a path would be useless.
  return settings.map { setting in
    let shown = harmless(setting.value, limit: 1024)
    let padding = String(repeating: " ", count: max(0, value - columns(shown)))
    return "\(cell(setting.key, key))  \(shown)"
      + (origin ? "\(padding)  \(harmless(setting.origin, limit: 1024))" : "") + "\n"
  }.joined()
}

func render(_ reason: Reason) -> String {
  let text = reason.text
  var shown = "\(reason.code) \(text.area): \(text.sentence)\n\n" + wrapped(reason.explanation) + "\n"
  if !text.effect.isEmpty { shown += "samples  \(text.effect)\n" }
  if !text.next.isEmpty { shown += "next     \(text.next)\n" }
  return shown
}

func json(of reason: Reason) -> JSON {
  let text = reason.text
  return [
    "schema": "io.hearth.reason/1", "code": .string(reason.code), "area": .string(text.area),
    "sentence": .string(text.sentence),
    "explanation": .string(reason.explanation), "effect": .string(text.effect), "next": .string(text.next),
  ]
}

// MARK: Searches

/// Codes that a search prints at most.
private let mostCodes = 12

func render(_ search: WordSearch) -> String {
  let width = (search.pages.map { columns($0.call) }.max() ?? 0) + 1
  let pages = search.pages.map { described($0.call, width, $0.abstract) }
  let codes = search.codes.prefix(mostCodes).map { described($0.code, 6, $0.text.sentence) }
  let more = search.codes.count - codes.count
  let between = pages.isEmpty || codes.isEmpty ? "" : "\n"
  let rest = more > 0 ? "and \(counted(more, "code")) more: another word narrows the search\n" : ""
  return pages.joined() + between + codes.joined() + rest
}

func json(of search: WordSearch, _ text: String) -> JSON {
  let pages: [JSON] = search.pages.map { ["page": .string($0.call), "abstract": .string($0.abstract)] }
  let codes: [JSON] = search.codes.map { ["code": .string($0.code), "sentence": .string($0.text.sentence)] }
  return ["schema": "io.hearth.words/1", "words": .string(text), "pages": .array(pages), "codes": .array(codes)]
}
