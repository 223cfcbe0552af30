import Drivers
import Foundation
import RingStore
import StateCodec
import Testing
import Wearable

@testable import BotzFamily
@testable import PolarFamily

@Suite("What drivers kept as text in a store of format 3")
struct OldNotesOfDriversTests {
  /// What each driver makes of the notes of its wearable in `Fixtures/format-3-notes`, and what it leaves.
  private func converted() throws -> [(states: RememberedStates, left: [String: String])] {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let data = tests.appendingPathComponent("RingStoreTests/Fixtures/format-3-notes/data.mdb")
    let path = NSTemporaryDirectory() + "hearth-old-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: data, to: URL(fileURLWithPath: path + "/data.mdb"))
    return try StoreReader(path: path).wearables.map { record in
      var own: [String: String] = [:]
      for (name, text) in record.notes where name.hasPrefix("driver.") { own[String(name.dropFirst(7))] = text }
      var states = RememberedStates()
      registry.first { $0.id == record.driver }?.formerNotes?.takeOver(&own, into: &states)
      return (states, own)
    }
  }

  @Test("becomes states; what belongs to an unknown driver stays")
  func fixture() throws {
    let all = try converted()
    #expect(all.map(\.left) == [[:], [:], [:], ["own": "what nobody can read any more"]])
    let band = all[0].states
    #expect(band.entries.count == 9)
    let recordings = band[PolarRecordings.self]?.all ?? []
    #expect(
      recordings.map(\.type) == [.ppg, .acc, .ppi] && recordings.map(\.rate) == [55, 26, nil]
        && recordings.map(\.needsSDKMode) == [false, true, false])
    #expect(band[PolarTriggers.self]?.mode == .exerciseStart && band[PolarTriggers.self]?.types == [.ppi, .acc])
    let renewals = band[PolarPendingRenewals.self]?.all ?? []
    #expect(renewals.map(\.type) == [.acc, .gyro] && renewals.map(\.wasEncrypted) == [false, true])
    #expect(
      renewals.map(\.selection.values) == [
        [.sampleRate: 52, .resolution: 16, .range: 8, .channels: 3],
        [.sampleRate: 52, .resolution: 16, .range: 2000, .channels: 3],
      ])
    #expect(
      band[PolarBegun.self]?.times == [2: 1_793_491_200, 5: 1_793_491_260]
        && band[PolarSleepSeen.self]?.seconds == 1_793_491_200)
    #expect(band[PolarSwitchedOff.self]?.features == [.dayAndNight: [8, 3, 0x12, 6], .telemetry: []])
    #expect(band[PolarFileBefore.self]?.before.values == ["worn": "right-wrist"])
    #expect(band[PolarRadioBefore.self]?.before.values == ["ant-plus": "on", "second-link": ""])
    #expect(band[PolarClockWaits.self]?.seconds == 1_793_577_600)
    #expect(all[1].states[PolarExerciseRemovals.self]?.names == ["RUN", "MONDAY_20261116"])
    #expect(all[2].states[InsoleEra.self] == InsoleEra(boot: "1112-15", offset: 1_793_491_200_000_000))
    #expect(all[2].states[BotzActiveStreamsFlag.self] != nil && all[3].states.entries.isEmpty)
  }

  @Test("that makes no sense is forgotten")
  func nonsense() {
    var notes = [
      "recordings": "nothing:1/2 sdk", "triggers": "off acc",
      "renewals": ": 2 2: 2:52 2:52/16/8//x 9://// x://// 2:-1////", "begun": "9:x 300:5 2 ::",
      "sleep-seen": "yesterday", "off": "everything", "file-before": "worn", "clock-waits": "",
    ]
    var states = RememberedStates()
    PolarDriver().takeOver(&notes, into: &states)
    #expect(notes.isEmpty && states.entries.isEmpty)
    var insole = ["clock": "1-2", "later": "x"]
    BotzDriver().takeOver(&insole, into: &states)
    #expect(insole == ["later": "x"] && states.entries.isEmpty)
  }
}
