// Log of the reads of measured values, by user and person.

import ArgumentParser
import EventLoop
import Export
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

struct AccessCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "access", abstract: "Show the access log: each user that read measured values, newest last.",
    discussion: """
      Each line is one user, wearable, way of reading and UTC day. Ways are live values, peeks, days, exports, heart \
      rates in lists, and reports of wearables. Reads by root from the store's files, without the daemon, are not \
      logged.

      hearth access Ada                    readers of the values of one person
      hearth access --since yesterday      of all wearables and persons

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(
    help: "Only of this wearer or wearable, by name; a wearer also by number.", completion: .wearablesAndWearers)
  var who: String?

  @Option(name: .customShort("n"), help: ArgumentHelp("Number of lines, 1 to 1000.", valueName: "n"))
  var count = 100

  @OptionGroup var times: TimeOptions

  func validate() throws {
    try refuseCount(count, of: "-n")
  }

  func run() throws {
    try times.check()
    let session = try Session(root.options)
    let client = try session.connectUnlessDown()
    let time = try session.time(client)
    let span = try times.span(time)
    let found: [AccessDocument]
    if let client {
      let (since, until) = (span.since?.rfc3339, span.until?.rfc3339)
      found = try client.accesses(.init(of: who, since: since, until: until, limit: count)).accesses
    } else {
      let reader = try session.openStore()
      found = try AccessDocument.list(
        reader.accesses(AccessDocument.searchLimit), count, of: who, since: span.since, until: span.until,
        reader.wearers, reader.wearables + reader.retiredWearables, reader.sampleExport(.ndjson))
    }
    try session.show(["schema": "io.hearth.accesses/1", "accesses": JSON(encoding: found)]) {
      render(found, time, $0)
    }
    if client == nil { try session.noteOffline() }
  }
}

/// Two lines for each entry: user, method and time; then the persons, and the time of the values.
func render(_ accesses: [AccessDocument], _ time: HubTime, _ style: Style) -> String {
  if accesses.isEmpty { return "no access to stored data is recorded\n" }
  return zoneLine(time)
    + accesses.reversed().map { access in
      let user = access.user.map { "\(harmless($0)) (uid \(access.uid))" } ?? "uid \(access.uid)"
      let what = access.device.map { harmless($0) } ?? "bodies"
      let times = access.calls > 1 ? ", \(counted(access.calls, "time"))" : ""
      let head = "\(time.text(access.last))  \(user)  \(access.method) of \(what)\(times)"
      var parts: [String] = []
      let named = access.names.map { harmless($0) }
      let unnamed = access.wearers.count - named.count
      if !named.isEmpty { parts.append(named.joined(separator: ", ")) }
      if unnamed > 0 { parts.append("\(unnamed) without a name any more") }
      if access.moreWearers { parts.append("and others") }
      if parts.isEmpty { parts.append("no known wearer") }
      if !access.series.isEmpty { parts.append(access.series.joined(separator: ", ")) }
      if access.samples > 0 { parts.append(counted(access.samples, "sample")) }
      if let from = access.from, let to = access.to { parts.append("of \(time.text(from)) to \(time.text(to))") }
      if let cursor = access.cursor { parts.append("cursor \(harmless(cursor))") }
      return style.bold(head) + "\n" + wrapped(parts.joined(separator: "; "), indent: "    ")
    }.joined()
}
