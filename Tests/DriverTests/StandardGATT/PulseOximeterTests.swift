import Bluetooth
import EventLoop
import Foundation
import GATTServices
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("Pulse oximeters")
struct PulseOximeterTests {
  let driver = StandardDriver([.heartRate, .pulseOximeter, .battery])
  let decoder: any LiveDecoder
  let sink = RecordingSink()

  init() { decoder = driver.makeDecoder() }

  private func tell(_ characteristic: BluetoothUUID, _ hex: String) throws {
    try decoder.tell(driver, characteristic, hex, into: sink)
  }

  private func notify(_ hex: String) throws { try tell(PulseOximeter.continuous, hex) }
  private func indicate(_ hex: String) throws { try tell(PulseOximeter.spotCheck, hex) }

  @Test("a notification becomes saturation, pulse and amplitude; averages over other times are the same blood")
  func continuous() throws {
    try notify("1F 5F00 4D00 5E00 4F00 5F00 4C00 A000 000200 1CF0")
    #expect(sink.samples == [Sample(.spo2, 95), Sample(.pulseRate, 770), Sample(.pulseAmplitudeIndex, 280)])
    #expect(sink.anomalies.isEmpty)
  }

  @Test("a spot-check is the same, whatever its clock says")
  func spotCheck() throws {
    for time in ["01 6200 6500 EA07020E160509", "11 6200 6500 D007010100000C"] {
      sink.reset()
      try indicate(time)
      let flags = SampleFlags(origin: .live, isManual: true)
      #expect(sink.samples == [Sample(.spo2, 98, flags: flags), Sample(.pulseRate, 1010, flags: flags)])
    }
  }

  @Test("its pulse is a series of its own, beside the rate of a strap in the same wearable")
  func both() throws {
    let strap = try #require(driver.liveSources.first { $0.characteristic == StandardGATT.heartRateMeasurement })
    try decoder.decode(strap, [0, 72], into: sink)
    try notify("00 6100 4900")
    #expect(sink.samples == [Sample(.heartRate, 72), Sample(.spo2, 97), Sample(.pulseRate, 730)])
  }

