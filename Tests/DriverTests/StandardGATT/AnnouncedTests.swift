import Bluetooth
import GATTServices
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("What a wearable of standard services announces")
struct AnnouncedTests {
  private static let driver = StandardDriver([
    .heartRate, .pulseOximeter, .thermometer, .bloodPressure, .running, .cycling, .weightScale, .bodyComposition,
    .genericHealthSensor, .battery, .deviceInformation, .currentTime,
  ])

  private func database(_ services: [(BluetoothUUID, [(BluetoothUUID, GATTProperties)])]) -> GATTDatabase {
    GATTDatabase.made(
      of: services.map { service, characteristics in
        GATTServiceDefinition(service, characteristics.map { GATTCharacteristicDefinition($0.0, $0.1) })
      })
  }

  /// As over a link: its database, then what is read of it.
  private func announced(
    _ services: [(BluetoothUUID, [(BluetoothUUID, GATTProperties)])], reading values: [BluetoothUUID: [UInt8]] = [:],
    by decoder: any LiveDecoder = driver.makeDecoder()
  ) throws -> WearableCapabilities {
    #expect(decoder.announced == nil, "nobody has begun")
    let database = database(services)
    decoder.begin(database)
    for source in Self.driver.liveSources(in: database) {
      guard let value = values[source.characteristic] else { continue }
      value.withUnsafeBytes { _ = decoder.fact(source, $0) }
    }
    return try #require(decoder.announced)
  }

  @Test("is what its database shows: a strap counts energy if it has the point that resets it, and has no oxygen")
  func strap() throws {
    let plain = try announced([(0x180D, [(0x2A37, .notify)]), (0x180A, [(0x2A29, .read)])])
    #expect(plain.series(with: .live) == [.heartRate, .rrInterval] && !plain.keepsData)
    let full = try announced([
      (0x180D, [(0x2A37, .notify), (0x2A39, .write)]), (0x180F, [(0x2A19, .read)]),
    ])
    #expect(full.series(with: .live) == [.heartRate, .rrInterval, .battery, .energyExpended])
    #expect(try announced([(0x1800, [(0x2A00, .read)])]).isEmpty)
    // A service without what measures, and one of which only what accompanies it is there.
    #expect(try announced([(0x180D, [(0x2A38, .read)])]).isEmpty)
  }

  @Test("is what its features say, and whatever its service allows if they could not be read")
  func features() throws {
    let rows: [(BluetoothUUID, BluetoothUUID, BluetoothUUID, [UInt8]?, [Series])] = [
      (0x1816, 0x2A5B, 0x2A5C, [1, 0], [.wheelRate, .wheelRevolutions]),
      (0x1816, 0x2A5B, 0x2A5C, [2, 0], [.crankCadence]),
      (0x1816, 0x2A5B, 0x2A5C, nil, [.crankCadence, .wheelRate, .wheelRevolutions]),
      (0x1816, 0x2A5B, 0x2A5C, [1], [.crankCadence, .wheelRate, .wheelRevolutions]),
      // A value without any field describes no series.
      (0x1816, 0x2A5B, 0x2A5C, [0, 0], [.crankCadence, .wheelRate, .wheelRevolutions]),
      (0x1816, 0x2A5B, 0x2A5C, [0xFC, 0xFF], [.crankCadence, .wheelRate, .wheelRevolutions]),
      (0x1840, 0x2B8B, 0x2BF3, [0, 0], [.heartRate, .spo2, .respirationRate, .pulseRate, .bodyTemperature]),
      (0x1814, 0x2A53, 0x2A54, [0, 0], [.cadence, .speed]),
      (0x1814, 0x2A53, 0x2A54, [1, 0], [.cadence, .speed, .strideLength]),
      (0x1814, 0x2A53, 0x2A54, [2, 0], [.cadence, .speed, .totalDistance]),
      (0x1822, 0x2A5F, 0x2A60, [0, 0], [.spo2, .pulseRate]),
      (0x1822, 0x2A5F, 0x2A60, [0x40, 0], [.spo2, .pulseRate, .pulseAmplitudeIndex]),
      (0x181D, 0x2A9D, 0x2A9E, [0, 0, 0, 0], [.weight]),
      (0x181D, 0x2A9D, 0x2A9E, [6, 0, 0, 0], [.userIndex, .weight, .bodyMassIndex]),
      (0x181D, 0x2A9D, 0x2A9E, [], [.userIndex, .weight, .bodyMassIndex]),
      (0x181B, 0x2A9C, 0x2A9B, [0, 0, 0, 0], [.bodyFat]),
      (
        0x181B, 0x2A9C, 0x2A9B, [0x0C, 3, 0, 0],
        [.weight, .bodyFat, .musclePercentage, .basalMetabolism, .bodyImpedance]
      ),
      (0x1840, 0x2B8B, 0x2BF3, [0, 1, 0xB8, 0x4B, 2, 0], [.spo2]),
      (
        0x1840, 0x2B8B, 0x2BF3, [0, 2, 0xB8, 0x4B, 2, 0],
        [.heartRate, .spo2, .respirationRate, .pulseRate, .bodyTemperature]
      ),
    ]
    for (service, measurement, feature, value, series) in rows {
      let values = value.map { [feature: $0] } ?? [:]
      let found = try announced([(service, [(measurement, .notify), (feature, .read)])], reading: values)
      #expect(found.series(with: .live) == series, "\(service) \(value ?? [])")
    }
  }

