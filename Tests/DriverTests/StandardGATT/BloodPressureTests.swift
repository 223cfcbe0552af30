import Bluetooth
import EventLoop
import GATTServices
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("Cuffs, and what only calls itself so")
struct BloodPressureTests {
  let driver = StandardDriver([.heartRate, .bloodPressure, .battery, .deviceInformation])
  let decoder: any LiveDecoder
  let sink = RecordingSink()
  private static let doubtful = SampleFlags(origin: .live, isManual: true, isLowQuality: true)

  init() { decoder = driver.makeDecoder() }

  private func source(_ characteristic: BluetoothUUID) throws -> LiveSource {
    try #require(driver.liveSources.first { $0.characteristic == characteristic })
  }

  private func tell(_ hex: String, _ characteristic: BluetoothUUID = BloodPressure.measurement) throws {
    try decoder.decode(source(characteristic), #require(Array(hexadecimal: hex)), into: sink)
  }

  @Test("a reading becomes systolic, diastolic, mean, pulse and user")
  func reading() throws {
    try tell("1E 7600 6000 5B00 EA070301071E0F 5800 02 0000")
    #expect(
      sink.samples == [
        Sample(.systolicPressure, 11_800, flags: .byHand), Sample(.diastolicPressure, 9600, flags: .byHand),
        Sample(.meanPressure, 9100, flags: .byHand),
        Sample(.pulseRate, 880, flags: .byHand), Sample(.userIndex, 2, flags: .byHand),
      ])
    sink.reset()
    try tell("04 B5F4 25F3 5D00 5DF2")  // 120.5, 80.5, 93, 60.5
    #expect(sink.samples.map(\.value) == [12_050, 8050, 9300, 605] && sink.anomalies.isEmpty)
  }

  @Test("kilopascals become millimetres of mercury with one rounding")
  func kilopascal() throws {
    try tell("01 A0F0 6BF0 7DF0")  // 16.0, 10.7, 12.5 kPa
    #expect(sink.samples.map(\.value) == [12_001, 8026, 9376])
    try tell("01 A1F0 6CF0 7EF0")  // a tenth more of each is 0.75 mmHg more
    #expect(sink.samples.suffix(3).map(\.value) == [12_076, 8101, 9451])
  }

  @Test("the status bits that make it doubtful", arguments: 0..<16)
  func status(_ bit: Int) throws {
    let bits = UInt16(1) << UInt16(bit)
    try tell("10 7800 5000 5D00 \(hexadecimal([UInt8(bits & 0xFF), UInt8(bits >> 8)]))")
    let odd = bit < 6 ? [] : ["blood pressure: flags or a status that are reserved"]
    #expect(sink.samples.count == 3 && sink.anomalies == odd)
    let isDoubtful = [0, 1, 2, 5].contains(bit)
    #expect(sink.samples.allSatisfy { $0.flags == (isDoubtful ? Self.doubtful : .byHand) })
  }

