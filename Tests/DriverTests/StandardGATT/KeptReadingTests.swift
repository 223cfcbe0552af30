import Bluetooth
import GATTServices
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("Readings that a wearable keeps until they are confirmed")
struct KeptReadingTests {
  let driver = StandardDriver([
    .heartRate, .pulseOximeter, .bloodPressure, .thermometer, .weightScale, .bodyComposition,
  ])
  let decoder: any LiveDecoder
  let sink = RecordingSink()
  /// 2026-03-01T07:30:15 in a value, and what a clock shows then.
  private static let stamp = "EA070301071E0F"
  private static let shown: Int64 = 1_772_350_215_000_000

  init() { decoder = driver.makeDecoder() }

  private func tell(_ hex: String, _ characteristic: BluetoothUUID) throws {
    try decoder.tell(driver, characteristic, hex, into: sink)
  }

  @Test("are those of cuffs, thermometers, scales and spot-checks, and no others")
  func kept() {
    let kept = driver.liveSources.filter(\.isKept).map(\.characteristic)
    #expect(Set(kept) == [0x2A35, 0x2A1C, 0x2A9D, 0x2A9C, 0x2A5E])
    #expect(driver.liveSources.map { $0.with(.alternative).read(by: 3).isKept } == driver.liveSources.map(\.isKept))
  }

  @Test("say when they were measured, in front of their values")
  func times() throws {
    try tell("02 7800 5000 5D00 \(Self.stamp)", 0x2A35)
    try tell("02 6E0100FF \(Self.stamp)", 0x2A1C)
    try tell("02 B036 \(Self.stamp)", 0x2A9D)
    try tell("0200 E700 \(Self.stamp)", 0x2A9C)
    try tell("01 6100 4600 \(Self.stamp)", 0x2A5E)
    #expect(sink.readings.count == 5 && sink.readings.allSatisfy { $0.own == OwnTime(shown: Self.shown) })
    #expect(Set(sink.readings.compactMap(\.mark)).count == 5)
  }

  @Test("without a time, or with an invalid one, they cannot be distinguished from others")
  func noTimes() throws {
    try tell("00 7800 5000 5D00", 0x2A35)
    try tell("02 7800 5000 5D00 0000 0301071E0F", 0x2A35)
    #expect(sink.readings.map(\.own) == [nil, OwnTime(shown: nil)] && sink.readings.allSatisfy { $0.mark == nil })
    sink.reset()
    // A month 13 is no moment, and the value is the same one when it comes again.
    for _ in 0..<2 { try tell("02 7800 5000 5D00 EA070D01071E0F", 0x2A35) }
    #expect(sink.readings.allSatisfy { $0.own == OwnTime(shown: nil) && $0.mark != nil })
    #expect(Set(sink.readings.map(\.mark)).count == 1)
    try tell("11 6100 4600 \(Self.stamp)", 0x2A5E)
    #expect(sink.readings.last?.own == OwnTime(shown: Self.shown, isUnset: true))
  }

  @Test("another second, another number, another characteristic is another reading")
  func marks() throws {
    for value in [
      "02 7800 5000 5D00 \(Self.stamp)", "02 7800 5000 5D00 EA070301071E10", "02 7900 5000 5D00 \(Self.stamp)",
    ] {
      try tell(value, 0x2A35)
    }
    #expect(Set(sink.readings.map(\.mark)).count == 3)
  }

  @Test("the rest of a composition has the time of its beginning")
  func parts() throws {
    try tell("0210 E700 \(Self.stamp)", 0x2A9C)
    try tell("0020 E700", 0x2A9C)
    try tell("0000 E800", 0x2A9C)
    #expect(sink.readings.map { $0.own?.shown } == [Self.shown, Self.shown, nil])
    #expect(Set(sink.readings.compactMap(\.mark)).count == 2)
  }

  @Test("a spot-check is the same one when it comes from storage, whatever its states say")
  func spotChecks() throws {
    let live = "07 6100 4600 \(Self.stamp) 2001 000000"
    let stored = "0F 6100 4600 \(Self.stamp) 2003 100000 0500"
    try tell(live, 0x2A5E)
    let record = try #require(Array(hexadecimal: stored))
    let mark = record.withUnsafeBytes { SpotCheckRecord.mark($0) }
    #expect(mark != nil && mark == sink.readings.first?.mark)
    let undated = try #require(Array(hexadecimal: "06 6100 4600 2003 000000"))
    #expect(undated.withUnsafeBytes { SpotCheckRecord.mark($0) } == nil)
  }

  @Test(
    "a stored spot-check is kept, kept as one of low quality, or left out and counted, as one that is indicated",
    arguments: 0..<40)
  func threeWays(_ bit: Int) throws {
    let (measurement, sensor): (UInt16, UInt32) = bit < 16 ? (1 << bit, 0) : (0, 1 << (bit - 16))
    let status = [UInt8(measurement & 255), UInt8(measurement >> 8)]
    let state = (0..<3).map { UInt8(truncatingIfNeeded: sensor >> (8 * UInt32($0))) }
    let bytes = try #require(Array(hexadecimal: "07 6100 4600 \(Self.stamp)")) + status + state
    let source = try #require(driver.liveSources.first { $0.characteristic == 0x2A5E })
    try decoder.decode(source, bytes, into: sink)
    let items = CollectingItems()
    try bytes.withUnsafeBytes { try SpotCheckRecord.decode($0, items) }
    #expect(items.items.map { $0.values } == sink.samples.map { [$0.value] })
    #expect(items.doubted == sink.samples.map(\.flags.isLowQuality))
    #expect(items.anomalies.count == sink.anomalies.count)
    // Bits that the service reserves are counted, and are no evidence against the value.
    let isReserved = bit < 5 || bit >= 32
    #expect(isReserved || sink.samples.isEmpty == !sink.anomalies.isEmpty)
    #expect(!isReserved || sink.samples.count == 2 && sink.anomalies.count == 1)
  }

  @Test("a record with values that came live decodes to no sample, and keeps its bytes")
  func toldLive() throws {
    let first = try #require(Array(hexadecimal: "01 6100 4600 \(Self.stamp)"))
    let second = try #require(Array(hexadecimal: "01 6200 4600 EA070301071E10"))
    let bytes = RecordBytes.joined([(first, true), (second, false)])
    func records(_ bytes: [UInt8]) throws -> [(bytes: [UInt8], isTold: Bool)] {
      try bytes.withUnsafeBytes { bytes in
        var (found, place): ([(bytes: [UInt8], isTold: Bool)], Int) = ([], 0)
        while let (record, isTold) = try RecordBytes.next(bytes, at: &place) { found.append((Array(record), isTold)) }
        return found
      }
    }
    let found = try records(bytes)
    #expect(found.map { $0.bytes } == [first, second] && found.map { $0.isTold } == [true, false])
    #expect(throws: ItemDefect.self) { try records(bytes.dropLast()) }
  }
}
