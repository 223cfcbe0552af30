// The path of a live sample into the chunk being filled, and the queue of chunks that wait for the disk.

internal import EventLoop
internal import Health
internal import Reasons

/// Events of the queue of chunks, for the commits behind it.
@LoopActor
protocol ChunkLineObserver: AnyObject {
  /// A chunk was begun: it must be committed within `commitEvery`.
  func chunkBegan()
  /// A chunk became full.
  func chunkIsFull()
  /// A chunk that never reached the disk is dropped.
  func drops(_ chunk: ChunkBuffer)
}

@LoopActor
final class ChunkLine {
  /// See `Store.memoryLimit`.
  nonisolated static let memoryLimit = 1 << 20
  /// Limit of sealed chunks in the queue.
  static let sealedLimit = memoryLimit / ChunkBuffer.capacity

  private let disk: StoreDisk
  private let status: StatusKeeper
  private let clock: BootClockKeeper
  /// Time steps by number of the series. They are read for each sample: a global variable would cost a check for its
  /// initialisation.
  private let timeSteps = [1] + Series.all.map(\.timeStep)
  /// Derived from the options.
  let chunkLimit: Int
  private(set) var nextSequence: UInt64
  private(set) var current: ChunkBuffer?
  /// Sealed chunks, oldest first.
  private(set) var sealed: [ChunkBuffer] = []
  private var spare: [ChunkBuffer] = []
  private var clockChecked: Instant?
  /// Wall clock minus monotonic clock at the beginning of the previous chunk, microseconds.
  private var lastClockOffset: Int64?
  weak var observer: (any ChunkLineObserver)?

  init(_ disk: StoreDisk, _ status: StatusKeeper, _ clock: BootClockKeeper, nextSequence: UInt64) {
    self.disk = disk
    self.status = status
    self.clock = clock
    self.nextSequence = nextSequence
    chunkLimit = min(ChunkBuffer.capacity, disk.options.commitBytes)
    sealed.reserveCapacity(Self.sealedLimit + 1)
  }

  /// See `Store.append`.
  func append(
    _ wearable: WearableID, _ series: Series, _ value: Int64, flags: SampleFlags = .live, at instant: Instant
  ) {
    if refuses(1) { return }
    let timeStep = timeSteps[Int(series.id)]
    if let chunk = current, chunk.hasRoom(chunkLimit), !clockHasStepped(since: chunk, instant) {
      chunk.append(wearable.number, series.id, value, flags.rawValue, timeStep: timeStep, at: instant)
    } else {
      if current != nil { sealCurrent() }
      beginChunk().append(wearable.number, series.id, value, flags.rawValue, timeStep: timeStep, at: instant)
    }
    nextSequence &+= 1
  }

