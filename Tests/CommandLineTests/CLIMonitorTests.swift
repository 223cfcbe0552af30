import Control
import Health
import Hub
import HubProtocol
import Reasons
import StoreDocuments
import Testing
import Wearable

@testable import EventLoop
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

@Suite("Measuring by itself for people")
struct CLIMonitorTests {
  private static func order(_ interval: Int) -> MonitoringOrder {
    var order = MonitoringOrder()
    (order.isOn, order.interval) = (true, interval)
    return order
  }

  @Test("asked, got and said stand below each other, with what can be ordered and why it was not taken")
  func page() {
    var asked = Self.order(600)
    asked.window = MonitoringWindow(begin: 480, end: 1200)
    asked.limits = [.restAbove: 120]
    asked.maximumHeartRate = 190
    let one = MonitoredSeries(
      .heartRate, [.isOn, .window, .interval], intervals: MonitoringIntervals(300...3600, step: 300), asked: asked,
      got: Self.order(900), says: Self.order(900), .refused)
    let other = MonitoredSeries(.spo2, [])
    let few = MonitoredSeries(.stress, .interval, intervals: MonitoringIntervals(oneOf: [300, 600, 1800]))
    let found = MonitoringSnapshot(
      wearable: "band-01", series: [one, other, few], since: now,
      trouble: HearthError(.monitoringNotTaken, "band-01 does as it likes"))
    let text = renderMonitoring(JSON(found), hubTime, .plain)
    #expect(text.hasPrefix("band-01   measuring by itself\nheart_rate         refused\n"), "\(text)")
    let wanted = "on, every 600 s, 08:00 to 20:00, rest-above 120 bpm, highest heart rate 190 bpm"
    #expect(text.contains("  requested      \(wanted)\n"))
    #expect(text.contains("  effective      on, every 900 s\n") && text.contains("  device reports on, every 900 s\n"))
    #expect(text.contains("  can be set     on, window, interval; every 300 s to 3600 s in steps of 300 s\n"))
    #expect(text.contains("  can be set     interval; every 300, 600 or 1800 s\n"))
    #expect(text.contains("spo2               no order\n  can be set     no part\n"))
    #expect(text.contains("reported since ") && text.contains("H2145 band-01 does as it likes\n"))
    #expect(text.contains("next: hearth monitor NAME shows"))
    let none = renderMonitoring(JSON(MonitoringSnapshot(wearable: "strap-01", series: [])), hubTime, .plain)
    #expect(none == "strap-01   measuring by itself\nhow it measures by itself cannot be changed\n")
  }

  @Test(
    "series, on and off, how often, when and limits are words of the command",
    arguments: [
      ["monitor", "a"], ["monitor", "a", "--now"], ["monitor", "a", "heart_rate", "on"],
      ["monitor", "a", "heart_rate", "off", "every=5m", "between=08:00-20:00"],
      ["monitor", "a", "heart_rate", "rest-above=120", "max-hr=190"], ["monitor", "a", "heart_rate", "every=none"],
      ["monitor", "a", "body_temperature", "none"],
    ])
  func words(_ arguments: [String]) throws {
    #expect(try HearthCommand.parseAsRoot(arguments) is MonitorCommand)
  }
}
