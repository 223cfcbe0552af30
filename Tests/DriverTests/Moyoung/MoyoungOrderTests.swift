import CivilTime
import EventLoop
import Health
import Reasons
import Testing
import Wearable

@testable import DriverTestSupport
@testable import MoyoungFamily

@Suite("Orders to a band of Moyoung", .serialized)
struct MoyoungOrderTests {
  // MARK: measuring by itself

  private static func order(_ interval: Int?, isOn: Bool? = nil) -> [Series: MonitoringOrder] {
    var order = MonitoringOrder()
    (order.interval, order.isOn) = (interval, isOn)
    return [.heartRate: order]
  }

  private static func says(_ seconds: Int) -> MonitoringOrder {
    var said = MonitoringOrder()
    said.isOn = seconds != 0
    if seconds != 0 { said.interval = seconds }
    return said
  }

  @LoopActor
  private func visit(_ link: ScriptedLink) async throws -> (state: MonitoringState?, trouble: String?) {
    let session = try #require(MoyoungDriver().makeSession(link) as? MoyoungSession)
    _ = try await session.check()
    var trouble: String?
    do throws(VisitTrouble) { try await session.finish() } catch {
      guard case .needsAttention(let reason, let what) = error else { throw error }
      trouble = "\(reason.code) \(what)"
    }
    return (session.monitoring.first, trouble)
  }

  @Test("to measure by itself are written once and read back, and removed when no order wants them")
  func interval() throws {
    try onLoop { _ in
      let band = PocketBand()
      let link = band.link
      @LoopActor func written() -> [[UInt8]] { band.requests.filter { $0.command == 31 }.map(\.payload) }
      #expect(try await visit(link).state == MonitoringState(.heartRate, asked: nil, says: Self.says(600)))
      link.orders.monitoring = Self.order(1800)
      for _ in 0..<2 {
        let found = try await visit(link)
        #expect(found.state == MonitoringState(.heartRate, asked: Self.order(1800)[.heartRate], says: Self.says(1800)))
        #expect(found.trouble == nil)
      }
      link.orders.monitoring = Self.order(nil, isOn: false)
      #expect(try await visit(link).state?.got == Self.says(0))
      link.orders.monitoring = [:]
      let after = try await visit(link)
      #expect(after.state?.says == Self.says(600) && after.state?.got == nil)
      #expect(written() == [[6], [0], [2]] && link.memory[MoyoungIntervalBefore.self] == nil)
    }
  }

