// Documents about the store: how full, how old, how worn, and what it deleted.

internal import EventLoop
public import Export
internal import Health
public import HubProtocol
internal import Reasons
public import RingStore

extension StoreDocument {
  /// Creates a document without rings and readers.
  public init(_ status: StoreStatus, wearables: Int, daemon: Bool) {
    self.init(
      path: status.path, fileBytes: status.fileBytes, usedBytes: status.usedBytes, freeBytes: status.freeBytes,
      limitBytes: status.sizeBytes, samples: status.samples, chunks: status.journalChunks + status.ringChunks,
      oldest: status.oldest?.rfc3339, newest: status.newest?.rfc3339, pendingSamples: status.pendingSamples,
      pendingBytes: status.pendingBytes, lastCommit: status.lastCommit?.rfc3339, commits: status.commits,
      failedCommits: status.failedCommits,
      journal: Journal(
        samples: status.journalSamples, chunks: status.journalChunks, bytes: status.journalBytes,
        oldest: status.journalOldest?.rfc3339),
      unexported: status.unexported, evictedSamples: status.evictedSamples, evictedUnexported: status.evictedUnexported,
      evictedFrom: status.evictedFrom?.rfc3339, evictedTo: status.evictedTo?.rfc3339,
      droppedSamples: status.droppedSamples, corruptChunks: status.corruptChunks, corruptRecords: status.corruptRecords,
      stagedBytes: status.stagedBytes, stagedGivenUp: status.stagedGivenUp, custodyGivenWay: status.custodyGivenWay,
      asideBytes: status.bytesAside > 0 ? Int(clamping: status.bytesAside) : nil,
      readerSlotsUsed: status.readerSlotsUsed, readerSlots: status.readerSlots,
      bytesWrittenToday: status.wear.bytesToday,
      wear: Wear(
        bytesToday: status.wear.bytesToday, budgetPerDay: status.wear.budgetPerDay,
        overBudget: status.wear.isOverBudget,
        odometer: status.wear.odometer, forecastPerYear: status.wear.forecastPerYear,
        cardBytes: status.medium?.cardBytes.map { UInt64(clamping: $0) },
        cardBears: status.medium?.cardBears.map { UInt64(clamping: $0) }),
      wearables: wearables, reason: status.trouble.map { TroubleDocument($0) }, daemon: daemon)
  }

  /// Creates a document with everything that `hearth store` shows; `names` contains the wearables' names.
  public init(
    _ status: StoreStatus, rings: [RingStatus], readers: [ExportReader], names: SampleExport, wearables: Int,
    daemon: Bool
  ) {
    self.init(status, wearables: wearables, daemon: daemon)
    self.rings = rings.map { Ring($0, names.name(of: $0.id.wearable)) }
    self.readers = readers.map { Reader($0) }
  }
}

extension StoreDocument.Reader {
  /// An export cursor, and what its reader has confirmed.
  public init(_ reader: ExportReader) {
    self.init(
      name: reader.name, createdAt: reader.createdAt.rfc3339, confirmedAt: reader.confirmedAt.rfc3339,
      samples: reader.items, by: reader.by)
  }
}

extension StoreDocument.Ring {
  init(_ ring: RingStatus, _ device: String) {
    self.init(
      device: device, series: ring.id.seriesName, way: ring.id.way.name, samples: ring.items, chunks: ring.chunks,
      bytes: ring.bytes, quotaBytes: ring.retention.quota,
      keepSeconds: ring.retention.keep.map { $0.components.seconds },
      evict: ring.retention.whenFull == .refuse ? "refuse" : "oldest", oldest: ring.oldest?.rfc3339,
      newest: ring.newest?.rfc3339, bytesPerDay: ring.bytesPerDay, unexported: ring.unexported,
      evictedSamples: ring.evicted, evictedUnexported: ring.evictedUnexported, evictedFrom: ring.evictedFrom?.rfc3339,
      evictedTo: ring.evictedTo?.rfc3339, purgedSamples: ring.purged, refuses: ring.refuses)
  }
}

extension RingID {
  /// `series-300` for a series of a newer program.
  package var seriesName: String { series?.name ?? "series-\(seriesNumber)" }
}

extension VerifyDocument {
  /// Converts the report of a verification.
  public init(_ report: VerifyReport) {
    self.init(
      clean: report.isClean, journalChunks: report.journalChunks, ringChunks: report.ringChunks, rings: report.rings,
      samples: report.items, records: report.records, findingCount: report.findingCount,
      findings: report.findings.map { Finding(place: $0.place, what: $0.what) })
  }
}

extension PurgeDocument {
  /// Converts a plan of a purge; `purged` nil: nothing was deleted so far.
  public init(_ plan: PurgePlan, names: SampleExport, purged: UInt64? = nil, held: Int? = nil) {
    self.init(
      samples: plan.items, unexported: plan.unexported,
      parts: plan.parts.map { part in
        Part(
          device: names.name(of: part.ring.wearable),
          wearers: names.wearers(of: part.ring.wearable, from: part.from, to: part.to),
          series: part.ring.seriesName, way: part.ring.way.name, samples: part.items, unexported: part.unexported,
          from: part.from.rfc3339,
          to: part.to.rfc3339)
      },
      purged: purged, held: held)
  }
}

extension EventDocument {
  /// Converts an event.
  public init(_ event: StoreEvent, names: SampleExport) {
    self.init(
      number: event.number, time: event.time.rfc3339, code: "H\(event.reason)",
      area: Reason(rawValue: event.reason)?.area ?? "", device: event.wearable.map { names.name(of: $0) },
      text: event.text, from: event.span.from?.rfc3339, to: event.span.to?.rfc3339,
      count: event.span.count.map { Int($0) })
  }
}
