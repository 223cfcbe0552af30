// The loop of the hub: epoll, one thread.

internal import CLinux
internal import Glibc
private import Synchronization

/// Events for which a descriptor is ready.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Bytes can be read.
  public static let readable = Readiness(rawValue: 0x1)
  /// Bytes can be written.
  public static let writable = Readiness(rawValue: 0x4)
  /// EPOLLERR: an error is pending in SO_ERROR or in the next read. Always reported.
  public static let failed = Readiness(rawValue: 0x8)
  /// EPOLLHUP: the other side has closed; data may still be queued. Always reported.
  public static let hungUp = Readiness(rawValue: 0x10)
}

/// Interest in one descriptor. The loop never closes a descriptor: `end` first, then close.
@LoopActor
public final class Watch {
  /// File descriptor, open until `end`.
  public let descriptor: Int32
  fileprivate let token: UInt64
  fileprivate unowned let loop: EpollLoop
  fileprivate let handler: @LoopActor (Readiness) -> Void
  /// Events for which `handler` is called.
  public private(set) var interest: Readiness
  /// True after `end`.
  public private(set) var isEnded = false

  fileprivate init(
    _ descriptor: Int32, _ token: UInt64, _ interest: Readiness, _ loop: EpollLoop,
    _ handler: @escaping @LoopActor (Readiness) -> Void
  ) {
    self.descriptor = descriptor
    self.token = token
    self.interest = interest
    self.loop = loop
    self.handler = handler
  }

  /// Changes the events to wait for; makes a system call only if they differ.
  public func update(_ interest: Readiness) {
    if isEnded || interest == self.interest { return }
    self.interest = interest
    loop.control(EPOLL_CTL_MOD, descriptor, interest, token)
  }

  /// Stops the handler, even for events that were already fetched. Idempotent.
  public func end() {
    if isEnded { return }
    isEnded = true
    loop.forget(self)
  }
}

/// Counters of one loop, for `hearth status` and the tests of its guarantees.
public struct LoopStatistics: Sendable {
  /// Number of returns from the wait in the kernel.
  public var wakeUps: UInt64 = 0
  /// Durations of turns, from one wait in the kernel to the next. A descriptor that becomes ready waits at most that
  /// long.
  public var turns = TurnHistogram()
  /// Duration of the longest turn.
  public var longestTurn: Duration = .zero
  /// Number of turns longer than `EpollLoop.stallBound`.
  public var stalls: UInt64 = 0
}

/// The real loop. Made and run by `EpollLoop.run`; one per process.
public final class EpollLoop: Loop {
  /// A turn longer than this delays a heartbeat edge visibly and a 15 ms connection event certainly.
  public nonisolated static let stallBound: Duration = .milliseconds(50)

  /// Events taken from the kernel in one turn. More stay queued there: fairness, not a limit on descriptors.
  private static let batch = 64

  private let epoll: Int32
  private let wakeUp: Int32
  private var timers = TimerQueue()
  private var watches: [UInt64: Watch] = [:]
  private var nextToken: UInt64 = 1
  private var stopped = false
  /// Counters since the start.
  public private(set) var statistics = LoopStatistics()
  /// Time when the last wait in the kernel returned.
  private var turnBegan = Instant(nanoseconds: 0)
  /// Private, so that the compiler can prove that no other code changes it: reading the time is on every hot path.
  private var clock = Instant(nanoseconds: 0)
  /// Monotonic time of the present turn.
  public var now: Instant { clock }

  private init() throws(HearthLoopError) {
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    if epoll < 0 { throw HearthLoopError(call: "epoll_create1", errno: errno) }
    wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    if wakeUp < 0 { throw HearthLoopError(call: "eventfd", errno: errno) }
    refreshClock()
    turnBegan = clock
    control(EPOLL_CTL_ADD, wakeUp, .readable, 0)
  }

  deinit {
    close(epoll)
    close(wakeUp)
  }

  /// Wall clock at `now`, not at this very instant. So the offset between the clocks is constant within a turn, and two
  /// readings are always in order. Only this property reads both clocks together.
  public var wall: WallTime { WallTime(microseconds: (clock.nanoseconds + wallDistance.read()) / 1000) }

  private var wallDistance = ClockDistance()

  /// True if a time source disciplines the wall clock.
  public var wallIsTrusted: Bool { ClockWord.isSynchronised }

  /// Runs `body` at or after a time.
  public func schedule(at deadline: Instant, _ body: @escaping @LoopActor () -> Void) -> LoopTimer {
    timers.insert(at: deadline, body)
  }

  /// Cancels a timer that has not fired.
  public func cancel(_ timer: LoopTimer) { timers.remove(timer) }
  /// Ends the loop after the present turn.
  public func stop() { stopped = true }

