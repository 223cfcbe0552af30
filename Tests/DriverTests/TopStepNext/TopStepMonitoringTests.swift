import EventLoop
import Health
import Testing
import TopStepMessages
import Wearable

@testable import DriverTestSupport
@testable import TopStepNextFamily

@Suite("How a band of the new platform measures by itself", .serialized)
struct TopStepMonitoringTests {
  @LoopActor private static func visited(_ band: PocketBand) async throws -> TopStepSession {
    let session = TopStepSession(band.link)
    _ = try await session.check()
    return session
  }

  private static let order: MonitoringOrder = {
    var order = MonitoringOrder()
    order.isOn = true
    order.window = MonitoringWindow(begin: 480, end: 1320)
    order.interval = 600
    order.limits = [.restAbove: 110, .restBelow: 45, .exerciseAbove: 170]
    order.maximumHeartRate = 186
    return order
  }()

  @Test("is read, and reported without an order")
  func read() throws {
    try onLoop { _ in
      let band = PocketBand()
      (band.heartRate.monitor.enabled, band.heartRate.monitor.interval) = (true, 10)
      (band.heartRate.monitor.start, band.heartRate.monitor.end) = (0, 1440)
      let session = try await Self.visited(band)
      let states = session.monitoring
      #expect(states.map(\.series) == [.heartRate, .stress, .spo2] && states.allSatisfy { $0.asked == nil })
      let says = try #require(states.first?.says)
      #expect(says.isOn == true && says.interval == 600 && says.window == MonitoringWindow(begin: 0, end: 1440))
      #expect(says.maximumHeartRate == 190 && says.limits.isEmpty)
      #expect(band.requests(.setHeartRate).isEmpty && band.requests(.setStress).isEmpty)
    }
  }

