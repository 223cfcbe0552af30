import Health
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("A Polar wearable is recognised")
struct PolarRecognitionTests {
  private static let address = BluetoothAddress(value: 0xA09E_1A00_0001, kind: .lePublic)

  private func scanResult(
    _ name: String?, services: [BluetoothUUID] = [], data: [(company: UInt16, data: [UInt8])] = []
  )
    -> ScanResult
  {
    ScanResult(address: Self.address, name: name, services: services, manufacturerData: data)
  }

  @Test(
    "by any of the three things that all of them advertise, and by its name",
    arguments: ["H10", "Sense", "360", "Loop Gen 2", "Vantage M3", "Grit X2 Pro", "OH1", "INW4J"])
  func everyModel(_ model: String) throws {
    let name = "Polar \(model) 1234567C"
    for scanResult in [
      scanResult(name, services: [0x180D]), scanResult(name, services: [0xFEEE]),
      scanResult(name, data: [(0x006B, [0x72, 0])]),
    ] {
      let found = try #require(Polar.Advertiser(scanResult))
      #expect(found.model == model && found.modelKey == model.lowercased() && found.deviceID.description == "1234567C")
      #expect(found.isConnectable == !scanResult.services.isEmpty)
    }
    #expect(Polar.ModelTable.known.models[model.lowercased()] != nil || model == "OH1")
    #expect(Polar.Advertiser(scanResult(name)) == nil, "a name alone is anybody's")
  }

  @Test(
    "by an id of seven or six digits, which is completed, in upper case",
    arguments: [("1234567", "1234567C"), ("123456", "1234561A"), ("1234567c", "1234567C")])
  func shortIDs(_ given: String, _ whole: String) throws {
    let found = try #require(Polar.Advertiser(scanResult("Polar H9 " + given, services: [0x180D])))
    #expect(found.deviceID.description == whole && Polar.DeviceID(whole)?.number == found.deviceID.number)
  }

  @Test(
    "and all others are refused",
    arguments: [
      "Polar H10 12345678", "Polar mobile 1234567C", "Acme H10 1234567C", "Polar H10", "Polar 1234567C",
      "Polar H10 +1234567", "H10 Polar 1234567C", "",
    ])
  func others(_ name: String) { #expect(Polar.Advertiser(scanResult(name, services: [0x180D, 0xFEEE])) == nil) }

  @Test func `under the white label of another maker, on request`() throws {
    let scanResult = scanResult("Acme Fit Band 1234567C", services: [0xFEEE])
    #expect(Polar.Advertiser(scanResult) == nil)
    #expect(Polar.Advertiser(scanResult, prefix: "Acme Fit")?.model == "Band")
  }

  @Test func `with a heart rate that counts once however often it is heard`() throws {
    var listener = Polar.HeartRateListener()
    func hear(_ hex: String) throws -> UInt8? {
      try #require(Array(hexadecimal: hex)).withUnsafeBytes { listener.take($0) }?.heartRate
    }
    #expect(try hear("2B0BB6AC") == 172)
    #expect(try hear("2B0BB6AC") == nil, "the same measurement again")
    #expect(try hear("2F0BB6AD") == 173)
    #expect(try hear("720897C9C30000000000") == nil, "no heart rate")
    #expect(listener.latest == nil)
    #expect(try hear("2F0BB6AD") == 173, "after a silence the first one counts")
    #expect(try hear("320040") == 64)
    #expect(try hear("320041") == 65, "a short block whose counter stands still")
    #expect(try hear("33") == nil && hear("4005AA") == nil && hear("40") == nil && hear("") == nil)
  }

  @Test func `with everything its name promises`() throws {
    #expect(Polar.ModelTable.known.facts("H10") == (.h10, true, true, false, true))
    #expect(Polar.ModelTable.known.facts("OH1") == (.v2, false, false, false, true))
    #expect(Polar.ModelTable.known.facts("vantage v3") == (.v2, false, true, true, false))
    #expect(Polar.ModelTable.known.facts("what comes next") == (.v2, false, true, false, false))
    let sense = try #require(Polar.streams(of: "Sense"))
    #expect(sense.liveInSDKMode.first { $0.series == .acc }?.rates.last == 416 && sense.encrypts)
    #expect(try #require(Polar.streams(of: "h9")).live.isEmpty && Polar.streams(of: "?") == nil)
    for key in Polar.ModelTable.known.models.keys where key != "inw4j" {
      let streams = try #require(Polar.streams(of: key), "\(key)")
      for offer in streams.live + streams.recorded + streams.liveInSDKMode + streams.recordedInSDKMode {
        #expect(offer.rates == offer.rates.sorted() && offer.ranges == offer.ranges.sorted(), "\(key) \(offer)")
      }
      #expect(streams.recorded.isEmpty == (streams.recordsFrom == nil))
    }
  }
}

@Suite("What Polar's wearables do wrong")
struct PolarQuirkTests {
  @Test func `is known once, of models that there are, with an effect and a source`() {
    let issues = Polar.knownIssues
    #expect(Set(issues.map(\.id)).count == issues.count)
    for issue in issues {
      #expect(!issue.effect.isEmpty && !issue.source.isEmpty)
      for model in issue.models { #expect(Polar.streams(of: model) != nil, "\(model)") }
      if let from = issue.from, let fixed = issue.fixedIn { #expect(from < fixed) }
      #expect(issue.quirk.affects.contains(":"))
    }
  }

  @Test("a secret is for models that encrypt what they record, and for unknown ones")
  func secrets() {
    func refusal(_ name: String?) -> String? {
      var known = KnownWearable()
      known.advertisedName = name
      return PolarDriver().secretRefusal(for: known)
    }
    #expect(refusal("Polar Sense 1234567C") == nil && refusal(nil) == nil && refusal("Polar Unheard 1234567C") == nil)
    #expect(
      refusal("Polar 360 1234567C")?.contains("would not record") == true
        && refusal("Polar Vantage V3 1234567C") != nil)
    #expect((PolarStrapDriver() as any WearableDriver).encrypting == nil)
  }

  @Test(
    "applies to the firmware that has it",
    arguments: [("1.1.4", false), ("1.1.5", true), ("2.0.9", true), ("2.1.0", false), ("2.1.0.1", false)])
  func firmware(_ text: String, _ applies: Bool) throws {
    let version = try #require(Polar.FirmwareVersion(text))
    #expect(Polar.issues(of: "Sense", version).contains { $0.id == "ppg-rate-overstated" } == applies)
  }

  @Test func `applies if the firmware is not known`() {
    #expect(Polar.issues(of: "360", nil).map(\.id).contains("ppg-drift"))
    #expect(Polar.issues(of: "360", Polar.FirmwareVersion(1, 9)).map(\.id).contains("ppg-drift") == false)
    #expect(Polar.issues(of: "nobody's", nil).isEmpty)
  }

  @Test(
    "versions are numbers between dots",
    arguments: ["", "1.", ".1", "1..2", "a", "1.-2", "1.+2", "1.2.3.4.5.6.7.8.9", "4294967296"])
  func malformed(_ text: String) { #expect(Polar.FirmwareVersion(text) == nil) }

  @Test func `versions are ordered by the first difference, and by length without one`() throws {
    let texts = ["1", "1.0", "1.0.9", "1.0.10", "1.2", "2.0.8", "2.0.8.0", "10"]
    let versions = try texts.map { try #require(Polar.FirmwareVersion($0)) }
    #expect(versions.shuffled().sorted() == versions && versions.map(\.description) == texts)
    #expect(Polar.FirmwareVersion("2.0.8\0 ") == versions[5])
  }
}
