import EventLoop
import Health
import Reasons
import Testing
import Vitals

@testable import Control
@testable import HubProtocol
@testable import RingStore

@Suite("Measurements of vital signs on the control socket")
struct MeasurementsMethodTests {
  /// Of `person`, some minutes after the hub's morning, with one result and one that is missing.
  @LoopActor private static func sample(
    _ minutes: Int64, wearable: UInt32 = 1, person: String = "", end: MeasurementEnd = .duration
  ) -> StoredSample {
    let start = FakeHub.now + .seconds(minutes * 60)
    var record = MeasurementRecord(basis: .ppi, endReason: end)
    (record.session, record.number, record.person, record.device) = (minutes.magnitude, 1, person, "old-name")
    (record.start, record.end) = (start.microseconds, start.microseconds + 60_500_000)
    (record.requested, record.actual, record.artefactShare, record.coverage) = (60_000_000, 60_250_000, 0.125, 0.75)
    record.append(RecordedInterval(microseconds: 812_500, flags: [.beginsStretch, .missed]))
    record.append(RecordedInterval(microseconds: 813_477))
    record.append(MeasurementRecord.Gap(start: 2_000_000, length: 3_500_000))
    record.append(
      VitalResult(
        name: "rmssd", value: 42.5, unit: "ms", confidence: .medium, windowSeconds: 60, method: "TD-1",
        flags: [.optical, .corrected]))
    record.append(
      VitalResult(
        name: "stress_level", value: 0, text: "very_high", unit: "", confidence: .low, windowSeconds: 60,
        method: "BI-1"))
    record.append(NotReported(name: "respiration_rate", reason: "no_breathing_line"))
    return FakeHub.sample(
      wearable, .measurement, 1, at: start, ordinal: minutes.magnitude, values: [1], bytes: record.bytes)
  }

  private static func ask(
    _ parameters: JSON, _ prepare: @escaping @LoopActor (FakeHub) -> Void
  ) throws -> VitalsRecordsDocument {
    try serve { hub, _ in
      prepare(hub)
    } client: { path in
      try ControlClient(path: path).fetch("measurements", of: "Measurements", parameters)
    }
  }

