// Life of a wearer. Everything is a function of day and minute, so that the truth needs no memory.

/// Activities of a wearer, by day (since 2000-01-01, local) and minute.
public struct PolarLife: Sendable {
  /// Seed of the life.
  public let seed: UInt64
  /// Earliest minute of getting up, on any day.
  public var liesInUntil = 420
  /// Minutes at night in which the wearer walks through the house.
  public var nightWalk = 0..<0

  /// A life; equal seeds give equal lives.
  public init(seed: UInt64) { self.seed = seed }

  private func chance(_ day: Int, _ place: Int, _ purpose: UInt64) -> UInt64 {
    var mixed =
      seed &+ UInt64(truncatingIfNeeded: day &* 4096 &+ place) &* 0x9E37_79B9_7F4A_7C15 &+ purpose
      &* 0xD1B5_4A32_D192_ED03
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Walks in every fourth minute by day, and not at night.
  public func steps(day: Int, minute: Int) -> UInt32 {
    if nightWalk.contains(minute) { return 40 }
    return minute >= liesInUntil && (420..<1380).contains(minute) && chance(day, minute, 1) % 4 == 0
      ? UInt32(chance(day, minute, 2) % 120) : 0
  }

  /// A value every five minutes.
  public func heartRate(day: Int, slot: Int) -> UInt32 {
    (84..<276).contains(slot) ? 62 + UInt32(chance(day, slot, 3) % 60) : 48 + UInt32(chance(day, slot, 3) % 12)
  }

  /// Pulse intervals from 3:00 on, and the possible error of each, ms.
  public func nightIntervals(day: Int) -> [(interval: Int32, error: Int32)] {
    let signal = PolarSignal(kind: .ppi, seed: seed &+ UInt64(day))
    return (0..<120).map { index in
      let sample = signal.sample(index)
      return (sample[1], sample[2])
    }
  }

  /// Test of blood oxygen: seconds after midnight, percent, and the heart rate meanwhile.
  public func oxygenTest(day: Int) -> (second: Int, percent: Int32, rate: UInt32) {
    (9 * 3600 + Int(chance(day, 0, 6) % 39_600), 92 + Int32(chance(day, 1, 6) % 8), 60 + UInt32(chance(day, 2, 6) % 30))
  }

  /// A value every five minutes, 0.01 °C.
  public func skin(slot: Int) -> Int32 { PolarSignal(kind: .skinTemperature, seed: seed).sample(slot)[0] }

  /// Night that ends on this day: start in seconds relative to its midnight (from 22:30 of the evening before), and
  /// end.
  public func sleep(day: Int) -> (start: Int, end: Int) {
    (22 * 3600 + 1800 + Int(chance(day, 0, 4) % 5400) - 86_400, 6 * 3600 + Int(chance(day, 1, 4) % 5400))
  }
}
