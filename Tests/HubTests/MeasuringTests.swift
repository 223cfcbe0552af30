import Bluetooth
import EventLoop
import Health
import Reasons
import RingStore
import Testing
import Wearable

@testable import Hub

@Suite("Measuring by order")
struct MeasuringTests {
  private let name = "recorder-0"

  /// Reports to the client that ordered a measurement.
  @LoopActor
  private final class Ear {
    var begun = 0
    var values: [Int64] = []
    var isThere = true
    var result: MeasurementResult?
    var error: HearthError?

    func begin(_ house: LaneHouse, _ order: MeasurementOrder) {
      house.loop.spawn {
        do throws(HearthError) {
          self.result = try await house.hearth.measure("recorder-0", order, isWanted: { self.isThere }) { news in
            switch news {
            case .begun: self.begun += 1
            case .value(let value):
              #expect(self.begun == 1)
              self.values.append(value.sample.value)
            }
          }
        } catch { self.error = error }
      }
    }

    var isOver: Bool { result != nil || error != nil }
  }

  /// Bound, and at rest: connected if its link stays.
  @LoopActor private func ready(_ house: LaneHouse) async throws {
    house.start()
    try await house.wait { try house.visits().contains { $0.laneOutcome == VisitOutcome.done.rawValue } }
    try await house.wait { house.hearth.lane.holder == nil }
  }

  private func order(_ series: Series = .heartRate, every: Int = 1, for limit: Int? = 20) throws -> MeasurementOrder {
    try #require(MeasurementOrder(series, interval: every, limit: limit))
  }

  @LoopActor private func stored(_ house: LaneHouse, _ series: Series = .heartRate) async throws -> [StoredSample] {
    var all: [StoredSample] = []
    let session = try await house.store.export(SampleQuery())
    while let page = try await session.next(limit: 1000) { all += page.samples.filter { $0.series == series } }
    return all
  }

