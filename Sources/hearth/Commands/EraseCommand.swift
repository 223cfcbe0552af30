// Deleting a person: never without having said what will be lost and who may still have it.

import ArgumentParser
import Glibc
import HubProtocol
import Reasons
import StoreDocuments

extension WearerCommand {
  struct Erase: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a person and all that was measured of them.",
      discussion: """
        Says first what would be lost: series by series how many samples, and how many of them no reader of an export \
        has confirmed; and what other copies may exist, which this cannot reach. Then, on a terminal, it asks for the \
        person's name. A script gives the number of samples instead: --yes-lose N.

        Deleted are samples, name, body and assignments; what was theirs is nobody's. It ends when all is deleted. Cut \
        off in the middle it is finished when the daemon starts next. What wearables hold of that time and is fetched \
        later is stored as nobody's.

        Exit code 7: nothing was deleted, because nobody agreed to lose exactly that.
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or number.", completion: .wearers)
    var wearer: String

    @Option(help: ArgumentHelp("Agree to lose exactly so many samples.", valueName: "n"))
    var yesLose: UInt64?

    func run() throws {
      let session = try Session(root.options)
      guard let client = try session.connectUnlessDown() else {
        throw session.daemonMissing("nothing was deleted: only the daemon can erase")
      }
      let time = try session.time(client)
      let plan = try client.wearerErasePlan(.init(wearer: wearer), patience: 600).erasure
      if !session.options.json { try Output.standard.write(folded(render(plan, time), Terminal.width(1))) }
      guard let losing = try agreed(plan, asks: !session.options.json) else {
        if session.options.json { try Output.standard.write(JSON(encoding: plan).pretty + "\n") }
        try Output.standard.flush()
        Output.error.say("hearth: nothing was deleted; to erase the person: --yes-lose \(plan.samples)\n")
        throw ExitCode(7)
      }
      let done = try client.wearerErase(.init(wearer: wearer, losing: losing), patience: 3600).erasure
      try session.show(JSON(encoding: done)) { _ in line("wearer \(done.wearer) is erased") }
    }

    private func agreed(_ plan: ErasureDocument, asks: Bool) throws -> UInt64? {
      if let yesLose { return yesLose }
      guard asks, !root.options.noInput, isatty(0) == 1, isatty(1) == 1 else { return nil }
      try Output.standard.write("type the name of this person to erase them: ")
      try Output.standard.flush()
      return readLine() == plan.name ? plan.samples : nil
    }
  }
}

func render(_ plan: ErasureDocument, _ time: HubTime) -> String {
  var text = line("erasing \(harmless(plan.name)) (wearer \(plan.wearer)) deletes:")
  for part in plan.parts {
    let unexported = part.unexported > 0 ? ", \(grouped(part.unexported)) in no export" : ""
    text += wrapped(
      "\(harmless(part.device)) \(part.series) (\(part.way)): \(counted(part.samples, "sample"))\(unexported), "
        + time.span(part.from, part.to), indent: "  ")
  }
  text += line(
    "  in all \(counted(plan.samples, "sample")), \(counted(plan.assignments, "assignment")), name and body")
  text += line("other copies that may exist, and stay:")
  for copy in plan.copies { text += wrapped("- " + harmless(copy, limit: 200), indent: "  ") }
  return text
}
