import EventLoop
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport

/// The button itself: the twin that every driver has beside its tests.
@LoopActor
final class ThermoButton: LinkPeer {
  private(set) lazy var link = ScriptedLink(self)
  private(set) var log: [UInt8] = (0..<12).flatMap { entry -> [UInt8] in [entry * 10, 0, 0, 0x60, 0x22, 0x0E] }
  private var clock: [UInt8] = [1, 0, 0, 0]
  let database = GATTDatabase.made(of: [
    GATTServiceDefinition(
      ThermoButtonDriver.UUIDs.service,
      [
        GATTCharacteristicDefinition(ThermoButtonDriver.UUIDs.temperature, .notify),
        GATTCharacteristicDefinition(ThermoButtonDriver.UUIDs.clock, [.read, .write]),
        GATTCharacteristicDefinition(ThermoButtonDriver.UUIDs.log, .read),
        GATTCharacteristicDefinition(ThermoButtonDriver.UUIDs.forget, .write),
      ])
  ])

  func read(_ characteristic: GATTCharacteristic) throws(VisitTrouble) -> [UInt8] {
    characteristic.uuid == ThermoButtonDriver.UUIDs.clock ? clock : log
  }

  func write(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {
    if characteristic.uuid == ThermoButtonDriver.UUIDs.forget { log = [] } else { clock = value }
  }

  func command(_ characteristic: GATTCharacteristic, _ value: [UInt8]) throws(VisitTrouble) {}
}

extension Exhibit {
  static let thermoButton = Exhibit(
    driver: ThermoButtonDriver(),
    scanResults: [ScanResults.scanResult(name: "Button", services: [ThermoButtonDriver.UUIDs.service])],
    peer: {
      let button = ThermoButton()
      return (button.link, { button.log })
    })
}

@Suite("The example driver", .serialized)
struct ExampleDriverTests {
  @Test("keeps to everything a driver must keep to, though no registry knows it")
  func conformance() throws {
    #expect(try ConformanceKit.faults(of: .thermoButton, among: [ThermoButtonDriver()]) == [])
  }

  @Test("erases its log with a receipt, and not when it has changed since")
  func erase() throws {
    try onLoop { loop in
      let scratch = try ScratchStore(loop)
      let button = ThermoButton()
      let session = try #require(ThermoButtonDriver().makeSession(button.link))
      let domain = try #require(session.domains.first)
      let items = try await domain.list(known: [])
      let removal = try #require(domain.removals(of: items).first)
      let proof = try #require(
        RemovalProof(removal, of: scratch.wearable, receipts: [try await scratch.receipt(items[0])]))
      let first = try await domain.remove(proof)
      #expect(first == .erased)
      #expect(button.log.isEmpty)
      let second = try await domain.remove(proof)
      #expect(second == .notNow("it has logged on since then"))
      await scratch.close()
    }
  }
}
