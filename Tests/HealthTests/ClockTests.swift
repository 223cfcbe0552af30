import Testing

@testable import Health

private let day: Int64 = 24 * hour

@Suite("A wearable's clock")
struct ClockTests {
  private func evidence(_ device: Int64, _ hub: Int64, wall: Int64? = nil, trusted: Bool = true) -> ClockEvidence {
    ClockEvidence(
      device: device, monotonic: hub * 1000, wall: wall ?? at("2026-11-21T10:00:00Z") + hub, isTrusted: trusted)
  }

  @Test("read once is corrected by the same difference at all times, as far as a year")
  func single() {
    // The clock shows 2019, as after a reset.
    let device = at("2019-01-03T00:00:00Z")
    let correction = ClockCorrection(evidence(device, 0))
    #expect(correction.hubTime(of: device) == at("2026-11-21T10:00:00Z"))
    #expect(correction.hubTime(of: device - 2 * day) == at("2026-11-19T10:00:00Z"))
    #expect(correction.hubTime(of: device + 1) == at("2026-11-21T10:00:00Z") + 1)
    #expect(correction.driftPPM == nil)
    #expect(correction.hubTime(of: device - 366 * day) != nil)
    #expect(correction.hubTime(of: device - 366 * day - 1) == nil)
    #expect(correction.hubTime(of: device + 366 * day + 1) == nil)
    #expect(correction.hubTime(of: .max) == nil)
    #expect(correction.hubTime(of: .min) == nil)
  }

  @Test("that is fast is corrected between two readings and beyond them")
  func drift() throws {
    // 100 ppm: 8.64 s a day.
    let correction = try ClockCorrection(evidence(0, 0), evidence(day + 8_640_000, day))
    let open = at("2026-11-21T10:00:00Z")
    #expect(correction.driftPPM.map { abs($0 - 100) < 0.001 } == true)
    #expect(correction.hubTime(of: 0) == open)
    #expect(correction.hubTime(of: day + 8_640_000) == open + day)
    #expect(correction.hubTime(of: (day + 8_640_000) / 2) == open + day / 2)
    #expect(correction.hubTime(of: -day - 8_640_000) == open - day)
    #expect(correction.hubTime(of: 2 * (day + 8_640_000)) == open + 2 * day)
  }

  @Test("read twice within a short time gives no drift, but stays exact at both readings")
  func shortVisit() throws {
    // A second off within 20 seconds, because it counts whole ones.
    let correction = try ClockCorrection(evidence(0, 0), evidence(21 * second, 20 * second))
    let open = at("2026-11-21T10:00:00Z")
    #expect(correction.driftPPM == nil)
    #expect(correction.hubTime(of: 0) == open)
    #expect(correction.hubTime(of: 21 * second) == open + 20 * second)
    #expect(correction.hubTime(of: -day) == open - day)
    #expect(correction.hubTime(of: day) == open + day - second)
  }

