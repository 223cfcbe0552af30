import Bands
import EventLoop
import Testing
import Wearable

@testable import DriverTestSupport
@testable import TopStepNextFamily

@Suite("The driver of the new platform, as any driver", .serialized)
struct TopStepConformanceTests {
  @Test("never contradicts itself")
  func data() {
    let driver = TopStepNextDriver()
    #expect(ConformanceKit.incompleteData(driver) == [])
    #expect(ConformanceKit.facetFaults(driver) == [])
    let seen = [ScanResults.scanResult(name: "B7", services: [Band.service])]
    let scanResults = ScanResults.generated([driver], besides: seen, count: 500, seed: .random(in: 0 ... .max))
    #expect(ConformanceKit.unsteadyRecognition([driver], scanResults) == [])
    let faults = ConformanceKit.misbehaviour(
      driver, driver.liveSources[0], count: 20_000, seed: .random(in: 0 ... .max))
    #expect(faults == [])
  }

  @Test("visits its wearable without a word that it is held, and survives a link that ends at any request")
  func session() throws {
    let exhibit = Exhibit(
      driver: TopStepNextDriver(),
      peer: {
        let band = PocketBand()
        try? band.recordSomething()
        return (band.link, { band.released })
      })
    let faults = try ConformanceKit.sessionFaults(exhibit)
    #expect(faults == [])
  }
}
