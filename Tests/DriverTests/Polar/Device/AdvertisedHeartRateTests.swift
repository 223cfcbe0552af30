import Bluetooth
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

@Suite("The heart rate that Polar's wearables advertise")
struct AdvertisedHeartRateTests {
  private let listener = Polar.AdvertisedHeartRate()
  private let sink = RecordingSink()

  /// Advertisements are 0.2 s apart unless said otherwise.
  private func hear(_ hex: String, company: UInt16 = 0x006B, quiet: Double = 0.2) throws -> [Int64] {
    sink.reset()
    try #require(Array(hexadecimal: hex)).withUnsafeBytes {
      listener.hear(company: company, $0, quiet: Int64(quiet * 1e9), into: sink)
    }
    #expect(sink.samples.allSatisfy { $0.series == .heartRate })
    return sink.samples.map(\.value)
  }

  @Test func `is a sample for each measurement, however often it is heard`() throws {
    #expect(try hear("2B0BB6AC", quiet: 1e6) == [172])
    #expect(try hear("2B0BB6AC") == [])
    #expect(try hear("2F0BB6AC") == [172], "the next measurement, the same rate")
    #expect(try hear("7208 97C9C30000000000 7A0133 330041") == [65], "behind blocks that say something else")
  }

  @Test func `counts again when its counter may have gone round unheard`() throws {
    #expect(try hear("2B0BB6AC") == [172])
    #expect(try hear("2B0BB6AC", quiet: 6.9) == [])
    #expect(try hear("2B0BB6AC", quiet: 7) == [172])
  }

  @Test func `does not count again for a scan response between, which has no rate`() throws {
    #expect(try hear("2B0BB6AC") == [172])
    #expect(try hear("720897C9C30000000000") == [])
    #expect(try hear("2B0BB6AC") == [])
  }

  @Test func `is missing at 0 bpm, in what is cut short, and in data of another company`() throws {
    #expect(try hear("330000") == [])
    #expect(try hear("3700") == [] && hear("") == [] && hear("40") == [] && hear("72FF") == [])
    #expect(try hear("370B40", company: 0x004C) == [])
    #expect(try hear("370B40") == [64])
  }

  @Test func `of a longer block than is known is the fast average, marked`() throws {
    #expect(try hear("2B0BB6AC01") == [0xB6])
    #expect(sink.anomalies.count == 1)
  }

  @Test func `comes from both of the family's drivers`() {
    #expect(PolarDriver().makeListener() is Polar.AdvertisedHeartRate)
    #expect(PolarStrapDriver().makeListener() is Polar.AdvertisedHeartRate)
  }
}
