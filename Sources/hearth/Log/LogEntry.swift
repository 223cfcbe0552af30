// A line of the daemon's log, split into parts. Pure, and defined for any bytes.

import EventLoop
import HubProtocol
import Reasons

/// A message of `hearthd`.
struct LogEntry: Equatable {
  /// nil for a line without a time, or with a time of day only.
  var time: WallTime?
  /// `10:00:05`, for a line without a date.
  var clock: String?
  /// `error`, `warning`, `notice`, `info`, `debug`; empty if unknown.
  var level = ""
  /// The message without its fields, and without code and area.
  var text: String
  var code: String?
  var device: String?
  var visit: String?
  var effect: String?
  /// Fields other than these, in their order.
  var fields: [Field] = []

  struct Field: Equatable {
    var name: String
    var value: String
  }

  /// Maximum number of bytes of a line; the rest is ignored.
  static let lineLimit = 64 << 10
  /// Maximum number of capital letters in the name of a field of the daemon.
  private static let nameLimit = 16

  /// Reads a line of `journalctl -o json`, or of the daemon's standard error; nil for an empty one.
  init?(line: [UInt8]) {
    let line = line.prefix(Self.lineLimit)
    if line.first == UInt8(ascii: "{"), let entry = Self.journal(Array(line)) {
      self = entry
      return
    }
    let text = String(decoding: line.filter { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
    if text.isEmpty { return nil }
    self = Self.captured(text)
  }

  /// - Parameter message: with its fields at the end.
  private init(_ message: Substring, time: WallTime? = nil, clock: String? = nil, level: String = "") {
    self.time = time
    self.clock = clock
    self.level = level
    let (body, fields) = Self.split(message)
    text = String(body)
    for (name, value) in fields {
      switch name {
      case "CODE": code = Reason(code: value)?.code ?? value
      case "DEVICE": device = value
      case "VISIT": visit = value
      case "EFFECT": effect = value
      default: self.fields.append(Field(name: name, value: value))
      }
    }
    takeCode()
  }

  // MARK: The forms of a line

  private static func journal(_ bytes: [UInt8]) -> LogEntry? {
    guard let json = try? JSON.parse(bytes), let message = json["MESSAGE"].flatMap({ messageText($0) }) else {
      return nil
    }
    let time = json["__REALTIME_TIMESTAMP"]?.text.flatMap { Int64($0) }.map { WallTime(microseconds: $0) }
    let priority = json["PRIORITY"]?.text.flatMap { Int($0) }
    return LogEntry(message[...], time: time, level: priority.map { level($0) } ?? "")
  }

  /// journalctl writes text that is not UTF-8 as a list of bytes, and text of more than 4 KB as null.
  private static func messageText(_ json: JSON) -> String? {
    if let text = json.text { return text }
    if json == .null { return "a line of more than 4 KB; journalctl -u hearthd -o cat shows it" }
    guard case .array(let items) = json else { return nil }
    let bytes = items.map { item -> UInt8 in
      if case .integer(let number) = item { UInt8(exactly: number) ?? 0x3F } else { 0x3F }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `<5>message`, the form for journald, or `10:00:05 notice message`.
  private static func captured(_ line: String) -> LogEntry {
    if line.hasPrefix("<"), let end = line.utf8.prefix(4).firstIndex(of: UInt8(ascii: ">")),
      let priority = Int(line[line.index(after: line.startIndex)..<end])
    {
      return LogEntry(line[line.index(after: end)...], level: level(priority))
    }
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    if words.count == 3, isClock(words[0]), levels.contains(String(words[1])) {
      return LogEntry(words[2], clock: String(words[0]), level: String(words[1]))
    }
    return LogEntry(line[...])
  }

  private static func isClock(_ word: Substring) -> Bool {
    let bytes = Array(word.utf8)
    return bytes.count == 8
      && bytes.enumerated().allSatisfy { $0.offset % 3 == 2 ? $0.element == 0x3A : (0x30...0x39).contains($0.element) }
  }

  private static let levels = ["error", "warning", "notice", "info", "debug", "critical", "trace"]

  /// syslog(3).
  private static func level(_ priority: Int) -> String {
    switch priority {
    case ...3: "error"
    case 4: "warning"
    case 5: "notice"
    case 6: "info"
    default: "debug"
    }
  }

  // MARK: Fields

  /// Splits off the fields. The daemon writes them after the message, in the order of their names. Earlier text that
  /// looks like fields belongs to the message.
  private static func split(_ message: Substring) -> (body: Substring, fields: [(name: String, value: String)]) {
    var fields: [(name: String, value: String)] = []
    var body = message
    while let start = lastField(body) {
      let name = body[body.index(after: start)...].prefix { $0 != "=" }
      if let before = fields.last?.name, before <= name { break }
      let value = body[name.endIndex...].dropFirst()
      fields.append((String(name), String(value)))
      body = body[..<start]
      if fields.count == 16 { break }
    }
    return (body, fields.reversed())
  }

  /// Index of the last ` NAME=`.
  private static func lastField(_ text: Substring) -> Substring.Index? {
    var end = text.endIndex
    while let equals = text[..<end].lastIndex(of: "=") {
      let name = text[..<equals].reversed().prefix { ("A"..."Z").contains($0) }
      let start = text[..<equals].dropLast(name.count).lastIndex { _ in true }
      if (2...nameLimit).contains(name.count), let start, text[start] == " " { return start }
      end = equals
    }
    return nil
  }

  /// Takes the code of `H2104 link: strap-03 was lost`, and keeps the text after the area.
  private mutating func takeCode() {
    let words = text.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].utf8.count == 5, let reason = Reason(code: String(words[0])) else { return }
    if code == nil { code = reason.code }
    let area = "\(reason.text.area): "
    if words[1].hasPrefix(area) {
      text = String(words[1].dropFirst(area.count))
    } else if reason.code == code {
      text = String(words[1])
    }
  }

  /// 3 for "the line before came 3 times more".
  var repeatsOfBefore: Int? {
    let prefix = "the line before came "
    guard text.hasPrefix(prefix), text.hasSuffix(" times more") else { return nil }
    return Int(text.dropFirst(prefix.count).prefix { $0.isASCII && $0.isNumber }).flatMap { $0 > 0 ? $0 : nil }
  }
}
