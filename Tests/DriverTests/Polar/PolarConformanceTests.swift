import EventLoop
import Testing
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Polar's drivers, as any driver", .serialized)
struct PolarConformanceTests {
  private static let exhibits = [
    Exhibit(
      driver: PolarDriver(),
      peer: {
        let pocket = PocketTransfer.onTime(behind: .seconds(3600))
        pocket.files["/U/0/20200101/ACT/ASAMPL0.BPB"] = PocketTransfer.activity
        pocket.files["/U/0/20200101/R/101010/ACC0.REC"] = PocketTransfer.recording
        return (pocket.link, { pocket.files.sorted { $0.key < $1.key }.flatMap(\.value) })
      }),
    Exhibit(
      driver: PolarStrapDriver(),
      peer: {
        let pocket = PocketTransfer.strap()
        pocket.files["/RUN_20200101_101010_250/SAMPLES.BPB"] = PocketTransfer.exercise
        return (pocket.link, { pocket.files.sorted { $0.key < $1.key }.flatMap(\.value) })
      }),
  ]

  @Test(
    "visit their wearables without changing them, and survive a link that ends at any request",
    arguments: exhibits.indices)
  func sessions(_ index: Int) throws {
    let faults = try ConformanceKit.sessionFaults(Self.exhibits[index])
    #expect(faults == [])
  }
}
