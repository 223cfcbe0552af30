import EventLoop
import Hub
import Reasons
import Testing

@testable import Control
@testable import HubProtocol

@Suite("A hub that hears hundreds of strangers")
struct ManyDevicesTests {
  @LoopActor
  private static func crowd(_ hub: FakeHub, _ count: Int) {
    let strangers = (0..<count).map { number in
      var stranger = WearableSnapshot(
        name: "Strap \(number)", address: FakeHub.address(UInt64(100 + number)), kind: "HR strap", state: .candidate,
        isEnrolled: false)
      stranger.rssi = -40 - number % 60
      stranger.lastSeen = FakeHub.now
      return stranger
    }
    hub.change = { $0 += strangers }
  }

  @Test("lists all of them in order, each with its own values", arguments: [0, 1, 61, 62, 63, 126, 498])
  func complete(_ count: Int) throws {
    let devices = try serve(
      prepare: { hub, _ in Self.crowd(hub, count) },
      client: { path in
        let devices: [DeviceDocument] = try ControlClient(path: path).fetch("devices", of: "Devices")
        return devices
      })
    #expect(devices.prefix(2).map(\.name) == ["strap-01", "strap-02"] && devices.prefix(2).allSatisfy(\.enrolled))
    #expect(devices.count == 2 + count)
    for (number, device) in devices.dropFirst(2).enumerated() {
      #expect(device.name == "Strap \(number)" && device.rssi == -40 - number % 60 && !device.enrolled)
      #expect(device.address == FakeHub.address(UInt64(100 + number)).description && device.state == "candidate")
      #expect(device.heartRate == nil && device.erase == "no" && device.counters.entries.isEmpty)
    }
  }

  @Test("lets others in between two parts of the list")
  func parts() throws {
    try EpollLoop.run { loop in
      let turns = Turns(loop)
      turns.begin()
      let list = await HubInterface.inParts(Array(0..<500), loop) { JSON.integer(Int64($0)) }
      #expect(turns.count >= 500 / HubInterface.atOnce)
      #expect(list == (0..<500).map { JSON.integer($0) })
      #expect(await HubInterface.inParts([Int](), loop) { JSON.integer(Int64($0)) } == [])
    }
  }
}

/// A task that needs the loop in each of its turns.
@LoopActor
private final class Turns {
  private(set) var count = 0
  private let loop: EpollLoop

  init(_ loop: EpollLoop) { self.loop = loop }

  func begin() {
    loop.schedule(after: .zero) { [weak self] in
      self?.count += 1
      self?.begin()
    }
  }
}
