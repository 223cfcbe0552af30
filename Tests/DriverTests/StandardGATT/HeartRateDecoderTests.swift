import Bluetooth
import GATTServices
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("Heart-rate wearables")
struct HeartRateDecoderTests {
  let driver = StandardDriver(HeartRateStrap.profiles)
  let decoder = StandardDriver(HeartRateStrap.profiles).makeDecoder()
  let sink = RecordingSink()

  private func source(_ characteristic: BluetoothUUID) throws -> LiveSource {
    try #require(driver.liveSources.first { $0.characteristic == characteristic })
  }

  private func measure(_ hex: String) throws {
    try decoder.decode(source(StandardGATT.heartRateMeasurement), #require(Array(hexadecimal: hex)), into: sink)
  }

  @Test("a notification becomes rate, energy and intervals, the oldest interval first")
  func ordinary() throws {
    try measure("1E 48 4D00 5003 5503")
    #expect(
      sink.samples == [
        Sample(.heartRate, 72), Sample(.energyExpended, 77), Sample(.rrInterval, 848), Sample(.rrInterval, 853),
      ])
    #expect(sink.anomalies.isEmpty)
  }

  @Test("every combination of flags comes back as it was encoded", arguments: UInt8.min...UInt8.max)
  func everyFlag(_ flags: UInt8) throws {
    var bytes: [UInt8] = [flags, 61]
    if flags & 1 != 0 { bytes.append(1) }
    if flags & 8 != 0 { bytes += [0x34, 0x12] }
    let intervals: [UInt16] = flags & 16 != 0 ? [1024, 0, 65535] : []
    for interval in intervals { bytes.append(littleEndian: interval) }
    try bytes.withUnsafeBytes { raw in
      let value = try HeartRateMeasurement(raw)
      #expect(value.beatsPerMinute == (flags & 1 != 0 ? 317 : 61))
      #expect(value.contact == (flags & 4 == 0 ? .notSupported : flags & 2 == 0 ? .notDetected : .detected))
      #expect(value.energyKilojoules == (flags & 8 != 0 ? 0x1234 : nil))
      #expect(Array(value.intervals) == intervals)
      #expect(value.anomaly == nil)
      // Reserved bits are sent as zero, and contact without the feature too.
      var again = bytes
      again[0] &= flags & 4 != 0 ? 0x1F : 0x19
      #expect(
        HeartRateMeasurement.encode(
          beatsPerMinute: value.beatsPerMinute, isWide: value.isWide, contact: value.contact,
          energyKilojoules: value.energyKilojoules,
          intervals: value.intervals) == again)
    }
  }

  @Test("every cut of a full value is refused or salvaged, never misread")
  func everyCut() throws {
    let full = try #require([UInt8](hexadecimal: "1F 2C01 4D00 5003 5503"))
    for length in 0..<full.count {
      sink.reset()
      let cut = Array(full.prefix(length))
      switch length {
      case 0:
        #expect(throws: DecodeError.empty) {
          try decoder.decode(source(StandardGATT.heartRateMeasurement), cut, into: sink)
        }
      case 1..<5:
        #expect(throws: DecodeError.truncated) {
          try decoder.decode(source(StandardGATT.heartRateMeasurement), cut, into: sink)
        }
      default:
        try decoder.decode(source(StandardGATT.heartRateMeasurement), cut, into: sink)
        #expect(sink.samples.first == Sample(.heartRate, 300))
        #expect(sink.samples.count == 2 + (length - 5) / 2)
        #expect(sink.anomalies.count == (length == 7 ? 0 : 1))
      }
      if length < 5 { #expect(sink.samples.isEmpty) }
    }
  }

  @Test("an attribute of 512 bytes holds 255 intervals and half of one")
  func longest() throws {
    let bytes: [UInt8] = [0x10, 60] + (0..<255).flatMap { [UInt8($0), 4] }
    try decoder.decode(source(StandardGATT.heartRateMeasurement), bytes, into: sink)
    #expect(sink.samples.count == 256)
    #expect(sink.samples.last == Sample(.rrInterval, 0x04FE))
    #expect(bytes.count == 512 && sink.anomalies.isEmpty)
    sink.reset()
    try decoder.decode(source(StandardGATT.heartRateMeasurement), bytes + [7], into: sink)
    #expect(sink.samples.count == 256)
    #expect(sink.anomalies == ["heart rate: half an RR interval at the end"])
  }

  @Test(
    "no beat or no skin is no sample, and no anomaly",
    arguments: ["0600", "16000004", "0448", "14480004", "0000", "010000"])
  func notWorn(_ hex: String) throws {
    try measure(hex)
    #expect(sink.samples.isEmpty)
    #expect(sink.anomalies.isEmpty)
  }

  @Test("the contact bit without the feature bit is ignored")
  func contactUnsupported() throws {
    try measure("0248")
    try measure("0048")
    #expect(sink.samples == [Sample(.heartRate, 72), Sample(.heartRate, 72)])
  }

  @Test("energy outlives lost contact; a full counter is no measurement")
  func energy() throws {
    try measure("0C 00 1000")
    #expect(sink.samples == [Sample(.energyExpended, 16)])
    sink.reset()
    try measure("0E 48 FFFF")
    #expect(sink.samples == [Sample(.heartRate, 72)])
    #expect(sink.anomalies == ["heart rate: energy counter is full"])
  }

  @Test("a full energy counter is reset, once until it counts again")
  func reset() throws {
    let write = LiveWrite(service: 0x180D, characteristic: 0x2A39, value: [1])
    try measure("0E 48 FEFF")
    #expect(sink.writes.isEmpty)
    for _ in 0..<3 { try measure("0E 48 FFFF") }
    #expect(sink.writes == [write] && sink.anomalies.count == 3)
    try measure("06 48")
    try measure("0E 48 0000")
    #expect(sink.writes.count == 1)
    try measure("0C 00 FFFF")
    #expect(sink.writes == [write, write])
  }

  @Test("an interval of zero is kept, one that is announced and absent is an anomaly")
  func oddIntervals() throws {
    try measure("16 4B 0000")
    #expect(sink.samples == [Sample(.heartRate, 75), Sample(.rrInterval, 0)])
    #expect(sink.anomalies.isEmpty)
    sink.reset()
    try measure("16 48")
    #expect(sink.samples == [Sample(.heartRate, 72)])
    #expect(sink.anomalies == ["heart rate: RR intervals announced, not sent"])
  }

  @Test("the battery is a sample from 0 to 100, and left out beyond")
  func battery() throws {
    let level = try source(StandardGATT.batteryLevel)
    try decoder.decode(level, [0], into: sink)
    try decoder.decode(level, [100], into: sink)
    #expect(throws: DecodeError.outOfRange) { try decoder.decode(level, [101], into: sink) }
    #expect(throws: DecodeError.empty) { try decoder.decode(level, [], into: sink) }
    #expect(sink.samples == [Sample(.battery, 0), Sample(.battery, 100)])
    try decoder.decode(level, [50, 0], into: sink)
    #expect(sink.anomalies == ["battery: bytes after the level"])
  }

  @Test("whether it is charging is a fact, reported when it changes; its level counts if no other source has one")
  func charging() throws {
    let status = try source(StandardGATT.batteryLevelStatus)
    try decoder.decode(status, [0x02, 0x23, 0x00, 55], into: sink)
    try decoder.decode(status, [0x02, 0x23, 0x00, 56], into: sink)
    #expect(sink.facts == [.charging("charging")] && sink.samples.isEmpty)
    try decoder.decode(status, [0x00, 0x01, 0x00], into: sink)
    #expect(sink.facts.count == 1, "unknown")
    try decoder.decode(status, [0x04, 0x41, 0x60, 0x04, 9], into: sink)
    #expect(
      sink.facts.last == .charging("in use, battery fault, power supply fault, charging fault")
        && sink.anomalies == ["battery: bytes after the status"])
    decoder.begin(GATTDatabase.made(of: []))
    try decoder.decode(status, [0x02, 0x61, 0x00, 54], into: sink)
    #expect(sink.samples == [Sample(.battery, 54)] && sink.facts.last == .charging("not in use"))
    #expect(throws: DecodeError.truncated) { try decoder.decode(status, [0x02, 0x61, 0x00], into: sink) }
    #expect(throws: DecodeError.outOfRange) { try decoder.decode(status, [0x02, 0x61, 0x00, 101], into: sink) }
    #expect(decoder.fact(status, [0x02, 0x61, 0x00, 54]) == nil)
  }

  @Test("battery level status refuses every cut and a level above 100")
  func batteryStatus() throws {
    func status(_ bytes: some Collection<UInt8>) throws -> BatteryLevelStatus {
      try Array(bytes).withUnsafeBytes { try BatteryLevelStatus($0) }
    }
    let full: [UInt8] = [0x07, 0x15, 0x50, 0x01, 0x00, 0x64, 0x06]
    for length in 0..<full.count {
      #expect(throws: length == 0 ? DecodeError.empty : .truncated) { try status(full.prefix(length)) }
    }
    #expect(throws: DecodeError.outOfRange) { try status([0x02, 0, 0, 101]) }
    let value = try status([0xF8, 0xFF, 0xFF, 9])
    #expect(value.wiredPower == .reserved && value.chargingType == .reserved(7) && value.trailingBytes == 1)
    #expect(value.percent == nil && value.identifier == nil && value.additional == nil)
  }

  @Test("System ID and PnP ID are little-endian, refuse every cut and count what is too much")
  func identifiers() throws {
    func system(_ bytes: some Collection<UInt8>) throws -> SystemID {
      try Array(bytes).withUnsafeBytes { try SystemID($0) }
    }
    func product(_ bytes: some Collection<UInt8>) throws -> PnPID { try Array(bytes).withUnsafeBytes { try PnPID($0) } }

    // 12:34:56:9A:BC:DE as a System ID, the example of the service's own text.
    let systemBytes: [UInt8] = [0xDE, 0xBC, 0x9A, 0xFE, 0xFF, 0x56, 0x34, 0x12, 0xAA]
    let identity = try system(systemBytes)
    #expect(
      identity.manufacturerIdentifier == 0xFF_FE9A_BCDE && identity.organization == 0x123456
        && identity.trailingBytes == 1)
    for length in 0..<8 {
      #expect(throws: length == 0 ? DecodeError.empty : .truncated) { try system(systemBytes.prefix(length)) }
    }

    let productBytes: [UInt8] = [2, 0x6D, 0x04, 0x19, 0xC0, 0x00, 0x01]
    let receiver = try product(productBytes)
    #expect(receiver.vendorSource == .usbImplementersForum && receiver.vendor == 0x046D)
    #expect(receiver.product == 0xC019 && receiver.version == 0x0100 && receiver.trailingBytes == 0)
    for length in 0..<7 {
      #expect(throws: length == 0 ? DecodeError.empty : .truncated) { try product(productBytes.prefix(length)) }
    }

    let (systemSource, productSource) = (try source(StandardGATT.systemID), try source(StandardGATT.pnpID))
    #expect(decoder.fact(systemSource, systemBytes) == .systemID("123456FFFE9ABCDE"))
    #expect(decoder.fact(productSource, productBytes) == .productID("USB 0x046D, product 0xC019, version 1.0.0"))
    #expect(
      decoder.fact(productSource, [9, 1, 0, 2, 0, 0x34, 0x12])
        == .productID("source 9, vendor 0x0001, product 0x0002, version 12.3.4"))
    #expect(decoder.fact(systemSource, [1, 2]) == nil && decoder.fact(productSource, []) == nil)
    #expect(throws: DecodeError.truncated) { try decoder.decode(systemSource, [1, 2], into: sink) }
    #expect(throws: DecodeError.empty) { try decoder.decode(productSource, [], into: sink) }
  }

  @Test("device information becomes facts that are safe to print")
  func facts() throws {
    let model = try source(StandardGATT.modelNumber)
    #expect(decoder.fact(model, Array("H10\0\0".utf8)) == .model("H10"))
    #expect(decoder.fact(model, Array("  Caf\u{E9}  4 ".utf8)) == .model("Café  4"))
    #expect(decoder.fact(model, []) == nil)
    #expect(decoder.fact(model, [0, 0]) == nil)
    #expect(decoder.fact(model, Array("\u{1B}[2J\u{7}evil\u{202E}\u{9B}5n\u{2028}".utf8)) == .model("evil"))
    #expect(decoder.fact(model, [0x41, 0xFF, 0xC3, 0x42]) == .model("A\u{FFFD}\u{FFFD}B"))
    guard case .model(let long)? = decoder.fact(model, Array(String(repeating: "é", count: 256).utf8)) else {
      Issue.record("no fact")
      return
    }
    #expect(long.utf8.count == 64)
    #expect(decoder.fact(try source(StandardGATT.manufacturerName), Array("ACME".utf8)) == .manufacturer("ACME"))
    #expect(decoder.fact(try source(StandardGATT.bodySensorLocation), [5]) == .bodyLocation("ear lobe"))
    #expect(decoder.fact(try source(StandardGATT.bodySensorLocation), [7]) == nil)
    #expect(decoder.fact(try source(StandardGATT.heartRateMeasurement), [0, 60]) == nil)
  }

  @Test("a location that is too long or empty is counted and gives no sample")
  func location() throws {
    let location = try source(StandardGATT.bodySensorLocation)
    try decoder.decode(location, [1, 2], into: sink)
    #expect(sink.anomalies == ["body sensor location: bytes after the code"])
    #expect(throws: DecodeError.empty) { try decoder.decode(location, [], into: sink) }
    #expect(sink.samples.isEmpty)
  }
}
