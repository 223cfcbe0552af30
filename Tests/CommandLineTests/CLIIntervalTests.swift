import Export
import Health
import HubProtocol
import Reasons
import StoreDocuments
import Testing

@testable import EventLoop
@testable import RingStore
@testable import hearth

@Suite("Intervals between beats as one number a line")
struct CLIIntervalTests {
  private func row(
    _ series: String, _ value: JSON, at seconds: Double, device: String = "strap-01", address: String = "F0",
    wearer: String? = nil, way: String = "live", _ more: (String, JSON)...
  ) throws -> ExportRow {
    let time = VirtualLoop.morning + .milliseconds(Int64(seconds * 1000))
    var members: [JSON.Member] = [
      .init("device", .string(device)), .init("address", .string(address)), .init("series", .string(series)),
      .init("time", .string(time.rfc3339)), .init("value", value), .init("unit", "ms"), .init("origin", .string(way)),
      .init("enrolment", 1), .init("way", .string(way)), .init("ordinal", 1),
    ]
    if let wearer { members.append(.init("wearer", .string(wearer))) }
    return try #require(ExportRow(.object(members + more.map { .init($0.0, $0.1) })))
  }

  private func text(_ rows: [ExportRow], isOfPerson: Bool = false) throws -> (String, IntervalExport.Summary) {
    var (intervals, bytes) = (IntervalExport(isOfPerson: isOfPerson), [UInt8]())
    for row in rows { try intervals.take(row) }
    let summary = try intervals.finish { bytes += $0 }
    return (String(decoding: bytes, as: UTF8.self), summary)
  }

  private func refusal(_ rows: [ExportRow], isOfPerson: Bool = false) -> String? {
    do { _ = try text(rows, isOfPerson: isOfPerson) } catch let error as HearthError {
      return error.reason == .controlBadParameter ? error.detail : nil
    } catch { return nil }
    return nil
  }

  @Test("one exact number of milliseconds a line, in the order of time, several of one packet in theirs")
  func lines() throws {
    let (text, summary) = try text([
      row("rr_interval", 1000, at: 1), row("rr_interval", .decimal("923.828125"), at: 1),
      row("rr_interval", 500, at: 3), row("rr_interval", 750, at: 2), row("heart_rate", 60, at: 2),
    ])
    #expect(text == "1000\n923.828125\n750\n500\n")
    #expect(summary.intervals == 4 && summary.gaps == 0 && summary.leftOut == 0)
    #expect(
      render(summary) == "4 intervals from 2026-11-21T10:00:01.000Z to 2026-11-21T10:00:03.000Z")
    let none = try self.text([])
    #expect(none.0.isEmpty && render(none.1) == "0 intervals")
  }

  @Test("what the sensor doubts is left out, and with silence it is a gap, which no line says")
  func gaps() throws {
    let (text, summary) = try text([
      row("ppi", .array([800, 5, 6]), at: 0), row("ppi", .array([810, 5, 7]), at: 0.8),
      row("ppi", .array([820, 5, 4]), at: 1.6), row("ppi", .array([830, 31, 6]), at: 2.4),
      row("ppi", .array([0, 5, 6]), at: 2.5), row("ppi", .array([840, 30, 6]), at: 3.2),
      row("ppi", .array([850, 5, 0]), at: 64.05), row("ppi", .array([860, 5, 0]), at: 65, ("quality", "low")),
    ])
    #expect(text == "800\n840\n850\n")
    #expect(summary.leftOut == 5 && summary.gaps == 2 && summary.missing == 2_360_000 + 60_000_000)
    #expect(
      render(summary)
        == """
        3 intervals from 2026-11-21T10:00:00.000Z to 2026-11-21T10:01:04.050Z; 5 left out as doubtful; \
        2 gaps of 62.3 s in all, between lines that are not consecutive
        """)
  }

  @Test("a selection of several wearables, persons or series is refused with what to give")
  func refused() throws {
    let one = try row("rr_interval", 1000, at: 1, wearer: "Ada")
    #expect(
      try refusal([one, row("rr_interval", 1000, at: 1, device: "strap-02", address: "F1")])?.hasSuffix(
        "give --device or --person") == true)
    #expect(
      try refusal([one, row("rr_interval", 1000, at: 1, address: "F1")])?.contains("give the address of one") == true)
    #expect(
      try refusal([one, row("rr_interval", 1000, at: 9, wearer: "Bob")])?.contains("Ada and Bob wore strap-01") == true)
    #expect(
      try refusal([one, row("ppi", .array([800, 5, 0]), at: 1.5), row("rr_interval", 1000, at: 2)])?.hasSuffix(
        "give --series") == true)
    #expect(
      try refusal(
        [
          one, row("rr_interval", 875, at: 1.5, device: "strap-02", address: "F1", wearer: "Ada"),
          row("rr_interval", 1000, at: 2, wearer: "Ada"),
        ], isOfPerson: true)?.hasSuffix("of the same time: give --device too") == true)
  }

  @Test("what a person wore one after another is one text, with a gap at each change")
  func person() throws {
    let (text, summary) = try text(
      [
        row("rr_interval", 875, at: 100, device: "strap-02", address: "F1", wearer: "Ada"),
        row("rr_interval", 1000, at: 1, wearer: "Ada"), row("rr_interval", 1000, at: 2, wearer: "Ada"),
        row("rr_interval", 625, at: 200, wearer: "Ada"),
      ], isOfPerson: true)
    #expect(text == "1000\n1000\n875\n625\n" && summary.gaps == 2)
  }

  @Test("of intervals that came live and again from the wearable's memory the fuller record is taken")
  func repeated() throws {
    let (text, summary) = try text([
      row("rr_interval", 1000, at: 1), row("rr_interval", 1000, at: 3), row("rr_interval", 500, at: 1, way: "fetched"),
      row("rr_interval", 500, at: 1.5, way: "fetched"), row("rr_interval", 500, at: 2, way: "fetched"),
    ])
    #expect(text == "500\n500\n500\n" && summary.repeated == 2)
    let apart = try self.text([row("rr_interval", 1000, at: 1), row("rr_interval", 500, at: 100, way: "fetched")])
    #expect(apart.0 == "1000\n500\n" && apart.1.repeated == 0)
  }

  @Test("intervals that came in one way only are kept, beside those that came in two")
  func partly() throws {
    let live = try (0..<60).map { try row("rr_interval", 1000, at: Double($0)) }
    let fetched = try (40..<140).map { try row("rr_interval", 500, at: Double($0), way: "fetched") }
    let later = try (200..<220).map { try row("rr_interval", 750, at: Double($0)) }
    let (text, summary) = try text(live + fetched + later)
    let wanted = [("1000\n", 38), ("500\n", 100), ("750\n", 20)].map { String(repeating: $0, count: $1) }.joined()
    #expect(text == wanted)
    #expect(summary.repeated == 22 && summary.intervals == 158)
  }
}
