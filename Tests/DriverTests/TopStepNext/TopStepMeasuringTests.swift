import EventLoop
import Health
import Testing
import TopStepMessages
import Wearable

@testable import DriverTestSupport
@testable import TopStepNextFamily

@Suite("Measuring by order with a band of the new platform", .serialized)
struct TopStepMeasuringTests {
  @LoopActor private static func visited(_ band: PocketBand) async throws -> TopStepSession {
    let session = TopStepSession(band.link)
    _ = try await session.check()
    return session
  }

  @LoopActor
  private final class Sink: MeasurementSink {
    private(set) var values: [Int64] = []
    var stopsAfter: Int?
    func append(_ series: Series, _ values: [Int64]) { self.values += values }
    var isStopped: Bool { stopsAfter.map { values.count >= $0 } ?? false }
  }

  private static func order(_ series: Series = .heartRate, limit: Int? = 20) throws -> MeasurementOrder {
    try #require(MeasurementOrder(series, limit: limit))
  }

  @Test("ends when its time is over, and the band gets a stop")
  func limit() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.measured = [0, 71, 72, 300, 73]
      let session = try await Self.visited(band)
      let sink = Sink()
      let before = band.link.now
      #expect(try await session.measure(Self.order(), into: sink) == .limit)
      #expect(sink.values == [71, 72, 73] && !band.isMeasuring)
      #expect((20_000_000_000...22_000_000_000).contains(band.link.now - before))
      let written = band.requests(.liveControl).map { hexadecimal($0.payload) }
      #expect(written == ["080110011814", "0801"])
    }
  }

  @Test("ends on a stop, when the band ends it, and when the link does")
  func ends() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.measured = [97, 97, 98]
      let session = try await Self.visited(band)
      let sink = Sink()
      sink.stopsAfter = 2
      #expect(try await session.measure(Self.order(.spo2, limit: nil), into: sink) == .stopped)
      #expect(sink.values == [97, 97] && !band.isMeasuring)
      band.endsMeasuring = true
      let other = Sink()
      #expect(try await session.measure(Self.order(.spo2, limit: 60), into: other) == .byWearable)
      #expect(other.values == [97, 97, 98])
      // As its time is over by its own clock.
      #expect(try await session.measure(#require(MeasurementOrder(.spo2, limit: 15)), into: Sink()) == .byWearable)
      band.measured = [UInt32](repeating: 97, count: 13)
      #expect(try await session.measure(#require(MeasurementOrder(.spo2, limit: 15)), into: Sink()) == .limit)
      band.endsMeasuring = false
      band.link.endsAt = band.link.requests + 1
      let end = await trouble { () throws(VisitTrouble) in
        _ = try await session.measure(Self.made, into: Sink())
      }
      guard case .link? = end else { return #expect(Bool(false), "\(String(describing: end))") }
    }
  }

  @Test("has no value that an earlier one still sent when it was over")
  func late() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = try await Self.visited(band)
      var left = TopStepLiveValue()
      left.value = 168
      band.tell(.liveValue, try left.wire())
      band.tell(.liveStopped, [])
      band.measured = [71, 72]
      band.endsMeasuring = true
      let sink = Sink()
      #expect(try await session.measure(Self.order(), into: sink) == .byWearable)
      #expect(sink.values == [71, 72])
    }
  }

  private static let made = MeasurementOrder(.stress)!

  @Test("is refused for what the band does not measure, if it does not begin, and if no value comes")
  func refusals() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.capabilities = PocketBand.word([3, 4, 6])
      let session = try await Self.visited(band)
      #expect(session.measurable == [.heartRate, .stress])
      for series in [Series.spo2, .systolicPressure, .steps] {
        let order = try Self.order(series)
        let end = await trouble { () throws(VisitTrouble) in _ = try await session.measure(order, into: Sink()) }
        guard case .unsupported? = end else { return #expect(Bool(false), "\(String(describing: end))") }
      }
      #expect(band.requests(.liveControl).isEmpty)
      band.takesMeasuring = false
      let busy = await trouble { () throws(VisitTrouble) in _ = try await session.measure(Self.made, into: Sink()) }
      guard case .busy? = busy else { return #expect(Bool(false), "\(String(describing: busy))") }
      band.takesMeasuring = true
      let silent = await trouble { () throws(VisitTrouble) in _ = try await session.measure(Self.made, into: Sink()) }
      guard case .silent? = silent else { return #expect(Bool(false), "\(String(describing: silent))") }
      #expect(!band.isMeasuring)
      let fresh = TopStepSession(PocketBand().link)
      #expect(fresh.measurable == [])
    }
  }
}
