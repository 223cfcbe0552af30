// How a live sample gets into the chunk that is being filled, and chunks into the line of those that wait for the disk.

internal import EventLoop
internal import Health
internal import Reasons

/// What the line of chunks asks of the commits behind it.
@LoopActor
protocol ChunkLineObserver: AnyObject {
  /// A chunk waits from now on: within `commitEvery` it is to be committed.
  func chunkBegan()
  /// A chunk became full.
  func chunkIsFull()
  /// A chunk is given up that never reached the disk.
  func drops(_ chunk: ChunkBuffer)
}

@LoopActor
final class ChunkLine {
  /// See `Store.memoryLimit`.
  nonisolated static let memoryLimit = 1 << 20
  /// Sealed chunks that may wait.
  static let sealedLimit = memoryLimit / ChunkBuffer.capacity

  private let disk: StoreDisk
  private let status: StatusKeeper
  private let clock: BootClockKeeper
  /// By the numbers of series, for the sample after sample that asks: a global would have to be asked whether it is
  /// there yet.
  private let timeSteps = [1] + Series.all.map(\.timeStep)
  /// Derived from the options.
  let chunkLimit: Int
  private(set) var nextSequence: UInt64
  private(set) var current: ChunkBuffer?
  /// Full chunks, oldest first.
  private(set) var sealed: [ChunkBuffer] = []
  private var spare: [ChunkBuffer] = []
  private var clockChecked: Instant?
  /// Wall clock less monotonic clock when the chunk before was begun, microseconds.
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

  /// The store is being closed: so many samples are counted as dropped.
  func refuses(_ samples: Int) -> Bool {
    if !disk.isClosing { return false }
    status.count { $0.droppedSamples += UInt64(samples) }
    return true
  }

  /// A stepped clock begins a new chunk, so that "base plus distance" is each sample's time as the clock then was.
  ///
  /// Looked at once for all samples of one instant, because a clock costs as much as packing a sample.
  func clockHasStepped(since chunk: ChunkBuffer, _ instant: Instant) -> Bool {
    if instant == clockChecked { return false }
    clockChecked = instant
    let drift = (disk.loop.wall.microseconds &- disk.loop.now.nanoseconds / 1000) &- chunk.clockOffset
    return drift.magnitude > Self.clockTolerance
  }

  /// Worth telling from a second on: less is a time server at work after a start.
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

  /// Microseconds by which the wall clock may run off a chunk's base. Slewing moves both clocks; a step moves
  /// only this one.
  private nonisolated static let clockTolerance = ClockAnchor.tolerance

  /// - Parameter isSure: its times are as sure as the clock; else they are not, whatever the clock is.
  func beginChunk(isSure: Bool = true) -> ChunkBuffer {
    let chunk = spare.popLast() ?? ChunkBuffer()
    chunk.begin(
      sequence: nextSequence, now: disk.loop.now, wall: disk.loop.wall, trusted: disk.loop.wallIsTrusted && isSure,
      isOwn: !isSure, boot: disk.options.bootID)
    clock.note(chunk, rests: isSure)
    // Also a step while no sample waited.
    if let last = lastClockOffset { noteClockStep(chunk.clockOffset &- last) }
    lastClockOffset = chunk.clockOffset
    current = chunk
    observer?.chunkBegan()
    return chunk
  }

  /// Ends the chunk being filled; a commit begins if another one would pass `commitBytes`.
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

  /// The disk has refused, or not answered, for as long as memory lasts: the oldest samples go.
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

  /// Eight buffers cover the chunk being filled, the commits on their way and a burst; what a failing disk piled up is
  /// given back.
  func recycle(_ chunk: ChunkBuffer) {
    if spare.count < 8 { spare.append(chunk) }
  }

  /// One sample of a reading, for whose items there is room.
  func add(_ sample: Sample, of wearable: WearableID, to chunk: ChunkBuffer, at instant: Instant) {
    chunk.append(
      wearable.number, sample.series.id, sample.value, sample.flags.rawValue,
      timeStep: timeSteps[Int(sample.series.id)], at: instant)
    nextSequence &+= 1
  }

  // MARK: The line

  /// Bytes of the chunks that are full.
  var sealedBytes: Int { sealed.reduce(0) { $0 + $1.used } }

  /// When the oldest of them was begun.
  var begunAt: Instant? { sealed.first?.begunAt ?? current?.begunAt }

  var isEmpty: Bool { current == nil && sealed.isEmpty }

  /// The oldest full chunks, so many at most.
  func take(_ limit: Int) -> [ChunkBuffer] {
    let batch = Array(sealed.prefix(limit))
    sealed.removeFirst(batch.count)
    return batch
  }

  /// What did not reach the disk waits again, before what came since. `enforceMemoryLimit` follows.
  func putBack(_ chunks: [ChunkBuffer]) {
    if let last = chunks.last, let first = sealed.first ?? current {
      guard last.nextSequence <= first.sequence else { fatalError("chunks put back behind newer ones") }
    }
    sealed.insert(contentsOf: chunks, at: 0)
  }

  /// Everything that waits is given up. Returns how many samples that were.
  func drop() -> Int {
    let left = (sealed + (current.map { [$0] } ?? [])).reduce(0) { $0 + $1.count }
    sealed = []
    current = nil
    return left
  }
}
