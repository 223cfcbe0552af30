// Hubs, command and timeout of a call: a command line, with the words of `--hub` taken out.

import HubProtocol
import Reasons
import StoreDocuments

/// A command for several hubs.
struct FleetCall {
  /// Hubs in the order of the command line, each once.
  var hubs: [String] = []
  /// Command for each hub: the command line without the options for this machine.
  var words: [String] = []
  /// Timeout of the whole call in seconds.
  var within = FleetCall.standardPatience
  /// Settings file for ssh, in place of the user's own.
  var sshConfig: String?

  /// Default timeout in seconds: long enough for a check of a store, short enough for a person that waits.
  static let standardPatience: Int64 = 60
  static let patience: ClosedRange<Int64> = 1...600
  /// Maximum number of hubs of a call: far more than a chain of forty gyms has.
  static let mostHubs = 1024

  private static let own = ["--hub", "--within", "--ssh-config"]

  /// nil if no hub is named.
  ///
  /// - Throws: `Misuse` for a wrong name, and for a timeout out of range.
  init?(_ arguments: [String]) throws(Misuse) {
    var found: [String: [String]] = [:]
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--" {
        words += [word] + rest
        break
      }
      if Self.own.contains(word) {
        guard let value = rest.popFirst() else { throw Self.misuse("\(word) takes a value") }
        found[word, default: []].append(value)
      } else if let option = Self.own.first(where: { word.hasPrefix($0 + "=") }) {
        found[option, default: []].append(String(word.dropFirst(option.utf8.count + 1)))
      } else {
        words.append(word)
      }
    }
    guard let lists = found["--hub"] else { return nil }
    hubs = try Self.names(lists)
    if let text = found["--within"]?.last { within = try Self.seconds(text) }
    sshConfig = found["--ssh-config"]?.last
  }

  /// - Throws: `Misuse`
  static func names(_ lists: [String]) throws(Misuse) -> [String] {
    var names: [String] = []
    var known: Set<String> = []
    for list in lists {
      for part in list.split(separator: ",", omittingEmptySubsequences: false) {
        let name = String(part)
        if !isHub(name) {
          throw misuse(
            "--hub takes names as in ~/.ssh/config, or user@host, with commas between; not '\(harmless(name))'")
        }
        if !known.insert(name).inserted { throw misuse("--hub names \(name) twice") }
        names.append(name)
      }
    }
    if names.count > mostHubs { throw misuse("--hub takes \(mostHubs) hubs, not \(names.count)") }
    return names
  }

  /// Whether a name is a plain host for ssh. Settings of ssh pass the name to shells (`ProxyCommand`), so it has only
  /// letters, digits and the characters of addresses.
  static func isHub(_ name: String) -> Bool {
    func isWord(_ text: Substring, _ others: String) -> Bool {
      guard let first = text.utf8.first, first != 0x2D, text.utf8.count <= 253 else { return false }
      return text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: others.utf8.contains(byte)
        }
      }
    }
    let parts = name.split(separator: "@", omittingEmptySubsequences: false)
    switch parts.count {
    case 1: return isWord(parts[0], ".-_:")
    case 2: return isWord(parts[0], ".-_") && isWord(parts[1], ".-_:")
    default: return false
    }
  }

  /// - Throws: `Misuse`
  static func seconds(_ text: String) throws(Misuse) -> Int64 {
    guard let seconds = HubTime.seconds(text), patience.contains(seconds) else {
      throw misuse("--within takes 1s to 10m, such as 30s, not '\(harmless(text))'")
    }
    return seconds
  }

  static func misuse(_ detail: String) -> Misuse { Misuse(error: HearthError(.controlBadParameter, detail)) }
}
