// Completions that a shell offers: wearables, persons and series of this hub, and names of hubs.

import ArgumentParser
import Glibc
import Health
import HubProtocol
import Reasons

/// Time limit in milliseconds. A person has pressed a key and waits; this delay still feels immediate. Any error means
/// no candidates, without a message.
private let shellPatience = 400

extension CompletionKind {
  /// Names of enrolled wearables, from the daemon.
  static var wearables: CompletionKind { .custom { words, _, _ in namesOfHub(words, wearables: true) } }

  /// Names of present and retired wearers, from the daemon.
  static var wearers: CompletionKind { .custom { words, _, _ in namesOfHub(words, wearers: true) } }

  /// Names of wearables and of wearers, for commands that take both.
  static var wearablesAndWearers: CompletionKind {
    .custom { words, _, _ in namesOfHub(words, wearables: true, wearers: true) }
  }

  /// Names of series: those of the wearable that the words before it name, or all if these are unknown.
  static var series: CompletionKind { .custom { words, place, _ in seriesOfHub(words, before: place) } }

  /// First a wearable, then series, for commands that take them in one list of words.
  static var wearableThenSeries: CompletionKind {
    .custom { words, place, _ in
      let before = words.prefix(max(place, 0)).dropFirst(2)
      return before.contains { !$0.hasPrefix("-") }
        ? seriesOfHub(words, before: place) : namesOfHub(words, wearables: true)
    }
  }

  /// Hosts of the user's ssh settings, after those that are already in the word.
  static var hubs: CompletionKind {
    .custom { words, place, _ in
      let word = words.indices.contains(place) ? unquoted(words[place]) : ""
      let value = word.hasPrefix("--hub=") ? String(word.dropFirst("--hub=".count)) : word
      return hubCandidates(behind: value, sshHosts(FleetHosts.read()))
    }
  }

  /// Codes that `hearth explain` knows.
  static var codes: CompletionKind { .list(Reason.allCases.map(\.code)) }
}

/// - Parameter words: the command line so far, which may name another socket.
private func namesOfHub(_ words: [String], wearables: Bool = false, wearers: Bool = false) -> [String] {
  guard let client = clientForShell(words) else { return [] }
  var names: [String] = []
  if wearables { names += devices(of: client).map(\.name) }
  if wearers {
    let people = try? client.wearers(patience: 1).wearers
    names += (people ?? []).map(\.name)
  }
  // A line per candidate: a name with a line break would count as two.
  return names.filter { !$0.contains { $0.isNewline } }
}

private func seriesOfHub(_ words: [String], before place: Int) -> [String] {
  let all = Series.all.map(\.name)
  guard place > 0, let client = clientForShell(words) else { return all }
  let named = Set(words.prefix(place).map(unquoted))
  let found = devices(of: client).filter { named.contains($0.name) }.flatMap { ($0.capabilities ?? []).map(\.series) }
  return found.isEmpty ? all : found
}

private func devices(of client: ControlClient) -> [DeviceDocument] {
  let found = try? client.devices(patience: 1).devices
  return (found ?? []).filter(\.enrolled)
}

/// Client of the hub that the command line names; nil if no daemon answers. From here on an alarm ends the process in
/// time, even if a daemon accepted the call and hangs.
private func clientForShell(_ words: [String]) -> ControlClient? {
  // Names of other hubs are not known here.
  if words.contains(where: { $0 == "--hub" || $0.hasPrefix("--hub=") }) { return nil }
  signal(SIGALRM) { _ in _exit(0) }
  var limit = itimerval()
  limit.it_value.tv_usec = shellPatience * 1000
  setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &limit, nil)

  func value(_ option: String) -> String? {
    for (word, next) in zip(words, words.dropFirst()) where word == option { return unquoted(next) }
    return words.first { $0.hasPrefix("\(option)=") }.map { unquoted(String($0.dropFirst(option.count + 1))) }
  }
  guard let options = try? GlobalOptions.parse([]) else { return nil }
  var asked = options
  asked.socket = value("--socket")
  asked.config = value("--config")
  asked.store = value("--store")
  return (try? Session(asked)).flatMap { try? $0.connect() }
}

/// Removes quotes and backslashes: shells pass words as they were typed.
func unquoted(_ word: String) -> String {
  var text = ""
  var isEscaped = false
  var quote: Character?
  for character in word {
    if isEscaped {
      text.append(character)
      isEscaped = false
    } else if character == "\\", quote != "'" {
      isEscaped = true
    } else if character == quote {
      quote = nil
    } else if quote == nil, character == "'" || character == "\"" {
      quote = character
    } else {
      text.append(character)
    }
  }
  return text
}
