import Bluetooth
import Control
import Hub
import HubProtocol
import Reasons
import StoreDocuments
import Testing

@testable import EventLoop
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

@Suite("Batteries and orders of hearth devices")
struct CLIBatteryTests {
  private func device(
    _ name: String, _ state: WearableState = .due, battery: Int? = nil, _ charge: BatteryCharge? = nil,
    age: Int = 60, seen: Int? = nil
  ) -> DeviceDocument {
    var snapshot = WearableSnapshot(
      name: name, address: BluetoothAddress(value: 1, kind: .leRandom), kind: "HR strap", state: state,
      isEnrolled: state != .candidate)
    (snapshot.battery, snapshot.batteryCharge) = (battery, charge)
    snapshot.batteryRead = battery == nil ? nil : now + .seconds(-age)
    snapshot.lastSeen = seen.map { now + .seconds(-$0) }
    if charge == .critical { snapshot.trouble = HearthError(.batteryCritical, "\(name): battery") }
    return DeviceDocument(snapshot)
  }

  @Test("devices sort by name, battery, memory, signal, last seen, and by need of a person; unknown ones last")
  func orders() {
    let devices = [
      device("a", .live, battery: 80, seen: 5), device("b", .absent, seen: 90_000),
      device("c", .due, battery: 7, seen: 9),
      device("d", .missing, battery: 80), device("e", .attention, battery: 12, seen: 9),
      device("f", .candidate, seen: 1),
    ]
    func names(_ order: DeviceOrder) -> String { order.sorted(devices).map(\.name).joined() }
    #expect(names(.name) == "abcdef")
    #expect(names(.battery) == "ceadbf")
    #expect(names(.seen) == "dbceaf")
    var held = devices
    for (place, free, total) in [(0, 900, 1000), (2, 10, 4000), (3, 500, 1000)] {
      (held[place].memoryFree, held[place].memoryTotal) = (free, total)
    }
    (held[4].memoryFree, held[4].memoryTotal) = (3, nil)
    #expect(DeviceOrder.memory.sorted(held).map(\.name).joined() == "cdaebf")
    for (place, rssi) in [(1, -40), (3, -90), (4, -71)] { held[place].rssi = rssi }
    #expect(DeviceOrder.signal.sorted(held).map(\.name).joined() == "debacf")
    #expect(names(.state) == "edcafb")
    // Every state has a place.
    for state in WearableState.allCases {
      #expect(
        DeviceOrder.state.sorted([device("x", .absent), device("y", state)]).map(\.name)
          == (state == .absent ? ["x", "y"] : ["y", "x"]))
    }
  }

  @Test("the table marks what is low and what is old, and the page says both in words")
  func shown() {
    let devices = [
      device("a", battery: 81, .enough), device("b", battery: 18, .low), device("c", .attention, battery: 8, .critical),
      device("d", battery: 41, age: 3 * 86_400), device("e"),
    ]
    let table = renderTable(devices, hubTime, .plain)
    for (name, shown) in [
      ("a", "  81 %  "), ("b", " 18 %!  "), ("c", "  8 %!  "), ("d", " 41 %~  "), ("e", "     -  "),
    ] {
      let row = table.split(separator: "\n").first { $0.hasPrefix(name + " ") }
      #expect(row?.contains(shown) == true, "\(table)")
    }
    #expect(table.hasSuffix("~ battery read longer than a day ago\n"))
    #expect(!renderTable([devices[0]], hubTime, .plain).contains("~"))
    #expect(render(devices[1], hubTime, .plain).contains("battery        18 %, low, read 1 min ago\n"))
    #expect(render(devices[3], hubTime, .plain).contains("battery        41 %, read 3 d ago\n"))
    #expect(needsPerson(devices[2]) && !needsPerson(devices[1]))
  }
}
