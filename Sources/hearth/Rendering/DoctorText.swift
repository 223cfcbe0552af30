// Findings of the doctor as text: a line for each check, and the fix below it.

import HubProtocol

func render(_ examination: Examination, _ style: Style, verbose: Bool = false) -> String {
  examination.findings.map { render($0, style, verbose: verbose) }.joined() + summary(examination)
}

/// Width of the verdict and of the check's name.
private let (verdictColumns, nameColumns) = (8, 14)

private func render(_ finding: Finding, _ style: Style, verbose: Bool) -> String {
  let blank = String(repeating: " ", count: verdictColumns + nameColumns)
  let word = cell(finding.verdict.word, verdictColumns)
  let painted =
    switch finding.verdict {
    case .ok: style.good(word)
    case .unknown: word
    case .warn, .fail: style.attention(word)
    }
  let code = finding.code.map { "  \($0)" } ?? ""
  var text = ""
  for (number, part) in lines(harmless(finding.words, limit: 1024) + code, style, indent: blank.count).enumerated() {
    text += (number == 0 ? painted + cell(finding.check, nameColumns) : blank) + part + "\n"
  }
  if let fix = finding.fix {
    for part in lines(
      "fix  " + harmless(fix.words, limit: 512) + (fix.commands.isEmpty ? "" : ":"), style, indent: blank.count)
    {
      text += blank + part + "\n"
    }
    // Commands are never folded, so that they can be copied.
    for command in fix.commands { text += blank + "     " + harmless(command, limit: 512) + "\n" }
  }
  if verbose {
    for member in finding.figures where member.value != .null {
      text += blank + cell(member.key, 24) + " " + harmless(shown(member.value), limit: 256) + "\n"
    }
  }
  return text
}

/// Text in lines that fit beside `indent` columns; a single line without a limit.
private func lines(_ text: String, _ style: Style, indent: Int) -> [String] {
  guard let width = style.width, width > indent + 20 else { return [text] }
  var found: [String] = []
  var current = ""
  for word in text.split(separator: " ", omittingEmptySubsequences: false) {
    if !current.isEmpty, columns(current) + 1 + columns(String(word)) > width - indent {
      found.append(current)
      current = String(word)
    } else {
      current += (current.isEmpty ? "" : " ") + word
    }
  }
  return found + [current]
}

private func shown(_ value: JSON) -> String { value.text ?? String(decoding: value.compact, as: UTF8.self) }

private func summary(_ examination: Examination) -> String {
  let all = examination.findings.count
  let needy = examination.count(.warn) + examination.count(.fail)
  let unknown = examination.count(.unknown)
  let rest = unknown == 0 ? "" : "; \(unknown) not known"
  if needy == 0 { return "no check of \(all) needs attention\(rest)\n" }
  let failed = examination.count(.fail)
  let failures = failed == 0 ? "" : ", \(failed) failed"
  return "\(needy) of \(all) checks \(needy == 1 ? "needs" : "need") attention\(failures)\(rest)\n"
}
