import EventLoop
import Reasons
import Testing

@testable import Hub

/// A battery reading, and how every surface shows it.
@Suite("Batteries")
struct BatteryTests {
  /// Percent that were read, and what each reading means after those before it.
  @Test(
    "a charge is low or critical at its bound, and left only five points above it",
    arguments: [
      ([21, 20, 24, 20, 25], ["enough", "low", "low", "low", "enough"]),
      ([11, 10, 14, 15, 24, 25], ["low", "critical", "critical", "low", "low", "enough"]),
      ([5, 100, 15, 0], ["critical", "enough", "low", "critical"]), ([0], ["critical"]), ([100], ["enough"]),
    ])
  func hysteresis(_ percents: [Int], _ expected: [String]) {
    var charge: BatteryCharge?
    var found: [String] = []
    for percent in percents {
      let next = BatteryCharge.of(percent, after: charge, BatteryBounds())
      found.append(next.rawValue)
      charge = next
    }
    #expect(found == expected)
  }

  @Test("an invalid bound makes no battery low or critical")
  func noBounds() {
    var bounds = BatteryBounds()
    bounds.critical = nil
    #expect(BatteryCharge.of(1, after: nil, bounds) == .low)
    bounds.low = nil
    #expect(BatteryCharge.of(1, after: .low, bounds) == .enough)
  }

  /// State, code, attention, lamp and document of one that is heard with this reading.
  private struct Shown: Equatable {
    var state: WearableState
    var code: String?
    var inAttention: [String]
    var lamp: String?
    var charge: String?
  }

  @LoopActor private func shown(_ parts: Parts, _ wearable: EnrolledWearable) -> Shown {
    let snapshot = parts.status.wearables.snapshot(of: wearable)
    #expect(snapshot.state == parts.status.wearables.state(of: wearable))
    return Shown(
      state: snapshot.state, code: snapshot.trouble?.reason.code,
      inAttention: parts.status.snapshot().attention.map(\.trouble.reason.code),
      lamp: parts.status.lightState().attention?.code, charge: snapshot.batteryCharge?.rawValue)
  }

  @Test(
    "state, code, list, LED and document say the same of a reading",
    arguments: [(50, "enough", nil), (18, "low", "H2142"), (8, "critical", "H2230")] as [(Int, String, String?)])
  func surfaces(_ percent: Int, _ charge: String, _ code: String?) throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.hear(1)
      #expect(shown(parts, wearable) == Shown(state: .due, code: nil, inAttention: [], lamp: nil, charge: nil))
      wearable.noteBattery(percent, parts.context)
      let isCritical = charge == "critical"
      #expect(
        shown(parts, wearable)
          == Shown(
            state: isCritical ? .attention : .due, code: code, inAttention: code.map { [$0] } ?? [],
            lamp: isCritical ? code : nil, charge: charge))
      let lines = parts.lines.all.filter { $0.contains("battery \(percent) %") }
      #expect(lines == (code.map { ["\($0) link: a: battery \(percent) %"] } ?? []))
      // Said once, however often it is read.
      wearable.noteBattery(percent, parts.context)
      #expect(parts.lines.all.count { $0.contains("battery \(percent) %") } == lines.count)
      // Charged: gone everywhere.
      wearable.noteBattery(90, parts.context)
      #expect(shown(parts, wearable) == Shown(state: .due, code: nil, inAttention: [], lamp: nil, charge: "enough"))
      #expect(parts.lines.all.contains("a: battery 90 %, no longer low") == (code != nil))
    }
  }

  @Test("an absent wearable calls no person; a reading older than a day does not describe now, and stays with its age")
  func age() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.hear(1)
      wearable.noteBattery(8, parts.context)
      try await parts.loop.sleep(for: .seconds(3600))
      #expect(
        shown(parts, wearable) == Shown(state: .absent, code: nil, inAttention: [], lamp: nil, charge: "critical"))
      try await parts.loop.sleep(for: .seconds(24 * 3600))
      parts.hear(1)
      #expect(shown(parts, wearable) == Shown(state: .due, code: nil, inAttention: [], lamp: nil, charge: nil))
      let snapshot = parts.status.wearables.snapshot(of: wearable)
      #expect(snapshot.battery == 8)
      #expect(snapshot.batteryRead.map { Int((parts.loop.wall - $0).inSeconds.rounded()) } == 25 * 3600)
    }
  }

  @Test("one that leaves with an empty battery is shown by no LED any more, even without any other event")
  func leaving() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.hear(1)
      wearable.noteBattery(8, parts.context)
      var told: [Reason?] = []
      _ = parts.context.changes.subscribe { told.append(parts.status.lightState().attention) }
      parts.status.start()
      try await parts.loop.sleep(for: .seconds(3600))
      parts.status.stop()
      #expect(told == [.batteryCritical, nil])
    }
  }

  @Test("what needs a person otherwise goes before a battery, and a battery before what mends itself")
  func order() throws {
    try withParts { parts in
      let wearable = try await parts.enrol(1, "a")
      parts.hear(1)
      wearable.trouble = HearthError(.linkLost, "a fell silent")
      wearable.noteBattery(18, parts.context)
      #expect(shown(parts, wearable).code == "H2104")
      wearable.noteBattery(8, parts.context)
      #expect(shown(parts, wearable).code == "H2230")
      wearable.trouble = HearthError(.authenticationFailed, "a failed")
      #expect(shown(parts, wearable).code == "H2206" && shown(parts, wearable).state == .attention)
    }
  }
}
