// Feeds Hearth's store with the load: the hub's own loop and disk thread, and a clock that the benchmark moves.

import EventLoop
import Glibc
import Health
import RingStore

/// The hub's loop, except for time, which stands still until `advance`. Threads, jobs and the disk are real.
final class HandMovedLoop: Loop {
  private struct Timer {
    let name: LoopTimer
    let deadline: Instant
    let body: @LoopActor () -> Void
  }

  private let real: EpollLoop
  private let wallOffset: Int64
  private(set) var now = Instant(nanoseconds: 1_000_000_000)
  /// Timers in the order of creation.
  private var timers: [Timer] = []
  let wallIsTrusted = true

  init(_ real: EpollLoop, wall: WallTime) {
    self.real = real
    wallOffset = wall.microseconds - 1_000_000
  }

  var wall: WallTime { WallTime(microseconds: wallOffset + now.nanoseconds / 1000) }

  /// The real loop only identifies the timer; there it would be due in a hundred years.
  func schedule(at deadline: Instant, _ body: @escaping @LoopActor () -> Void) -> LoopTimer {
    let name = real.schedule(after: .seconds(100 * 365 * 86_400)) {}
    timers.append(Timer(name: name, deadline: deadline, body: body))
    return name
  }

  func cancel(_ timer: LoopTimer) {
    real.cancel(timer)
    timers.removeAll { $0.name == timer }
  }

  func stop() { real.stop() }

  /// Fires timers that become due.
  func advance(to time: Instant) {
    while let next = timers.min(by: { $0.deadline < $1.deadline }), next.deadline <= time {
      cancel(next.name)
      now = max(now, next.deadline)
      next.body()
    }
    now = max(now, time)
  }
}

/// A store that takes the load, repeatedly for many days if needed, and commits at the commit points.
///
/// As in a hub, the loop continues while the disk works. It is ahead of the disk by no more commits than the store
/// gives the disk at once. So each commit point has a commit of its own.
@LoopActor
final class StoreFeed {
  let store: Store
  private let clock: HandMovedLoop
  private let shape: LoadShape
  /// Start of the load, by the clock.
  private let start: Instant
  private var appended = 0
  private var durable = 0
  private var trouble: HearthFailure?
  private var waiter: CheckedContinuation<Void, Never>?

  /// Commits are due only by time: samples between two of them are below this size, also with many wearables.
  private nonisolated static let commitBytes = 1 << 18

  nonisolated static func options(_ directory: String, size: Int?, commit: Int) -> StoreOptions {
    var options = StoreOptions(path: directory, commitEvery: .seconds(commit), commitBytes: commitBytes)
    if let size { options.sizeBytes = size }
    return options
  }

  /// Makes a store and enrols the wearables, which then have the numbers 1, 2, 3 … of the load.
  init(_ directory: String, size: Int? = nil, shape: LoadShape, loop: EpollLoop, disk: DiskThread) async throws {
    clock = HandMovedLoop(loop, wall: WallTime(microseconds: shape.start * 1000))
    start = clock.now
    self.shape = shape
    store = try Store.open(Self.options(directory, size: size, commit: shape.commit), loop: clock, disk: disk)
    for number in 1...shape.wearables {
      let record = try await store.enrol(
        name: "strap-\(number)", addressValue: 0xF000_0000_0000 + UInt64(number), addressKind: 2,
        driver: "standard-gatt", kind: "HR strap")
      guard record.id.number == UInt32(number) else { throw BenchFailure("the store is not new") }
    }
    store.onCommit = { [weak self] report in self?.committed(report.samples) }
    store.onTrouble = { [weak self] trouble in self?.failed(trouble.map { HearthFailure(text: "\($0)") }) }
  }

  /// Stores the load once, `delay` milliseconds later than it says. Calls `committed` after each commit.
  func append(_ load: MappedLoad, after delay: Int64 = 0, committed: () throws -> Void = {}) async throws {
    let interval = Int64(shape.commit) * 1000
    var boundary = shape.start + interval
    for index in 0..<load.count {
      let sample = load[index]
      if sample.time >= boundary {
        try await commit(at: boundary + delay)
        try committed()
        while sample.time >= boundary { boundary += interval }
      }
      guard let series = Series(id: sample.series) else { throw BenchFailure("the load has a series \(sample.series)") }
      store.append(
        WearableID(number: UInt32(sample.wearable)), series, Int64(sample.value), at: instant(sample.time + delay))
      appended += 1
    }
    try await commit(at: boundary + delay)
    try await store.flush()
    try committed()
  }

  private func instant(_ time: Int64) -> Instant {
    Instant(nanoseconds: start.nanoseconds + (time - shape.start) * 1_000_000)
  }

  /// Advances to the commit point, at which the store's timer begins the commit, or the store itself as soon as the
  /// disk has room. Returns when samples after this point may come.
  private func commit(at time: Int64) async throws {
    clock.advance(to: instant(time))
    points.append(appended)
    if points.count > Store.commitsAtOnce { points.removeFirst() }
    while points.count == Store.commitsAtOnce, durable < points[0] {
      if let trouble { throw BenchFailure("the store cannot write: \(trouble.text)") }
      await withCheckedContinuation { waiter = $0 }
    }
    // The begun commit gets its turn, and goes to the disk.
    await Task.yield()
  }

  /// Samples before each of the last commit points.
  private var points: [Int] = []

  private func committed(_ samples: Int) {
    durable += samples
    wake()
  }

  private func failed(_ trouble: HearthFailure?) {
    self.trouble = trouble
    wake()
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  private struct HearthFailure { let text: String }
}
