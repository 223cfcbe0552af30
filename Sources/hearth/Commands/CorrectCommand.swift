// Correction of an assignment, also of one with exported samples. The effect is always shown first.

import ArgumentParser
import Glibc
import HubProtocol
import Reasons
import StoreDocuments

extension WearerCommand {
  struct Correct: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Correct an assignment of a wearable, or delete it.",
      discussion: """
        First shows how many samples change their wearer and which readers of exports have had them, then asks. A \
        script adds --yes. Those readers get the corrections with their next export. A deleted assignment counts as \
        never entered: its samples belong to the assignment before it. hearth wearer history lists the begin of each \
        assignment.

        hearth wearer correct band-07 '2026-12-01 06:00' --to Ben
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or address of the wearable.", completion: .wearables)
    var name: String

    @Argument(help: "Begin of the assignment, to the second, as hearth wearer history shows it.")
    var begin: String

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("Correct begin, in the forms of BEGIN: --from '2026-12-01 06:00'.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("The correct wearer, by name or number.", valueName: "wearer"), completion: .wearers)
    var to: String?

    @Flag(help: "Say that no person wore the wearable in that time.")
    var nobody = false

    @Flag(help: "Delete the assignment, as if never entered; given alone, without a correction.")
    var delete = false

    @Flag(help: "Agree to the correction without being asked.")
    var yes = false

    func validate() throws {
      if nobody, to != nil { throw ValidationError("--nobody and --to cannot be given at once") }
      let changes = from != nil || to != nil || nobody
      if delete, changes { throw ValidationError("--delete takes no --from, --to or --nobody") }
      if !delete, !changes { throw ValidationError("give the correction: --from, --to, --nobody or --delete") }
    }

    func run() throws {
      try checkTime("BEGIN", begin)
      try checkTime("--from", from)
      let session = try Session(root.options)
      let client = try session.connect()
      let time = try session.time(client)
      let begin = try time.time(begin, of: "BEGIN")?.rfc3339 ?? ""
      let from = try delete ? nil : time.time(from, of: "--from")?.rfc3339
      func correct(dry: Bool?) throws(HearthError) -> CorrectionsDocument {
        if delete {
          return try client.assignmentDelete(.init(name: name, begin: begin, dry: dry), patience: 600).correction
        }
        return try client.assignmentCorrect(
          .init(name: name, begin: begin, from: from, wearer: to, nobody: nobody, dry: dry), patience: 600
        ).correction
      }
      let plan = try correct(dry: true)
      let changes = describe(plan, time)
      if !session.options.json {
        for change in changes { try Output.standard.write(folded(line(change), Terminal.width(1))) }
      }
      try agree(changes, session)
      let done = try correct(dry: nil)
      try session.show(JSON(encoding: done)) { style in
        render(AssignmentsDocument(device: done.device, assignments: done.assignments), time, style)
      }
    }

    private func agree(_ changes: [String], _ session: Session) throws {
      // An assignment that only holds from now on has no effect on samples.
      if yes || changes.isEmpty { return }
      func refusal(_ why: String) -> HearthError {
        HearthError(
          .agreementMissing,
          "\(why): \(changes.joined(separator: "; ")). No change was made; to agree: --yes")
      }
      guard !session.options.json, !session.options.noInput, isatty(0) == 1, isatty(1) == 1 else {
        throw refusal("confirmation needs a terminal")
      }
      try Output.standard.write("type yes to do it: ")
      try Output.standard.flush()
      if readLine() != "yes" { throw refusal("the answer was not yes") }
    }
  }
}

/// A sentence for each span of time, and one about the readers.
func describe(_ plan: CorrectionsDocument, _ time: HubTime) -> [String] {
  var changes = plan.parts.map { part in
    let verb = part.samples == 1 ? "is" : "are"
    return """
      \(counted(part.samples, "sample")) of \(harmless(plan.device)), \(time.span(part.from, part.to)), \(verb) \
      \(owner(part.wearer)) instead of \(owner(part.was))
      """
  }
  if !plan.readers.isEmpty {
    let names = plan.readers.map { harmless($0) }.joined(separator: ", ")
    let (word, verbs) = plan.readers.count == 1 ? ("reader", "is") : ("readers", "are")
    changes.append("\(word) \(names) had some of them and \(verbs) notified")
  }
  return changes
}

func owner(_ name: String?) -> String { name.map { "\(harmless($0))'s" } ?? "no wearer's" }
