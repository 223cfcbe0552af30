// Helpers for text: columns, ages and sizes. Every number has its unit.

import EventLoop
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

/// Terminal columns of harmless text: two for East Asian wide characters and most emoji, zero for combining marks.
func columns(_ text: String) -> Int {
  text.unicodeScalars.reduce(0) { total, scalar in
    switch scalar.value {
    case 0..<0x300: return total + 1
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6,
      0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return total + 2
    default:
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark: return total
      default: return total + 1
      }
    }
  }
}

/// `text` in at least `width` columns: padded, never cut. What could control a terminal becomes `?`.
func cell(_ text: String, _ width: Int, right: Bool = false) -> String {
  let safe = harmless(text, limit: 512)
  let space = String(repeating: " ", count: max(0, width - columns(safe)))
  return right ? space + safe : safe + space
}

/// Columns for the names of a table: the length of the longest one. On a narrow terminal it leaves room for the
/// `others`, but is not less than `least`.
func room(for names: [String], least: Int, others: Int, _ style: Style) -> Int {
  let longest = max(least, names.map { columns(harmless($0, limit: 512)) }.max() ?? 0)
  return min(longest, max(least, (style.width ?? .max) - others))
}

/// Text for a line that is redrawn: `text` in at most `width` columns, harmless.
func shortened(_ text: String, _ width: Int) -> String {
  let safe = harmless(text, limit: 512)
  if columns(safe) <= width { return safe }
  var kept = ""
  for character in safe {
    if columns(kept) + columns(String(character)) > width - 1 { break }
    kept.append(character)
  }
  return kept + "~"
}

/// A line without trailing blanks. `folded` makes it fit.
func line(_ text: String) -> String {
  var end = harmless(text, limit: 4096)
  while end.hasSuffix(" ") { end.removeLast() }
  return end + "\n"
}

/// `0 s`, `59 s`, `4 min`, `3 h 12 min`, `27 d`: at most two parts, rounded down.
func span(_ seconds: Int) -> String {
  switch max(0, seconds) {
  case let seconds where seconds < 60: "\(seconds) s"
  case let seconds where seconds < 3600: "\(seconds / 60) min"
  case let seconds where seconds < 86_400:
    "\(seconds / 3600) h" + (seconds / 60 % 60 == 0 ? "" : " \(seconds / 60 % 60) min")
  case let seconds where seconds < 10 * 86_400:
    "\(seconds / 86_400) d" + (seconds / 3600 % 24 == 0 ? "" : " \(seconds / 3600 % 24) h")
  case let seconds: "\(seconds / 86_400) d"
  }
}

/// Writes only the largest unit, for a narrow column: `59 s`, `4 min`, `3 h`, `27 d`.
func shortSpan(_ seconds: Int) -> String {
  switch max(0, seconds) {
  case let seconds where seconds < 60: "\(seconds) s"
  case let seconds where seconds < 3600: "\(seconds / 60) min"
  case let seconds where seconds < 86_400: "\(seconds / 3600) h"
  case let seconds: "\(seconds / 86_400) d"
  }
}

/// Seconds since a time of a document; nil without one. A future time counts as now.
func age(_ time: String?, _ now: WallTime) -> Int? {
  guard let time, let then = WallTime(rfc3339: time) else { return nil }
  return max(0, Int((now - then).inSeconds))
}

/// Seconds until a time of a document.
func wait(_ time: String?, _ now: WallTime) -> Int? {
  guard let time, let then = WallTime(rfc3339: time) else { return nil }
  return max(0, Int((then - now).inSeconds.rounded(.up)))
}

/// `310 B`, `4.0 KB`, `38 MB`: powers of 1000, at least two digits.
func size(_ bytes: Int) -> String {
  var value = Double(bytes)
  for unit in ["B", "KB", "MB", "GB"] {
    if value < 999.5 || unit == "GB" {
      return value < 9.95 && unit != "B" ? "\((value * 10).rounded() / 10) \(unit)" : "\(Int(value.rounded())) \(unit)"
    }
    value /= 1000
  }
  return "\(bytes) B"
}

/// `1 204 992`
func grouped(_ number: some BinaryInteger) -> String {
  let digits = Array("\(number.magnitude)")
  var text = number < 0 ? "-" : ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index) % 3 == 0 { text += " " }
    text.append(digit)
  }
  return text
}

/// `1 wearable`, `2 wearables`
func counted(_ number: some BinaryInteger, _ noun: String) -> String {
  "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
}

/// A name in a column that begins at `indent` and is `width` wide, and a sentence behind it, which continues under its
/// own begin.
func described(_ name: String, _ width: Int, _ sentence: String, indent: Int = 0) -> String {
  let blank = String(repeating: " ", count: indent + width + 1)
  return String(repeating: " ", count: indent) + cell(name, width) + " "
    + wrapped(harmless(sentence, limit: 256), indent: blank).dropFirst(blank.count)
}

// MARK: - Times

/// The zone of the times above or below.
func zoneLine(_ time: HubTime) -> String { "times in \(harmless(time.zone.name))\n" }

// MARK: - Reasons

/// The three lines of a message.
func render(_ error: HearthError) -> String { render(TroubleDocument(error)) }

func render(_ trouble: TroubleDocument) -> String {
  var text =
    """
    \(trouble.code) \(trouble.area): \
    \(harmless(trouble.detail.isEmpty ? trouble.sentence : trouble.detail, limit: 2048))\n
    """
  if !trouble.effect.isEmpty { text += "      \(harmless(trouble.effect, limit: 256))\n" }
  if !trouble.next.isEmpty { text += "      next: \(harmless(trouble.next, limit: 256))\n" }
  return text
}

/// Text in lines of at most 78 columns.
func wrapped(_ text: String, indent: String = "") -> String {
  var lines: [String] = []
  var current = indent
  for word in text.split(whereSeparator: \.isWhitespace) {
    if columns(current) > indent.count, columns(current) + 1 + columns(String(word)) > 78 {
      lines.append(current)
      current = indent
    }
    current += (current == indent ? "" : " ") + word
  }
  lines.append(current)
  return lines.joined(separator: "\n") + "\n"
}

/// Whether a text contains another one. Written by hand, as the library's search links its regular expressions, 1.3 MB.
func includes(_ text: String, _ part: String) -> Bool { text.indices.contains { text[$0...].hasPrefix(part) } }
