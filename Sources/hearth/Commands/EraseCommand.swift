// Deletion of a person. The command always shows first what will be lost, and which copies may remain.

import ArgumentParser
import Glibc
import HubProtocol
import Reasons
import StoreDocuments

extension WearerCommand {
  struct Erase: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a person and all samples of that person.",
      discussion: """
        First shows what would be lost: the samples of each series, and how many of them no reader of an export has \
        confirmed. Then lists other copies that may exist, which this command cannot reach. Finally, on a terminal, \
        it asks for the person's name. A script gives the number of samples instead: --yes-lose N.

        Deletes samples, name, body and assignments. Wearables of that person are then assigned to no person. The \
        command ends when all is deleted. If it is interrupted, the daemon finishes the deletion at its next start. \
        Items of that time that are fetched later are stored without a wearer.

        hearth wearer erase Ada

        Exit code 7: not deleted, because there was no agreement to lose exactly that many samples.
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name or number of the person.", completion: .wearers)
    var wearer: String

    @Option(help: ArgumentHelp("Agree to lose exactly this many samples.", valueName: "n"))
    var yesLose: UInt64?

    func run() throws {
      let session = try Session(root.options)
      guard let client = try session.connectUnlessDown() else {
        throw session.daemonMissing("no data was deleted: only the daemon can erase")
      }
      let time = try session.time(client)
      let plan = try client.wearerErasePlan(.init(wearer: wearer), patience: 600).erasure
      if !session.options.json { try Output.standard.write(folded(render(plan, time), Terminal.width(1))) }
      guard let losing = try agreed(plan, asks: !session.options.json) else {
        if session.options.json { try Output.standard.write(JSON(encoding: plan).pretty + "\n") }
        try Output.standard.flush()
        Output.error.say("hearth: no data was deleted; to erase the person: --yes-lose \(plan.samples)\n")
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