  /// Watches a descriptor, which must be non-blocking. Level-triggered: the handler is called repeatedly as long as the
  /// descriptor is ready.
  public func watch(_ descriptor: Int32, for interest: Readiness, _ handler: @escaping @LoopActor (Readiness) -> Void)
    -> Watch
  {
    let watch = Watch(descriptor, nextToken, interest, self, handler)
    nextToken += 1
    watches[watch.token] = watch
    control(EPOLL_CTL_ADD, descriptor, interest, watch.token)
    return watch
  }

  /// Makes the calling thread the loop thread, starts `main` as its first task and runs until `stop`. Returns the
  /// result of `main`.
  ///
  /// When `main` returns the loop stops by itself; a daemon's `main` therefore waits for its stop signal.
  ///
  /// - Throws: `HearthLoopError` if the kernel gives the loop no descriptor, or the error of `main`.
  ///   `CancellationError` if the loop was stopped before `main` returned.
  public nonisolated static func run<T: Sendable>(_ main: @escaping @LoopActor (EpollLoop) async throws -> T) throws
    -> T
  {
    signal(SIGPIPE, SIG_IGN)
    let wake = WakeUp()
    LoopExecutor.shared.acquire(wake: { wake.ring() })
    defer { LoopExecutor.shared.release() }
    return try LoopActor.assumeIsolated {
      let loop = try EpollLoop()
      wake.descriptor.store(loop.wakeUp, ordering: .releasing)
      defer { wake.descriptor.store(-1, ordering: .releasing) }
      let outcome = Outcome<T>()
      outcome.start({ try await main(loop) }, end: { loop.stop() })
      while !loop.stopped { loop.turn() }
      guard let result = outcome.result else { throw CancellationError() }
      return try result.get()
    }
  }

  private func turn() {
    refreshClock()
    _ = LoopExecutor.shared.runPending()
    // Bounded by what is due at the start of the turn: a body scheduled at `now` by another body runs in the next turn.
    let due = now
    var fired = 0
    while fired < timers.count + 1, !LoopExecutor.shared.hasPending, let timer = timers.popDue(due) {
      refreshClock()
      timer.body()
      fired += 1
    }
    if stopped { return }
    wait()
  }

  private func wait() {
    refreshClock()
    noteTurn(clock - turnBegan)
    var timeout = timespec()
    var limit: UnsafeMutablePointer<timespec>? = nil
    let queued = LoopExecutor.shared.hasPending
    let deadline = timers.nextDeadline()
    withUnsafeMutablePointer(to: &timeout) { pointer in
      if queued {
        limit = pointer
      } else if let deadline {
        let left = max(0, deadline.nanoseconds - now.nanoseconds)
        pointer.pointee = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
        limit = pointer
      }
      withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.batch) { events in
        // Debian 13's headers declare the pointer as non-null, Debian 12's leave it open.
        guard let buffer = events.baseAddress else { return }
        let count = epoll_pwait2(epoll, buffer, Int32(Self.batch), limit, nil)
        turnBegan = Instant(nanoseconds: ticks(of: CLOCK_MONOTONIC))
        if !queued { statistics.wakeUps += 1 }
        for index in 0..<max(0, Int(count)) { dispatch(events[index]) }
      }
    }
  }

  private func dispatch(_ event: epoll_event) {
    refreshClock()
    if event.data.u64 == 0 {
      var value: UInt64 = 0
      _ = read(wakeUp, &value, 8)
      return
    }
    // A watch that ended earlier in this batch is no longer in the table, and tokens are never reused.
    watches[event.data.u64]?.handler(Readiness(rawValue: event.events))
  }

  private func noteTurn(_ length: Duration) {
    statistics.turns.add(length)
    if length > statistics.longestTurn { statistics.longestTurn = length }
    if length > Self.stallBound { statistics.stalls += 1 }
  }

  private func refreshClock() { clock = Instant(nanoseconds: ticks(of: CLOCK_MONOTONIC)) }

  fileprivate func control(_ operation: Int32, _ descriptor: Int32, _ interest: Readiness, _ token: UInt64) {
    var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
    if epoll_ctl(epoll, operation, descriptor, &event) == 0 || operation == EPOLL_CTL_DEL { return }
    // ENOMEM or ENOSPC. The kernel will never report this descriptor, so its handler gets a hang-up.
    _ = schedule(at: now) { [weak self] in self?.watches[token]?.handler([.hungUp, .failed]) }
  }

  fileprivate func forget(_ watch: Watch) {
    watches[watch.token] = nil
    control(EPOLL_CTL_DEL, watch.descriptor, [], 0)
  }
}

/// Failure at start of a system call that the loop cannot do without.
public struct HearthLoopError: Error, Sendable {
  /// Name of the system call.
  public let call: String
  /// Error number of the kernel.
  public let errno: Int32
}

/// Wakes the loop from another thread (only the disk thread does).
private final class WakeUp: Sendable {
  let descriptor = Atomic<Int32>(-1)

  func ring() {
    let descriptor = descriptor.load(ordering: .acquiring)
    if descriptor < 0 { return }
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }
}
