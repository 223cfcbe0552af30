import Bluetooth
import EventLoop
import Testing
import Wearable

@testable import DriverTestSupport
@testable import Health
@testable import TopStepNextFamily

@Suite("What a band of the new platform tells by itself", .serialized)
struct TopStepLiveTests {
  private static let source = TopStepNextDriver().liveSources[0]

  private static func tell(_ frame: TopStepFrame, _ decoder: any LiveDecoder, _ sink: RecordingSink) throws {
    for begin in stride(from: 0, to: frame.bytes.count, by: 7) {
      try decoder.decode(Self.source, Array(frame.bytes[begin...].prefix(7)), into: sink)
    }
  }

  @Test("is its charge, whether it is charging, and that it has something new")
  func told() throws {
    let decoder = TopStepNextDriver().makeDecoder()
    let sink = RecordingSink()
    let charge = TopStepFrame(topic: .batteryChanged, sequence: 1, payload: [0x08, 0x50, 0x10, 0x01])
    try Self.tell(charge, decoder, sink)
    try Self.tell(charge, decoder, sink)
    #expect(sink.samples.map(\.value) == [80, 80] && sink.samples.allSatisfy { $0.series == .battery })
    #expect(sink.facts == [.charging("charging")])
    try Self.tell(TopStepFrame(topic: .batteryChanged, sequence: 2, payload: [0x08, 0x64]), decoder, sink)
    #expect(sink.facts == [.charging("charging"), .charging("not charging")])
    try Self.tell(TopStepFrame(topic: .batteryChanged, sequence: 3, payload: [0x08, 0x65]), decoder, sink)
    try Self.tell(TopStepFrame(topic: .batteryChanged, sequence: 4, payload: [0x0A]), decoder, sink)
    #expect(sink.samples.count == 3 && sink.anomalies.count == 2 && sink.newItems == 0)
    try Self.tell(TopStepFrame(topic: .dataChanged, sequence: 5, payload: [0x08, 0x01]), decoder, sink)
    #expect(sink.newItems == 1)
    // What is handed over and what is measured by order is the session's.
    try Self.tell(TopStepFrame(topic: .liveValue, sequence: 6, payload: [0x10, 0x4C]), decoder, sink)
    try Self.tell(TopStepFrame(topic: .battery, sequence: 7, payload: [0x08, 0x01]), decoder, sink)
    #expect(sink.samples.count == 3)
  }

  @Test("that settings were changed reaches the session over its decoder")
  func changes() throws {
    try onLoop { _ in
      let band = PocketBand()
      let session = TopStepSession(band.link)
      _ = try await session.check()
      let sink = RecordingSink()
      let before = band.asked.count
      try Self.tell(TopStepFrame(topic: .stressChanged, sequence: 1, payload: []), session.decoder, sink)
      try await session.attend()
      #expect(band.asked.count == before + 1 && band.asked.last?.topic == .stress)
      try Self.tell(TopStepFrame(topic: .functionsChanged, sequence: 2, payload: []), session.decoder, sink)
      try await session.attend()
      #expect(band.asked.last?.topic == .functions)
    }
  }

  @Test("its clock is set before anything is fetched, with the zone, and again when the zone changes")
  func clock() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.link.zone = TimeZoneRules(name: "there", changes: [], offsets: [], firstOffset: 3600, rule: nil)
      let session = TopStepSession(band.link)
      let report = try await session.check()
      #expect(report.clock == nil, "nothing was read, and nothing is said to be")
      let time = try #require(band.time)
      #expect(abs(time.timestamp - TopStep.seconds(band.link.hubTime.wall.microseconds)) < 30)
      #expect(time.zoneOffset == 3600)
      let places = band.asked.map(\.topic)
      #expect(places.firstIndex(of: .time)! < places.firstIndex(of: .deviceInfo)!)
      try await session.attend()
      #expect(band.requests(.time).count == 1)
      band.link.zone = .utc
      try await session.attend()
      #expect(band.requests(.time).count == 2 && band.time?.zoneOffset == 0)
      #expect(session.attendance == .seconds(30))
    }
  }

  @Test("what it is and has is told as facts and as a report, and pressure is not served")
  func identity() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.capabilities = PocketBand.word([3, 4, 8, 9])
      let session = TopStepSession(band.link)
      let report = try await session.check()
      #expect(report.facts.contains(.model("Pocket")) && report.facts.contains(.firmware("1.2.3")))
      #expect(report.facts.contains(.notServed("optical blood pressure, temperature, ECG")))
      let rows = try await session.report("band")
      #expect(rows.map(\.name) == ["device", "functions", "bluetooth"])
      #expect(rows[0].fields.contains(.init("capabilities", "1803000000000000")))
      #expect(rows[1].fields == [.init("bytes", "0A020102")])
      #expect(band.link.remembered(BandTold.self)?.capabilities == band.capabilities)
    }
  }

  @Test("a band that says nothing of itself is visited all the same")
  func mute() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.silent = [.deviceInfo, .functions, .bluetoothInfo, .heartRate, .stress, .spo2]
      let session = TopStepSession(band.link)
      let report = try await session.check()
      #expect(
        session.isBound && report.facts == [.charging("not charging")] && session.announced == nil
          && session.monitoring.isEmpty)
      #expect(session.domains.count == 6 && session.measurable.count == 3)
    }
  }

  @Test("a frame is written in pieces of 20 bytes, however long the pieces are in which the band answers")
  func pieces() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.piece = 100
      try band.recordSomething()
      let session = TopStepSession(band.link)
      _ = try await session.check()
      try await session.finish()
      _ = try await TopStepSession(band.link).check()
      #expect(band.link.written.map(\.value.count).max() == 20)
    }
  }
}
