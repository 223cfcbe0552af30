import Bluetooth
import GATTServices
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("Scales")
struct ScaleTests {
  let driver = StandardDriver([.weightScale, .bodyComposition, .battery])
  let decoder: any LiveDecoder
  let sink = RecordingSink()

  init() { decoder = driver.makeDecoder() }

  private func source(_ characteristic: BluetoothUUID) throws -> LiveSource {
    try #require(driver.liveSources.first { $0.characteristic == characteristic })
  }

  private func weigh(_ hex: String) throws {
    try decoder.decode(source(Scale.weight), #require(Array(hexadecimal: hex)), into: sink)
  }

  private func compose(_ hex: String) throws {
    try decoder.decode(source(Scale.composition), #require(Array(hexadecimal: hex)), into: sink)
  }

  /// Of a scale that serves both.
  private func beginBoth() {
    let services: [(BluetoothUUID, BluetoothUUID)] = [
      (Scale.weightService, Scale.weight), (Scale.compositionService, Scale.composition),
    ]
    decoder.begin(
      GATTDatabase.made(
        of: services.map { GATTServiceDefinition($0, [GATTCharacteristicDefinition($1, .indicate)]) }))
  }

  @Test("a weight is kept in grams, with the body mass index and its user")
  func weight() throws {
    try weigh("0E B036 EA070301071E0F 02 E600 F406")  // 70 kg, user 2, 23.0, 1.78 m
    #expect(
      sink.samples == [
        Sample(.weight, 70_000, flags: .byHand), Sample(.bodyMassIndex, 230, flags: .byHand),
        Sample(.userIndex, 2, flags: .byHand),
      ])
    sink.reset()
    try weigh("00 0100")
    try weigh("01 983A")  // 150 lb
    try weigh("01 0100")
    #expect(sink.samples.map(\.value) == [5, 68_039, 5] && sink.anomalies.isEmpty)
  }

  @Test("a failed value gives no sample, and an unknown user no name; what no scale bears is counted")
  func nothing() throws {
    try weigh("04 0000 02")
    #expect(sink.samples.isEmpty && sink.anomalies.isEmpty, "nobody is on it")
    try weigh("04 FFFF 02")
    #expect(sink.samples.isEmpty && sink.anomalies == [Self.failed])
    sink.reset()
    try weigh("0C B036 FF FFFF F406")
    #expect(sink.samples == [Sample(.weight, 70_000, flags: .byHand)] && sink.anomalies.isEmpty)
    try weigh("00 00FB")  // 321.28 kg
    #expect(sink.samples.count == 1 && sink.anomalies == ["scale: a value out of range"])
  }

  @Test("a composition is kept field by field, each in its own unit")
  func composition() throws {
    try compose("FE0F E700 EA070301071E0F 03 D01B A901 2017 0429 AC26 401F BD13 B036 F406")
    #expect(
      sink.samples == [
        Sample(.bodyFat, 231, flags: .byHand), Sample(.basalMetabolism, 7120, flags: .byHand),
        Sample(.musclePercentage, 425, flags: .byHand),
        Sample(.muscleMass, 29_600, flags: .byHand), Sample(.fatFreeMass, 52_500, flags: .byHand),
        Sample(.softLeanMass, 49_500, flags: .byHand),
        Sample(.bodyWaterMass, 40_000, flags: .byHand), Sample(.bodyImpedance, 5053, flags: .byHand),
        Sample(.weight, 70_000, flags: .byHand), Sample(.userIndex, 3, flags: .byHand),
      ])
    #expect(sink.anomalies.isEmpty)
  }

