import Export
import Foundation
import HubProtocol
import Reasons
import Testing

@testable import EventLoop
@testable import hearth

/// A scheduled export of one person, and formats that are whole files.
@Suite("Files of a scheduled export of a person")
struct DeliveryPersonTests {
  /// A bench whose export is of Ada.
  private func bench(_ format: ExportFormat = .ndjson) throws -> DeliveryBench {
    let bench = try DeliveryBench(format)
    bench.settings.person = "Ada"
    // A row of this hub is some 170 bytes long.
    bench.settings.size = 800
    return bench
  }

  @Test(
    "whichever step a run ends at, each row of the person lies in one file, and none of another person",
    arguments: DeliveryRun.Step.allCases.filter { $0 != .confirm && $0 != .settle })
  func cut(_ step: DeliveryRun.Step) throws {
    for after in 0..<3 {
      let bench = try bench()
      bench.hub.wearer = { ring, ordinal in ring == 2 || (3..<6).contains(ordinal) ? "Bob" : "Ada" }
      for ring in 0..<3 { bench.hub.grow(ring, 9) }
      #expect(throws: CutOff.self) { try bench.run(cut: (step, step == .end ? 0 : after)) }
      bench.hub.grow(1, 4)
      try bench.run()
      try bench.account()
      #expect(bench.everything == bench.names, "no draft is left")
    }
  }

  @Test("rows that a correction gives to the person come in the next file, however old they are")
  func corrected() throws {
    let bench = try bench()
    bench.hub.wearer = { _, ordinal in ordinal < 4 ? "Bob" : "Ada" }
    bench.hub.grow(0, 10)
    #expect(try bench.run().rows == 6)
    bench.hub.wearer = { _, ordinal in ordinal < 2 ? "Bob" : "Ada" }
    #expect(try bench.run().rows == 2)
    #expect(try bench.run() == DeliveryRun.Outcome())
    try bench.account()
  }

  @Test("rows come late and in any order, runs end at any step, and the account is right", arguments: 0..<20)
  func anyOrder(_ seed: Int) throws {
    var random = DeliveryDice(UInt64(seed))
    let bench = try bench()
    var owners: [[String]] = [[], [], []]
    bench.hub.wearer = { ring, ordinal in ordinal < owners[ring].count ? owners[ring][ordinal] : "Bob" }
    for _ in 0..<25 {
      switch random.below(5) {
      case 0, 1:
        let (ring, count) = (random.below(3), random.below(12))
        owners[ring] += (0..<count).map { _ in random.below(3) == 0 ? "Bob" : "Ada" }
        bench.hub.grow(ring, count)
      case 2:
        for ring in 0..<3 {
          for place in owners[ring].indices where random.below(9) == 0 { owners[ring][place] = "Ada" }
        }
      case 3: try bench.run()
      default:
        let step = DeliveryRun.Step.allCases[random.below(DeliveryRun.Step.allCases.count)]
        do { try bench.run(cut: (step, random.below(4))) } catch is CutOff {}
      }
    }
    try bench.run()
    try bench.account()
  }

  @Test("damage is reported once; with another person the state begins again")
  func damage() throws {
    let bench = try bench()
    bench.hub.grow(0, 3)
    bench.hub.damage = [
      MissingRowsDocument(
        device: "strap-01", address: "F0:F1", enrolment: 1, series: "heart_rate", way: "fetched", from: 4, to: 9,
        cause: "damaged")
    ]
    try bench.run()
    #expect(try bench.memory.load().corrupt == 1)
    #expect(try bench.run() == DeliveryRun.Outcome())
    #expect(try bench.memory.load().corrupt == 0)
    bench.settings.person = "Bob"
    bench.hub.wearer = { _, _ in "Bob" }
    #expect(try bench.run().rows == 3)
    #expect(try bench.memory.load().person == "Bob")
  }

  @Test(
    "each format is a whole file with its own ending, in runs that follow each other",
    arguments: [
      (ExportFormat.csvWide, "csv"), (.edf, "edf"), (.fit, "fit"), (.fhir, "ndjson"), (.fhirBundle, "json"),
    ])
  func formats(_ format: ExportFormat, _ ending: String) throws {
    let bench = try bench(format)
    bench.settings.size = 64 << 20
    bench.hub.grow(0, 12)
    #expect(try bench.run().files == ["gym-archive-000001-20261121T100000Z.\(ending)"])
    #expect(try bench.run() == DeliveryRun.Outcome())
    bench.hub.grow(0, 3)
    let second = try bench.run()
    #expect(second.rows == 3 && second.files == ["gym-archive-000002-20261121T100000Z.\(ending)"])
    #expect(bench.everything == bench.names)
  }

  @Test("rows without anything for the format make no file, take no number, and are not read twice")
  func nothing() throws {
    let bench = try bench(.rr)
    bench.hub.grow(0, 4)
    #expect(try bench.run() == DeliveryRun.Outcome() && bench.everything == [])
    #expect(try bench.memory.load().number == 0)
    #expect(try bench.run().rows == 0)
  }

  @Test("a file that is written as a whole ends at its weight")
  func weight() throws {
    let bench = try bench(.fit)
    bench.settings.size = 160 * 20
    bench.hub.page = 10
    bench.hub.grow(0, 45)
    #expect(try bench.run().files.count == 3)
  }

  @Test("places are ranges that join; a gap is reported behind its known part")
  func ranges() throws {
    var rows = DeliveredRows()
    func gap(_ from: Int, _ to: Int) -> MissingRowsDocument {
      MissingRowsDocument(
        device: "a", address: "b", enrolment: 1, series: "heart_rate", way: "live", from: from, to: to, cause: "gone")
    }
    for (from, to) in [(5, 9), (20, 30), (12, 12), (10, 11), (2, 3), (31, 40), (4, 4), (1, 1)] {
      rows.note(gap(from, to), alone: true)
    }
    #expect(rows.rest(of: gap(1, 12)) == nil && rows.rest(of: gap(20, 40)) == nil)
    #expect(rows.rest(of: gap(11, 15))?.from == 13 && rows.rest(of: gap(13, 15))?.from == 13)
    #expect(DeliveredRows(rows.json) == rows)
    guard case .array(let elements) = rows.json else { throw CutOff() }
    #expect(elements.count == 2, "\(elements)")
    rows.note(gap(0, 60), alone: false)
    #expect(rows.rest(of: gap(0, 60)) == nil)
    for (ordinal, parts) in [(UInt64(0), UInt32(0)), (.max, 9), (3, .max)] {
      var row = try #require(
        ExportRow([
          "device": "a", "address": "b", "series": "battery", "time": "2026-11-30T10:00:00.000Z", "value": 1,
          "unit": "%", "origin": "live",
        ]))
      row.place = ExportRow.Place(enrolment: 2, way: "live", ordinal: ordinal, parts: parts)
      rows.note(row, alone: true)
      #expect(rows.has(row), "\(ordinal) with \(parts) parts")
    }
    let backwards: JSON = ["enrolment": 1, "way": "live", "series": "x", "from": "9", "ordinal": "3"]
    #expect(DeliveredRows(.array([backwards])) == nil)
  }
}
