// Six questions at a terminal. Each has a line of explanation and a safe default, which Enter accepts.

import Configuration
import HubProtocol
import Reasons

/// The facts that are known before the first question.
struct SetupFacts {
  /// The configuration in force.
  let holding: Configuration
  /// Name of the machine, if the hub has no name of its own.
  let hostName: String?
  /// The user that typed the command, if that user may not query the hub yet.
  let caller: String?

  /// - Throws: the error that the daemon would report for the present file.
  init(path: String, _ machine: SetupMachine) throws(HearthError) {
    let held = try ConfigurationDraft(path: path, answers: SetupAnswers()).configuration
    holding = held
    var probe = SetupAnswers()
    hostName = machine.hostName.flatMap { probe.take(.name, $0) ? $0 : nil }
    caller = machine.caller.flatMap { caller in
      let groups = [held.roles.operate, held.roles.administer].compactMap { machine.members(of: $0) }
      guard caller != "root", groups.first != nil, machine.hasUser(caller), probe.take(users: [caller]) else {
        return nil
      }
      return groups.contains { $0.contains(caller) } ? nil : caller
    }
  }

  /// Default answer, which Enter accepts.
  func safe(_ question: SetupQuestion, _ given: SetupAnswers) -> String {
    let held = SetupAnswers(holding).values[question] ?? ""
    switch question {
    case .name: return holding.isSet("hub.name") ? held : hostName ?? held
    case .enrolment:
      if holding.isSet("enroll.mode") { return held }
      let preset = given.values[.preset].flatMap { Configuration.Preset(rawValue: $0) } ?? holding.hub.preset
      return Configuration(preset: preset).enrolment.mode.rawValue
    case .users: return caller ?? "none"
    default: return held
    }
  }

  /// Answers of `--defaults`. A configuration that was changed stays as it is, without additions.
  ///
  /// - Parameter replacing: back to the defaults of a fresh hub, even if they were changed.
  func defaults(replacing: Bool) -> SetupAnswers {
    var answers = replacing ? SetupAnswers(Configuration()) : SetupAnswers()
    if let hostName, replacing || !holding.isChanged { _ = answers.take(.name, hostName) }
    if let caller { _ = answers.take(users: [caller]) }
    return answers
  }
}

struct SetupConversation {
  let facts: SetupFacts
  /// Reads one line from the person; nil at the end of the input.
  let ask: (_ prompt: String) throws -> String?
  let say: (_ text: String) throws -> Void

  /// Number of tries for an answer that does not fit. Standard input may be any file, so that there has to be a limit.
  static let patience = 10

  /// - Throws: `setupDeclined`.
  func answers() throws -> SetupAnswers {
    try say("Six questions. Enter accepts the answer in brackets. The file is written after a yes at the end.\n")
    var answers = SetupAnswers()
    for (place, question) in SetupQuestion.allCases.enumerated() {
      try say("\n\(place + 1) of \(SetupQuestion.allCases.count)  \(title(question))\n")
      try say(wrapped(explanation(question), indent: "        "))
      try take(question, &answers)
    }
    return answers
  }

  /// - Throws: `setupDeclined` unless the answer is yes.
  func confirm() throws {
    guard let answer = try ask("\nWrite this? yes or no [no]: ") else { throw Self.ended }
    if !["yes", "y"].contains(trimmed(answer).lowercased()) {
      throw HearthError(.setupDeclined, "the answer was not yes; no file was written")
    }
  }

  private static var ended: HearthError { HearthError(.setupDeclined, "the input ended; no file was written") }

  private func take(_ question: SetupQuestion, _ answers: inout SetupAnswers) throws {
    let safe = facts.safe(question, answers)
    for _ in 0..<Self.patience {
      guard let typed = try ask("        \(question.rawValue) [\(harmless(safe))]: ") else { throw Self.ended }
      let text = trimmed(typed)
      var given = answers
      if given.take(question, text.isEmpty ? safe : text), question != .lights || isBoard(given) {
        answers = given
        return
      }
      try say(wrapped("'\(harmless(text))' is not \(question.expects).", indent: "        "))
    }
    throw HearthError(.setupDeclined, "\(question.rawValue) was not answered in \(Self.patience) tries")
  }

  /// Whether the board exists. An unknown board is asked for again at once, not after the last question.
  private func isBoard(_ answers: SetupAnswers) -> Bool {
    let boards = facts.holding.boardNames
    guard let name = answers.values[.lights], !["none", "terminal"].contains(name) else { return true }
    return boards.isEmpty || name.utf8.contains(UInt8(ascii: "/")) || boards.contains(name)
  }

  private func trimmed(_ text: String) -> String {
    let isBlank: (Character) -> Bool = { $0.isWhitespace }
    let head = text.drop(while: isBlank)
    guard let end = head.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(head[...end])
  }

  // MARK: Words

  private func title(_ question: SetupQuestion) -> String {
    switch question {
    case .name: "What is this hub called?"
    case .preset: "Where is it used, in a gym or on a ward?"
    case .zone: "In which time zone?"
    case .lights: "Which LEDs are wired to it?"
    case .enrolment: "Which wearables may join it (enrolment)?"
    case .users: "Which users may operate it?"
    }
  }

  private func explanation(_ question: SetupQuestion) -> String {
    switch question {
    case .name: return "The name precedes messages of the hub, and distinguishes it from other hubs."
    case .preset:
      return
        "gym: lively LEDs; a wearable is missing after a day. ward: calm LEDs; a wearable is missing after an hour."
    case .zone:
      return "The zone in which days begin and end. local: the zone of this machine. Or a name such as Europe/Berlin."
    case .lights:
      let boards = facts.holding.boardNames
      let known = boards.isEmpty ? "" : ": \(boards.joined(separator: ", "))"
      return "none, or the board with LEDs on its pins\(known)."
    case .enrolment:
      return
        "closed: no wearable. window: one that is held close after 'hearth enroll open'. all: each recognised wearable."
    case .users:
      return
        "Users of this machine to add to group \(facts.holding.roles.operate). none: no further users."
    }
  }
}