  @Test(
    "a Beurer BM85 has its pulse and status high byte first, and a user without a flag",
    arguments: ["advertised", "model", "read"])
  func swapped(_ way: String) throws {
    var known = KnownWearable()
    if way == "advertised" { known.advertisedName = "BM85" }
    if way == "model" { known.model = "Beurer BM 85" }
    decoder.begin(GATTDatabase.made(of: []), of: known)
    if way == "read" {
      let model = LiveSource(service: 0x180A, characteristic: 0x2A24, mode: .read, isRequired: false)
      let place = try #require(driver.liveSources.firstIndex { $0.characteristic == model.characteristic })
      #expect(decoder.fact(driver.liveSources[place], Array("BM85".utf8)) == .model("BM85"))
    }
    try tell("566A0047000000EA07080B121F00003F000000")
    try tell("56770046000000EA07080B1439000057010040")
    #expect(sink.anomalies == ["blood pressure: flags or a status that are reserved"])
    try tell("56760050000000EA07080B141B00003C000004")
    let values: [[Int64]] = [[10_600, 7100, 630, 0], [11_900, 7000, 870, 1], [11_800, 8000, 600, 0]]
    #expect(sink.samples.map(\.value) == values.flatMap { $0 })
    #expect(
      sink.samples.map(\.flags.isLowQuality) == Array(repeating: false, count: 8) + Array(repeating: true, count: 4))
    #expect(sink.samples[3].series == .userIndex && sink.anomalies.count == 1)
  }

  @Test("a cuff of another model is read by the service, whatever is like it in its name")
  func notSwapped() throws {
    for name in ["BM850", "BM8", "SBM"] {
      var known = KnownWearable()
      known.advertisedName = name
      decoder.begin(GATTDatabase.made(of: []), of: known)
      sink.reset()
      try tell("1E 7600 6000 5B00 EA070301071E0F 5800 02 0000")
      #expect(sink.samples.map(\.value) == [11_800, 9600, 9100, 880, 2], "\(name)")
    }
  }

  @Test("the model of a cuff is read before it is listened to")
  func modelFirst() {
    let services: [(BluetoothUUID, BluetoothUUID)] = [(0x1810, 0x2A35), (0x180A, 0x2A24), (0x180A, 0x2A29)]
    let database = GATTDatabase.made(
      of: services.map { GATTServiceDefinition($0, [GATTCharacteristicDefinition($1, [.read, .indicate])]) })
    #expect(driver.liveSources(in: database).map(\.characteristic) == [0x2A24, 0x2A35, 0x2A29])
  }

  @Test("what is no number is left out, and what is one beside it is not")
  func numbers() throws {
    try tell("1A FF07 FF07 FF07 EA070301071E0F 01 0200")
    #expect(sink.samples.isEmpty, "who it was of no reading")
    #expect(sink.anomalies == [Self.failed])
    sink.reset()
    try tell("0C 7800 FF07 0000 FE07 FF")
    #expect(sink.samples == [Sample(.systolicPressure, 12_000, flags: .byHand)] && sink.anomalies.isEmpty)
  }

  private static let failed = "blood pressure: a measurement that failed, without a pressure"

  /// Recorded from a boso medicus: with a moved arm it shows Err, with a loose cuff Err CUF. No status tells of it.
  @Test("a measurement that the cuff shows as an error is counted", arguments: ["EA070617 0E230A", "EA070617 0E2F3B"])
  func failure(_ time: String) throws {
    try tell("16 FF07 FF07 FF07 \(time) FF07 0000")
    #expect(sink.samples.isEmpty && sink.anomalies == [Self.failed])
  }

  @Test("what no cuff can measure is counted: out of range, or below its own systole")
  func range() throws {
    try tell("00 2D01 5000 FF0F")  // 301, 80, -1
    #expect(sink.samples == [Sample(.diastolicPressure, 8000, flags: .byHand)])
    #expect(sink.anomalies == Array(repeating: "blood pressure: a value out of range", count: 2))
    sink.reset()
    try tell("04 5000 7800 5D00 4800")
    #expect(sink.samples.isEmpty && sink.anomalies == ["blood pressure: diastolic above systolic"])
  }

  @Test("while it inflates it reports the pressure in the cuff, which is not the blood pressure")
  func intermediate() throws {
    try tell("00 9600 FF07 FF07", BloodPressure.intermediate)
    try tell("00 0000 FF07 FF07", BloodPressure.intermediate)
    #expect(sink.samples == [Sample(.cuffPressure, 15_000)] && sink.anomalies.isEmpty)
  }

  @Test("every cut of a full value is refused and leaves no sample, and bytes after it are counted")
  func cuts() throws {
    let full = try #require([UInt8](hexadecimal: "1E760060005B00EA070301071E0F5800022000"))
    for length in 0..<full.count {
      #expect(throws: length == 0 ? DecodeError.empty : .truncated) {
        try decoder.decode(source(BloodPressure.measurement), Array(full.prefix(length)), into: sink)
      }
    }
    #expect(sink.samples.isEmpty && sink.anomalies.isEmpty)
    try decoder.decode(source(BloodPressure.measurement), full + [1], into: sink)
    #expect(sink.samples.count == 5 && sink.anomalies == ["blood pressure: bytes after the last field"])
  }

  @Test("its feature is read without a sample, longer ones of later versions too, which is said")
  func feature() throws {
    try tell("3F00", BloodPressure.feature)
    #expect(sink.samples.isEmpty && sink.anomalies.isEmpty)
    try tell("3F000102", BloodPressure.feature)
    #expect(sink.samples.isEmpty && sink.anomalies == ["blood pressure: bytes after the features"])
    #expect(throws: DecodeError.empty) { try tell("", BloodPressure.feature) }
    #expect(throws: DecodeError.truncated) { try tell("3F", BloodPressure.feature) }
    #expect(decoder.fact(try source(BloodPressure.feature), [0x3F, 0]) == nil)
  }

  private static func database(_ others: [(BluetoothUUID, [BluetoothUUID])]) -> GATTDatabase {
    let cuff: (BluetoothUUID, [BluetoothUUID]) = (BloodPressure.service, [BloodPressure.measurement])
    return GATTDatabase.made(
      of: ([cuff] + others).map { service, characteristics in
        GATTServiceDefinition(service, characteristics.map { GATTCharacteristicDefinition($0, .notify) })
      })
  }

  /// The value is refused, reported of the wearable, and counted for each series.
  private func expectRefused(_ sourceLocation: SourceLocation = #_sourceLocation) throws {
    sink.reset()
    try tell("00 7800 5000 5D00")
    try tell("00 9600 FF07 FF07", BloodPressure.intermediate)
    #expect(sink.samples.isEmpty, sourceLocation: sourceLocation)
    #expect(
      sink.anomalies == Array(repeating: "blood pressure: an estimate without a cuff, refused", count: 2),
      sourceLocation: sourceLocation)
    let said = decoder.fact(try source(BloodPressure.feature), [0x3F, 0])
    #expect(said == .notServed("blood pressure: an estimate without a cuff"), sourceLocation: sourceLocation)
  }

  @Test("the pressure of a vendor's band is refused, and said so", arguments: 0..<3)
  func bands(_ number: Int) throws {
    let services: [(BluetoothUUID, [BluetoothUUID])] = [
      (BluetoothUUID(high: 0x0000_01FF_3C17_D293, low: 0x8E48_14FE_2E4D_A212), [0xFF02]), (0xFEEA, [0xFEE1]),
      (0xFFFF, [0xFF02, 0xFF03]),
    ]
    decoder.begin(Self.database([services[number]]))
    try expectRefused()
  }

  @Test("the pressure of what measures the heart at the wrist is refused, and said so")
  func wrist() throws {
    _ = decoder.fact(try source(StandardGATT.bodySensorLocation), [2])
    try expectRefused()
  }

  @Test("a cuff beside a strap at the chest, or a service of another maker, is a cuff")
  func cuff() throws {
    decoder.begin(Self.database([(0xFFFF, [0xFF02]), (0x180D, [0x2A37])]))
    _ = decoder.fact(try source(StandardGATT.bodySensorLocation), [1])
    try tell("00 7800 5000 5D00")
    #expect(sink.samples.count == 3 && sink.anomalies.isEmpty)
    #expect(decoder.fact(try source(BloodPressure.feature), [0x3F, 0]) == nil)
    #expect(driver.recognise(ScanResults.scanResult(name: nil, services: [0x1810, 0x180D]))?.kind == "HR strap, cuff")
  }
}
