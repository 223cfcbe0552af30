// Folding of repeated lines of the log. Pure.

import EventLoop
import HubProtocol
import Reasons
import StoreDocuments

/// Wanted entries; nil: any.
struct LogFilter {
  var name: String?
  var code: CodePattern?

  func passes(_ entry: LogEntry) -> Bool {
    if let name, entry.device != name, !entry.text.hasPrefix("\(name) "), !entry.text.hasPrefix("\(name):") {
      return false
    }
    guard let code else { return true }
    return entry.code.flatMap { UInt16($0.dropFirst()) }.map { code.matches($0) } ?? false
  }
}

/// Entries in order, with a count of those that only repeat the one before.
struct LogFolding {
  /// A piece of output.
  enum Piece: Equatable {
    case entry(LogEntry)
    /// Number of repetitions of the entry before, with the last one.
    case repeats(Int, until: LogEntry)
  }

  private var last: LogEntry?
  private var count = 0
  private var latest: LogEntry?

  init() {}

  mutating func take(_ entry: LogEntry) -> [Piece] {
    if last != nil, let more = entry.repeatsOfBefore {
      count = count.addingReportingOverflow(more).partialValue
      latest = entry
      return []
    }
    if let last, Self.isSame(last, entry) {
      count += 1
      latest = entry
      return []
    }
    defer { last = entry }
    return end() + [.entry(entry)]
  }

  /// The remaining output.
  mutating func end() -> [Piece] {
    defer { (last, count, latest) = (nil, 0, nil) }
    guard count > 0, let latest else { return [] }
    return [.repeats(count, until: latest)]
  }

  private static func isSame(_ a: LogEntry, _ b: LogEntry) -> Bool {
    a.text == b.text && a.code == b.code && a.device == b.device && a.level == b.level
  }
}

/// `2026-11-22 10:00:05  H2104  strap-03: fell silent`; a level if there is no code.
func render(_ piece: LogFolding.Piece, _ time: HubTime, verbose: Bool = false) -> String {
  switch piece {
  case .entry(let entry):
    let mark = entry.code ?? (entry.level == "info" ? "" : entry.level)
    let isNamed = entry.device.map { includes(entry.text, $0) } ?? true
    let device = isNamed ? "" : "\(entry.device ?? ""): "
    var text = "\(when(entry, time))  \(cell(mark, 7))  \(harmless(device + entry.text, limit: 1024))"
    if let visit = entry.visit { text += " (visit \(harmless(visit)))" }
    if verbose {
      for field in entry.fields { text += " \(harmless(field.name))=\(harmless(field.value, limit: 256))" }
      if let effect = entry.effect { text += "\n\(indent)\(harmless(effect, limit: 256))" }
    }
    while text.hasSuffix(" ") { text.removeLast() }
    return text + "\n"
  case .repeats(let count, let entry):
    return "\(indent)the same \(count == 1 ? "once" : "\(count) times") more, until \(when(entry, time))\n"
  }
}

private let indent = String(repeating: " ", count: 30)

private func when(_ entry: LogEntry, _ time: HubTime) -> String {
  entry.time.map { time.text($0) } ?? cell(entry.clock ?? "", 19)
}

func json(_ piece: LogFolding.Piece) -> JSON {
  let (entry, count): (LogEntry, Int) =
    switch piece {
    case .entry(let entry): (entry, 0)
    case .repeats(let count, let until): (until, count)
    }
  return [
    "time": .optional(entry.time?.rfc3339), "clock": .optional(entry.clock), "level": .string(entry.level),
    "code": .optional(entry.code), "device": .optional(entry.device), "visit": .optional(entry.visit),
    "effect": .optional(entry.effect), "text": .string(entry.text), "repeats": .integer(Int64(count)),
  ]
}