  @Test("a measurement runs to its limit; each value is sent and stored once, as measured by hand, under the wearable")
  func limit() throws {
    try inHouse(bandDriver(RecorderBand())) { house, _ in
      try await ready(house)
      let ear = Ear()
      let wearable = house.hearth.registry.all[0]
      ear.begin(house, try order(every: 5))
      try await house.wait(.seconds(5)) { ear.begun == 1 }
      #expect(house.hearth.profiles[wearable]?.wanted == .foreground)
      try await house.wait(.seconds(60)) { ear.isOver }
      #expect(ear.error == nil && ear.result?.end == .limit && ear.result?.values == 4 && ear.result?.trouble == nil)
      #expect(ear.values == [72, 72, 72, 72] && wearable.lane.measuring.series == nil)
      #expect(house.hearth.profiles[wearable]?.wanted != .foreground)
      let all = try await stored(house)
      #expect(
        all.count == 4 && all.allSatisfy { $0.flags.isManual && $0.origin == .live && $0.wearable == wearable.id })
      #expect(zip(all, all.dropFirst()).allSatisfy { $1.time - $0.time == .seconds(5) })
      // The values are durable as soon as the end is reported.
      try house.killAndRestart()
      #expect(try await stored(house).count == 4)
    }
  }

  @Test("it ends when its client goes away, or stops it: the wearable gets a stop", arguments: [true, false])
  func stopped(byLeaving: Bool) throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band)) { house, _ in
      try await ready(house)
      let ear = Ear()
      ear.begin(house, try order(for: nil))
      try await house.wait(.seconds(300)) { ear.values.count == 100 }
      if byLeaving { ear.isThere = false } else { try house.hearth.stopMeasuring(name) }
      try await house.wait(.seconds(3)) { ear.isOver }
      #expect(ear.result?.end == .stopped && ear.result?.values == 100)
      #expect(band.log == [.bound, .began(.heartRate), .stopped] && house.hearth.registry.all[0].link != nil)
      // No measurement is left to end.
      #expect(refusal(of: { () throws(HearthError) in try house.hearth.stopMeasuring(name) }) == nil)
      #expect(refusal(of: { () throws(HearthError) in try house.hearth.stopMeasuring("x") }) == .noSuchWearable)
    }
  }

  @Test("H2153: one that ends without a value says so, and the next one brings some")
  func empty() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band)) { house, _ in
      (band.burst, band.endsAfter) = (0, 1)
      try await ready(house)
      let first = Ear()
      first.begin(house, try order())
      try await house.wait(.seconds(60)) { first.isOver }
      #expect(first.result?.end == nil && first.result?.values == 0)
      #expect(first.result?.trouble?.reason == .measurementEmpty)
      #expect(try await stored(house).isEmpty)
      (band.burst, band.endsAfter) = (1, 2)
      let second = Ear()
      second.begin(house, try order())
      try await house.wait(.seconds(60)) { second.isOver }
      #expect(second.result?.end == .byWearable && second.result?.trouble == nil)
    }
  }

  private func refusal(of body: () throws(HearthError) -> Void) -> Reason? {
    do throws(HearthError) { try body() } catch { return error.reason }
    return nil
  }

  @Test("it ends when the wearable ends it, and when the link is lost: reported with its code, and what came is stored")
  func endsAtTheWearable() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band)) { house, twin in
      band.endsAfter = 3
      try await ready(house)
      let first = Ear()
      first.begin(house, try order())
      try await house.wait(.seconds(60)) { first.isOver }
      #expect(first.result?.end == .byWearable && first.result?.values == 3)
      band.endsAfter = nil
      let second = Ear()
      second.begin(house, try order(.spo2))
      try await house.wait(.seconds(60)) { second.values.count == 5 }
      twin.bearer?.cut(.linkLost)
      try await house.wait(.seconds(3)) { second.isOver }
      #expect(second.result?.end == nil && second.result?.trouble?.reason == .linkLost && second.result?.values == 5)
      #expect(second.result?.trouble?.detail.contains("5 values are stored") == true)
      #expect(try await stored(house, .spo2).count == 5)
      try await house.wait { house.hearth.registry.all[0].link != nil }
    }
  }

  @Test("one at a time: the second is refused with H2139 until the first has ended")
  func second() throws {
    try inHouse(bandDriver(RecorderBand())) { house, _ in
      try await ready(house)
      let (first, second, third) = (Ear(), Ear(), Ear())
      first.begin(house, try order(for: 30))
      try await house.wait(.seconds(10)) { first.values.count == 3 }
      second.begin(house, try order(.spo2))
      try await house.wait(.seconds(1)) { second.isOver }
      #expect(second.error?.reason == .requestUntimely && second.error?.detail.contains("heart_rate") == true)
      try await house.wait(.seconds(60)) { first.isOver }
      third.begin(house, try order(.spo2))
      try await house.wait(.seconds(60)) { third.isOver }
      #expect(first.result?.end == .limit && third.result?.end == .limit && second.begun == 0)
    }
  }

  @Test("what it does not measure is refused with H2131, which says what it does; known without asking it, or not")
  func unsupported() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band)) { house, _ in
      try await ready(house)
      let ear = Ear()
      ear.begin(house, try order(.stress))
      try await house.wait(.seconds(1)) { ear.isOver }
      #expect(ear.error?.reason == .requestUnsupported && ear.begun == 0)
      #expect(ear.error?.detail.contains("by order it measures heart_rate, spo2") == true, "\(ear.error as Any)")
    }
    var announcing = bandDriver(band, stays: false)
    announcing.announces = WearableCapabilities([.onDemand], [.spo2])
    try inHouse(announcing) { house, _ in
      try await ready(house)
      let connects = house.radio.connects
      let ear = Ear()
      ear.begin(house, try order())
      try await house.wait(.seconds(1)) { ear.isOver }
      #expect(ear.error?.reason == .requestUnsupported && ear.error?.detail.contains("measures spo2") == true)
      #expect(house.radio.connects == connects)
    }
    var plain = RecorderDriver()
    plain.attention = .seconds(600)
    try inHouse(plain) { house, _ in
      try await ready(house)
      let ear = Ear()
      ear.begin(house, try order())
      try await house.wait(.seconds(1)) { ear.isOver }
      #expect(ear.error?.reason == .requestUnsupported && ear.error?.detail.contains("no series by order") == true)
    }
  }

  @Test("a wearable that does not begin says why, and one that does not accept the hub too")
  func doesNotBegin() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band)) { house, _ in
      band.refusesToBegin = .busy(what: "it is not worn", retryAfter: nil)
      try await ready(house)
      let ear = Ear()
      ear.begin(house, try order())
      try await house.wait(.seconds(1)) { ear.isOver }
      #expect(ear.error?.reason == .requestNotDone && ear.error?.detail.contains("it is not worn") == true)
      #expect(house.hearth.registry.all[0].lane.measuring.series == nil)
    }
  }

  @Test("without a link it is visited for it first, and not when it is not there")
  func withoutLink() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band, stays: false), files: { $0[0].files = [.of(500)] }) { house, _ in
      try await ready(house)
      #expect(house.hearth.registry.all[0].link == nil)
      let ear = Ear()
      ear.begin(house, try order())
      try await house.wait(.seconds(60)) { ear.isOver }
      #expect(ear.result?.end == .limit && ear.result?.values == 20, "\(ear.error as Any)")
      #expect(band.log == [.bound, .loggedIn, .began(.heartRate)])
      // Only its own kind keeps its link after that, and no trace of the measurement is left.
      try await house.pass(.seconds(60))
      #expect(house.hearth.registry.all[0].mayBeVisited)
      try await house.wait {
        house.hearth.registry.all[0].link == nil || house.hearth.registry.all[0].visits.running != nil
      }
    }
    try inHouse(bandDriver(RecorderBand(), stays: false)) { house, _ in
      try await ready(house)
      house.radio.isQuiet = true
      try await house.pass(.seconds(300))
      let ear = Ear()
      ear.begin(house, try order())
      try await house.wait(.seconds(1)) { ear.isOver }
      #expect(ear.error?.reason == .notLinked)
    }
  }

  @Test("a visit and a measurement never have the session at once: a visit ends its turn, and goes on afterwards")
  func beside() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band), files: { $0[0].files = [.of(400_000)] }) { house, twin in
      house.start()
      try await house.wait { twin.payload > 50_000 }
      let ear = Ear()
      ear.begin(house, try order())
      try await house.wait(.seconds(30)) { ear.begun == 1 }
      let wearable = house.hearth.registry.all[0]
      let (listed, fetched) = (twin.log.count { $0 == .listed }, twin.fetches("a").count)
      #expect(wearable.visits.running == nil)
      try house.hearth.visitNow(name)
      try await house.wait(.seconds(60)) { ear.isOver }
      #expect(ear.result?.end == .limit && ear.result?.values == 20)
      #expect(twin.log.count { $0 == .listed } == listed && twin.fetches("a").count == fetched, "nothing was fetched")
      try await house.wait { twin.files.isEmpty }
      #expect(twin.fetches("a").count == 2 && twin.fetches("a")[1] > 0, "it went on where it was")
      #expect(try await house.values().count == 400_020)
    }
  }

  @Test("forgetting its wearable, and the end of the hub, end it", arguments: [true, false])
  func endedByOthers(isForgotten: Bool) throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band)) { house, _ in
      try await ready(house)
      let ear = Ear()
      ear.begin(house, try order(for: nil))
      try await house.wait(.seconds(30)) { ear.values.count == 3 }
      if isForgotten { _ = try await house.hearth.forget(name) } else { await house.hearth.stop() }
      try await house.wait(.seconds(1)) { ear.isOver }
      #expect(ear.result?.end == .stopped && band.log.contains(.stopped))
      if isForgotten { #expect(band.log.last == .unbound) }
    }
  }

  @Test("one that ignores the order to end loses its link")
  func endless() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band)) { house, _ in
      band.goesOn = true
      try await ready(house)
      let ear = Ear()
      ear.begin(house, try order(for: nil))
      try await house.wait(.seconds(30)) { ear.values.count == 3 }
      ear.isThere = false
      try await house.wait(.seconds(20)) { ear.isOver }
      #expect(ear.result?.trouble?.reason == .visitSilent)
    }
  }

  @Test("an order without a limit ends after an hour, and says that its time is over")
  func longest() throws {
    try inHouse(bandDriver(RecorderBand())) { house, _ in
      try await ready(house)
      let ear = Ear()
      ear.begin(house, try order(every: 60, for: nil))
      try await house.wait(.seconds(3700)) { ear.isOver }
      #expect(ear.result?.end == .limit && (59...60).contains(ear.values.count))
    }
  }

  @Test("a wearable that floods is held to some values a second")
  func flood() throws {
    let band = RecorderBand()
    try inHouse(bandDriver(band)) { house, _ in
      band.burst = 500
      try await ready(house)
      let ear = Ear()
      ear.begin(house, try order())
      try await house.wait(.seconds(60)) { ear.isOver }
      #expect(ear.values.count <= 16 + 4 * 20 && ear.values.count >= 20)
      #expect(try await stored(house).count == ear.values.count)
    }
  }
}
