// A peer that is a list of lines: what we send, byte for byte, and what it answers. A trace from the field becomes a
// test in a minute.

import EventLoop
import Testing
import Wearable

@testable import Bluetooth

/// Lines, each with the characteristic by the first 16 or 32 bits of its type:
///
///     read 0C372EAB 00000040        we read, it answers
///     write 4FD5B681 69018A60       we write, it acknowledges
///     refuse 4FD5B68B 02 0E         we write, it refuses with that code
///     command DA2E7828 0800…        we write without response
///     notify DA2E7828 0900…         it notifies, after the line before
///
/// `#` begins a comment. Anything we do that is not the next line fails the test.
@LoopActor
final class Conversation: LinkPeer {
  let database: GATTDatabase
  private(set) lazy var link = ScriptedLink(self)
  private var lines: [(verb: String, type: String, bytes: [UInt8], code: UInt8)] = []

  init(_ database: GATTDatabase, _ text: String) throws {
    self.database = database
    for line in text.split(separator: "\n") {
      let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
      guard words.count >= 2 else { continue }
      guard let bytes = Array(hexadecimal: words.count > 2 ? words[2] : "") else {
        throw DoesNotFit(description: "\(line): no bytes")
      }
      lines.append((words[0], words[1], bytes, words.count > 3 ? UInt8(words[3], radix: 16) ?? 0 : 0))
    }
  }

  /// Lines that were not reached.
  var left: Int { lines.count }

  private func next(_ verbs: Set<String>, _ characteristic: GATTCharacteristic, _ value: [UInt8]?) -> (
    verb: String, bytes: [UInt8], code: UInt8
  )? {
    let text = characteristic.uuid.description.uppercased()
    guard let line = lines.first, verbs.contains(line.verb), text.hasPrefix(line.type),
      value == nil || value == line.bytes
    else {
      Issue.record(
        """
        \(verbs.sorted()) \(text) \(hexadecimal(value ?? [])) where \
        \(lines.first.map { "\($0.verb) \($0.type) \(hexadecimal($0.bytes))" } ?? "nothing") is next
        """
      )
      return nil
    }
    lines.removeFirst()
    return (line.verb, line.bytes, line.code)
  }

  /// What it says by itself after the line before.
  private func speak() {
    while let line = lines.first, line.verb == "notify" {
      lines.removeFirst()
      let all = database.services.flatMap(\.characteristics)
      if let found = all.first(where: { $0.uuid.description.uppercased().hasPrefix(line.type) }) {
        link.notify(found, line.bytes)
      }
    }
  }

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] {
    guard let line = next(["read"], characteristic, nil) else { throw .framing("not in the conversation") }
    speak()
    return line.bytes
  }

  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    guard let line = next(["write", "refuse"], characteristic, value) else { throw .framing("not in the conversation") }
    if line.verb == "refuse" { throw .refused(ATTErrorCode(rawValue: line.code), what: "a write") }
    speak()
  }

  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    guard next(["command"], characteristic, value) != nil else { throw .framing("not in the conversation") }
    speak()
  }
}
