import Bluetooth
import EventLoop
import Testing
import TopStepMessages
import Wearable

@testable import CivilTime
@testable import DriverTestSupport
@testable import Health
@testable import TopStepNextFamily

@Suite("What a band of the new platform reports by itself", .serialized)
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

  @Test("its clock is set before anything is fetched, with the zone, and keeps the zone while something is to fetch")
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
      #expect(band.requests(.time).count == 1 && session.attendance == .seconds(30))
      // A visit without a listing leaves it as it is, for a day.
      _ = try await session.check()
      try await session.finish()
      #expect(band.time?.zoneOffset == 3600)
      band.link.wait(.seconds(86_401))
      _ = try await session.check()
      #expect(band.time?.zoneOffset == 0)
    }
  }

  @Test("its clock is left alone by a hub that does not know the time")
  func untrusted() throws {
    try onLoop { _ in
      let band = PocketBand()
      band.link.isTrusted = false
      _ = try await TopStepSession(band.link).check()
      #expect(band.requests(.time).isEmpty && band.authentication?.hasTime == false)
    }
  }

  /// Payloads of an answer that a host does not expect.
  enum Form: CaseIterable {
    case cut, unnamed, longer, empty

    var payload: [UInt8] {
      switch self {
      case .cut: [0x0A, 0x40, 0x01]
      // 99 in the fields in which answers have their results, and switches.
      case .unnamed: [0x08, 99, 0x10, 99]
      case .longer: [0xFA, 0x01, 0x03, 1, 2, 3, 0xF8, 0x02, 7]
      case .empty: []
      }
    }
  }

  @Test(
    "an answer that only describes ends no visit, whatever it has",
    arguments: [
      .battery, .time, .deviceInfo, .functions, .bluetoothInfo, .heartRate, .stress, .spo2, .user, .syncStart,
    ]
      as [TopStepTopic], Form.allCases)
  func forms(_ topic: TopStepTopic, _ form: Form) throws {
    try onLoop { _ in
      let band = PocketBand()
      try band.recordSomething()
      band.instead = { frame in
        guard frame.topic == topic else { return nil }
        let answer = TopStepFrame(topic: topic, sequence: frame.sequence, payload: form.payload).bytes
        guard topic == .syncStart, let type = (try? TopStepSyncStart(wire: frame.payload))?.type.rawValue else {
          return [answer]
        }
        let days = band.days[UInt8(type)] ?? []
        return [answer] + days.map { TopStepFrame(topic: .data(UInt8(type)), sequence: 9, payload: $0).bytes }
      }
      let session = TopStepSession(band.link)
      let report = try await session.check()
      #expect(session.isBound && (topic == .battery || report.battery == 80))
      for domain in session.domains { #expect(try await domain.list(known: []).count == 1, "\(domain.id)") }
      try await session.finish()
      if form == .cut, topic != .functions, topic != .bluetoothInfo, topic != .user {
        #expect(!band.link.notes.isEmpty)
      }
      // If it is unknown whether a clock was set, its times are unsure.
      if topic == .time, form == .cut || form == .unnamed {
        let items = try await session.domains[0].list(known: [])
        #expect(items.allSatisfy { $0.id.hasSuffix("-before") || $0.mark.contains("b") })
      }
    }
  }

  @Test("what it is and has is reported as facts and as a report, and pressure is not served")
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

  @Test("a band that reports no information is visited all the same")
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
