import EventLoop
import Testing
import Wearable

@testable import BotzFamily
@testable import DriverTestSupport

@Suite("The insole's driver, as any driver", .serialized)
struct BotzConformanceTests {
  @Test("visits its wearable without changing it, and survives a link that ends at any request")
  func session() throws {
    let exhibit = Exhibit(
      driver: BotzDriver(),
      peer: {
        let insole = PocketInsole()
        for number in 1...3 as ClosedRange<UInt8> {
          insole.files[number] = PocketInsole.file(start: 1_795_000_000 + UInt32(number), records: 110)
        }
        insole.newest = 3
        return (insole.link, { insole.files.sorted { $0.key < $1.key }.flatMap(\.value) })
      })
    let faults = try ConformanceKit.sessionFaults(exhibit)
    #expect(faults == [])
  }
}