  @Test("to measure by itself that it cannot carry out are refused, and the band stays as it is")
  func refused() throws {
    try onLoop { _ in
      let band = PocketBand()
      let link = band.link
      let clause = "H2145 does not measure by itself as it was ordered: "
      link.orders.monitoring = Self.order(900)
      #expect(
        try await visit(link).trouble == clause
          + "it takes 300, 600, 1200 or 1800 s between two measurements, not 900 s")
      var alert = MonitoringOrder()
      alert.limits = [.restAbove: 120]
      link.orders.monitoring = [.heartRate: alert]
      #expect(try await visit(link).trouble == clause + "it does not have rest_limits")
      link.orders.monitoring = Self.order(300)
      band.takesIntervals = false
      #expect(try await visit(link).trouble == clause + "it measures every 10 min")
      band.mute = [47]
      #expect(try await visit(link).trouble == clause + "it does not say how often it measures")
      #expect(band.interval == 2)
      // An unknown code is reported as on, without an interval.
      band.mute = []
      band.interval = 3
      link.orders.monitoring = [:]
      let odd = try await visit(link)
      #expect(odd.state?.says.isOn == true && odd.state?.says.interval == nil)
    }
  }

  @Test("are choices of the driver: on, off and four intervals, no window, no alerts")
  func choices() {
    let driver = MoyoungDriver()
    let choice = driver.monitoring(of: KnownWearable())
    #expect(choice.map(\.series) == [.heartRate] && choice[0].parts == [.isOn, .interval])
    let all = driver.implemented(for: KnownWearable())
    #expect(all[.heartRate].isDisjoint(with: [.restAlert, .exerciseAlert, .monitoringWindow]))
  }

  // MARK: measuring now

  @LoopActor
  private final class Taker: MeasurementSink {
    var values: [(Series, [Int64])] = []
    var isStopped: Bool { stopsAt.map { link.hubTime.monotonic >= $0 } ?? false }
    var stopsAt: Int64?
    let link: ScriptedLink
    init(_ link: ScriptedLink) { self.link = link }
    func append(_ series: Series, _ values: [Int64]) { self.values.append((series, values)) }
  }

  @LoopActor
  private func measuring(_ band: PocketBand) async throws -> (link: ScriptedLink, session: MoyoungSession) {
    let link = band.link
    let session = try #require(MoyoungDriver().makeSession(link) as? MoyoungSession)
    _ = try await session.check()
    return (link, session)
  }

  @Test("to measure now end with the band's one result")
  func result() throws {
    try onLoop { _ in
      let band = PocketBand()
      let (link, session) = try await measuring(band)
      let taker = Taker(link)
      band.result = (76, 23)
      #expect(try await session.measure(#require(MeasurementOrder(.heartRate)), into: taker) == .byWearable)
      #expect(taker.values.count == 1 && taker.values[0].0 == .heartRate && taker.values[0].1 == [76])
      band.result = (97, 30)
      #expect(try await session.measure(#require(MeasurementOrder(.spo2)), into: taker) == .byWearable)
      #expect(taker.values.last?.0 == .spo2 && taker.values.last?.1 == [97])
      // The band has no result.
      band.result = (0, 30)
      #expect(try await session.measure(#require(MeasurementOrder(.heartRate)), into: taker) == .byWearable)
      // No percentage.
      band.result = (101, 30)
      #expect(try await session.measure(#require(MeasurementOrder(.spo2)), into: taker) == .byWearable)
      #expect(taker.values.count == 2 && band.stops == 0)
      #expect(band.requests.suffix(4).map(\.command) == [109, 107, 109, 107])
    }
  }

  @Test("to measure now end at their limit, on a stop, or with the link")
  func ends() throws {
    try onLoop { _ in
      let band = PocketBand()
      let (link, session) = try await measuring(band)
      let taker = Taker(link)
      let began = link.now
      #expect(try await session.measure(#require(MeasurementOrder(.heartRate, limit: 20)), into: taker) == .limit)
      #expect((20...23).contains((link.now - began) / 1_000_000_000) && band.stops == 1)
      taker.stopsAt = link.now + 5_000_000_000
      #expect(try await session.measure(#require(MeasurementOrder(.heartRate, limit: nil)), into: taker) == .stopped)
      #expect(band.stops == 2 && taker.values.isEmpty)
      taker.stopsAt = nil
      // What it still says of one that was stopped is not the result of the next.
      band.result = (80, 10)
      #expect(try await session.measure(#require(MeasurementOrder(.heartRate)), into: taker) == .byWearable)
      #expect(taker.values.map(\.1) == [[80]])
      band.result = nil
      var trouble: VisitTrouble?
      do throws(VisitTrouble) {
        guard let order = MeasurementOrder(.heartRate, limit: nil) else { return }
        _ = try await session.measure(order, into: taker)
      } catch { trouble = error }
      #expect(trouble == .silent(what: "the result of a measurement"))
      link.endsAt = link.requests + 1
      do throws(VisitTrouble) {
        guard let order = MeasurementOrder(.heartRate) else { return }
        _ = try await session.measure(order, into: taker)
      } catch { trouble = error }
      if case .link? = trouble {} else { Issue.record("\(String(describing: trouble))") }
    }
  }

  @Test(
    "with another wearer carry no values of the one before: what is not known of the next one is assumed, and shown")
  func wearers() throws {
    try onLoop { _ in
      let band = PocketBand()
      let link = band.link
      var facts = BodyFacts()
      (facts.sex, facts.height) = (.female, 171)
      link.orders.wearer = WearerBody(number: 1, facts)
      _ = try await visit(link)
      #expect(band.users.isEmpty, "half of a body, and no other's is on it")
      (facts.born, facts.weight) = (LocalDate(year: 1941, month: 5, day: 17), 54)
      link.orders.wearer = WearerBody(number: 1, facts)
      _ = try await visit(link)
      var young = BodyFacts()
      young.height = 184
      link.orders.wearer = WearerBody(number: 2, young)
      for _ in 0..<2 { _ = try await visit(link) }
      #expect(band.users == [[171, 54, 85, 1], [184, 65, 30, 0]])
      let session = try #require(MoyoungDriver().makeSession(link) as? MoyoungSession)
      let rows = try await session.report("wearer")
      #expect(rows.first?.fields.last == ReportRow.Field("assumed", "born, sex, weight_kg"))
      young.weight = 80
      link.orders.wearer = WearerBody(number: 2, young)
      _ = try await visit(link)
      #expect(band.users.last == [184, 80, 30, 0])
      // Without a wearer: that alone takes no measurement off.
      link.orders.wearer = nil
      _ = try await visit(link)
      #expect(band.users.count == 3)
      link.orders.takeOff = 2
      for _ in 0..<2 { _ = try await visit(link) }
      #expect(band.users.count == 4 && band.users.last == [170, 65, 30, 0])
    }
  }

  @Test("to measure blood pressure are refused: it is an estimate by light")
  func pressure() throws {
    try onLoop { _ in
      let band = PocketBand()
      let (link, session) = try await measuring(band)
      #expect(session.measurable == [.heartRate, .spo2])
      var why = ""
      do throws(VisitTrouble) {
        guard let order = MeasurementOrder(.systolicPressure) else { return }
        _ = try await session.measure(order, into: Taker(link))
      } catch { if case .unsupported(let text) = error { why = text } }
      #expect(why.contains("not_enabled") && !band.requests.contains { $0.command == 105 })
      #expect(try await session.check().facts == [.notServed("blood pressure: an estimate by light, not enabled")])
    }
  }
}
