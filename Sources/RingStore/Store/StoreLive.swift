// Live samples and readings: accepted at once, durable a moment later.

public import EventLoop
public import Health
public import Reasons

extension Store {
  /// Appends a sample that came at `instant` (monotonic, of this boot, near the present). Returns at once; the sample
  /// is durable after the next commit, see `StoreOptions.commitEvery`.
  public func append(
    _ wearable: WearableID, _ series: Series, _ value: Int64, flags: SampleFlags = .live, at instant: Instant
  ) {
    live.line.append(wearable, series, value, flags: flags, at: instant)
  }

  /// Appends an item of any layout: as many values as the layout of the series has, and bytes only if it has some.
  ///
  /// - Throws: `storeBatchTooLarge` for more than `ItemColumns.bytesLimit` bytes; the item is then not stored.
  public func append(
    _ wearable: WearableID, _ series: Series, values: UnsafeBufferPointer<Int64>,
    bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    flags: SampleFlags = .live, at instant: Instant
  ) throws(HearthError) {
    try live.line.append(wearable, series, values: values, bytes: bytes, flags: flags, at: instant)
  }

  /// Appends all samples of one reading, measured at `instant` by the hub's monotonic clock, long ago or just now. All
  /// become durable together, with their mark.
  ///
  /// - Parameters:
  ///   - mark: nil if a reading cannot be distinguished from another with the same values.
  ///   - isSure: whether the time is known; otherwise the samples are stored with an untrusted clock.
  /// - Returns: a ticket for `durable`; nil if the store is being closed and the reading was refused.
  public func append(
    _ wearable: WearableID, reading samples: [Sample], mark: ReadingMark?, at instant: Instant, isSure: Bool
  ) -> ReadingTicket? {
    live.append(wearable, reading: samples, mark: mark, at: instant, isSure: isSure)
  }

  /// The ticket of a reading with this mark in the store, or on its way there; nil if it is unknown.
  public func ticket(of mark: ReadingMark, _ wearable: WearableID) -> ReadingTicket? {
    live.readings.find(mark, of: wearable).map { ReadingTicket(through: $0) }
  }

  /// True once the reading is durable.
  public func isDurable(_ ticket: ReadingTicket) -> Bool { live.isDurable(ticket) }

  /// Returns when a reading is durable.
  ///
  /// - Parameter atOnce: whether to commit now; otherwise the next scheduled commit is awaited.
  /// - Throws: the disk's error. The reading stays in memory and is tried again.
  public func durable(_ ticket: ReadingTicket, atOnce: Bool) async throws(HearthError) {
    try await live.durable(ticket, atOnce: atOnce)
  }

  /// Notes that a reading is in the store, or on its way there, but its wearable may not know. The note is stored once
  /// the reading is durable, with the next commit, or by `keepReadings`.
  public func leaveUnsettled(_ reading: UnsettledReading, _ ticket: ReadingTicket, of wearable: WearableID) {
    live.readings.leave(reading, through: ticket.through, of: wearable)
  }

  /// Takes the unsettled reading of this kind from an earlier link, and deletes its note; on disk with the next
  /// commit, or by `keepReadings`.
  public func takeUnsettled(_ kind: ReadingMark, of wearable: WearableID) -> (mark: ReadingMark, ticket: ReadingTicket)?
  {
    live.readings.takeUnsettled(kind, of: wearable).map { ($0.mark, ReadingTicket(through: $0.through)) }
  }

  /// Returns when the readings and their marks are on the disk.
  ///
  /// - Throws: the disk's error, see `Store`. The readings and their marks stay in memory and are tried again.
  public func keepReadings() async throws(HearthError) {
    try await live.flush()
    if live.hasChangedReadings { try await events.write() }
  }
}

extension Store {
  /// Limit in bytes of samples that wait in memory while the disk refuses them; beyond it the oldest are dropped, and
  /// counted. 1 MiB is an hour of 30 wearables' heart rate and RR intervals at 1 Hz.
  public nonisolated static let memoryLimit = ChunkLine.memoryLimit

  /// Commits at the disk at a time. While the first is written, a second one in the queue saves it the wait for its
  /// root. Two more occupy the disk while the loop does other work.
  public nonisolated static let commitsAtOnce = LiveCommits.atOnce

  /// Commits pending samples; durable on return.
  ///
  /// - Throws: the disk's error. The samples stay in memory and are tried again.
  public func flush() async throws(HearthError) { try await live.flush() }

  /// Called after every durable commit of samples.
  public var onCommit: (@LoopActor (CommitReport) -> Void)? {
    get { live.onCommit }
    set { live.onCommit = newValue }
  }
}
