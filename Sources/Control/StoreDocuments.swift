// What the control socket says about the store and its samples.

public import EventLoop
import Health
public import Reasons
public import RingStore

/// The store: how full, how old, how well.
public struct StoreDocument: Codable, Sendable, Hashable {
  public var schema = "io.hearth.store/1"
  public var path: String
  /// Bytes of the file, bytes in use, and the bound of both.
  public var fileBytes: Int
  public var usedBytes: Int
  public var limitBytes: Int
  public var samples: UInt64
  public var chunks: Int
  public var oldest: String?
  public var newest: String?
  /// In memory, not durable yet.
  public var pendingSamples: Int
  public var pendingBytes: Int
  public var lastCommit: String?
  public var commits: UInt64
  public var failedCommits: UInt64
  /// Deleted to make room, ever, and the time they spanned.
  public var evictedSamples: UInt64
  public var evictedFrom: String?
  public var evictedTo: String?
  /// Since start: lost because the disk refused them.
  public var droppedSamples: UInt64
  public var corruptChunks: UInt64
  public var corruptRecords: Int
  /// Nil where the kernel does not count.
  public var bytesWrittenToday: UInt64?
  public var wearables: Int
  public var reason: TroubleDocument?
  /// False where the store was read with no daemon running.
  public var daemon: Bool

  public init(_ status: StoreStatus, wearables: Int, daemon: Bool) {
    path = status.path
    fileBytes = status.fileBytes
    usedBytes = status.usedBytes
    limitBytes = status.sizeBytes
    samples = status.samples
    chunks = status.chunks
    oldest = status.oldest?.rfc3339
    newest = status.newest?.rfc3339
    pendingSamples = status.pendingSamples
    pendingBytes = status.pendingBytes
    lastCommit = status.lastCommit?.rfc3339
    commits = status.commits
    failedCommits = status.failedCommits
    evictedSamples = status.evictedSamples
    evictedFrom = status.evictedFrom?.rfc3339
    evictedTo = status.evictedTo?.rfc3339
    droppedSamples = status.droppedSamples
    corruptChunks = status.corruptChunks
    corruptRecords = status.corruptRecords
    bytesWrittenToday = status.bytesWrittenToday
    self.wearables = wearables
    reason = status.trouble.map { TroubleDocument($0) }
    self.daemon = daemon
  }
}

/// Which samples somebody wants, in the words of a command line.
public struct ExportFilter: Sendable, Hashable {
  /// Name or address.
  public var device: String?
  public var series: String?
  public var since: WallTime?
  public var until: WallTime?

  public init(device: String? = nil, series: String? = nil, since: WallTime? = nil, until: WallTime? = nil) {
    self.device = device
    self.series = series
    self.since = since
    self.until = until
  }

  /// The store's query. A name means every enrolment, past or present, that had it; an address every enrolment of that wearable.
  ///
  /// - Throws: `noSuchWearable`, or `controlBadParameter` for a series that does not exist.
  public func query(_ records: [WearableRecord]) throws(HearthError) -> SampleQuery {
    var query = SampleQuery(since: since, until: until)
    if let device {
      let address = device.uppercased()
      let found = records.filter { $0.name == device || $0.addressText == address }
      if found.isEmpty { throw HearthError(.noSuchWearable, "no wearable is called '\(harmless(device))'") }
      query.wearables = Set(found.map(\.id))
    }
    if let series {
      guard let known = Series(name: series) else {
        let names = Series.all.map(\.name).joined(separator: ", ")
        throw HearthError(.controlBadParameter, "no series is called '\(harmless(series))': there are \(names)")
      }
      query.series = [known]
    }
    return query
  }
}

/// Text from elsewhere for a message: what could drive a terminal becomes `?`, and it ends after 64 characters.
public func harmless(_ text: String, limit: Int = 64) -> String {
  var shown = ""
  for scalar in text.unicodeScalars.prefix(limit) {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: shown += "?"
    default: shown.unicodeScalars.append(scalar)
    }
  }
  return text.unicodeScalars.count > limit ? shown + "..." : shown
}
