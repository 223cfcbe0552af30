import Bluetooth
import EventLoop
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import GATTServices
@testable import StandardGATTFamily

@Suite("A session of standard services", .serialized)
struct StandardSessionTests {
  private static let driver = StandardDriver([.pulseOximeter, .battery, .currentTime])

  @Test("visits its wearable without changing it, and survives a link that ends at any request")
  func conformance() throws {
    let exhibit = Exhibit(
      driver: Self.driver,
      peer: {
        let oximeter = PocketOximeter((0..<3).map { PocketOximeter.record((2026, 11, 24, 8, $0, 0), pulse: 70) })
        oximeter.ahead = 900_000_000
        return (oximeter.link, { oximeter.records.flatMap { $0 } })
      })
    #expect(try ConformanceKit.sessionFaults(exhibit) == [])
    #expect(ConformanceKit.capabilityFaults(Self.driver) == [])
  }

  @Test("is not made for a plain strap, nor for an oximeter without records and clock")
  func plain() throws {
    try onLoop { _ in
      let strap = Bare([GATTServiceDefinition(0x180D, [GATTCharacteristicDefinition(0x2A37, .notify)])])
      let oximeter = Bare([GATTServiceDefinition(0x1822, [GATTCharacteristicDefinition(0x2A5F, .notify)])])
      #expect(Self.driver.makeSession(ScriptedLink(strap)) == nil)
      #expect(Self.driver.makeSession(ScriptedLink(oximeter)) == nil)
    }
  }

  @Test("takes no spot-check for one of now while records come by the same characteristic")
  func gate() throws {
    try onLoop { _ in
      let gate = RecordGate()
      let decoder = LiveOnlyDecoder(Self.driver.makeDecoder(), gate, [PulseOximeter.spotCheck])
      let source = try #require(Self.driver.liveSources.first { $0.characteristic == PulseOximeter.spotCheck })
      let sink = RecordingSink()
      try decoder.decode(source, PocketOximeter.record(nil, pulse: 60), into: sink)
      #expect(sink.samples.count == 2)
      gate.isClosed = true
      try decoder.decode(source, PocketOximeter.record(nil, pulse: 60), into: sink)
      #expect(sink.samples.count == 2)
    }
  }
}

@Suite("Kinds of data of standard services")
struct StandardSyncTests {
  @Test("spot-checks are made by people, stored observations do not say; both can be asked for alone")
  func domains() {
    let domains = StandardDriver([.pulseOximeter]).syncDomains
    #expect(domains.map(\.id) == ["spot-checks", "observations"] && domains.map(\.isAutomatic) == [false, nil])
    #expect(domains.filter { $0.isMeant(by: "spo2") }.map(\.id).contains("spot-checks"))
  }

  @Test("records that a visit leaves out are not counted")
  func notAsked() throws {
    try onLoop { _ in
      let sensor = PocketSensor()
      for wish: Set<String>? in [nil, ["observations"], ["spot-checks"]] {
        let link = ScriptedLink(sensor)
        link.wish.domains = wish
        let session = try #require(StandardDriver([.genericHealthSensor]).makeSession(link))
        _ = try await session.check()
        let asked = link.written.count { $0.characteristic == RecordAccess.controlPoint }
        #expect((asked > 0) == (wish != ["spot-checks"]), "\(asked)")
      }
    }
  }
}

/// A database without a wearable behind it.
@LoopActor
private final class Bare: LinkPeer {
  let database: GATTDatabase
  init(_ services: [GATTServiceDefinition]) { database = .made(of: services) }
  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] { [] }
  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}
  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}
}
