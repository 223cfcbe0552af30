import EventLoop
import Health
import Hub
import Reasons
import Testing
import Wearable

@testable import Control
@testable import HubProtocol

@Suite("What can be had of a wearable, on the control socket")
struct CapabilityMethodTests {
  private static let capabilities: WearableCapabilities = {
    var all = WearableCapabilities([.live, .onDemand, .denser], [.acc])
    all.insert([.live, .monitoring, .monitoringInterval, .exerciseAlert], [.heartRate])
    return all
  }()

  @Test("is a list of series with what each can; null while it is unknown, and no empty list")
  func device() throws {
    let (devices, texts) = try serve(
      prepare: { hub, _ in
        hub.change = {
          $0[0].capabilities = Self.capabilities
          $0[0].cameLive = [.acc]
          $0[1].capabilities = nil
        }
      },
      client: { path in
        let client = try ControlClient(path: path)
        var devices: [DeviceDocument] = []
        var texts: [String] = []
        for name in ["strap-01", "strap-02"] {
          devices.append(try client.fetch("device", of: "Device", ["name": .string(name)]))
          let reply = try client.call("Device", ["name": .string(name)])
          texts.append(String(decoding: reply.compact, as: UTF8.self))
        }
        return (devices, texts)
      })
    let shown = try #require(devices[0].capabilities)
    #expect(shown.map(\.series) == ["heart_rate", "acc"])
    #expect(shown[0].can == ["live", "monitoring", "monitoring_interval", "exercise_alert"])
    #expect(shown[1].can == ["live", "on_demand", "denser"])
    #expect(texts[0].contains(#"{"series":"acc","can":["live","on_demand","denser"],"came":true}"#))
    #expect(shown.map(\.came) == [false, true])
    #expect(devices[1].capabilities == nil && texts[1].contains(#""capabilities":null"#))
  }

  @Test("a wearable without any has an empty list, and views are sent no list at all")
  func empty() throws {
    let (device, view) = try serve(
      prepare: { hub, _ in
        hub.change = {
          $0[0].capabilities = WearableCapabilities()
          $0[1].capabilities = Self.capabilities
        }
      },
      client: { path in
        let client = try ControlClient(path: path)
        let device: DeviceDocument = try client.fetch("device", of: "Device", ["name": "strap-01"])
        let view: ViewDocument = try client.fetch("view", of: "Watch")
        return (device, view)
      })
    #expect(device.capabilities == [])
    #expect(view.devices.count == 2 && view.devices.allSatisfy { $0.capabilities == nil })
  }

  @Test("what is left out of an order for several things is in its answer with a code, and refused alone")
  func skipped() throws {
    let (orders, later, refused) = try serve { path in
      let client = try ControlClient(path: path)
      let orders: OrdersDocument = try client.fetch(
        "orders", of: "OrdersSet", ["name": "strap-01", "streams": .array(["acc", "gyro"])])
      let later: OrdersDocument = try client.fetch("orders", of: "Orders", ["name": "strap-01"])
      var refused: HearthError?
      do throws(HearthError) {
        _ = try client.call("OrdersSet", ["name": "strap-01", "streams": .array(["gyro"])])
      } catch { refused = error }
      return (orders, later, refused)
    }
    #expect(orders.streams == ["acc"] && orders.skipped?.map(\.what) == ["gyro"])
    #expect(
      orders.skipped?.first?.reason.code == "H2131"
        && orders.skipped?.first?.reason.detail == "strap-01: its kind sends no gyro live")
    #expect(later.streams == ["acc"] && later.skipped == nil)
    #expect(refused?.reason == .requestUnsupported)
  }
}