  @Test("tenths are kept of the pulse and rounded of the saturation, whatever the exponent")
  func decimals() throws {
    try notify("00 C5F3 5DF2")  // 96.5, 60.5
    try notify("00 A9E5 7817")  // 14.49, 19120: no pulse
    try notify("00 0A10 0610")  // 10 and 6, times ten
    #expect(
      sink.samples == [
        Sample(.spo2, 97), Sample(.pulseRate, 605), Sample(.spo2, 14), Sample(.spo2, 100), Sample(.pulseRate, 600),
      ])
    #expect(sink.anomalies == ["pulse oximeter: a value out of range"])
  }

  @Test(
    "what is no number is left out, and what is one beside it is not",
    arguments: ["FF07", "0008", "FE07", "0208", "0108"])
  func special(_ hex: String) throws {
    try indicate("08 \(hex) 4200 \(hex)")
    #expect(sink.samples == [Sample(.pulseRate, 660, flags: SampleFlags(origin: .live, isManual: true))])
    sink.reset()
    try notify("00 6200 \(hex)")
    #expect(sink.samples == [Sample(.spo2, 98)])
    #expect(sink.anomalies == (hex == "0108" ? ["pulse oximeter: a number that is reserved, left out"] : []))
  }

  @Test(
    "no value is kept in silence, and values beyond the range are counted",
    arguments: [("0000", 0), ("6600", 1), ("FF0F", 1)])
  func range(_ hex: String, _ odd: Int) throws {
    try notify("00 \(hex) 4800")
    #expect(sink.samples == [Sample(.pulseRate, 720)])
    #expect(sink.anomalies.count == odd)
  }

  @Test(
    "by its status bits a value is kept, kept as one of low quality, or left out and counted", arguments: 0..<40)
  func worth(_ bit: Int) throws {
    let status = UInt64(1) << UInt64(bit)
    let bytes = (0..<5).map { UInt8(truncatingIfNeeded: status >> UInt64(8 * $0)) }
    try notify("0C 6000 4000 \(hexadecimal(bytes))")
    // Measurement status: from storage, demonstration, testing, unavailable, invalid. Sensor: unconnected,
    // disconnected.
    let none: Set = [9, 10, 11, 13, 15, 16 + 11, 16 + 15]
    // Reserved, ongoing, validated, fully qualified. Sensor: display, analysis, reserved.
    let good = Set(0...5).union([7, 8, 16, 16 + 9]).union(32..<40)
    if none.contains(bit) {
      #expect(sink.samples.isEmpty)
      #expect(sink.anomalies == ["pulse oximeter: a value that is no measurement, by its own status"])
      return
    }
    let flags = SampleFlags(origin: .live, isLowQuality: !good.contains(bit))
    #expect(sink.samples == [Sample(.spo2, 96, flags: flags), Sample(.pulseRate, 640, flags: flags)])
    let isReserved = bit < 5 || bit >= 32
    #expect(sink.anomalies == (isReserved ? ["pulse oximeter: flags or states that are reserved"] : []))
  }

  @Test("an invalid value is invalid whatever else is said of it")
  func worst() throws {
    try notify("0C 6000 4000 4040 000800")  // early, questionable, unconnected
    #expect(sink.samples.isEmpty && sink.anomalies.count == 1)
    try notify("0C 6000 4000 A040 200200")  // ongoing, validated, questionable, low perfusion, analysis
    #expect(sink.samples.allSatisfy { $0.flags.isLowQuality } && sink.samples.count == 2)
  }

  @Test("every cut of a full value is refused and leaves no sample, and bytes after it are counted")
  func cuts() throws {
    for (characteristic, hex) in [
      (PulseOximeter.continuous, "1F5F004D005E004F005F004C00A0000002001CF0"),
      (PulseOximeter.spotCheck, "0F5E007600EA07020E1605098000000000" + "02F0"),
    ] {
      let full = try #require([UInt8](hexadecimal: hex))
      let source = try #require(driver.liveSources.first { $0.characteristic == characteristic })
      for length in 0..<full.count {
        #expect(throws: length == 0 ? DecodeError.empty : .truncated) {
          try decoder.decode(source, Array(full.prefix(length)), into: sink)
        }
      }
      #expect(sink.samples.isEmpty && sink.anomalies.isEmpty)
      try decoder.decode(source, full + [1], into: sink)
      #expect(sink.samples.count == 3 && sink.anomalies == ["pulse oximeter: bytes after the last field"])
      sink.reset()
    }
  }

  @Test(
    "every combination of flags has the length that its fields have, reserved flags add no length",
    arguments: UInt8.min...UInt8.max)
  func flags(_ flags: UInt8) throws {
    func size(_ fields: [Int]) -> Int { 5 + fields.indices.reduce(0) { $0 + (flags >> $1 & 1 == 1 ? fields[$1] : 0) } }
    let bytes = [flags, 97, 0, 60, 0] + [UInt8](repeating: 0, count: 32)
    func rest(_ count: Int, _ make: (RawBytes) throws -> PLXMeasurement) throws -> PLXMeasurement {
      try Array(bytes.prefix(count)).withUnsafeBytes(make)
    }
    let whole = try rest(size([4, 4, 2, 3, 2])) { try PLXMeasurement(continuous: $0) }
    #expect(whole.trailingBytes == 0 && whole.normal.saturation.scaled(by: 1) == 97)
    let check = try rest(size([7, 2, 3, 2])) { try PLXMeasurement(spotCheck: $0) }
    #expect(check.trailingBytes == 0 && check.clockIsNotSet == (flags & 0x10 != 0))
  }

  @Test("features that are cut or empty are counted, and give no sample")
  func features() throws {
    #expect(throws: DecodeError.empty) { try tell(PulseOximeter.features, "") }
    for hex in ["03", "0300", "0300A0", "0300A00064"] {
      #expect(throws: DecodeError.truncated) { try tell(PulseOximeter.features, hex) }
    }
    try tell(PulseOximeter.features, "0000 AA")
    #expect(sink.samples.isEmpty && sink.anomalies == ["pulse oximeter: bytes after the features"])
  }

  @Test("says what is kept on the wearable as data, does not subscribe to it, and needs no other characteristic")
  func profile() throws {
    let records = try #require(ServiceProfile.pulseOximeter.storedRecords)
    #expect(records.controlPoint == 0x2A52 && records.characteristic == PulseOximeter.spotCheck)
    #expect(!driver.liveSources.contains { $0.characteristic == records.controlPoint })
    #expect(driver.capabilities.recorded == PulseOximeter.series && driver.needsLink)
    #expect(driver.recognise(ScanResults.scanResult(name: nil, services: [0x1822]))?.kind == "oximeter")
    #expect(
      driver.recognise(ScanResults.scanResult(name: nil, services: [0x1822, 0x180D]))?.kind == "HR strap, oximeter")
  }
}
