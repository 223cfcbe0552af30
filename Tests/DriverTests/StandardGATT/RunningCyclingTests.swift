import Bluetooth
import GATTServices
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("Foot pods and bike sensors")
struct RunningCyclingTests {
  let driver = StandardDriver([.running, .cycling, .battery])
  let decoder: any LiveDecoder
  let sink = RecordingSink()

  init() { decoder = driver.makeDecoder() }

  private func source(_ characteristic: BluetoothUUID) throws -> LiveSource {
    try #require(driver.liveSources.first { $0.characteristic == characteristic })
  }

  private func run(_ hex: String) throws {
    try decoder.decode(source(RunningService.measurement), #require(Array(hexadecimal: hex)), into: sink)
  }

  private func ride(_ hex: String) throws {
    try decoder.decode(source(CyclingService.measurement), #require(Array(hexadecimal: hex)), into: sink)
  }

  /// Wheel and crank in one value.
  private func turn(wheel: UInt32, at wheelTime: UInt16, crank: UInt16, at crankTime: UInt16) throws {
    var bytes: [UInt8] = [3]
    bytes.append(littleEndian: wheel)
    bytes.append(littleEndian: wheelTime)
    bytes.append(littleEndian: crank)
    bytes.append(littleEndian: crankTime)
    try decoder.decode(source(CyclingService.measurement), bytes, into: sink)
  }

  @Test("a runner has speed, cadence, stride and distance, each in its own unit")
  func running() throws {
    try run("03 C901 35 7100 CA410500")
    #expect(
      sink.samples == [
        Sample(.speed, 64), Sample(.cadence, 53), Sample(.strideLength, 113), Sample(.totalDistance, 344_522),
      ])
    sink.reset()
    try run("04 8704 4E")  // 1159/256 m/s are 16.298 km/h
    #expect(sink.samples == [Sample(.speed, 163), Sample(.cadence, 78)] && sink.anomalies.isEmpty)
  }

  @Test("a standing runner gives no sample, and impossible values are counted")
  func standing() throws {
    try run("03 0000 00 7100 CA410500")
    #expect(sink.samples.isEmpty && sink.anomalies.isEmpty)
    try run("07 FFFF FF FFFF FFFFFFFF")
    #expect(sink.samples == [Sample(.cadence, 255)])
    #expect(sink.anomalies == Array(repeating: "running: a value out of range", count: 3))
  }

  @Test("a rate is what two values say together, over the end of counter and time too")
  func rate() throws {
    try turn(wheel: 100, at: 0xFFFF, crank: 0xFFFF, at: 0xFE00)
    #expect(sink.samples == [Sample(.wheelRevolutions, 100)])
    sink.reset()
    try turn(wheel: 101, at: 0x03FF, crank: 1, at: 0x0200)  // one in 1 s, two in 1 s
    #expect(
      sink.samples == [Sample(.wheelRate, 600), Sample(.wheelRevolutions, 101), Sample(.crankCadence, 1200)])
    sink.reset()
    try ride("01 00000000 0000")
    try ride("01 05000000 0008")  // five in 2 s
    #expect(sink.samples == [Sample(.wheelRate, 1500), Sample(.wheelRevolutions, 5)])
    #expect(sink.anomalies.isEmpty)
  }

  @Test("without a turn there is no sample")
  func still() throws {
    for _ in 0..<5 { try turn(wheel: 7, at: 100, crank: 9, at: 100) }
    #expect(sink.samples == [Sample(.wheelRevolutions, 7)] && sink.anomalies.isEmpty)
    try turn(wheel: 8, at: 100 + 1024, crank: 9, at: 100)
    #expect(sink.samples.suffix(2) == [Sample(.wheelRate, 600), Sample(.wheelRevolutions, 8)])
  }

  @Test("a time that advances without a turn, or after its turn, belongs to the turn beside it")
  func halves() throws {
    // A turn each two seconds, from a sensor that tells the time of each value.
    for (turns, time) in [(10, 1000), (10, 2024), (11, 3048), (11, 4072), (12, 5096)] as [(UInt16, UInt16)] {
      try turn(wheel: UInt32(turns), at: time, crank: turns, at: time)
    }
    #expect(sink.samples.filter { $0.series == .crankCadence }.map(\.value) == [300, 300])
    #expect(sink.samples.filter { $0.series == .wheelRate }.map(\.value) == [300, 300])
    #expect(sink.samples.filter { $0.series == .wheelRevolutions }.map(\.value) == [10, 11, 12])
    sink.reset()
    // Two turns in a second, the time of the first one late.
    try turn(wheel: 13, at: 5096, crank: 13, at: 5096)
    try turn(wheel: 14, at: 6120, crank: 14, at: 6120)
    #expect(sink.samples.filter { $0.series == .crankCadence }.map(\.value) == [1200])
    #expect(sink.samples.filter { $0.series == .wheelRate }.map(\.value) == [1200])
    #expect(sink.anomalies.isEmpty)
  }