  @Test("a measurement is shown with everything that its record has")
  func whole() throws {
    let found = try Self.ask(["name": "strap-01"]) { $0.samples = [Self.sample(5, person: "1", end: .stop)] }
    let record = try #require(found.records.first)
    #expect(found.records.count == 1 && found.unreadable == 0 && found.name == "strap-01" && found.zone == "UTC")
    #expect(record.session == 5 && record.number == 1 && record.basis == "ppi" && record.endedBy == "stop")
    #expect(record.device == "strap-01", "the name of now, not the one of then")
    #expect(record.person == "Ada" && record.wearer == nil)
    let start = FakeHub.now + .seconds(300)
    #expect(record.start == start.rfc3339 && record.end == (start + .milliseconds(60_500)).rfc3339)
    #expect(record.requestedS == 60 && record.actualS == 60.25)
    #expect(record.artefactShare == 0.125 && record.coverage == 0.75)
    #expect(record.gaps == [VitalsRecordDocument.Gap(startS: 2, lengthS: 3.5)])
    #expect(record.intervals == 2 && record.intervalList == nil && record.leftOut == 0 && record.code == nil)
    #expect(
      record.results == [
        VitalValueDocument(
          name: "rmssd", value: 42.5, unit: "ms", confidence: "medium", windowS: 60, method: "TD-1",
          flags: ["optical", "corrected"]),
        VitalValueDocument(
          name: "stress_level", text: "very_high", unit: "", confidence: "low", windowS: 60, method: "BI-1", flags: []),
      ])
    #expect(record.notReported == [VitalMissingDocument(name: "respiration_rate", reason: "no_breathing_line")])
  }

  @Test("intervals come only on request, and an error with its number in words")
  func intervals() throws {
    let found = try Self.ask(["name": "strap-01", "intervals": true]) {
      $0.samples = [Self.sample(5, end: .error(.signalLost))]
    }
    let record = try #require(found.records.first)
    #expect(
      record.intervalList == [
        VitalsRecordDocument.Interval(ms: 812.5, flags: ["begins_stretch", "missed"]),
        VitalsRecordDocument.Interval(ms: 813.477, flags: []),
      ])
    #expect(record.endedBy == "error" && record.code == 3003 && record.person == nil)
    #expect(record.sentence == "the signal was lost during the measurement")
  }

  @Test("the newest are given, ascending; what cannot be read is counted")
  func limit() throws {
    let found = try Self.ask(["name": "strap-01", "limit": 2]) { hub in
      let broken = FakeHub.sample(1, .measurement, 1, at: FakeHub.now + .seconds(3600), values: [1], bytes: [1, 2])
      hub.samples = [1, 2, 3].map { Self.sample($0) } + [Self.sample(9, wearable: 2), broken]
    }
    #expect(found.records.map(\.session) == [2, 3] && found.unreadable == 1)
    let trained = try Self.ask(["name": "strap-01", "limit": 2]) { hub in
      let effort = FakeHub.sample(1, .measurement, 1, at: FakeHub.now + .seconds(3600), values: [2], bytes: [1, 0])
      hub.samples = [1, 2, 3].map { Self.sample($0) } + [effort]
    }
    #expect(
      trained.records.map(\.session) == [2, 3] && trained.unreadable == 0, "the zones of a training are no measurement")
    let all = try Self.ask(["name": "strap-01"]) { hub in hub.samples = [1, 2, 3].map { Self.sample($0) } }
    #expect(all.records.map(\.session) == [1, 2, 3])
  }

  @Test("a person has those that name the person, and those without a name while the wearable was worn")
  func person() throws {
    // Ada wears strap-02 from the hub's morning on.
    let found = try Self.ask(["name": "Ada"]) { hub in
      hub.samples = [
        Self.sample(1, wearable: 2), Self.sample(2, wearable: 2, person: "7"), Self.sample(3, wearable: 2, person: "1"),
        Self.sample(-5, wearable: 2),
      ]
    }
    #expect(found.name == "Ada" && found.records.map(\.session) == [1, 3])
    #expect(found.records.map(\.wearer) == ["Ada", "Ada"] && found.records.map(\.person) == [nil, "Ada"])
  }

  @Test("an erased person has no name in a record")
  func erased() throws {
    let found = try Self.ask(["name": "strap-01"]) { $0.samples = [Self.sample(1, person: "7")] }
    #expect(found.records.map(\.person) == [nil])
  }

  @Test("what was read is noted: of which wearable, when, and of which person")
  func noted() throws {
    let notes = try serve(
      prepare: { hub, _ in hub.samples = [Self.sample(1, person: "1"), Self.sample(2, wearable: 2)] },
      client: { path in _ = try ControlClient(path: path).call("Measurements", ["name": "strap-01"]) },
      after: { hub, _, _ in hub.accessNotes })
    #expect(notes.count == 1 && notes[0].method == "Measurements" && notes[0].samples == 1)
    #expect(notes[0].wearable == WearableID(number: 1) && notes[0].series == [Series.measurement.id])
    #expect(notes[0].wearers == [WearerID(number: 1)] && notes[0].span?.lowerBound == FakeHub.now + .seconds(60))
  }

  @Test("more than an answer holds, and unknown names, are refused")
  func refusals() throws {
    func refusal(_ parameters: JSON) throws -> Reason? {
      try serve { hub, _ in
        hub.samples = []
      } client: { path in
        do {
          _ = try ControlClient(path: path).call("Measurements", parameters)
          return nil
        } catch {
          return (error as? HearthError)?.reason
        }
      }
    }
    #expect(try refusal(["name": "strap-01", "limit": 200]) == nil)
    #expect(try refusal(["name": "strap-01", "limit": 51, "intervals": true]) == .controlBadParameter)
    #expect(try refusal(["name": "strap-01", "limit": 0]) != nil)
    #expect(try refusal(["name": "nobody"]) == .noSuchWearable)
  }
}