  /// See `Store.append`.
  func append(
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
    if refuses(1) { return }
    // An item too large for a chunk of this size gets one of full size.
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

  /// Whether the store is being closed; then these samples count as dropped.
  func refuses(_ samples: Int) -> Bool {
    if !disk.isClosing { return false }
    status.count { $0.droppedSamples += UInt64(samples) }
    return true
  }

  /// A stepped clock begins a new chunk, so that "base plus distance" is each sample's time by the clock at that
  /// moment.
  ///
  /// Checked once for all samples of one instant, because reading a clock costs as much as packing a sample.
  func clockHasStepped(since chunk: ChunkBuffer, _ instant: Instant) -> Bool {
    if instant == clockChecked { return false }
    clockChecked = instant
    let drift = (disk.loop.wall.microseconds &- disk.loop.now.nanoseconds / 1000) &- chunk.clockOffset
    return drift.magnitude > Self.clockTolerance
  }

  /// Reports a step from a second on: a smaller one is a time server at work after a start.
  private func noteClockStep(_ drift: Int64) {
    if drift.magnitude < 1_000_000 { return }
    status.count { $0.clockSteps += 1 }
    let seconds = drift / 1_000_000
    status.events.note(
      .clockStepped,
      text:
        """
        the hub's clock was set \(seconds < 0 ? "back" : "forward") by \(seconds.magnitude) s; samples keep the time \
        they were given
        """
    )
  }

  /// Microseconds by which the wall clock may drift from a chunk's base. Slewing moves both clocks; a step moves only
  /// this one.
  private nonisolated static let clockTolerance = ClockAnchor.tolerance

  /// - Parameter isSure: whether its times are as reliable as the clock; false makes them unreliable in any case.
  func beginChunk(isSure: Bool = true) -> ChunkBuffer {
    let chunk = spare.popLast() ?? ChunkBuffer()
    chunk.begin(
      sequence: nextSequence, now: disk.loop.now, wall: disk.loop.wall, trusted: disk.loop.wallIsTrusted && isSure,
      isOwn: !isSure, boot: disk.options.bootID)
    clock.note(chunk, rests: isSure)
    // Also finds a step while no sample waited.
    if let last = lastClockOffset { noteClockStep(chunk.clockOffset &- last) }
    lastClockOffset = chunk.clockOffset
    current = chunk
    observer?.chunkBegan()
    return chunk
  }

  /// Seals the chunk being filled; a commit begins if another one would exceed `commitBytes`.
  private func sealCurrent() {
    seal()
    observer?.chunkIsFull()
  }

  func seal() {
    guard let chunk = current else { return }
    current = nil
    guard sealed.last.map({ $0.nextSequence <= chunk.sequence }) ?? true else {
      fatalError("a chunk that is older than the one before it")
    }
    sealed.append(chunk)
    enforceMemoryLimit()
  }

  /// Drops the oldest samples once the disk has refused writes, or has not answered, for as long as memory lasts.
  func enforceMemoryLimit() {
    while sealed.count > Self.sealedLimit {
      let chunk = sealed.removeFirst()
      status.count { $0.droppedSamples += UInt64(chunk.count) }
      observer?.drops(chunk)
      recycle(chunk)
      status.report(
        HearthError(
          .storeFailing,
          "\(disk.options.path): memory is full of samples that the disk does not take; the oldest are dropped"))
    }
  }

  /// Eight buffers are enough for the chunk being filled, the commits on their way and a burst. Further ones, from a
  /// failing disk, are released.
  func recycle(_ chunk: ChunkBuffer) {
    if spare.count < 8 { spare.append(chunk) }
  }

  /// Adds one sample of a reading; the caller has checked that there is room.
  func add(_ sample: Sample, of wearable: WearableID, to chunk: ChunkBuffer, at instant: Instant) {
    chunk.append(
      wearable.number, sample.series.id, sample.value, sample.flags.rawValue,
      timeStep: timeSteps[Int(sample.series.id)], at: instant)
    nextSequence &+= 1
  }

  // MARK: The line

  /// Bytes of the sealed chunks.
  var sealedBytes: Int { sealed.reduce(0) { $0 + $1.used } }

  /// Time when the oldest waiting chunk was begun.
  var begunAt: Instant? { sealed.first?.begunAt ?? current?.begunAt }

  var isEmpty: Bool { current == nil && sealed.isEmpty }

  /// Takes the oldest sealed chunks, at most `limit`.
  func take(_ limit: Int) -> [ChunkBuffer] {
    let batch = Array(sealed.prefix(limit))
    sealed.removeFirst(batch.count)
    return batch
  }

  /// Returns chunks of a failed commit to the queue, before newer ones. `enforceMemoryLimit` follows.
  func putBack(_ chunks: [ChunkBuffer]) {
    if let last = chunks.last, let first = sealed.first ?? current {
      guard last.nextSequence <= first.sequence else { fatalError("chunks put back behind newer ones") }
    }
    sealed.insert(contentsOf: chunks, at: 0)
  }

  /// Drops all waiting samples. Returns their number.
  func drop() -> Int {
    let left = (sealed + (current.map { [$0] } ?? [])).reduce(0) { $0 + $1.count }
    sealed = []
    current = nil
    return left
  }
}