  @Test("a cuff reports the pressure while it inflates if it says so; an estimate without a cuff is not offered")
  func cuff() throws {
    let measured: [Series] = [.pulseRate, .systolicPressure, .diastolicPressure, .meanPressure, .userIndex]
    #expect(try announced([(0x1810, [(0x2A35, .indicate)])]).series == measured)
    let inflating = try announced([(0x1810, [(0x2A35, .indicate), (0x2A36, .notify)])])
    #expect(inflating[.cuffPressure] == .live)
    let band = try announced([(0x1810, [(0x2A35, .indicate)]), (0xFEEA, [(0xFEE1, .notify)])])
    #expect(band.isEmpty)
    let worn = try announced(
      [(0x180D, [(0x2A37, .notify), (0x2A38, .read)]), (0x1810, [(0x2A35, .indicate)])], reading: [0x2A38: [2]])
    #expect(worn.series == [.heartRate, .rrInterval])
  }

  @Test("a history is what can be asked for by the point that records are had by")
  func history() throws {
    let point: (BluetoothUUID, GATTProperties) = (0x2A52, [.write, .indicate])
    let oximeter = try announced([(0x1822, [(0x2A5E, .indicate), point])])
    #expect(oximeter.series(with: .history) == [.spo2, .pulseRate, .pulseAmplitudeIndex])
    #expect(try !announced([(0x1822, [(0x2A5E, .indicate), (0x2A52, .write)])]).keepsData)
    // A sensor with stored observations alone sends no live values.
    let stored = try announced([(0x1840, [(0x2BDD, .indicate), point])])
    #expect(stored.series(with: .live).isEmpty && stored.keepsData)
  }

  @Test("is the same if a session reads records by the same link")
  func gated() throws {
    let services: [(BluetoothUUID, [(BluetoothUUID, GATTProperties)])] = [
      (0x1822, [(0x2A5E, .indicate), (0x2A60, .read), (0x2A52, [.write, .indicate])])
    ]
    let gated = LiveOnlyDecoder(Self.driver.makeDecoder(), RecordGate(), [0x2A5E])
    let values: [BluetoothUUID: [UInt8]] = [0x2A60: [0, 0]]
    let found = try announced(services, reading: values, by: gated)
    #expect(try found == announced(services, reading: values) && found[.pulseAmplitudeIndex] == .history)
  }

  @Test("is computed again from a database that changed")
  func changed() throws {
    let decoder = Self.driver.makeDecoder()
    _ = try announced([(0x1814, [(0x2A53, .notify), (0x2A54, .read)])], reading: [0x2A54: [0, 0]], by: decoder)
    decoder.begin(database([(0x1814, [(0x2A53, .notify), (0x2A54, .read)])]))
    #expect(decoder.announced?.series.count == 4)
    decoder.begin(database([(0x180D, [(0x2A37, .notify)])]))
    #expect(decoder.announced?.series == [.heartRate, .rrInterval])
  }

  @Test("fits what its driver carries out, whatever it shows")
  func implemented() throws {
    let all = Self.driver.liveSources.map { ($0.service, $0.characteristic) }
    let services = Dictionary(grouping: all, by: \.0).sorted { $0.key.description < $1.key.description }
    let shown = try announced(services.map { ($0.key, $0.value.map { ($0.1, GATTProperties.notify) }) })
    let carriedOut = Self.driver.implemented(for: KnownWearable())
    #expect(shown.intersection(carriedOut) == shown)
    #expect(Set(shown.series(with: .live)) == Set(Self.driver.capabilities.live).subtracting([.energyExpended]))
    #expect(carriedOut.series(with: .onDemand).isEmpty)
    #expect(carriedOut.series(with: .monitoring) == [.bodyTemperature])
  }
}
