// Live samples and readings: taken at once, durable a moment later.

public import EventLoop
public import Health
public import Reasons

extension Store {
  /// Takes a sample that came at `instant` (monotonic, of this boot, near the present). Returns at once; the sample is
  /// durable after the commit that follows, see `StoreOptions.commitEvery`.
  public func append(
    _ wearable: WearableID, _ series: Series, _ value: Int64, flags: SampleFlags = .live, at instant: Instant
  ) {
    live.line.append(wearable, series, value, flags: flags, at: instant)
  }

  /// Takes an item of any layout: as many values as the layout of the series has, bytes only where it has some.
  ///
  /// - Throws: `storeBatchTooLarge` for more than `ItemColumns.bytesLimit` bytes; nothing is taken then.
  public func append(
    _ wearable: WearableID, _ series: Series, values: UnsafeBufferPointer<Int64>,
    bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    flags: SampleFlags = .live, at instant: Instant
  ) throws(HearthError) {
    try live.line.append(wearable, series, values: values, bytes: bytes, flags: flags, at: instant)
  }

  /// Takes all samples of one reading, measured at `instant` by the hub's monotonic clock, long ago or just now. They
  /// become durable together, with their mark.
  ///
  /// - Parameters:
  ///   - mark: nil where nothing tells the reading from another of the same values.
  ///   - isSure: the time rests on something; else the samples are stored as of a clock that is not trusted.
  /// - Returns: what `durable` waits for; nil: the store is being closed, and nothing was taken.
  public func append(
    _ wearable: WearableID, reading samples: [Sample], mark: ReadingMark?, at instant: Instant, isSure: Bool
  ) -> ReadingTicket? {
    live.append(wearable, reading: samples, mark: mark, at: instant, isSure: isSure)
  }

  /// Such a reading is in the store, or on its way there; nil: it is not known.
  public func ticket(of mark: ReadingMark, _ wearable: WearableID) -> ReadingTicket? {
    live.readings.find(mark, of: wearable).map { ReadingTicket(through: $0) }
  }

  public func isDurable(_ ticket: ReadingTicket) -> Bool { live.isDurable(ticket) }

  /// Returns when a reading is durable.
  ///
  /// - Parameter atOnce: by a commit of now; else with the next that comes by itself.
  /// - Throws: why the disk refused. The reading stays in memory and is tried again.
  public func durable(_ ticket: ReadingTicket, atOnce: Bool) async throws(HearthError) {
    try await live.durable(ticket, atOnce: atOnce)
  }

  /// A reading is in the store, or on its way there, and its wearable may not know. That is remembered once the reading
  /// is durable, with the next commit, or by `keepReadings`.
  public func leaveUnsettled(_ reading: UnsettledReading, _ ticket: ReadingTicket, of wearable: WearableID) {
    live.readings.leave(reading, through: ticket.through, of: wearable)
  }

  /// The one of this kind that an earlier link left, which is forgotten herewith; on disk with the next commit, or by
  /// `keepReadings`.
  public func takeUnsettled(_ kind: ReadingMark, of wearable: WearableID) -> (mark: ReadingMark, ticket: ReadingTicket)?
  {
    live.readings.takeUnsettled(kind, of: wearable).map { ($0.mark, ReadingTicket(through: $0.through)) }
  }

  /// Returns when the disk has what is known of readings now, and the readings themselves.
  public func keepReadings() async throws(HearthError) {
    try await live.flush()
    if live.hasChangedReadings { try await events.write() }
  }
}

extension Store {
  /// Samples wait in memory in at most this many bytes while the disk refuses them; beyond it the oldest are dropped,
  /// and counted. 1 MiB is an hour of 30 wearables' heart rate and RR intervals at 1 Hz.
  public nonisolated static let memoryLimit = ChunkLine.memoryLimit

  /// Commits given to the disk at a time. One is written; that another one waits behind it already saves it the wait
  /// for its root; and two more keep a busy disk busy while the loop is at something else.
  public nonisolated static let commitsAtOnce = LiveCommits.atOnce

  /// Commits what is pending; durable when it returns.
  ///
  /// - Throws: why the disk refused. The samples stay in memory and are tried again.
  public func flush() async throws(HearthError) { try await live.flush() }

  /// Called after every durable commit of samples.
  public var onCommit: (@LoopActor (CommitReport) -> Void)? {
    get { live.onCommit }
    set { live.onCommit = newValue }
  }
}
