// Rows of an export, from the daemon or from the files.

import EventLoop
import Export
import HubProtocol
import Reasons
import RingStore
import StoreDocuments

extension ExportCommand {
  /// Page by page from the daemon.
  func read(_ client: ControlClient, _ span: TimeSpan, _ run: ExportRun) throws {
    var failure: (any Error)?
    try run.begin()
    let parameters = Methods.Export.Parameters(
      device: device.first, series: wanted.first, since: span.since?.rfc3339, until: span.until?.rfc3339,
      cursor: cursor, ordinals: run.wantsPlaces ? true : nil, devices: several(device), allSeries: several(wanted),
      person: person)
    try client.stream(Methods.Export.self, parameters) { reply in
      run.missing.corrupt = reply.corruptChunks
      do {
        try run.note(reply.corrections, missed: reply.correctionsMissed)
        try run.note(retimed: reply.retimed)
        try run.note(reply.gaps)
        try run.take(reply.samples)
      } catch {
        failure = error
        return false
      }
      return true
    }
    if let failure { throw failure }
  }

  /// The same behind a cursor. What was written is confirmed with the call for the next page: never before all of it
  /// has left this program.
  func read(_ cursor: String, from client: ControlClient, _ run: ExportRun) throws {
    var pace = ConfirmPace(now: monotonicMilliseconds())
    var next = Methods.ExportNext.Parameters(
      cursor: cursor, device: device.first, series: wanted.first, confirm: false, by: whoAsks(),
      ordinals: run.wantsPlaces ? true : nil, devices: several(device), allSeries: several(wanted))
    try run.begin()
    while true {
      let reply = try client.exportNext(next, patience: 60)
      run.missing.corrupt = Int(clamping: Int128(run.missing.corrupt) + Int128(reply.corruptChunks))
      try run.note(reply.corrections, missed: reply.correctionsMissed)
      try run.note(retimed: reply.retimed)
      try run.note(reply.gaps)
      try run.take(reply.samples)
      pace.lines += reply.samples.count
      let isDue = reply.last || pace.isDue(monotonicMilliseconds())
      if isDue { try Output.standard.settle() }
      next.confirm = isDue
      if reply.last {
        _ = try client.exportNext(next, patience: 60)
        return
      }
      if isDue { pace = ConfirmPace(now: monotonicMilliseconds()) }
    }
  }

  /// Rows that the export will have; nil for a selection that the store has no count of.
  func expected(_ store: () throws -> StoreDocument) rethrows -> UInt64? {
    if cursor != nil || person != nil || times.isGiven { return nil }
    let store = try store()
    let rings = (store.rings ?? []).filter { ring in
      (device.isEmpty || device.contains(ring.device)) && (wanted.isEmpty || wanted.contains(ring.series))
    }
    let waiting = device.isEmpty && wanted.isEmpty ? store.journal.samples : 0
    return rings.reduce(waiting) { $0 &+ $1.samples }
  }

  /// All names but the first one, whose parameter older hubs know too.
  func several(_ names: [String]) -> [String]? { names.count > 1 ? Array(names.dropFirst()) : nil }

  /// The same from the files.
  func read(_ reader: StoreReader, _ writer: SampleExport, _ span: TimeSpan, _ run: ExportRun) throws {
    let filter = ExportFilter(
      devices: device, series: wanted, person: person, since: span.since, until: span.until)
    let pages = try reader.export(try filter.query(reader.wearables + reader.retiredWearables, writer), reader: cursor)
    try run.begin()
    while let page = try pages.next() {
      try run.note(page.gaps.map { MissingRowsDocument($0, writer) })
      try run.take(page.samples, writer)
      run.missing.corrupt += page.corruptChunks
    }
  }
}
