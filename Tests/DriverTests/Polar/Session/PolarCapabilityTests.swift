import EventLoop
import Health
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("What a wearable of Polar announces")
struct PolarCapabilityTests {
  private let implemented = PolarDriver().implemented(for: KnownWearable())

  @Test("is by its model what it keeps: a strap exercises, a band its days; of one in no table whatever there is")
  func models() {
    let strap = Polar.kept(by: "h10")
    #expect(strap == WearableCapabilities(.recorded, [.heartRate, .rrInterval]))
    let band = Polar.kept(by: "360")
    #expect(band[.steps] == .history && band[.sleepStage] == .history && band[.training] == .recorded)
    #expect(band[.heartRate] == [.recorded, .history, .monitoring])
    let sensor = Polar.kept(by: "sense")
    #expect(sensor[.heartRate] == .recorded && sensor[.steps].isEmpty)
    #expect(Polar.kept(by: "").series == PolarFiles.series)
    for model in ["", "360", "sense", "oh1", "vantage v3", "ignite 3", "loop gen 2"] {
      let kept = Polar.kept(by: model)
      #expect(kept.intersection(implemented) == kept, "\(model)")
    }
    let exercises = PolarStrapDriver().implemented(for: KnownWearable())
    #expect(strap.intersection(exercises) == strap)
  }

  @Test("a denser mode is of what has rates in it")
  func denser() {
    #expect(Polar.denserSeries(of: "h10").isEmpty)
    #expect(Set(Polar.denserSeries(of: "sense")) == [.acc, .gyro, .mag, .ppg])
    for series in Polar.denserSeries(of: "") { #expect(implemented[series].contains([.live, .denser])) }
  }

  @Test("one without the measurement service announces what its files may hold")
  @LoopActor func files() {
    let session = PolarSession(PocketTransfer.onTime().link)
    #expect(session.announced?.keepsData == true)
    #expect(session.announced?.series(with: .streamed) == [])
  }

  @Test("a heart rate is shown by its service, as of any strap")
  func decoder() {
    let decoder = PolarDecoder()
    decoder.begin(
      GATTDatabase.made(of: [
        GATTServiceDefinition(0x180D, [GATTCharacteristicDefinition(0x2A37, .notify)]),
        GATTServiceDefinition(PMD.service, [GATTCharacteristicDefinition(PMD.data, .notify)]),
      ]))
    #expect(decoder.announced?.series == [.heartRate, .rrInterval])
  }
}
