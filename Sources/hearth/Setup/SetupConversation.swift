// Six questions at a terminal. Each says in a line what it is about, and has an answer that is safe: Enter takes it.

import Configuration
import HubProtocol
import Reasons

/// What is known before anybody is asked.
struct SetupFacts {
  /// What holds by the configuration as it is.
  let holding: Configuration
  /// The machine's name, where the hub has none of its own.
  let hostName: String?
  /// Who typed the command and may not ask yet.
  let caller: String?

  /// - Throws: what the daemon would refuse in the file as it is.
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

  /// The answer that Enter takes.
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

  /// What `--defaults` takes. A configuration that somebody changed says what it says; nothing is added to it.
  ///
  /// - Parameter replacing: back to what a fresh hub has, whatever was set.
  func defaults(replacing: Bool) -> SetupAnswers {
    var answers = replacing ? SetupAnswers(Configuration()) : SetupAnswers()
    if let hostName, replacing || !holding.isChanged { _ = answers.take(.name, hostName) }
    if let caller { _ = answers.take(users: [caller]) }
    return answers
  }
}

struct SetupConversation {
  let facts: SetupFacts
  /// One line from the person; nil: there is no more.
  let ask: (_ prompt: String) throws -> String?
  let say: (_ text: String) throws -> Void

  /// An answer that does not fit is asked for again, but not for ever: standard input may be a file of anything.
  static let patience = 10

  /// - Throws: `setupDeclined`.
  func answers() throws -> SetupAnswers {
    try say("Six questions. Enter takes what stands in brackets; nothing is written before the end.\n")
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
      throw HearthError(.setupDeclined, "the answer was not yes; nothing was written")
    }
  }

  private static var ended: HearthError { HearthError(.setupDeclined, "the input ended; nothing was written") }

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

  /// A board by name is looked for now, not when all is answered.
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
    case .preset: "Where does it stand?"
    case .zone: "In which time zone?"
    case .lights: "Which lights are wired to it?"
    case .enrolment: "Who may join it?"
    case .users: "Who may ask it?"
    }
  }

  private func explanation(_ question: SetupQuestion) -> String {
    switch question {
    case .name: return "It stands in front of what the hub says, and tells it from its neighbours."
    case .preset:
      return
        "gym: lively lights, who is away for a day is missed. ward: calm lights, who is away for an hour is missed."
    case .zone: return "Where days begin and nights end. local is the zone of this machine; or such as Europe/Berlin."
    case .lights:
      let boards = facts.holding.boardNames
      let known = boards.isEmpty ? "" : ": \(boards.joined(separator: ", "))"
      return "none, or the board whose lamps are on its pins\(known)."
    case .enrolment:
      return "closed: no wearable. window: one held close while 'hearth enroll open' says so. all: whichever is known."
    case .users:
      return
        "Users of this machine, who join the group \(facts.holding.roles.operate) beside those in it. none: root alone."
    }
  }
}