  @Test("in pounds it is the same body")
  func imperial() throws {
    try compose("2104 E700 983A 983A")
    #expect(
      sink.samples == [
        Sample(.bodyFat, 231, flags: .byHand), Sample(.muscleMass, 68_039, flags: .byHand),
        Sample(.weight, 68_039, flags: .byHand),
      ])
  }

  @Test("one that goes on in the next value stores its fat and its user once")
  func parts() throws {
    try compose("0C10 E700 03 D01B")
    try compose("2400 E700 03 2017")
    #expect(
      sink.samples == [
        Sample(.bodyFat, 231, flags: .byHand), Sample(.basalMetabolism, 7120, flags: .byHand),
        Sample(.userIndex, 3, flags: .byHand), Sample(.muscleMass, 29_600, flags: .byHand),
      ])
    sink.reset()
    try compose("0400 E800 03")
    #expect(sink.samples == [Sample(.bodyFat, 232, flags: .byHand), Sample(.userIndex, 3, flags: .byHand)])
  }

  @Test(
    "two bodies over one link have their body fat each, also if each part says that it goes on",
    arguments: ["B400", "A100"])
  func bodies(_ fat: String) throws {
    try compose("0C10 A100 01 D01B")  // 16.1 %
    try compose("2410 A100 01 2017")
    try compose("0C10 \(fat) 01 D11B")
    try compose("2410 \(fat) 01 2117")
    #expect(sink.samples.filter { $0.series == .bodyFat }.map(\.value) == [161, fat == "B400" ? 180 : 161])
    #expect(sink.samples.filter { $0.series == .userIndex }.map(\.value) == [1, 1])
    #expect(sink.samples.filter { $0.series == .muscleMass }.map(\.value) == [29_600, 29_605])
  }

  @Test("a composition without a time is of the weighing just before")
  func weighing() throws {
    beginBoth()
    try weigh("0E 783E EA070B07091E00 01 EE00 2607")
    try compose("9803 C200 DF1A 9701 CC2F CA21 A811")
    #expect(
      sink.samples == [
        Sample(.weight, 79_960, flags: .byHand), Sample(.bodyMassIndex, 238, flags: .byHand),
        Sample(.userIndex, 1, flags: .byHand), Sample(.bodyFat, 194, flags: .byHand),
        Sample(.basalMetabolism, 6879, flags: .byHand), Sample(.musclePercentage, 407, flags: .byHand),
        Sample(.softLeanMass, 61_180, flags: .byHand),
        Sample(.bodyWaterMass, 43_250, flags: .byHand), Sample(.bodyImpedance, 4520, flags: .byHand),
      ])
    // 2026-11-07T09:30:00 of a clock on a wall.
    let shown: Int64 = 1_794_043_800_000_000
    #expect(sink.readings.map(\.own) == [OwnTime(shown: shown), OwnTime(shown: shown, isBorrowed: true)])
    #expect(sink.readings.allSatisfy { $0.mark != nil })
    // The next one stands alone.
    try compose("0000 C200")
    #expect(sink.readings.last?.own == nil)
  }

  @Test("without a body fat the other numbers are placeholders: only a weight is kept")
  func placeholders() throws {
    try compose("9803 0000 9623 0000 0000 0000 0000")
    #expect(sink.samples.isEmpty)
    #expect(sink.anomalies == ["body scale: values of a measurement without a body fat, left out"])
    try compose("0804 0000 9623 B036")
    #expect(sink.samples == [Sample(.weight, 70_000, flags: .byHand)])
  }

  @Test("a Mi Scale stores the weight that has settled, once, however often it repeats it")
  func miScale() throws {
    var known = KnownWearable()
    known.advertisedName = "MI_SCALE"
    decoder.begin(GATTDatabase.made(of: []), of: known)
    // On it, still moving, settled, and stepped off: 19.8, 87.15, 86.51 and 86.51 kg.
    for value in [
      "02 780F B207 0101 0A1A0A", "02 1644 B207 0101 0A1A0D", "22 9643 B207 0101 0A1A0F", "22 9643 B207 0101 0A1A0F",
      "A2 9643 B207 0101 0A1A0F",
    ] { try weigh(value) }
    #expect(sink.samples == [Sample(.weight, 86_510, flags: .byHand)])
    #expect(sink.anomalies == Array(repeating: "scale: a weight that had not settled, left out", count: 2))
    // The next one, of which only the last value comes; in pounds and in catty it is the same body.
    try weigh("02 0A00 B207 0101 0A1B0A")
    try weigh("A2 9643 B207 0101 0A1B10")
    try weigh("03 0A00 B207 0101 0A1B0A")
    try weigh("23 8054 B207 0101 0A1C0A")  // 216.32 lb
    try weigh("12 0A00 B207 0101 0A1D0A")
    try weigh("32 9643 B207 0101 0A1D10")
    #expect(sink.samples.map(\.value) == [86_510, 86_510, 98_121, 86_510])
    #expect(Set(sink.readings.map(\.mark)).count == 4 && sink.readings.allSatisfy { $0.mark != nil })
  }

  @Test(
    "a Mi Body Composition Scale stores weight and impedance once, by name or by its maker's characteristic",
    arguments: ["MIBFS", "MIBCS", nil])
  func miComposition(_ name: String?) throws {
    let history = BluetoothUUID(high: 0x0000_2A2F_0000_3512, low: 0x2118_0009_AF10_0700)
    let own: [GATTCharacteristicDefinition] = name == nil ? [GATTCharacteristicDefinition(history, .notify)] : []
    var known = KnownWearable()
    known.advertisedName = name
    decoder.begin(
      GATTDatabase.made(of: [
        GATTServiceDefinition(
          Scale.compositionService, [GATTCharacteristicDefinition(Scale.composition, .indicate)] + own)
      ]), of: known)
    for value in [
      "0204 E40709060D231D 0000 EC09", "0204 E40709060D2321 0000 C83C", "0224 E40709060D2324 0000 5A37",
      "0226 E40709060D2324 E901 5A37", "02A6 E40709060D2324 E901 5A37",
    ] { try compose(value) }
    #expect(sink.samples == [Sample(.weight, 70_850, flags: .byHand), Sample(.bodyImpedance, 4890, flags: .byHand)])
    #expect(Set(sink.readings.map(\.mark)).count == 2 && sink.readings.allSatisfy { $0.mark != nil })
    #expect(sink.anomalies == Array(repeating: "scale: a weight that had not settled, left out", count: 2))
    #expect(throws: DecodeError.truncated) { try compose("0226 E40709060D232E E901 5A") }
  }

  @Test("of an unknown layout no number is kept that says to be more than a whole body")
  func unknownLayout() throws {
    try compose("0204 E40709060D232E EC09 EC09")
    #expect(sink.samples.isEmpty && sink.anomalies == ["body scale: more than 100 % of fat, left out"])
  }

  @Test("flags that are reserved are counted, and the value is used")
  func reserved() throws {
    try compose("0080 E700")
    try weigh("10 B036")
    #expect(sink.samples == [Sample(.bodyFat, 231, flags: .byHand), Sample(.weight, 70_000, flags: .byHand)])
    #expect(sink.anomalies == Array(repeating: "scale: flags that are reserved", count: 2))
  }

  @Test("a wearable that is a weight scale too stores its weight once")
  func both() throws {
    beginBoth()
    try weigh("00 B036")
    try compose("0004 E700 B036")
    #expect(sink.samples == [Sample(.weight, 70_000, flags: .byHand), Sample(.bodyFat, 231, flags: .byHand)])
    #expect(
      driver.recognise(ScanResults.scanResult(name: nil, services: [0x181D, 0x181B]))?.kind == "scale, body scale")
  }

  private static let failed = "scale: a measurement that failed, without a value"

  @Test("a failed composition gives no sample and is counted")
  func unsuccessful() throws {
    try compose("0600 FFFF EA070301071E0F 03")
    #expect(sink.samples.isEmpty && sink.anomalies == [Self.failed])
    sink.reset()
    try compose("1002 E903 E903 FFFF")  // 100.1 %, twice, and no impedance
    #expect(sink.samples.isEmpty && sink.anomalies == ["body scale: more than 100 % of fat, left out"])
  }

  @Test("every cut of a full value is refused and leaves no sample, and bytes after it are counted")
  func cuts() throws {
    for (characteristic, hex, count) in [
      (Scale.weight, "0EB036EA070301071E0F02E600F406", 3),
      (Scale.composition, "FE0FE700EA070301071E0F03D01BA90120170429AC26401FBD13B036F406", 10),
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
      #expect(sink.samples.count == count && sink.anomalies == ["scale: bytes after the last field"])
    }
  }

  @Test("every combination of flags has the length that its fields have")
  func flags() throws {
    let sizes = [0, 7, 1] + Array(repeating: 2, count: 9)
    for flags in UInt16(0)..<0x2000 {
      let size = 4 + sizes.indices.reduce(0) { $0 + (flags >> UInt16($1) & 1 == 1 ? sizes[$1] : 0) }
      var bytes: [UInt8] = []
      bytes.append(littleEndian: flags)
      bytes += Array(repeating: 1, count: size - 2)
      let value = try bytes.withUnsafeBytes { try BodyCompositionMeasurement($0) }
      #expect(value.trailingBytes == 0 && value.goesOn == (flags >> 12 & 1 == 1))
    }
  }

  @Test("features are read and give no sample")
  func features() throws {
    for characteristic in [Scale.weightFeature, Scale.compositionFeature] {
      try decoder.decode(source(characteristic), [1, 0, 0, 0], into: sink)
      #expect(throws: DecodeError.empty) { try decoder.decode(source(characteristic), [], into: sink) }
      #expect(throws: DecodeError.truncated) { try decoder.decode(source(characteristic), [1, 0, 0], into: sink) }
      #expect(sink.anomalies.isEmpty)
      try decoder.decode(source(characteristic), [1, 0, 0, 0, 0], into: sink)
      #expect(sink.anomalies == ["scale: bytes after the features"] && sink.samples.isEmpty)
      sink.reset()
    }
  }
}