  @Test("that was set between the readings makes no line")
  func set() {
    #expect(throws: ClockDoubt.deviceClockSet(by: 3 * second)) {
      try ClockCorrection(evidence(0, 0), evidence(13 * second, 10 * second))
    }
    #expect(throws: ClockDoubt.deviceClockSet(by: -hour - 10 * second)) {
      try ClockCorrection(evidence(0, 0), evidence(-hour, 10 * second))
    }
    // 500 ppm and 2 s are believed, more is not: 45.2 s a day.
    #expect(throws: Never.self) { try ClockCorrection(evidence(0, 0), evidence(day + 45_200_000, day)) }
    #expect(throws: ClockDoubt.deviceClockSet(by: 45_200_001)) {
      try ClockCorrection(evidence(0, 0), evidence(day + 45_200_001, day))
    }
    #expect(throws: ClockDoubt.self) { try ClockCorrection(evidence(.min, 0), evidence(.max, 0)) }
  }

  @Test("that did not move between two readings hangs on one of them")
  func coarse() throws {
    for moved in [0, -second] {
      let correction = try ClockCorrection(evidence(100 * second, 0), evidence(100 * second + moved, second / 2))
      #expect(correction == ClockCorrection(evidence(100 * second + moved, second / 2)))
    }
  }

  @Test("is corrected to the hub's wall clock if that was trusted")
  func trust() throws {
    let wrong = at("2001-01-01T00:00:00Z")
    // Set by a time server in the visit.
    let later = try ClockCorrection(evidence(0, 0, wall: wrong, trusted: false), evidence(10 * second, 10 * second))
    #expect(later.hubTime(of: 0) == at("2026-11-21T10:00:00Z"))
    #expect(later.isTrusted)
    let earlier = try ClockCorrection(evidence(0, 0), evidence(10 * second, 10 * second, wall: wrong, trusted: false))
    #expect(earlier.hubTime(of: 10 * second) == at("2026-11-21T10:00:10Z"))
    #expect(earlier.isTrusted)
    let never = try ClockCorrection(
      evidence(0, 0, wall: 5, trusted: false), evidence(10 * second, 10 * second, wall: wrong, trusted: false))
    #expect(never.hubTime(of: 10 * second) == wrong)
    #expect(!never.isTrusted)
  }

  @Test("is refused a line if the hub's clock cannot say how much time passed")
  func hubClock() {
    #expect(throws: ClockDoubt.hubClock) { try ClockCorrection(evidence(0, 10 * second), evidence(second, 0)) }
    #expect(throws: ClockDoubt.hubClock) { try ClockCorrection(evidence(0, 0), evidence(367 * day, 367 * day)) }
    #expect(throws: ClockDoubt.hubClock) {
      try ClockCorrection(evidence(0, 0, wall: .min), evidence(second, second, wall: .min))
    }
    #expect(throws: ClockDoubt.hubClock) {
      try ClockCorrection(acrossBoots: evidence(0, 0, trusted: false), evidence(day, day))
    }
    #expect(throws: ClockDoubt.hubClock) {
      try ClockCorrection(acrossBoots: evidence(0, 0), evidence(day, day, trusted: false))
    }
  }

  @Test("is followed over a restart of the hub by its wall clock")
  func acrossBoots() throws {
    let open = at("2026-11-21T10:00:00Z")
    let before = ClockEvidence(device: 0, monotonic: 900_000_000_000_000, wall: open, isTrusted: true)
    let after = ClockEvidence(device: day - 4_320_000, monotonic: 5_000_000_000, wall: open + day, isTrusted: true)
    let correction = try ClockCorrection(acrossBoots: before, after)
    #expect(correction.driftPPM.map { abs($0 + 50) < 0.001 } == true)
    #expect(correction.hubTime(of: after.device) == after.wall)
    #expect(throws: ClockDoubt.hubClock) { try ClockCorrection(before, after) }
  }

  @Test("never runs backwards after correction, and is off by no more than its drift", arguments: 0..<200)
  func property(seed: Int) throws {
    var random = Seeded(seed)
    let ppm = Double.random(in: -450...450, using: &random)
    let origin = Int64.random(in: at("1970-01-01T00:00:00Z")...at("2030-01-01T00:00:00Z"), using: &random)
    let length = Int64.random(in: 1...(30 * day), using: &random)
    func device(_ hub: Int64) -> Int64 { origin + Int64(Double(hub) * (1 + ppm / 1_000_000)) }
    let wall = at("2026-11-21T10:00:00Z")
    let correction = try ClockCorrection(evidence(device(0), 0), evidence(device(length), length))
    #expect(correction.hubTime(of: device(0)) == wall)
    #expect(correction.hubTime(of: device(length)) == wall + length)
    var last: (device: Int64, hub: Int64)?
    for hub in (0..<200).map({ _ in Int64.random(in: -10 * day...length + 10 * day, using: &random) }).sorted() {
      let time = device(hub)
      let corrected = try #require(correction.hubTime(of: time))
      if let last { #expect(corrected >= last.hub && time >= last.device) }
      last = (time, corrected)
      let isInside = (0...length).contains(hub)
      let allowed = isInside || correction.driftPPM != nil ? 1000 : 10 * day / 1_000_000 * 451
      #expect(abs(corrected - (wall + hub)) <= allowed)
    }
  }
}
