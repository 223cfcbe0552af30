// A hub that is killed at each step of a visit that sets a clock: the kill itself, and the checks after it.

import Bluetooth
import EventLoop
import Hub
import RingStore
import Simulation
import Testing

@testable import Health

/// A value that a wearable recorded: µs since 1970 by a correct clock, and the value itself if it is compared.
struct ClockTruth {
  let at: Int64
  var value: Int64?
}

/// How one family is tried.
struct ClockKillCase {
  let hub: SimulatedHub
  let peripheral: VirtualPeripheral
  let driver: String
  /// Before the hub's life that is ended; it starts with the wearable enrolled.
  var before: @LoopActor () async throws -> Void = {}
  /// When that runs, and when the next one does: so that the wearable is there.
  var nudge: @LoopActor () -> Void = {}
  /// nil: all but bytes.
  let series: Series?
  let truth: @LoopActor () -> [ClockTruth]
  /// True after another device has set its clock over the air.
  var isSet: @LoopActor () -> Bool = { false }
  /// µs by which a time may be off.
  var bound: Int64 = 2_500_000
  var downFor: Duration = .seconds(5)
  /// How long the next life has.
  var lasts: Duration = .seconds(240)
  /// All times must be sure.
  var isCertain = true
  /// Samples that the next life has at least.
  var least = 1
}

/// Ends a hub behind the PDU of a number, of either side.
final class ClockKiller: PeerTap {
  private let last: Int
  private let delay: Duration
  private let one: ClockKillCase
  private(set) var count = 0
  private(set) var hasKilled = false
  /// The number of the PDU behind which the clock was found set.
  private(set) var setBy: Int?

  init(_ one: ClockKillCase, after last: Int, delay: Duration) {
    (self.one, self.last, self.delay) = (one, last, delay)
    super.init(isHostile: false)
  }

  private func step() {
    if setBy == nil, one.isSet() { setBy = count }
    count += 1
    guard count == last else { return }
    hasKilled = true
    let loop = one.hub.world.loop
    loop.schedule(after: delay) { [hub = one.hub] in loop.spawn { await hub.kill() } }
  }

  override func hears(_ pdu: RawBytes, on link: VirtualLink) -> Bool {
    step()
    return true
  }

  override func fate(of pdu: [UInt8], on link: VirtualLink) -> Fate {
    step()
    return .passes
  }
}

@LoopActor
enum ClockKill {
  typealias Making = (VirtualLoop, UInt64) async throws -> ClockKillCase

  /// Right behind a PDU.
  static let atOnce: Duration = .nanoseconds(1)

  /// Kills the hub behind each PDU of the first visits, one after the other.
  ///
  /// - Parameter least: so many lives must have been ended.
  static func sweep(
    _ loop: VirtualLoop, every stride: Int = 1, least: Int, source: SourceLocation = #_sourceLocation, _ make: Making
  ) async throws {
    var kills = 0
    // Half of them, others at each run.
    let stride = isAtLength ? stride : stride * 2
    for count in Swift.stride(from: .random(in: 1...stride), to: 4000, by: stride) {
      guard try await kill(loop, behind: count, source: source, make).hasKilled else { break }
      kills += 1
    }
    #expect(kills >= (isAtLength ? least : least / 2), sourceLocation: source)
  }

  /// Kills the hub at each step around the write of the clock. That is behind each PDU, from the reading before it to
  /// the listing of stored data. Next to the write it also kills between a PDU and the commit that follows from it.
  ///
  /// - Parameters:
  ///   - before: PDUs before the write, and `after`: behind it.
  static func around(
    _ loop: VirtualLoop, before: Int = 8, after: Int = 24, source: SourceLocation = #_sourceLocation, _ make: Making
  ) async throws {
    let undisturbed = try await kill(loop, behind: .max, source: source, make)
    let write = try #require(undisturbed.setBy, "its clock is never set", sourceLocation: source)
    // Away from the write a third of them, others at each run.
    let (stride, phase) = (isAtLength ? 1 : 3, Int.random(in: 0..<3))
    for count in max(1, write - before)...(write + after) {
      let isNear = (write - 3...write + 3).contains(count)
      if !isNear, (count + phase) % stride != 0 { continue }
      for delay in isNear ? [atOnce, .milliseconds(2), .milliseconds(30)] : [atOnce] {
        let killed = try await kill(loop, behind: count, delay, source: source, make)
        #expect(killed.hasKilled, "nothing comes behind PDU \(count)", sourceLocation: source)
      }
    }
  }

  /// A life that is killed, if it comes so far, and the next one.
  private static func kill(
    _ loop: VirtualLoop, behind count: Int, _ delay: Duration = atOnce, source: SourceLocation, _ make: Making
  ) async throws -> ClockKiller {
    let one = try await make(loop, seedFromEnvironment ?? 4200)
    let hub = one.hub
    if hub.isRunning == false {
      try await hub.start(enrolling: [("one", one.peripheral, one.driver, "wearable")])
    }
    try await one.before()
    let killer = ClockKiller(one, after: count, delay: delay)
    killer.attach(to: one.peripheral)
    if hub.isRunning == false { try await hub.start() }
    one.nudge()
    try await loop.sleep(for: .seconds(60))
    if !killer.hasKilled {
      await hub.stop()
      return killer
    }
    try await loop.sleep(for: one.downFor)
    try await hub.start()
    one.nudge()
    try await loop.sleep(for: one.lasts)
    await hub.stop()
    try await judge(one, "killed \(delay) behind PDU \(count)", source)
    return killer
  }

  private static func judge(_ one: ClockKillCase, _ what: String, _ source: SourceLocation) async throws {
    let truth = one.truth()
    let stored = try await one.hub.storedSamples().filter {
      $0.origin == .fetched && (one.series == nil ? $0.series != .raw : $0.series == one.series)
    }
    var wrong: [String] = []
    for sample in stored where sample.clockTrusted {
      let time = sample.time.microseconds
      if !truth.contains(where: { abs($0.at - time) <= one.bound && ($0.value ?? sample.value) == sample.value }) {
        let nearest = truth.map { time - $0.at }.min { abs($0) < abs($1) }
        wrong.append("\(sample.value), \((nearest ?? 0) / 1_000_000) s off")
      }
    }
    #expect(
      wrong.isEmpty, "\(what): \(wrong.count) of \(stored.count) sure and wrong: \(wrong.prefix(3))",
      sourceLocation: source)
    #expect(stored.count >= one.least, "\(what): \(stored.count) fetched", sourceLocation: source)
    if one.isCertain {
      let unsure = stored.count { !$0.clockTrusted }
      #expect(unsure == 0, "\(what): \(unsure) unsure", sourceLocation: source)
    }
  }
}