  @Test("a rest begins without turns, whether or not the time advances")
  func advancingRest() throws {
    for value in 0...16 as ClosedRange<UInt16> { try turn(wheel: 7, at: value * 1024, crank: 9, at: value * 1024) }
    sink.reset()
    try turn(wheel: 8, at: 17 * 1024, crank: 10, at: 17 * 1024)
    #expect(sink.samples == [Sample(.wheelRevolutions, 8)] && sink.anomalies.isEmpty)
  }

  @Test("after a rest, and if a counter went back, the next turn is the first again")
  func anew() throws {
    for _ in 0...16 { try turn(wheel: 7, at: 100, crank: 9, at: 100) }
    sink.reset()
    try turn(wheel: 17, at: 1124, crank: 10, at: 612)
    #expect(sink.samples == [Sample(.wheelRevolutions, 17)])
    try turn(wheel: 18, at: 2148, crank: 11, at: 1124)
    #expect(sink.samples.suffix(3).map(\.value) == [600, 18, 1200])
    sink.reset()
    try turn(wheel: 1, at: 5000, crank: 2, at: 5000)
    #expect(sink.samples == [Sample(.wheelRevolutions, 1)] && sink.anomalies.isEmpty)
  }

  @Test("a turn with a time before that of the turn before has no rate, and is counted")
  func backwards() throws {
    for (turns, time) in [(10, 1000), (11, 1768), (12, 1700), (13, 2468), (14, 2400)] as [(UInt16, UInt16)] {
      try turn(wheel: UInt32(turns), at: time, crank: turns, at: time)
    }
    #expect(sink.samples.filter { $0.series == .crankCadence }.map(\.value) == [800, 800])
    #expect(sink.samples.filter { $0.series == .wheelRate }.map(\.value) == [800, 800])
    #expect(
      sink.anomalies
        == Array(repeating: "cycling: the time of a turn that lies before the turn before it", count: 4))
  }

  @Test("a sensor that was silent for half a round of its time field starts again")
  func silence() throws {
    sink.arrivedAt = 0
    try turn(wheel: 100, at: 0, crank: 10, at: 0)
    sink.arrivedAt = 1_000_000_000
    try turn(wheel: 101, at: 1024, crank: 11, at: 1024)
    sink.reset()
    // 65 s later the time field stands 1 s further.
    sink.arrivedAt = 66_000_000_000
    try turn(wheel: 102, at: 2048, crank: 12, at: 2048)
    #expect(sink.samples == [Sample(.wheelRevolutions, 102)] && sink.anomalies.isEmpty)
    sink.arrivedAt = 67_000_000_000
    try turn(wheel: 103, at: 3072, crank: 13, at: 3072)
    #expect(sink.samples.map(\.value) == [102, 600, 103, 600])
  }

  @Test("more turns than a person makes are counted, turns in no time are ignored")
  func range() throws {
    try turn(wheel: 0, at: 0, crank: 0, at: 0)
    try turn(wheel: 30, at: 1024, crank: 6, at: 1024)  // 1800 and 360 a minute
    #expect(sink.samples == [Sample(.wheelRevolutions, 30)])
    #expect(sink.anomalies == Array(repeating: "cycling: a value out of range", count: 2))
    try turn(wheel: 31, at: 1024, crank: 7, at: 1024)
    #expect(sink.samples.map(\.series) == [.wheelRevolutions, .wheelRevolutions] && sink.anomalies.count == 2)
  }

  @Test("every cut of a full value is refused and leaves no sample, and bytes after it are counted")
  func cuts() throws {
    for (characteristic, hex, odd) in [
      (RunningService.measurement, "03C901357100CA410500", "running: bytes after the last field"),
      (CyclingService.measurement, "0364000000FFFF01000000", "cycling: bytes after the last field"),
    ] {
      sink.reset()
      let full = try #require([UInt8](hexadecimal: hex))
      for length in 0..<full.count {
        #expect(throws: length == 0 ? DecodeError.empty : .truncated) {
          try decoder.decode(source(characteristic), Array(full.prefix(length)), into: sink)
        }
      }
      #expect(sink.samples.isEmpty && sink.anomalies.isEmpty)
      try decoder.decode(source(characteristic), full + [1], into: sink)
      #expect(!sink.samples.isEmpty && sink.anomalies == [odd])
    }
  }

  @Test("its place is a fact, its features are ignored")
  func companions() throws {
    let location = try source(SensorLocation.characteristic)
    #expect(decoder.fact(location, [1]) == .bodyLocation("top of shoe"))
    #expect(decoder.fact(location, [16]) == .bodyLocation("chain ring"))
    #expect(decoder.fact(location, [17]) == nil && decoder.fact(location, []) == nil)
    #expect(throws: DecodeError.empty) { try decoder.decode(location, [], into: sink) }
    for features in [RunningService.features, CyclingService.features] {
      #expect(throws: DecodeError.empty) { try decoder.decode(source(features), [], into: sink) }
      #expect(throws: DecodeError.truncated) { try decoder.decode(source(features), [1], into: sink) }
      try decoder.decode(source(features), [1, 0, 0], into: sink)
    }
    #expect(sink.samples.isEmpty)
    #expect(sink.anomalies == ["running: bytes after the features", "cycling: bytes after the features"])
  }
}
