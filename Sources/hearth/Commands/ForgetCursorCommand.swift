// The end of an export cursor.

import ArgumentParser
import HubProtocol
import StoreDocuments

extension StoreCommand {
  struct ForgetCursor: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete an export cursor whose reader is no longer used.",
      discussion: """
        A hub keeps at most 64 cursors: hearth store -v lists them. No sample is deleted, and samples that the \
        cursor's reader had still count as exported. A later export with the same name begins with the oldest sample.

        hearth store forget-cursor ward
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "Name of the cursor, as in hearth export --cursor.")
    var cursor: String

    func run() throws {
      let session = try Session(root.options)
      guard let client = try session.connectUnlessDown() else {
        throw session.daemonMissing("no cursor was deleted: only the daemon can delete one")
      }
      let reader = try client.storeForgetCursor(.init(cursor: cursor)).reader
      try session.show(JSON(encoding: reader)) { _ in
        line("cursor \(harmless(reader.name)) deleted; its reader had \(counted(reader.samples, "sample"))")
      }
    }
  }
}
