// `hearth setup`: gives a fresh hub the six settings that it cannot find out by itself.

import ArgumentParser
import Configuration
import EventLoop
import Glibc
import HubProtocol
import Reasons

struct SetupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Set up a fresh hub: name, place, zone, lights, enrolment and users.",
    discussion: """
      Asks six questions, each with a safe default. Shows the configuration that it would write and the group that \
      users would join, and writes after a yes. The file from before is kept beside it, as NAME.before-setup.

      sudo hearth setup                           ask six questions
      sudo hearth setup --defaults                ask no questions
      sudo hearth setup --file hearth-setup.yaml  \
      take the answers from a file

      --defaults keeps a configuration that was changed. A fresh one gets the machine's name, and the user that \
      typed sudo may query the hub. If the hub knows no wearable yet, the one held close to it within half a minute \
      is enrolled. --no-join leaves that out.

      --file takes the answers from a file: man hearth-setup.yaml. At boot, hearth-setup.service does so with \
      hearth-setup.yaml on the boot partition, once (--once), and leaves its result beside it.
      """)
  @ParentCommand var root: HearthCommand

  @Flag(help: "Ask no questions; configured values stay.")
  var defaults = false

  @Flag(help: "With --defaults: reset these six settings, even if they were changed.")
  var replace = false

  @Flag(help: "With --defaults: enrol no wearable.")
  var noJoin = false

  @Option(
    help: ArgumentHelp("Take the answers from a file.", valueName: "file"), completion: .file(extensions: ["yaml"]))
  var file: String?

  @Flag(help: "With --file: use it once, set it aside and leave the result beside it, as at boot.")
  var once = false

  @Flag(help: "Show what would be written, without writing it.")
  var dryRun = false

  func validate() throws {
    if defaults, file != nil { throw ValidationError("give --defaults or --file, not both") }
    if once, file == nil { throw ValidationError("--once goes with --file") }
    if once, dryRun { throw ValidationError("--once writes; --dry-run goes without it") }
    if replace || noJoin, !defaults { throw ValidationError("--replace and --no-join go with --defaults") }
  }

  func run() throws {
    // The file itself, if the path is a symbolic link.
    let named = root.options.config ?? Configuration.defaultPath
    let path = realPath(named) ?? named
    let machine = SetupMachine.here()
    if once, let file { return try runOnce(file, path, machine) }
    if !defaults, file == nil { try refuseUnasked() }
    // Before a person answers six questions in vain.
    if !dryRun { try SetupFiles.refuseUnwritable(path) }
    let facts = try SetupFacts(path: path, machine)
    let conversation = SetupConversation(facts: facts, ask: Self.ask, say: { try Output.standard.write($0) })
    let answers = try answers(facts, conversation)
    let plan = try SetupPlan(path: path, answers: answers, machine)
    if !root.options.json { try show(plan) }
    if dryRun { return try report(plan, .nothing, nil) }
    if !defaults, file == nil, !plan.isNothing { try conversation.confirm() }
    try SetupWriting(machine: machine).apply(plan)
    let telling = plan.telling(machine)
    try machine.tell(telling)
    let isFresh = telling == .restart
    try report(
      plan, telling, defaults && !noJoin ? FirstWearable(session: Session(root.options), isFresh: isFresh) : nil)
  }

  /// Answers from the defaults, a file or a person.
  private func answers(_ facts: SetupFacts, _ conversation: SetupConversation) throws -> SetupAnswers {
    if defaults { return facts.defaults(replacing: replace) }
    guard let file else { return try conversation.answers() }
    let (answers, problems) = SetupFile.read(try SetupFile.bytes(of: file), file: file)
    if problems.isEmpty { return answers }
    for problem in problems { complain(problem) }
    throw ExitCode(1)
  }

  /// - Throws: `setupUnasked`.
  private func refuseUnasked() throws(HearthError) {
    if root.options.noInput {
      throw HearthError(.setupUnasked, "questions are not allowed, and neither --defaults nor --file is given")
    }
    if root.options.json { throw HearthError(.setupUnasked, "--json asks no questions; give --defaults or --file") }
    if isatty(0) != 1 || isatty(1) != 1 {
      throw HearthError(.setupUnasked, "there is no terminal to ask at, and neither --defaults nor --file is given")
    }
  }

  private static func ask(_ prompt: String) throws -> String? {
    try Output.standard.write(prompt)
    try Output.standard.flush()
    return readLine()
  }

  private func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  // MARK: What is shown

  private func show(_ plan: SetupPlan) throws {
    let path = harmless(plan.draft.path, limit: 256)
    if plan.draft.isChanged {
      try Output.standard.write("\n\(path), lines that are new marked with '>':\n\n\(plan.fileText)\n")
    } else {
      try Output.standard.write("\(path) stays as it is\n")
    }
    try Output.standard.write(plan.summary)
    try Output.standard.flush()
  }

  private func report(_ plan: SetupPlan, _ telling: SetupMachine.Telling, _ first: FirstWearable?) throws {
    var joined: String?
    if let first {
      if !root.options.json {
        try Output.standard.write("a wearable that is held close to the hub now may join\n")
        try Output.standard.flush()
      }
      if case .joined(let name) = first.join() { joined = name }
    }
    let document: JSON = [
      "schema": "io.hearth.setup/1", "file": .string(plan.draft.path), "written": .bool(!dryRun && !plan.isNothing),
      "changes": .array(
        plan.draft.changes.map { ["key": .string($0.key), "from": .string($0.from), "to": .string($0.to)] }),
      "group": .string(plan.group), "joined": .array(plan.joining.map { .string($0) }),
      "text": .string(String(decoding: plan.draft.text, as: UTF8.self)), "daemon": .string(telling.rawValue),
      "wearable": .optional(joined),
    ]
    if root.options.json { return try Output.standard.write(document.pretty + "\n") }
    try Output.standard.write(dryRun ? "no file was written\n" : words(plan, telling, joined))
  }

  private func words(_ plan: SetupPlan, _ telling: SetupMachine.Telling, _ wearable: String?) -> String {
    var text = plan.isNothing ? "no change to write\n" : "written"
    if !plan.isNothing {
      text +=
        plan.draft.before != nil && plan.draft.isChanged
        ? "; as it was: \(harmless(plan.keptPath, limit: 256))\n" : "\n"
    }
    switch telling {
    case .reload: text += "the hub has read it\n"
    case .restart: text += "the hub was started again with it\n"
    case .byHand: text += "next: start hearthd again: sudo systemctl restart hearthd, or kill -HUP to its process\n"
    case .nothing: break
    }
    for user in plan.joining { text += "\(user) may ask the hub after the next log-in; until then: sudo hearth\n" }
    if let wearable { return text + "\(harmless(wearable)) joined; its values: hearth live\n" }
    return text + "next: hearth enroll open, hold a wearable close, hearth enroll accept A; then hearth live\n"
  }

  // MARK: At boot

  private func runOnce(_ file: String, _ path: String, _ machine: SetupMachine) throws {
    let state = getenv("STATE_DIRECTORY").map { String(cString: $0) } ?? "/var/lib/hearth-setup"
    mkdir(state, 0o700)
    let setup = SetupOnce(path: file, configuration: path, state: state, writing: SetupWriting(machine: machine))
    let outcome = try setup.run()
    if root.options.json { try Output.standard.write(document(outcome, file).pretty + "\n") }
    switch outcome {
    case .nothing: break
    case .setUp(let answers, let left):
      if !root.options.json { try Output.standard.write(setup.resultText(answers, file)) }
      // At boot the daemon does not run yet.
      if machine.files.hasSystemd, machine.isServing { try machine.tell(.restart) }
      if let left { throw left }
    case .refused(let problems):
      if !root.options.json { for problem in problems { complain(problem) } }
      throw ExitCode(1)
    }
  }

  private func document(_ outcome: SetupOnce.Outcome, _ file: String) -> JSON {
    var (word, problems) = ("nothing", [HearthError]())
    switch outcome {
    case .nothing: break
    case .setUp(_, let left): (word, problems) = ("set_up", left.map { [$0] } ?? [])
    case .refused(let found): (word, problems) = ("refused", found)
    }
    return [
      "schema": "io.hearth.setup-once/1", "outcome": .string(word), "file": .string(file),
      "errors": .array(problems.map { JSON(encoding: TroubleDocument($0)) }),
    ]
  }
}
