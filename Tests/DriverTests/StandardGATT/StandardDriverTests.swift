import Bluetooth
import GATTServices
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("The driver of standard services")
struct StandardDriverTests {
  /// Two invented services, the first with two ways to measure; each sends values of its own series.
  private static let rows: [ServiceProfile] = [
    ServiceProfile(
      service: 0xA000, kind: "thermometer",
      sources: [source(0xA000, 0xA001), source(0xA000, 0xA002), source(0xA000, 0xA003, isRequired: false)],
      capabilities: [.live(.temperature)], makeDecoder: { OneByte(.temperature) }),
    ServiceProfile(
      service: 0xB000, kind: "barometer", sources: [source(0xB000, 0xB001)], capabilities: [.live(.pressure)],
      makeDecoder: { OneByte(.pressure) }),
    .battery,
  ]
  private let driver = StandardDriver(rows)

  private static func source(
    _ service: BluetoothUUID, _ characteristic: BluetoothUUID, isRequired: Bool = true
  ) -> LiveSource {
    LiveSource(service: service, characteristic: characteristic, mode: .subscribe, isRequired: isRequired)
  }

  private static func database(_ services: [(BluetoothUUID, [BluetoothUUID])]) -> GATTDatabase {
    GATTDatabase.made(
      of: services.map { service, characteristics in
        GATTServiceDefinition(service, characteristics.map { GATTCharacteristicDefinition($0, .notify) })
      })
  }

  private func asked(_ services: [(BluetoothUUID, [BluetoothUUID])]) -> [(BluetoothUUID, LiveSource.Need)] {
    driver.liveSources(in: Self.database(services)).map { ($0.characteristic, $0.need) }
  }

  @Test("claims what advertises a service that measures, and no advertiser of a battery alone")
  func recognition() {
    func kind(_ services: [BluetoothUUID]) -> String? {
      driver.recognise(ScanResults.scanResult(name: nil, services: services))?.kind
    }
    #expect(kind([0xA000]) == "thermometer")
    #expect(kind([0x180F, 0xB000]) == "barometer")
    #expect(kind([0xB000, 0xA000]) == "thermometer, barometer")
    #expect(kind([0x180F, 0x180A]) == nil)
    let names = ["thermometer", "barometer and altimeter", "button"]
    let long = ServiceProfile.kind(
      of: names.map {
        ServiceProfile(service: 1, kind: $0, sources: [], capabilities: [], makeDecoder: { OneByte(.raw) })
      })
    #expect(long == "thermometer, button")
  }

  @Test("says in order what all of its profiles listen to and can do")
  func everything() {
    #expect(driver.liveSources.map(\.characteristic) == [0xA001, 0xA002, 0xA003, 0xB001, 0x2A19, 0x2BED])
    #expect(driver.capabilities == [.live(.temperature), .live(.pressure), .live(.battery), .battery])
    #expect(driver.needsLink && driver.id == "heart-rate")
  }

  @Test("asks a wearable for what it serves, and requires the one thing by which it measures")
  func served() {
    let one = asked([(0xB000, [0xB001]), (0x180F, [0x2A19])])
    #expect(one.map(\.0) == [0xB001, 0x2A19] && one.map(\.1) == [.required, .optional])
    // The service without what measures is not served.
    let half = asked([(0xA000, [0xA003]), (0xB000, [0xB001])])
    #expect(half.map(\.0) == [0xB001] && half.map(\.1) == [.required])
  }

  @Test("of several things by which it measures each is an alternative to the others")
  func alternatives() {
    let both = asked([(0xB000, [0xB001]), (0xA000, [0xA003, 0xA002, 0xA001]), (0x180F, [0x2A19])])
    #expect(both.map(\.0) == [0xA001, 0xA002, 0xA003, 0xB001, 0x2A19])
    #expect(both.map(\.1) == [.alternative, .alternative, .optional, .alternative, .optional])
  }

  @Test("asks a wearable that cannot measure for everything, which fails its visit")
  func nothing() {
    let none = asked([(0xA000, [0xA003]), (0x180F, [0x2A19])])
    #expect(none.count == 6 && none.contains { $0.1 == .required })
  }

  @Test("a strap is asked for what it measures first, then for what accompanies it")
  func strap() {
    let strap = StandardDriver(HeartRateStrap.profiles)
    let order: [BluetoothUUID] = [
      0x2A37, 0x2A38, 0x2A19, 0x2BED, 0x2A29, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A23, 0x2A50,
    ]
    #expect(strap.liveSources.map(\.characteristic) == order)
    #expect(strap.liveSources.filter(\.isRequired).map(\.characteristic) == [0x2A37])
    let shown = Self.database([
      (0x180A, [0x2A29]), (0x180D, [0x2A37, 0x2A38]), (0x180F, [0x2A19]),
    ])
    #expect(strap.liveSources(in: shown).map(\.characteristic) == [0x2A37, 0x2A38, 0x2A19, 0x2A29])
    #expect(strap.liveSources(in: shown).filter(\.isRequired).map(\.characteristic) == [0x2A37])
    let live: Capabilities = [.live(.heartRate), .live(.rrInterval), .live(.energyExpended), .live(.battery), .battery]
    #expect(strap.capabilities == live)
    #expect(strap.recognise(ScanResults.scanResult(name: "S", services: [0x180D]))?.kind == "HR strap")
  }

  @Test("a value goes to the decoder of its own profile, and one of a missing profile to no decoder")
  func routes() throws {
    let decoder = driver.makeDecoder()
    let sink = RecordingSink()
    let sources = driver.liveSources(in: Self.database([(0xB000, [0xB001]), (0xA000, [0xA002])]))
    for (source, value) in zip(sources, [[7], [8]] as [[UInt8]]) { try decoder.decode(source, value, into: sink) }
    #expect(sink.samples == [Sample(.temperature, 7), Sample(.pressure, 8)])
    sink.reset()
    for place in [-1, 3, Int.max] { try decoder.decode(sources[0].read(by: place), [9], into: sink) }
    #expect(sink.samples.isEmpty && decoder.fact(sources[0].read(by: -1), [9]) == nil)
  }
}

/// Each byte is one value.
private final class OneByte: LiveDecoder {
  let series: Series
  init(_ series: Series) { self.series = series }
  func decode(_ source: LiveSource, _ value: RawBytes, into sink: any SampleSink) throws(DecodeError) {
    guard let first = value.first else { throw .empty }
    sink.append(Sample(series, Int64(first)))
  }
  func fact(_ source: LiveSource, _ value: RawBytes) -> WearableFact? { nil }
}
