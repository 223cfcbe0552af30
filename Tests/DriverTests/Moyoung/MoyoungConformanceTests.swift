import Bluetooth
import EventLoop
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import MoyoungFamily

@Suite("The driver of Moyoung's bands, as any driver", .serialized)
struct MoyoungConformanceTests {
  @LoopActor
  private static func band() -> PocketBand {
    let band = PocketBand()
    // 2026-11-21 10:00, in Greenwich.
    let today: Int64 = 20_778
    var rates = [UInt8](repeating: 0, count: 288)
    for place in 60..<115 { rates[place] = UInt8(60 + place % 30) }
    band.rates = [today: rates, today - 1: rates]
    band.totals = [today: (4100, 3200, 150), today - 1: (9000, 7000, 320), today - 2: (7000, 5200, 250)]
    let night: [[UInt8]] = [[1, 23, 10], [2, 0, 5], [1, 1, 40], [0, 6, 55]]
    band.nights = [today: night, today - 1: night, today - 2: night]
    band.trainings = [PocketBand.training(today * 86_400 - 7200, minutes: 40)]
    band.parts = PocketBand.ratesOfTraining(today * 86_400 - 7200, [[90, 100], [110]])
    return band
  }

  @Test("says of itself what holds together, and claims its own")
  func data() throws {
    let exhibit = Exhibit(
      driver: MoyoungDriver(),
      scanResults: [
        ScanResults.scanResult(name: "Band", services: [0xFEEA]),
        ScanResults.scanResult(
          name: "Band", services: [0xFEEA, BluetoothUUID(high: 0x0000_01FF_3C17_D293, low: 0x8E48_14FE_2E4D_A212)]),
        ScanResults.scanResult(name: nil, services: [], manufacturer: [(0xF0EF, [1, 2, 3, 4, 5, 6])]),
      ],
      peer: {
        let band = Self.band()
        let link = band.link
        return (link, { band.trainings.flatMap { $0 } + band.rates.keys.sorted().flatMap { band.rates[$0] ?? [] } })
      })
    #expect(try ConformanceKit.faults(of: exhibit, among: [MoyoungDriver()]) == [])
  }

  @Test("announces with a link what it carries out, and no ability without one")
  func announced() throws {
    let driver = MoyoungDriver()
    let decoder = driver.makeDecoder()
    #expect(decoder.announced == nil)
    try onLoop { _ in
      let band = Self.band()
      decoder.begin(band.database)
      #expect(decoder.announced?[.battery] == .live)
      let session = try #require(driver.makeSession(band.link) as? MoyoungSession)
      #expect(session.announced == nil)
      _ = try await session.check()
      let all = try #require(session.announced)
      #expect(all[.heartRate] == [.history, .onDemand, .monitoring, .monitoringInterval] && all[.spo2] == .onDemand)
      #expect(all[.steps] == .history && all[.systolicPressure] == [])
    }
  }
}
