// Samples page by page: a whole export (`Export`), and what the reader of a cursor has not confirmed (`ExportNext`).

internal import Export
internal import HubProtocol
internal import Reasons
internal import RingStore
internal import StoreDocuments

extension HubInterface {
  /// Pages of samples, each read and sent when the one before is with the kernel: a slow reader costs one page of
  /// memory.
  func export(_ call: VarlinkCall, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON? {
    var filter = ExportFilter()
    filter.device = try parameters.optionalText("device")
    filter.series = try parameters.optionalText("series")
    (filter.since, filter.until) = try span(&parameters)
    let cursor = try parameters.optionalText("cursor")
    let form = try PageForm(&parameters)
    try parameters.end()
    if !call.more { throw .expectedMore }
    let wanted = filter
    try await working { () async throws(HearthError) in
      let pages = try await service.export(try wanted.query(service.wearableRecords()), reader: cursor, by: "")
      let store = form.placed ? try await service.makeStoreIdentity() : nil
      let writer = service.sampleExport()
      var corrupt = 0
      var isFirst = true
      while !connection.isDeaf {
        let page = try await pages.next(limit: Self.pageSize)
        corrupt += page?.corruptChunks ?? 0
        let isLast = page?.isLast ?? true
        noteAccess("Export", page?.all ?? [], cursor: cursor ?? "", isFirst: isFirst)
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

  /// One page behind what the cursor's reader has confirmed; `confirm` first confirms what this connection was given
  /// before.
  func exportNext(_ call: VarlinkCall, _ parameters: inout Parameters) async throws(VarlinkError) -> JSON? {
    let cursor = try parameters.text("cursor")
    let filter = ExportFilter(
      device: try parameters.optionalText("device"), series: try parameters.optionalText("series"))
    let confirms = try parameters.optionalTruth("confirm") ?? false
    let by = try parameters.optionalText("by") ?? "uid \(connection.peer.user)"
    let limit = Int(try parameters.optionalInteger("limit", 1...Int64(Self.pageSize)) ?? Int64(Self.pageSize))
    let form = try PageForm(&parameters)
    try parameters.end()
    var open = connection.cursorExport
    // Whatever goes wrong from here on, the next call begins behind what was confirmed.
    connection.cursorExport = nil
    if open?.cursor != cursor || open?.filter != filter { open = nil }
    let known = open
    let reply = try await working { () async throws(HearthError) -> (bytes: [UInt8], open: CursorExport?) in
      let store = form.placed ? try await service.makeStoreIdentity() : nil
      if confirms, let known {
        try await known.pages.confirm()
        if known.isDone {
          let told = members(nil)
          return (Self.pageReply(nil, service.sampleExport(), form, corrupt: 0, last: true, store, told: told), nil)
        }
      }
      var export: CursorExport
      if let known, !known.isDone {
        export = known
      } else {
        let query = try filter.query(service.wearableRecords())
        export = CursorExport(
          cursor: cursor, filter: filter, pages: try await service.export(query, reader: cursor, by: by))
      }
      let page = try await export.pages.next(limit: limit)
      noteAccess("ExportNext", page?.all ?? [], cursor: cursor, isFirst: known == nil)
      export.isDone = page?.isLast ?? true
      let told = members(known == nil || known?.isDone == true ? export.pages.corrections : nil)
      return (
        Self.pageReply(
          page, service.sampleExport(), form, corrupt: page?.corruptChunks ?? 0, last: export.isDone, store,
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
      for (index, sample) in samples.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        writer.append(sample, to: &bytes)
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
    bytes += "}\(members)}".utf8
    return bytes
  }
}

extension SamplePage {
  fileprivate var all: [StoredSample] { retimed.isEmpty ? samples : samples + retimed }
}

/// How the samples of a page are written.
private struct PageForm {
  /// With their places in the store.
  let placed: Bool
  /// Those that are like another of the page say so.
  let isBrief: Bool

  init(_ parameters: inout Parameters) throws(VarlinkError) {
    placed = try parameters.optionalTruth("ordinals") ?? false
    isBrief = try parameters.optionalTruth("brief") ?? false
    if isBrief, !placed { throw .invalidParameter("brief") }
  }
}