  @Test("is written as it was ordered, in the vendor's bytes, and read back")
  func ordered() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.link.orders.monitoring = [.heartRate: Self.order]
      let session = try await Self.visited(band)
      let state = try #require(session.monitoring.first { $0.series == .heartRate })
      #expect(state.asked == Self.order && state.got == Self.order && Self.order.isMet(by: state.says))
      let written = try #require(band.requests(.setHeartRate).first)
      let expected = "0A0A080110E00318A80A200A1205080118AA011A060801102D186E20BA01"
      #expect(hexadecimal(written.payload).uppercased() == expected)
      #expect(band.requests(.setHeartRate).count == 1)
      try await session.finish()
      _ = try await Self.visited(band)
      #expect(band.requests(.setHeartRate).count == 1, "as it was ordered: nothing is written")
    }
  }

  @Test("is changed only in what was ordered, and unknown fields in it stay")
  func unknownFields() throws {
    try onLoop { _ in
      let band = PocketBand()
      // A monitor with a field 9, then a field 15 of the whole.
      let before = try #require(Array(hexadecimal: "0A07080118E80748077A03616263"))
      band.stress = try TopStepMonitorConfiguration(wire: before)
      var order = MonitoringOrder()
      order.interval = 1800
      band.link.orders.monitoring = [.stress: order]
      _ = try await Self.visited(band)
      let written = try #require(band.requests(.setStress).first)
      #expect(hexadecimal(written.payload).uppercased() == "0A09080118E807201E48077A03616263")
    }
  }

  @Test("is as it was before once no order wants it")
  func takenBack() throws {
    try onLoop { _ in
      let band = PocketBand()
      (band.heartRate.monitor.enabled, band.heartRate.monitor.interval) = (false, 30)
      let before = band.heartRate
      band.link.orders.monitoring = [.heartRate: Self.order]
      let session = try await Self.visited(band)
      #expect(band.heartRate != before)
      // Part of it first.
      var less = Self.order
      less.forget([.interval, .restLimits])
      band.link.orders.monitoring = [.heartRate: less]
      try await session.ordersChanged()
      #expect(band.heartRate.monitor.interval == 30 && band.heartRate.restingAlarm == before.restingAlarm)
      #expect(band.heartRate.monitor.enabled && band.heartRate.exerciseAlarm.max == 170)
      band.link.orders.monitoring = [:]
      let later = try await Self.visited(band)
      #expect(band.heartRate == before && later.monitoring.first?.asked == nil)
      #expect(band.link.remembered(ConfigurationsBefore.self) == nil)
      let writes = band.requests(.setHeartRate).count
      _ = try await Self.visited(band)
      #expect(band.requests(.setHeartRate).count == writes)
    }
  }

  @Test("warns at the one limit that was ordered, and at no other that an alarm had while it was off")
  func oneLimit() throws {
    try onLoop { _ in
      let band = PocketBand()
      (band.heartRate.restingAlarm.min, band.heartRate.restingAlarm.max) = (50, 120)
      let before = band.heartRate
      var order = MonitoringOrder()
      order.limits = [.restAbove: 110]
      band.link.orders.monitoring = [.heartRate: order]
      let session = try await Self.visited(band)
      #expect(band.heartRate.restingAlarm.min == 0 && session.monitoring.first?.got?.limits == order.limits)
      // The other one in its place, and both.
      order.limits = [.restBelow: 45]
      band.link.orders.monitoring = [.heartRate: order]
      try await session.ordersChanged()
      #expect(band.heartRate.restingAlarm.max == 255 && session.monitoring.first?.got?.limits == order.limits)
      order.limits = [.restBelow: 45, .restAbove: 115]
      band.link.orders.monitoring = [.heartRate: order]
      try await session.ordersChanged()
      #expect(session.monitoring.first?.got?.limits == order.limits)
      try await session.finish()
      band.link.orders.monitoring = [:]
      try await session.ordersChanged()
      #expect(band.heartRate == before)
    }
  }

  @Test("leaves the other limit of an alarm that was on, and takes one back without the other")
  func otherLimit() throws {
    try onLoop { _ in
      let band = PocketBand()
      (band.heartRate.restingAlarm.enabled, band.heartRate.restingAlarm.min) = (true, 50)
      var order = MonitoringOrder()
      order.limits = [.restBelow: 45, .restAbove: 110]
      band.link.orders.monitoring = [.heartRate: order]
      let session = try await Self.visited(band)
      #expect(session.monitoring.first?.got?.limits == order.limits)
      order.limits = [.restAbove: 110]
      band.link.orders.monitoring = [.heartRate: order]
      try await session.ordersChanged()
      #expect(session.monitoring.first?.says.limits == [.restAbove: 110, .restBelow: 50])
      let writes = band.requests(.setHeartRate).count
      _ = try await Self.visited(band)
      #expect(band.requests(.setHeartRate).count == writes, "as it was ordered: nothing is written")
    }
  }

  @Test("is reported as otherwise if a band warns at a limit of its own")
  func ownLimit() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.highestLimit = 220
      var order = MonitoringOrder()
      order.limits = [.restBelow: 45]
      band.link.orders.monitoring = [.heartRate: order]
      let session = try await Self.visited(band)
      #expect(session.monitoring.first?.says.limits == [.restBelow: 45, .restAbove: 220])
      let end = await trouble { () throws(VisitTrouble) in try await session.finish() }
      guard case .needsAttention(.monitoringNotTaken, let why)? = end else {
        return #expect(Bool(false), "\(String(describing: end))")
      }
      #expect(why.contains("a limit that was not ordered"))
    }
  }

  @Test("that is not taken ends the visit with why")
  func notTaken() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.ignoresSettings = true
      band.link.orders.monitoring = [.heartRate: Self.order]
      let session = try await Self.visited(band)
      let end = await trouble { () throws(VisitTrouble) in try await session.finish() }
      guard case .needsAttention(.monitoringNotTaken, _)? = end else {
        return #expect(Bool(false), "\(String(describing: end))")
      }
      #expect(session.monitoring.first?.asked == Self.order && session.monitoring.first?.got?.isOn == false)
      var odd = MonitoringOrder()
      odd.interval = 400
      band.ignoresSettings = false
      band.link.orders.monitoring = [.spo2: odd]
      try await session.ordersChanged()
      #expect(band.requests(.setSpO2).isEmpty)
      let again = await trouble { () throws(VisitTrouble) in try await session.finish() }
      guard case .needsAttention(.monitoringNotTaken, let why)? = again else {
        return #expect(Bool(false), "\(String(describing: again))")
      }
      #expect(why.contains("300 to 86400 s in steps of 300 s"))
    }
  }

  @Test("has the gates that the band announced, and those of its alarms if it has them")
  func gates() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.capabilities = PocketBand.word([3, 5])
      band.heartRate.clearExerciseAlarm()
      let session = try await Self.visited(band)
      let all = try #require(session.announced)
      let further = TopStepNextDriver().furtherCapabilities
      #expect(
        all[.heartRate]
          == [.history, .onDemand, .resting, .monitoring, .monitoringWindow, .monitoringInterval, .restAlert])
      #expect(further[.heartRate].isSuperset(of: [.restAlert, .exerciseAlert, .resting]))
      #expect(all[.stress] == [] && all[.steps] == [] && all[.training] == .history)
      #expect(band.requests(.stress).isEmpty && !band.requests(.spo2).isEmpty)
      let choice = try #require(TopStepNextDriver().monitoring(of: KnownWearable()).first)
      #expect(!choice.parts(having: all[.heartRate]).contains(.exerciseLimits))
    }
  }

  @Test("is read again if it was changed at the band")
  func changed() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try await Self.visited(band)
      let before = band.asked.count
      try await session.attend()
      #expect(band.asked.count == before, "nothing is asked where nothing changed")
      band.spo2.monitor.enabled = true
      band.tell(TopStepTopic(2, 0x20), [])
      try await session.attend()
      #expect(band.asked.count == before + 1)
      #expect(session.monitoring.first { $0.series == .spo2 }?.says.isOn == true)
      band.heartRate.monitor.enabled = true
      #expect(try await session.readMonitoring().first?.says.isOn == true)
    }
  }
}
