import Bluetooth
import EventLoop
import Foundation
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import GATTServices
@testable import StandardGATTFamily

@Suite("Generic health sensors")
struct GenericHealthTests {
  private let driver = StandardDriver([.genericHealthSensor])
  private let sink = RecordingSink()

  private func tell(_ decoder: any LiveDecoder, _ hex: String) throws {
    try decoder.decode(try #require(driver.liveSources.first), #require(Array(hexadecimal: hex)), into: sink)
  }

  @Test("an observation becomes what its code stands for, one without a series is counted")
  func series() throws {
    let decoder = driver.makeDecoder()
    try tell(decoder, "07 01 1500 0300 B84B0200 2287A73631000006 00 2002 62000000")
    try tell(decoder, "0B 01 0C00 0100 0A500200 E00A 910000FF")
    #expect(sink.samples == [Sample(.spo2, 98), Sample(.respirationRate, 15)] && sink.anomalies.isEmpty)
    try tell(decoder, "0F 01 0C00 0100 01000000 2002 62000000")
    #expect(sink.samples.count == 2 && sink.anomalies.count == 1)
  }

  @Test("a body temperature is that of a thermometer; in another unit, or beyond what a body can have, it is not")
  func temperature() throws {
    let decoder = driver.makeDecoder()
    // 36.6 °C.
    try tell(decoder, "03 01 0C00 0100 5C4B0200 A017 6E0100FF")
    #expect(sink.samples == [Sample(.bodyTemperature, 36_600)] && sink.anomalies.isEmpty)
    // 97.9 °F, and 300 °C.
    try tell(decoder, "07 01 0C00 0100 5C4B0200 4011 D30300FF")
    try tell(decoder, "0B 01 0C00 0100 5C4B0200 A017 2C010000")
    #expect(sink.samples.count == 1 && sink.anomalies.count == 2)
  }

  @Test("one that the wearable itself doubts, that is no number or an impossible one, is no sample")
  func doubted() throws {
    let decoder = driver.makeDecoder()
    // Status: questionable. Then NaN, and 101 %.
    try tell(decoder, "03 01 0E00 0900 B84B0200 0200 2002 62000000")
    try tell(decoder, "03 01 0C00 0100 B84B0200 2002 FFFF7F00")
    #expect(sink.samples.isEmpty && sink.anomalies.isEmpty)
    try tell(decoder, "03 01 0C00 0100 B84B0200 2002 65000000")
    #expect(sink.samples.isEmpty && sink.anomalies.count == 1)
  }

  @Test("a bundle that the wearable itself doubts gives no number")
  func doubtedBundle() throws {
    let member = "01 0C00 0100 B84B0200 2002 61000000"
    let decoder = driver.makeDecoder()
    try tell(decoder, "03 FF 1200 0000 01 \(member)")
    #expect(sink.samples == [Sample(.spo2, 97)])
    // Status: invalid, of the bundle alone.
    try tell(decoder, "07 FF 1400 0800 0100 01 \(member)")
    #expect(sink.samples.count == 1 && sink.anomalies.isEmpty)
  }

  @Test("numbers of one compound, codes and texts are read, and a number behind fields of no known length")
  func classes() throws {
    func read(_ hex: String) throws -> [HealthObservation] {
      try #require(Array(hexadecimal: hex)).withUnsafeBytes { try HealthObservation.read($0).observations }
    }
    let compound = try read("07 1700 0000 02 B84B0200 2002 62000000 1A480200 A00A 42000000")
    #expect(compound.first?.meanings == [.value(.spo2, 98), .value(.pulseRate, 660)])
    #expect(try read("02 0600 0000 05000000").first?.value == .codes([5]))
    #expect(try read("05 0B00 0000 02 01000000 02000000").first?.value == .codes([1, 2]))
    #expect(try read("03 0600 0000 0200 4F4B").first?.value == .text([0x4F, 0x4B]))
    #expect(try read("04 0400 0000 AABB").first?.value == .bytes([0xAA, 0xBB]))
    let more = try read("01 1100 0102 B84B0200 01AABBCCDD 2002 62000000")
    #expect(more.first?.meanings == [.value(.spo2, 98)])
    #expect(throws: DecodeError.truncated) { try read("FF 0500 0000 FF 01 01") }
  }

  @Test("bundles in bundles end, however many there are")
  func depth() throws {
    var bytes: [UInt8] = [1, 8, 0, 0, 0, 0x20, 2, 98, 0, 0, 0]
    for _ in 0..<5 { bytes = [0xFF, UInt8(bytes.count + 3), 0, 0, 0, 1] + bytes }
    #expect(throws: DecodeError.truncated) { try bytes.withUnsafeBytes { try HealthObservation.read($0) } }
  }

  @Test("segments that never end are dropped at a bound, and what follows is read")
  func endless() throws {
    var segments = ObservationSegments()
    var dropped = 0
    for counter in 0..<200 {
      let head = UInt8(counter & 63) << 2 | (counter == 0 ? 1 : 0)
      do { _ = try segments.take([head] + [UInt8](repeating: 0, count: 100)) } catch { dropped += 1 }
    }
    #expect(dropped > 0 && !segments.isUnfinished)
    #expect(try segments.take([3, 7]) == [7])
    #expect(throws: DecodeError.noFirstSegment) { try segments.take([8, 7]) }
    #expect(throws: DecodeError.empty) { try segments.take([]) }
  }

  @Test("numbers are rounded, without overflow")
  func numbers() {
    func scaled(_ mantissa: Int32, _ exponent: Int8, by factor: Int64) -> Int64? {
      let bits = UInt32(bitPattern: mantissa) & 0xFF_FFFF | UInt32(UInt8(bitPattern: exponent)) << 24
      return MedicalFloat(float: bits).scaled(by: factor)
    }
    #expect(scaled(145, -1, by: 1) == 15 && scaled(-145, -1, by: 1) == -15 && scaled(144, -1, by: 1) == 14)
    #expect(scaled(366, -1, by: 1000) == 36_600 && scaled(5, 2, by: 10) == 5000)
    #expect(scaled(1, -128, by: 1000) == 0 && scaled(1, 127, by: 1) == .max && scaled(0, 127, by: 1) == 0)
    for exponent in Int8.min...Int8.max { _ = scaled(0x7F_FFFF, exponent, by: 1_000_000) }
  }
}
