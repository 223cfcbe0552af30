import Bluetooth
import GATTServices
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("Thermometers")
struct ThermometerTests {
  let driver = StandardDriver([.heartRate, .thermometer, .battery])
  let decoder: any LiveDecoder
  let sink = RecordingSink()
  private static let early = SampleFlags(origin: .live, isLowQuality: true)

  init() { decoder = driver.makeDecoder() }

  private func tell(_ characteristic: BluetoothUUID, _ hex: String) throws {
    try decoder.tell(driver, characteristic, hex, into: sink)
  }

  @Test("a measurement is kept in degrees Celsius, whatever its unit and its clock")
  func units() throws {
    try tell(Thermometer.measurement, "00 6C0100FF")
    try tell(Thermometer.measurement, "01 D20300FF")  // 97.8 °F
    try tell(Thermometer.measurement, "02 730100FF 00000000 0A0B0C")
    try tell(Thermometer.measurement, "01 DA0300FF")  // 98.6 °F
    #expect(sink.samples == [36_400, 36_556, 37_100, 37_000].map { Sample(.bodyTemperature, $0) })
    #expect(sink.anomalies.isEmpty)
  }

  @Test("the place of the measurement is a value beside it: its own, else the thermometer's usual place")
  func place() throws {
    try tell(Thermometer.measurement, "04 6E0100FF 02")
    try tell(Thermometer.type, "06")
    try tell(Thermometer.measurement, "00 6E0100FF")
    try tell(Thermometer.measurement, "04 6E0100FF 03")
    // Reserved: not said, and not the usual one either.
    try tell(Thermometer.measurement, "04 6E0100FF 0A")
    try tell(Thermometer.type, "00")
    try tell(Thermometer.measurement, "00 6E0100FF")
    let warm = Sample(.bodyTemperature, 36_600)
    #expect(
      sink.samples == [
        warm, Sample(.temperaturePlace, 2), warm, Sample(.temperaturePlace, 6), warm, Sample(.temperaturePlace, 3),
        warm,
        warm,
      ])
  }

  @Test("what it sends while it measures is an early estimate, of low quality")
  func intermediate() throws {
    try tell(Thermometer.intermediate, "04 6A0100FF 02")
    #expect(
      sink.samples == [
        Sample(.bodyTemperature, 36_200, flags: Self.early), Sample(.temperaturePlace, 2, flags: Self.early),
      ])
  }

  @Test("what is no number is left out, and its place with it; what no body has is counted")
  func numbers() throws {
    try tell(Thermometer.measurement, "04 00000000 02")
    #expect(sink.samples.isEmpty && sink.anomalies.isEmpty)
    let specials = ["FFFF7F00", "00008000", "FEFF7F00", "02008000"]
    for special in specials { try tell(Thermometer.measurement, "04 \(special) 02") }
    let failed = "thermometer: a measurement that failed, without a temperature"
    #expect(sink.samples.isEmpty && sink.anomalies == specials.map { _ in failed })
    sink.reset()
    for odd in ["FBFFFFFF", "FF000000", "0100007F", "FFFFFF7F", "01000064"] {
      try tell(Thermometer.measurement, "00 \(odd)")
    }
    #expect(sink.samples.isEmpty && sink.anomalies == Array(repeating: "thermometer: a value out of range", count: 5))
  }

  @Test("every cut of a full value is refused and leaves no sample, and bytes after it are counted")
  func cuts() throws {
    let full = try #require([UInt8](hexadecimal: "066E0100FFEA070301071E0F02"))
    let source = try #require(driver.liveSources.first { $0.characteristic == Thermometer.measurement })
    for length in 0..<full.count {
      #expect(throws: length == 0 ? DecodeError.empty : .truncated) {
        try decoder.decode(source, Array(full.prefix(length)), into: sink)
      }
    }
    #expect(sink.samples.isEmpty && sink.anomalies.isEmpty)
    try decoder.decode(source, full + [1], into: sink)
    #expect(sink.samples.count == 2 && sink.anomalies == ["thermometer: bytes after the last field"])
  }

  @Test("type and interval are read and give no sample")
  func companions() throws {
    try tell(Thermometer.type, "02")
    try tell(Thermometer.interval, "3C00")
    #expect(sink.samples.isEmpty && sink.anomalies.isEmpty)
    try tell(Thermometer.type, "0200")
    try tell(Thermometer.interval, "3C0000")
    #expect(sink.anomalies == ["thermometer: bytes after the type", "thermometer: bytes after the interval"])
    #expect(throws: DecodeError.empty) { try tell(Thermometer.type, "") }
    #expect(throws: DecodeError.empty) { try tell(Thermometer.interval, "") }
    #expect(throws: DecodeError.truncated) { try tell(Thermometer.interval, "3C") }
  }

  @Test("one that advertises several services is one wearable of all its kinds")
  func kinds() {
    #expect(driver.recognise(ScanResults.scanResult(name: nil, services: [0x1809]))?.kind == "thermometer")
    #expect(
      driver.recognise(ScanResults.scanResult(name: nil, services: [0x1809, 0x180D]))?.kind == "HR strap, thermometer")
  }
}
