// `hearth store salvage`: lost samples come back from an old file of the store.

import ArgumentParser
import EventLoop
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

extension StoreCommand {
  struct Salvage: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Bring lost samples back from an old file of this store.",
      discussion: """
        Run it as root with hearthd stopped: sudo systemctl stop hearthd. FILE is data.mdb.damaged-TIME in the \
        store's folder, the folder before-conversion, or a copy of the store's file or folder. FILE is only read, \
        page by page: it may be damaged.

        Samples come back where the store counts damage, and behind the end of a series; each once, in its series, \
        in order. The checksum of a chunk says where it belongs. What was purged or erased stays away. A second run, \
        also after a power cut, brings only what is still missing.

        Readers of exports do not go back: of samples before their position they got a gap. To send them all again: \
        hearth store forget-cursor NAME. Samples of the journal come back behind the end of their series, and reach \
        every reader.

        sudo hearth store salvage --dry-run /var/lib/hearth/data.mdb.damaged-1796000000

        Exit code 0: samples came back, or would. 1: none.
        """)
    @ParentCommand var root: HearthCommand

    @Argument(help: "An old data file of this store, or the folder of one.", completion: .file())
    var file: String

    @Flag(help: "Only say what would come back.")
    var dryRun = false

    @Flag(help: "Also bring samples that the store counts as evicted, as after a backup without samples.")
    var evicted = false

    func run() throws {
      let session = try Session(root.options)
      let names = Self.names(session)
      let report: SalvageReport
      do throws(HearthError) {
        let salvage = try StoreSalvage(session.storeOptions, from: file, takesEvicted: evicted)
        report = try salvage.run(dryRun: dryRun, now: wallNow())
      } catch {
        if error.reason != .storeInUse { throw error }
        throw HearthError(.storeInUse, "\(error.detail): sudo systemctl stop hearthd, then once more")
      }
      try session.show(document(report, file, names), code: report.items > 0 ? 0 : 1) { _ in render(report, names) }
    }

    /// Names of wearables by number. A store that cannot be read says so when it is salvaged.
    private static func names(_ session: Session) -> [UInt32: String] {
      guard let reader = try? StoreReader(path: session.storePath, options: session.storeOptions) else { return [:] }
      return Dictionary(
        (reader.retiredWearables + reader.wearables).map { ($0.id.number, $0.name) }, uniquingKeysWith: { $1 })
    }
  }
}

private func document(_ report: SalvageReport, _ file: String, _ names: [UInt32: String]) -> JSON {
  let rings = report.rings.map { part -> JSON in
    [
      "device": .string(device(part.ring.wearable.number, names)),
      "enrolment": .integer(Int64(part.ring.wearable.number)), "series": .string(part.ring.seriesName),
      "way": .string(part.ring.way.name), "samples": .integer(Int64(clamping: part.items)),
    ]
  }
  let refused = SalvageReport.Refusal.allCases.map { reason in
    (reason.rawValue, JSON.integer(Int64(clamping: report.refused[reason] ?? 0)))
  }
  return [
    "schema": "io.hearth.salvage/1", "file": .string(file), "dry_run": .bool(report.isDryRun),
    "samples": .integer(Int64(clamping: report.items)), "rings": .array(rings),
    "pages": .integer(Int64(report.pages)), "free_pages": .integer(Int64(report.freePages)),
    "unread_pages": .integer(Int64(report.unreadPages)), "chunks": .integer(Int64(report.chunks)),
    "refused": .object(refused.map { JSON.Member($0.0, $0.1) }),
    "readers": .array(
      report.readers.map { ["name": .string($0.name), "samples": .integer(Int64(clamping: $0.items))] }),
  ]
}

/// The report as text. The last line has the sum.
func render(_ report: SalvageReport, _ names: [UInt32: String]) -> String {
  var text = line(
    """
    read   \(counted(report.pages, "page")), \(counted(report.chunks, "chunk")) of this store; \
    \(counted(report.freePages, "free page")) skipped
    """)
  if report.unreadPages > 0 { text += line("unread \(counted(report.unreadPages, "page")): the disk refused them") }
  for part in report.rings {
    let name = harmless(device(part.ring.wearable.number, names))
    text += line(
      "back   \(cell(name, 16)) \(cell(part.ring.seriesName, 16)) \(cell(part.ring.way.name, 7)) "
        + counted(part.items, "sample"))
  }
  for reason in SalvageReport.Refusal.allCases {
    guard let count = report.refused[reason], count > 0 else { continue }
    text += line("not    \(words(reason, count))")
  }
  for reader in report.readers {
    text += line(
      """
      reader \(harmless(reader.name)) had passed the place of \(counted(reader.items, "sample")): \
      hearth store forget-cursor \(harmless(reader.name))
      """)
  }
  let sum = "\(counted(report.items, "sample")) of \(counted(report.rings.count, "ring"))"
  return text + line(report.isDryRun && report.items > 0 ? "\(sum) would come back" : "\(sum) came back")
}

private func words(_ reason: SalvageReport.Refusal, _ count: UInt64) -> String {
  switch reason {
  case .strange: "\(counted(count, "chunk")): damaged, or of no ring of this store"
  case .unreadable: "\(counted(count, "chunk")): without readable samples of their series"
  case .purged: "\(counted(count, "chunk")): their ring may have been purged since"
  case .erased: "\(counted(count, "sample")) of an erased person"
  case .late: "\(counted(count, "sample")): too many later chunks would change"
  }
}

private func device(_ number: UInt32, _ names: [UInt32: String]) -> String { names[number] ?? "wearable-\(number)" }
