import EventLoop
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import FitCloudFamily

@Suite("What is ordered of a FitCloud band", .serialized)
struct FitCloudOrderTests {
  @LoopActor
  private func visited(_ band: PocketBand) async throws -> FitCloudSession {
    let session = try #require(FitCloudSession(band.link))
    _ = try await session.check()
    return session
  }

  private func order(isOn: Bool? = nil, interval: Int? = nil, _ window: MonitoringWindow? = nil) -> MonitoringOrder {
    var order = MonitoringOrder()
    (order.isOn, order.interval, order.window) = (isOn, interval, window)
    return order
  }

  // MARK: Measuring by itself

  @Test("is written, read back and shown; taken back, it is as it was")
  func monitoring() throws {
    try onLoop { _ in
      let band = PocketBand()
      let wanted = order(isOn: true, interval: 300, MonitoringWindow(begin: 480, end: 1320))
      band.link.orders.monitoring[.spo2] = wanted
      let session = try await visited(band)
      #expect(band.monitors[2] == [1, 1, 0xE0, 5, 0x28, 0, 5])
      let state = try #require(session.monitoring.first { $0.series == .spo2 })
      #expect(state.asked == wanted && state.got == wanted && state.says == wanted)
      try await session.finish()
      band.link.orders.monitoring = [:]
      try await session.ordersChanged()
      #expect(band.monitors[2] == [0, 0, 0, 5, 160, 0, 30])
      #expect(band.link.remembered(FitCloudMonitorBefore.self) == nil)
    }
  }

  @Test("is reported as not taken if a band keeps its own")
  func monitoringIgnored() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.ignoresMonitors = true
      band.link.orders.monitoring[.heartRate] = order(isOn: false)
      let session = try await visited(band)
      do throws(VisitTrouble) {
        try await session.finish()
        Issue.record("nobody says so")
      } catch {
        guard case .needsAttention = error else { throw error }
      }
    }
  }

  @Test("is one monitor for all if a band has no types, and has no interval in the old generation")
  func commonMonitor() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.hasTypes = false
      band.link.orders.monitoring[.heartRate] = order(interval: 900)
      let session = try await visited(band)
      #expect(band.monitors[1] == [1, 0, 0, 5, 160, 0, 15] && session.monitoring.map(\.series) == [.heartRate])
      let old = PocketBand(.old)
      old.link.orders.monitoring[.heartRate] = order(isOn: false)
      let other = try await visited(old)
      #expect(
        old.monitors[1] == [0, 0, 0, 5, 160] && other.announced?[.heartRate].contains(.monitoringInterval) == false)
    }
  }

  @Test("is read in the first 53 bytes of all settings, and written alone, if a band has more of them")
  func longerSettings() throws {
    try onLoop { _ in
      for more in [0, 1, 12, 400] {
        let band = PocketBand(.old)
        band.moreSettings = more
        band.link.orders.monitoring[.heartRate] = order(isOn: false)
        let session = try await visited(band)
        #expect(session.monitoring.first?.got?.isOn == false && band.monitors[1] == [0, 0, 0, 5, 160])
        let written = band.asked.filter { $0.id == .setOldMonitor }
        #expect(written.map(\.value) == [[0, 0, 0, 5, 160]], "with \(more) bytes more")
      }
    }
  }

  // MARK: Measuring by order

  @LoopActor
  private final class Values: MeasurementSink {
    var values: [Int64] = []
    var stopsAfter = Int.max
    func append(_ series: Series, _ values: [Int64]) { self.values += values }
    var isStopped: Bool { values.count >= stopsAfter }
  }

  @Test("begins, hands over each value, and ends with its limit", arguments: FitCloudGeneration.allCases)
  func measuring(_ generation: FitCloudGeneration) throws {
    try onLoop { _ in
      let band = PocketBand(generation)
      var beat: UInt8 = 0
      // The band has no value for the first seconds.
      band.live = {
        beat += 1
        return [beat < 5 ? 0 : 60 + beat, 0, 0, 0, 0]
      }
      let session = try await visited(band)
      let sink = Values()
      let order = try #require(MeasurementOrder(.heartRate, interval: 1, limit: 20))
      #expect(try await session.measure(order, into: sink) == .limit)
      #expect(sink.values.first == 65 && (14...17).contains(sink.values.count) && band.measuring == 0)
    }
  }

  @Test("has no value that an earlier one still sent when it was over", arguments: FitCloudGeneration.allCases)
  func measuringLate(_ generation: FitCloudGeneration) throws {
    try onLoop { _ in
      let band = PocketBand(generation)
      band.live = { [72, 97, 0, 0, 0] }
      let session = try await visited(band)
      band.say(FitCloudItem(FitCloudQuestion.live(generation).reply, [168, 0, 0, 0, 0]))
      let sink = Values()
      sink.stopsAfter = 2
      let order = try #require(MeasurementOrder(.heartRate, limit: 20))
      #expect(try await session.measure(order, into: sink) == .stopped && sink.values == [72, 72])
    }
  }

  @Test("ends on a stop, and when the band goes silent; of one that never speaks it says so")
  func measuringEnds() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.live = { [72, 97, 0, 0, 0] }
      let session = try await visited(band)
      let sink = Values()
      sink.stopsAfter = 3
      let order = try #require(MeasurementOrder(.heartRate, limit: nil))
      #expect(try await session.measure(order, into: sink) == .stopped && sink.values == [72, 72, 72])
      var left = 4
      band.live = {
        left -= 1
        return left < 0 ? nil : [0, 97, 0, 0, 0]
      }
      let saturation = try #require(MeasurementOrder(.spo2, limit: 255))
      let other = Values()
      #expect(try await session.measure(saturation, into: other) == .byWearable && other.values.count == 4)
      band.live = nil
      do throws(VisitTrouble) {
        _ = try await session.measure(saturation, into: other)
        Issue.record("it measures nothing")
      } catch {
        #expect(error == .silent(what: "measuring spo2"))
      }
      #expect(band.measuring == 0)
    }
  }

  @Test("ends with its link, and no measurement follows")
  func measuringLost() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.live = { [72, 97, 0, 0, 0] }
      let session = try await visited(band)
      band.link.endsAt = band.link.requests + 6
      let sink = Values()
      let order = try #require(MeasurementOrder(.heartRate))
      do throws(VisitTrouble) {
        _ = try await session.measure(order, into: sink)
        Issue.record("it goes on")
      } catch {
        guard case .link = error else { throw error }
      }
      #expect(!sink.values.isEmpty)
    }
  }

  @Test("is refused for what it does not have, and for blood pressure whatever it says")
  func measuringRefused() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.features = .max
      let session = try await visited(band)
      #expect(session.measurable == [.heartRate, .spo2, .respirationRate])
      let order = try #require(MeasurementOrder(.systolicPressure))
      do throws(VisitTrouble) {
        _ = try await session.measure(order, into: Values())
        Issue.record("it measures")
      } catch {
        guard case .unsupported = error else { throw error }
      }
    }
  }
}
