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

  @Test("a weight is kept in grams, with the body mass index and who stood there")
  func weight() throws {
    try weigh("0E B036 EA070301071E0F 02 E600 F406")  // 70 kg, user 2, 23.0, 1.78 m
    #expect(sink.samples == [Sample(.weight, 70_000), Sample(.bodyMassIndex, 230), Sample(.userIndex, 2)])
    sink.reset()
    try weigh("00 0100")
    try weigh("01 983A")  // 150 lb
    try weigh("01 0100")
    #expect(sink.samples.map(\.value) == [5, 68_039, 5] && sink.anomalies.isEmpty)
  }

  @Test("what did not succeed is nothing, and an unknown user nobody; what no scale bears is counted")
  func nothing() throws {
    try weigh("04 FFFF 02")
    try weigh("04 0000 02")
    #expect(sink.samples.isEmpty && sink.anomalies.isEmpty)
    try weigh("0C B036 FF FFFF F406")
    #expect(sink.samples == [Sample(.weight, 70_000)] && sink.anomalies.isEmpty)
    try weigh("00 00FB")  // 321.28 kg
    #expect(sink.samples.count == 1 && sink.anomalies == ["scale: a value out of range"])
  }

  @Test("a composition is kept field by field, each in its own unit")
  func composition() throws {
    try compose("FE0F E700 EA070301071E0F 03 D01B A901 2017 0429 AC26 401F BD13 B036 F406")
    #expect(
      sink.samples == [
        Sample(.bodyFat, 231), Sample(.basalMetabolism, 7120), Sample(.musclePercentage, 425),
        Sample(.muscleMass, 29_600), Sample(.fatFreeMass, 52_500), Sample(.softLeanMass, 49_500),
        Sample(.bodyWaterMass, 40_000), Sample(.bodyImpedance, 5053), Sample(.weight, 70_000), Sample(.userIndex, 3),
      ])
    #expect(sink.anomalies.isEmpty)
  }

  @Test("in pounds it is the same body")
  func imperial() throws {
    try compose("2104 E700 983A 983A")
    #expect(sink.samples == [Sample(.bodyFat, 231), Sample(.muscleMass, 68_039), Sample(.weight, 68_039)])
  }

  @Test("one that goes on in the next value tells its fat and its user once")
  func parts() throws {
    try compose("0C10 E700 03 D01B")
    try compose("2400 E700 03 2017")
    #expect(
      sink.samples == [
        Sample(.bodyFat, 231), Sample(.basalMetabolism, 7120), Sample(.userIndex, 3), Sample(.muscleMass, 29_600),
      ])
    sink.reset()
    try compose("0400 E800 03")
    #expect(sink.samples == [Sample(.bodyFat, 232), Sample(.userIndex, 3)])
  }

  @Test("a wearable that is a weight scale too tells its weight once")
  func both() throws {
    let services: [(BluetoothUUID, BluetoothUUID)] = [
      (Scale.weightService, Scale.weight), (Scale.compositionService, Scale.composition),
    ]
    decoder.begin(
      GATTDatabase.made(
        of: services.map { GATTServiceDefinition($0, [GATTCharacteristicDefinition($1, .indicate)]) }))
    try weigh("00 B036")
    try compose("0004 E700 B036")
    #expect(sink.samples == [Sample(.weight, 70_000), Sample(.bodyFat, 231)])
    #expect(driver.recognise(Sightings.sighting(name: nil, services: [0x181D, 0x181B]))?.kind == "scale, body scale")
  }

  @Test("a composition that did not succeed is nothing")
  func unsuccessful() throws {
    try compose("0600 FFFF EA070301071E0F 03")
    #expect(sink.samples.isEmpty && sink.anomalies.isEmpty)
    try compose("1002 E903 E903 FFFF")  // 100.1 %, twice, and no impedance
    #expect(sink.samples.isEmpty && sink.anomalies.count == 2)
  }

  @Test("every cut of a full value is refused and leaves nothing, and bytes after it are counted")
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

  @Test("features are read and give nothing")
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
