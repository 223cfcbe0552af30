// How a live sample gets into the chunk that is being filled, and chunks into the line of those that wait for the disk.

public import EventLoop
public import Health
public import Reasons

extension Store {
  /// Takes a sample that came at `instant` (monotonic, of this boot, near the present). Returns at once; the sample is
  /// durable after the commit that follows, see `StoreOptions.commitEvery`.
  public func append(
    _ wearable: WearableID, _ series: Series, _ value: Int64, flags: SampleFlags = .live, at instant: Instant
  ) {
    if isClosing {
      latestStatus.droppedSamples += 1
      return
    }
    let timeStep = timeSteps[Int(series.id)]
    if let chunk = current, chunk.hasRoom(chunkLimit), !clockHasStepped(since: chunk, instant) {
      chunk.append(wearable.number, series.id, value, flags.rawValue, timeStep: timeStep, at: instant)
    } else {
      if current != nil { sealCurrent() }
      beginChunk().append(wearable.number, series.id, value, flags.rawValue, timeStep: timeStep, at: instant)
    }
    nextSequence &+= 1
  }

  /// Takes an item of any layout: as many values as the layout of the series has, bytes only where it has some.
  ///
  /// - Throws: `storeBatchTooLarge` for more than `ItemColumns.bytesLimit` bytes; nothing is taken then.
  public func append(
    _ wearable: WearableID, _ series: Series, values: UnsafeBufferPointer<Int64>,
    bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    flags: SampleFlags = .live, at instant: Instant
  ) throws(HearthError) {
    let shape = series.shape
    guard values.count == shape.valueCount && (bytes.isEmpty || shape.hasBytes) else {
      fatalError("an item of another layout than its series'")
    }
    if bytes.count > ItemColumns.bytesLimit {
      throw HearthError(.storeBatchTooLarge, "a live item of \(bytes.count) bytes; at most \(ItemColumns.bytesLimit)")
    }
    if isClosing {
      latestStatus.droppedSamples += 1
      return
    }
    // An item that no chunk of this size would hold gets one of full size.
    let limit =
      ChunkBuffer.fits(values: values.count, bytes: bytes.count, in: chunkLimit) ? chunkLimit : ChunkBuffer.capacity
    var chunk = current
    if let full = chunk,
      !full.hasRoom(limit, values: values.count, bytes: bytes.count) || clockHasStepped(since: full, instant)
    {
      sealCurrent()
      chunk = nil
    }
    (chunk ?? beginChunk()).append(
      wearable.number, series.id, values: values, bytes: bytes, hasBytes: shape.hasBytes, flags.rawValue,
      timeStep: shape.timeStep, at: instant)
    nextSequence &+= 1
  }

  /// A stepped clock begins a new chunk, so that "base plus distance" is each sample's time as the clock then was.
  ///
  /// Looked at once for all samples of one instant, because a clock costs as much as packing a sample.
  func clockHasStepped(since chunk: ChunkBuffer, _ instant: Instant) -> Bool {
    if instant == clockChecked { return false }
    clockChecked = instant
    let drift = (loop.wall.microseconds &- loop.now.nanoseconds / 1000) &- chunk.clockOffset
    return drift.magnitude > Self.clockTolerance
  }

  /// Worth telling from a second on: less is a time server at work after a start.
  private func noteClockStep(_ drift: Int64) {
    if drift.magnitude < 1_000_000 { return }
    latestStatus.clockSteps += 1
    let seconds = drift / 1_000_000
    noteEvent(
      .clockStepped,
      text:
        """
        the hub's clock was set \(seconds < 0 ? "back" : "forward") by \(seconds.magnitude) s; samples keep the time \
        they were given
        """
    )
  }

  /// Microseconds by which the wall clock may run off a chunk's base. Slewing moves both clocks; a step moves
  /// only this one.
  private nonisolated static let clockTolerance = ClockAnchor.tolerance

  /// - Parameter isSure: its times are as sure as the clock; else they are not, whatever the clock is.
  func beginChunk(isSure: Bool = true) -> ChunkBuffer {
    let chunk = spare.popLast() ?? ChunkBuffer()
    chunk.begin(
      sequence: nextSequence, now: loop.now, wall: loop.wall, trusted: loop.wallIsTrusted && isSure,
      isOwn: !isSure, boot: options.bootID)
    noteClock(of: chunk, rests: isSure)
    // Also a step while no sample waited.
    if let last = lastClockOffset { noteClockStep(chunk.clockOffset &- last) }
    lastClockOffset = chunk.clockOffset
    current = chunk
    armCommitTimer()
    return chunk
  }

  /// Ends the chunk being filled and begins a commit if another one would pass `commitBytes`.
  private func sealCurrent() {
    seal()
    // What is back looks itself; until then chunks may be many.
    if failuresInARow == 0, hasRoomAtDisk, isSizeDue { startCommit(.bytes) }
  }

  func seal() {
    guard let chunk = current else { return }
    current = nil
    sealed.append(chunk)
    enforceMemoryLimit()
  }

  /// The disk has refused, or not answered, for as long as memory lasts: the oldest samples go.
  func enforceMemoryLimit() {
    while sealed.count > sealedLimit {
      let chunk = sealed.removeFirst()
      latestStatus.droppedSamples += UInt64(chunk.count)
      forgetReadings(of: chunk)
      recycle(chunk)
      report(
        HearthError(
          .storeFailing,
          "\(options.path): memory is full of samples that the disk does not take; the oldest are dropped"))
    }
  }

  /// Eight buffers cover the chunk being filled, the commits on their way and a burst; what a failing disk piled up is
  /// given back.
  func recycle(_ chunk: ChunkBuffer) {
    if spare.count < 8 { spare.append(chunk) }
  }
}
