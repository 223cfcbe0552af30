// Efficiency of the lane when Polar's sensors return full of recordings.

import Drivers
import EventLoop
import Hub
import PolarTwin
import Simulation

/// Every sensor was visited once, went away, and all return at the same moment with half a day of recordings.
@LoopActor
struct PolarLane {
  private let loop: VirtualLoop
  private let options: TrialOptions
  private let tail: EventTail
  private let world: VirtualWorld
  private let hub: SimulatedHub
  private let sensors: [VirtualPolar]

  /// ATT MTU between a Polar wearable and a hub.
  nonisolated static let mtu = 232
  nonisolated static let interval: Duration = .milliseconds(15)
  /// Length of the recordings before.
  private let recording: Duration

  init(
    _ loop: VirtualLoop, _ options: TrialOptions, _ tail: EventTail = EventTail(),
    recording: Duration = .seconds(6 * 3600)
  ) {
    (self.loop, self.options, self.tail, self.recording) = (loop, options, tail, recording)
    world = VirtualWorld(loop: loop, seed: options.seed)
    let world = world
    sensors = (0..<options.wearables).map { number in
      var traits = PolarTraits(.veritySense)
      traits.deviceID = PolarPopulation.deviceID(number)
      traits.mtu = Self.mtu
      return world.add(.manual) { VirtualPolar($0, address: $1, random: $2, traits: traits) }
    }
    var settings = SimulatedHubOptions()
    settings.radio.slots = options.wearables
    settings.radio.preferredInterval = 12
    settings.radio.holdsInterval = true
    // The time of an erase depends only on the flash, so erasing is off.
    settings.hub.erase = .never
    hub = SimulatedHub(world, drivers: Drivers.registry, options: settings, tail: tail)
  }

  func run() async throws -> TrialReport {
    var report = TrialReport(options: options)
    let began = loop.now
    try await hub.start(
      enrolling: sensors.enumerated().map { ("polar-\($0.offset + 1)", $0.element, "polar", "optical sensor") })
    for sensor in sensors { sensor.arrive() }
    try await loop.sleep(for: .seconds(120))
    for sensor in sensors {
      sensor.leave()
      sensor.beginRecording(.acc)
    }
    try await loop.sleep(for: recording)
    for sensor in sensors { sensor.endRecording(.acc) }
    let start = loop.now
    for sensor in sensors { sensor.arrive() }
    while sensors.contains(where: {
      $0.files.files.contains { $0.isWhole && $0.servedAt == nil && $0.path.hasSuffix(".REC") }
    }), loop.now - start < .seconds(86_400) {
      try await loop.sleep(for: .seconds(1))
    }
    let files = sensors.flatMap(\.files.files).filter { $0.path.hasSuffix(".REC") }
    let end = files.compactMap(\.servedAt).max() ?? loop.now
    let bound = files.reduce(Duration.zero) { $0 + Self.time(forFile: $1.bytes.count) }
    report.lane = TrialReport.LaneEfficiency(
      bytes: files.reduce(0) { $0 + $1.bytes.count }, seconds: (end - start).inSeconds, boundSeconds: bound.inSeconds)
    report.lives = 1
    report.visits = hub.radio.ledger.linksMade
    report.violations = hub.watch.violations
    await hub.stop()
    let samples = try await hub.storedSamples()
    let check = StoreCheck(samples, hub)
    report.violations += check.violations
    (report.samples, report.files, report.contentHash) = (samples.count, check.matchedItems, check.contentHash)
    report.virtualTime = loop.now - began
    report.tail = tail.lines
    return report
  }

  /// The least time in which the air can carry a file; see NOTES.md. The file is requested in one connection event and
  /// comes in the next ones; each holds as many packets as fit.
  nonisolated static func time(forFile bytes: Int) -> Duration {
    // An octet takes 8 µs. A packet has 10 octets around it, 4 of L2CAP, and the PDU. Before it there is an empty one
    // the other way, and two gaps of 150 µs.
    let packet = Int64(10 + 10 + 4 + mtu) * 8_000 + 300_000
    let perEvent = Int(interval.wholeNanoseconds / packet)
    // 3 octets of ATT and one of the air packet.
    let packets = max(1, (bytes + mtu - 5) / (mtu - 4))
    return interval * (1 + (packets + perEvent - 1) / perEvent)
  }
}
