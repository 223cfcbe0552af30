// Deletion of samples. The command always shows first what will be lost, and asks for agreement.

import ArgumentParser
import EventLoop
import Glibc
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

extension StoreCommand {
  struct Purge: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete samples for good (purge).",
      discussion: """
        First shows what would be lost: wearables, time span and number of samples, and how many of them no reader \
        of an export has confirmed. Then, on a terminal, it asks for the name of the hub. A script gives the number \
        of samples instead: --yes-lose N. Only whole chunks are deleted: samples in a chunk that reaches beyond TIME \
        stay. Deleted data is overwritten in the store's file. Backups, and damaged files that were set aside, still \
        have it.

        hearth store purge strap-07 --series acc --before 2026-01-01

        \(timeForms)

        Exit code 7: not deleted, because there was no agreement to lose exactly that many samples.
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Only samples of this wearable, by name or address.", completion: .wearables)
    var name: String?

    @Option(help: ArgumentHelp("Only this series, such as acc.", valueName: "series"), completion: .series)
    var series: String?

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("Only samples from before this time; a date means its start.", valueName: "time"))
    var before: String?

    @Option(help: ArgumentHelp("Agree to lose exactly this many samples.", valueName: "n"))
    var yesLose: UInt64?

    func run() throws {
      try checkTime("--before", before)
      let session = try Session(root.options)
      guard let client = try session.connectUnlessDown() else {
        throw session.daemonMissing("no data was deleted: only the daemon can purge")
      }
      let time = try session.time(client)
      // An age is resolved once, so that the purge deletes exactly the planned samples.
      let before = try time.time(before, of: "--before")?.rfc3339
      let plan = try client.storePurgePlan(.init(name: name, series: series, before: before), patience: 60).purge
      if plan.parts.isEmpty { return try session.show(JSON(encoding: plan)) { _ in "no data to purge\n" } }
      if !session.options.json { try Output.standard.write(folded(render(plan, time), Terminal.width(1))) }
      guard let losing = try agreed(plan, client, asks: !session.options.json) else {
        if session.options.json { try Output.standard.write(JSON(encoding: plan).pretty + "\n") }
        try Output.standard.flush()
        Output.error.say("hearth: no data was deleted; to delete them: --yes-lose \(plan.samples)\n")
        throw ExitCode(7)
      }
      let done = try client.storePurge(
        .init(name: name, series: series, before: before, losing: losing), patience: 600
      ).purge
      try session.show(JSON(encoding: done)) { _ in
        line("\(counted(done.purged ?? 0, "sample")) deleted\(Self.overwriting(done.held))")
      }
    }

    private static func overwriting(_ held: Int?) -> String {
      switch held {
      case 0: ", and overwritten in the store's file"
      case let held?:
        "; \(counted(held, "page")) of the store's file hold some of them until the next purge: they are being read"
      case nil: "; their pages in the store's file could not be overwritten: hearth events"
      }
    }

    /// Number of samples in the agreement; nil without one. The daemon compares it with its own count.
    private func agreed(_ plan: PurgeDocument, _ client: ControlClient, asks: Bool) throws -> UInt64? {
      if let yesLose { return yesLose }
      guard asks, !root.options.noInput, isatty(0) == 1, isatty(1) == 1 else { return nil }
      let status = try client.status().status
      try Output.standard.write("type the name of this hub to delete them: ")
      try Output.standard.flush()
      return readLine() == status.name ? plan.samples : nil
    }
  }
}
