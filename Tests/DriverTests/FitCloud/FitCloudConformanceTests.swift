import Bands
import Bluetooth
import EventLoop
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import FitCloudFamily

@Suite("FitCloud's driver, as any driver", .serialized)
struct FitCloudConformanceTests {
  private static let scanResult = ScanResult(
    address: BluetoothAddress(value: 0xC0FF_EE00_0001, kind: .lePublic), name: "Band", services: [Band.service],
    manufacturerData: [(0x5448, [0xC0, 0xFF, 0xEE, 0, 0, 1])])

  @Test("claims an advertiser of its company, and leaves FEEA and others alone")
  func recognition() {
    let driver = FitCloudDriver()
    #expect(driver.recognise(Self.scanResult) == Recognition(kind: "band", priority: Band.priority))
    for company in Band.fitCloudCompanies {
      let plain = ScanResult(
        address: Self.scanResult.address, name: nil, services: [], manufacturerData: [(company, [])])
      #expect(driver.recognise(plain) != nil)
      let other = ScanResult(
        address: Self.scanResult.address, name: nil, services: [Band.moyoungService], manufacturerData: [(company, [])])
      #expect(driver.recognise(other) == nil)
    }
    let unnamed = ScanResult(address: Self.scanResult.address, name: nil, services: [Band.service])
    #expect(driver.recognise(unnamed) == nil)
  }

  @Test(
    "visits its wearable without changing it, and survives a link that ends at any request",
    arguments: FitCloudGeneration.allCases)
  func session(_ generation: FitCloudGeneration) throws {
    let exhibit = Exhibit(driver: FitCloudDriver(), scanResults: [Self.scanResult]) {
      let band = PocketBand(generation)
      band.features =
        generation == .old
        ? 1 << 0 | 1 << 3 | 1 << 5 : 1 << 0 | 1 << 1 | 1 << 3 | 1 << 6 | 1 << 10 | 1 << 13 | 1 << 21 | 1 << 22
      for kind in HistoryKind.all {
        let size = kind.itemSize ?? 1
        band.histories[kind.code(generation)] = PocketBand.record(
          "2026-11-20T09:00:00", interval: 5, size == 1 ? [2, 3, 1, 4] : [120, 80, 11, 5], size: size)
      }
      return (band.link, { band.held })
    }
    let faults = try ConformanceKit.faults(of: exhibit, among: [exhibit.driver])
    #expect(faults == [])
  }
}
