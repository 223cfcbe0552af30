// What a shell offers for a word that names something of this hub: wearables, people, series; and for names of hubs.

import ArgumentParser
import Glibc
import Health
import HubProtocol
import Reasons

/// The shell asks while somebody waits with a finger on a key. Whatever goes wrong is no candidates, without a word.
/// Nobody waits longer than this, which people still take for at once. Milliseconds.
private let shellPatience = 400

extension CompletionKind {
  /// Names of enrolled wearables, of the daemon.
  static var wearables: CompletionKind { .custom { words, _, _ in namesOfHub(words, wearables: true) } }

  /// Names of people who may be assigned or were, of the daemon.
  static var wearers: CompletionKind { .custom { words, _, _ in namesOfHub(words, wearers: true) } }

  /// Both: a command takes a wearable or a person.
  static var wearablesAndWearers: CompletionKind {
    .custom { words, _, _ in namesOfHub(words, wearables: true, wearers: true) }
  }

  /// Names of series. Of the wearable that the words before name, those that it can have; all where that is not known.
  static var series: CompletionKind { .custom { words, place, _ in seriesOfHub(words, before: place) } }

  /// A wearable first, then series, as several commands take them in one list of words.
  static var wearableThenSeries: CompletionKind {
    .custom { words, place, _ in
      let before = words.prefix(max(place, 0)).dropFirst(2)
      return before.contains { !$0.hasPrefix("-") }
        ? seriesOfHub(words, before: place) : namesOfHub(words, wearables: true)
    }
  }

  /// Hosts of the user's settings of ssh, behind those that the word names already.
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

/// - Parameter words: the command line so far, which may name a socket of its own.
private func namesOfHub(_ words: [String], wearables: Bool = false, wearers: Bool = false) -> [String] {
  guard let client = clientForShell(words) else { return [] }
  var names: [String] = []
  if wearables { names += devices(of: client).map(\.name) }
  if wearers {
    let people = try? client.wearers(patience: 1).wearers
    names += (people ?? []).map(\.name)
  }
  // One candidate a line: a name with a line break would be two.
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

/// The hub that the command line means; nil where none answers. From here on the process ends in time by itself, also
/// where a daemon hangs that accepted the call.
private func clientForShell(_ words: [String]) -> ControlClient? {
  // Names of this hub are not those of others.
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

/// Shells hand words over as they were typed, quotes and all.
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
