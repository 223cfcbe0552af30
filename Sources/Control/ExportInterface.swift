// Samples page by page: a whole export (`Export`), and what the reader of a cursor has not confirmed (`ExportNext`).

internal import Export
internal import HubProtocol
internal import Reasons
internal import RingStore
internal import StoreDocuments

/// An export that goes on from call to call of one connection (`ExportNext`).
struct CursorExport {
  let cursor: String
  let filter: ExportFilter
  let pages: any ExportPages
  /// The last page was given.
  var isDone = false
}

extension ExportFilter {
  /// Merges the single and the list parameter of a call.
  fileprivate init(_ device: String?, _ devices: [String]?, _ one: String?, _ more: [String]?, person: String?) {
    self.init(
      devices: (device.map { [$0] } ?? []) + (devices ?? []), series: (one.map { [$0] } ?? []) + (more ?? []),
      person: person)
  }
}

extension HubInterface: ExportMethods {
  /// Samples of one page of an export: formatting them takes about a millisecond of the loop.
  nonisolated static let pageSize = 512

  /// Pages of samples, each read and sent when the one before is with the kernel: a slow reader costs one page of
  /// memory.
  func export(_ parameters: Methods.Export.Parameters) async throws -> Methods.Export.Reply? {
    var filter = ExportFilter(
      parameters.device, parameters.devices, parameters.series, parameters.allSeries, person: parameters.person)
    (filter.since, filter.until) = try span(parameters.since, parameters.until)
    let form = try PageForm(ordinals: parameters.ordinals, brief: parameters.brief)
    let (wanted, cursor) = (filter, parameters.cursor)
    try await working {
      let query = try wanted.query(stored.wearableRecords(), stored.sampleExport())
      let pages = try await stored.export(query, reader: cursor, by: "")
      let store = form.placed ? try await stored.makeStoreIdentity() : nil
      let writer = stored.sampleExport()
      var corrupt = 0
      var isFirst = true
      while !connection.isDeaf {
        let page = try await pages.next(limit: Self.pageSize)
        corrupt += page?.corruptChunks ?? 0
        let isLast = page?.isLast ?? true
        noteAccess("Export", page?.all ?? [], of: query.stretches, cursor: cursor ?? "", isFirst: isFirst)
        let told = members(isFirst ? pages.corrections : nil)
        isFirst = false
        connection.send(
          Self.pageReply(page, writer, form, corrupt: corrupt, store, told: told, isLast ? "" : #","continues":true"#))
        if isLast { return }
        await connection.drained()
        // Also a client that reads at once must not have the loop for itself.
        await Task.yield()
      }
    }
    return nil
  }

  /// A page behind what the cursor's reader has confirmed; `confirm` first confirms what this connection was given
  /// before.
  func exportNext(_ parameters: Methods.ExportNext.Parameters) async throws -> Methods.ExportNext.Reply? {
    let cursor = parameters.cursor
    let filter = ExportFilter(
      parameters.device, parameters.devices, parameters.series, parameters.allSeries, person: nil)
    let form = try PageForm(ordinals: parameters.ordinals, brief: parameters.brief)
    var open = connection.cursorExport
    // Whatever goes wrong from here on, the next call begins behind what was confirmed.
    connection.cursorExport = nil
    if open?.cursor != cursor || open?.filter != filter { open = nil }
    let known = open
    let reply = try await working { () async throws -> (bytes: [UInt8], open: CursorExport?) in
      let store = form.placed ? try await stored.makeStoreIdentity() : nil
      if parameters.confirm ?? false, let known {
        try await known.pages.confirm()
        if known.isDone {
          let told = members(nil)
          return (Self.pageReply(nil, stored.sampleExport(), form, corrupt: 0, last: true, store, told: told), nil)
        }
      }
      var export: CursorExport
      if let known, !known.isDone {
        export = known
      } else {
        let query = try filter.query(stored.wearableRecords(), stored.sampleExport())
        let by = parameters.by ?? "uid \(connection.peer.user)"
        export = CursorExport(
          cursor: cursor, filter: filter, pages: try await stored.export(query, reader: cursor, by: by))
      }
      let page = try await export.pages.next(limit: parameters.limit ?? Self.pageSize)
      noteAccess("ExportNext", page?.all ?? [], cursor: cursor, isFirst: known == nil)
      export.isDone = page?.isLast ?? true
      let told = members(known == nil || known?.isDone == true ? export.pages.corrections : nil)
      return (
        Self.pageReply(
          page, stored.sampleExport(), form, corrupt: page?.corruptChunks ?? 0, last: export.isDone, store,
          told: told),
        export
      )
    }
    connection.cursorExport = reply.open
    if !call.oneway { connection.send(reply.bytes) }
    return nil
  }

  private static func pageReply(
    _ page: SamplePage?, _ writer: SampleExport, _ form: PageForm, corrupt: Int, last: Bool? = nil,
    _ store: StoreIdentity?, told: String, _ members: String = ""
  ) -> [UInt8] {
    var bytes = Array(#"{"parameters":{"samples":["#.utf8)
    let samples = page?.samples ?? []
    if form.placed {
      var rows = PlacedRows(writer, brief: form.isBrief)
      for sample in samples { rows.append(sample, to: &bytes) }
    } else {
      var lines = SampleLines(writer, .ndjson)
      for (index, sample) in samples.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        lines.append(sample, to: &bytes)
        bytes.removeLast()  // the line end
      }
    }
    bytes += #"],"corrupt_chunks":\#(corrupt)"#.utf8
    if let last { bytes += #","last":\#(last)"#.utf8 }
    bytes += #","store":\#(store.map { "\"\($0.text)\"" } ?? "null")"#.utf8
    bytes += told.utf8
    bytes += #","retimed":"#.utf8
    let retimed = page?.retimed ?? []
    bytes += retimed.isEmpty ? Array("null".utf8) : writer.retimed(retimed, places: form.placed)
    bytes += #","gaps":"#.utf8
    let gaps = (page?.gaps ?? []).map { MissingRowsDocument($0, writer) }
    bytes += gaps.isEmpty ? Array("null".utf8) : JSON(encoding: gaps).compact
    bytes += "}\(members)}".utf8
    return bytes
  }
}

extension SamplePage {
  fileprivate var all: [StoredSample] { retimed.isEmpty ? samples : samples + retimed }
}

/// Form in which the samples of a page are written.
private struct PageForm {
  /// True for samples with their places in the store.
  let placed: Bool
  /// Rows that equal another one of the page but for time, value and ordinal refer to it (`PlacedRows`).
  let isBrief: Bool

  init(ordinals: Bool?, brief: Bool?) throws(VarlinkError) {
    (placed, isBrief) = (ordinals ?? false, brief ?? false)
    if isBrief, !placed { throw .invalidParameter("brief") }
  }
}
