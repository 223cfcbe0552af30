import Bluetooth
import CivilTime
import EventLoop
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import FitCloudFamily

@Suite("FitCloud's values")
struct FitCloudValueTests {
  @Test("of time come back from their four bytes, to the second, within the years that these can name")
  func time() throws {
    var generator = SeededGenerator(seed: .random(in: 0 ... .max))
    let first = try #require(LocalDate(year: 2000, month: 1, day: 1)).dayNumber * 86_400
    let last = try #require(LocalDate(year: 2063, month: 12, day: 31)).dayNumber * 86_400 + 86_399
    for _ in 0..<2000 {
      let moment = Int64.random(in: first...last, using: &generator) * 1_000_000
      #expect(FitCloudTime.word(moment + 999_999).flatMap { FitCloudTime.microseconds($0) } == moment)
    }
    #expect(FitCloudTime.word((first - 1) * 1_000_000) == nil && FitCloudTime.word((last + 1) * 1_000_000) == nil)
    // 31 April, month 0, hour 24, minute 60.
    for word: UInt32 in [26 << 26 | 4 << 22 | 31 << 17, 26 << 26 | 1 << 17, 26 << 26 | 4 << 22 | 1 << 17 | 24 << 12] {
      #expect(FitCloudTime.microseconds(word) == nil)
    }
    #expect(FitCloudTime.day(26 << 9 | 13 << 5 | 1) == nil)
  }

  @Test("of features have their own bits in either generation")
  func features() {
    let old = FitCloudFeatures(.old, 1 << 0 | 1 << 3 | 1 << 7)
    #expect(old.all == [.heartRate, .spo2, .weekOfSleep])
    let new = FitCloudFeatures(.new, 1 << 0 | 1 << 1 | 1 << 2 | 1 << 13 | 1 << 21 | 1 << 22 | 1 << 31)
    #expect(new.all == [.heartRate, .spo2, .pressure, .stress, .pressureByPump, .manualSync])
    #expect(FitCloudFeatures(.old, 1 << 21).all.isEmpty)
  }

  @Test("of its information are cut if they are known, and kept as they came")
  func information() throws {
    let value = (0..<32).map { UInt8($0) }
    let whole = try #require(FitCloudInformation(value, .old))
    #expect(whole.project == "000102030405" && whole.features.word == 0x0607_0809 && whole.serial == "1C1D1E1F")
    #expect(whole.firmware == "patch 0E0F10111213 flash 14151617 app 18191A1B" && whole.raw == value)
    let short = try #require(FitCloudInformation(Array(value.prefix(12)), .new))
    #expect(short.features.word == 0x0607_0809 && short.firmware == nil && short.serial == nil)
    #expect(FitCloudInformation(Array(value.prefix(9)), .new) == nil)
  }

  @Test("of a body are sent if all of it is known, and within the kit's limits")
  func profile() throws {
    var facts = BodyFacts()
    let today = try #require(LocalDate(year: 2026, month: 3, day: 1))
    facts.born = LocalDate(year: 1992, month: 3, day: 1)
    (facts.sex, facts.height) = (.male, 178)
    #expect(FitCloudProfile(facts, on: today) == nil)
    facts.weight = 70
    #expect(try #require(FitCloudProfile(facts, on: today)).bytes == Array(hexadecimal: "A2B21180"))
    facts.weight = 250
    #expect(FitCloudProfile(facts, on: today) == nil)
  }

  @Test("that are live are the last five bytes of the old generation, the first of the new one, and never a pressure")
  func live() throws {
    let five: [UInt8] = [72, 97, 80, 120, 15]
    let old = try #require(FitCloudLiveValues([9, 9] + five, .old))
    let new = try #require(FitCloudLiveValues(five + [0, 1, 2], .new))
    for values in [old, new] {
      #expect(values.value(of: .heartRate) == 72 && values.value(of: .spo2) == 97)
      #expect(values.value(of: .respirationRate) == 15 && values.value(of: .systolicPressure) == nil)
    }
    let nothing = try #require(FitCloudLiveValues([0, 0, 0, 0, 0], .new))
    #expect(nothing.value(of: .heartRate) == nil && nothing.isEmpty(.heartRate))
    #expect(FitCloudLiveValues([72, 97, 80, 120], .new) == nil)
  }

  @Test("of a charge above 100 % are left out, and charging is reported if it is said")
  func battery() {
    #expect(FitCloudBattery([101, 0]) == nil && FitCloudBattery([]) == nil)
    #expect(FitCloudBattery([55])?.isCharging == nil && FitCloudBattery([55, 1])?.text == "charging")
  }
}

@Suite("FitCloud's history records")
struct FitCloudRecordTests {
  /// What an item is decoded to.
  private struct Decoded: Sendable {
    let items: [(series: Series, values: [Int64], time: Int64)]
    let bytes: [[UInt8]]
    let manual: [Bool]
    let anomalies: [String]

    init(_ sink: CollectingItems) {
      (items, bytes, manual, anomalies) = (sink.items, sink.bytes, sink.manual, sink.anomalies)
    }
  }

  private func decode(_ id: String, _ records: [UInt8], fetched: String? = nil, _ generation: FitCloudGeneration = .new)
    throws -> Decoded
  {
    let kind = try #require(HistoryKind.all.first { $0.id == id })
    let shown = fetched.flatMap { CivilMoment(text: $0) }?.microseconds(at: 0) ?? 1_795_255_200_000_000
    let head = HistoryHead(code: kind.code(generation), generation, shown: shown, isSure: fetched != nil)
    let bytes = try #require(head.bytes) + records
    return try VirtualLoop.run { _ in
      let (first, second) = (CollectingItems(), CollectingItems())
      try bytes.withUnsafeBytes { raw in
        let placing = HistoryPlacing(
          ClockEras(), kind, code: kind.code(generation), fetched: fetched == nil ? nil : shown)
        let pieces = HistoryPieces(kind, mark: "m", placing)
        try pieces.decodeAll(raw, into: first)
        // And once more, as the hub does.
        pieces.rewind()
        while try pieces.decodeNext(raw, into: second) {}
      }
      #expect(first.items.map(\.values) == second.items.map(\.values))
      return Decoded(first)
    }
  }

  @Test("leave out what is 0, and what no body has")
  func left() async throws {
    // 2026-03-01 08:00, every 10 min.
    let records = try #require(Array(hexadecimal: "0004346101E0000A48004B50"))
    let all = try decode("heart-rate", records)
    #expect(all.items.map(\.values) == [[72], [75], [80]] && all.anomalies.isEmpty)
    let saturation = try decode("spo2", try #require(Array(hexadecimal: "0003346101E0000A616500")))
    #expect(saturation.items.map(\.values) == [[97]] && saturation.anomalies.count == 1)
  }

  @Test("of steps and sleep are spans; of a pressure two series; by hand is said")
  func kinds() throws {
    let steps = try decode("steps", try #require(Array(hexadecimal: "0004346102580005000001400BB9002D")), .old)
    #expect(steps.items.map(\.values) == [[300_000_000, 320], [300_000_000, 45]] && steps.anomalies.count == 1)
    let sleep = try decode("sleep", try #require(Array(hexadecimal: "000534610564000502010304" + "07")))
    #expect(sleep.items.map { $0.values[1] } == [3, 4, 1, 2] && sleep.anomalies.count == 1)
    let pressure = try decode("blood-pressure-manual", try #require(Array(hexadecimal: "0003346101E00005785000005078")))
    #expect(pressure.items.map(\.series) == [.systolicPressure, .diastolicPressure])
    #expect(pressure.items.map(\.values) == [[12_000], [8000]] && pressure.manual == [true, true])
  }

  @Test("of steps with more fields than one are kept as they are, like those of unpublished layouts")
  func raw() throws {
    let records = try #require(Array(hexadecimal: "00023461025800050140002D00FF014000110022"))
    for id in ["steps", "stress", "sport", "temperature-manual"] {
      let items = try decode(id, records)
      #expect(items.items.map(\.series) == [.raw] && items.bytes[0].suffix(records.count) == records[...])
    }
  }

  @Test("that are cut, of no day, or several of one moment are defects")
  func defects() throws {
    for hex in ["0003346101E000054800", "0001346101E00005", "000134", "0001002001E0000548", "0001346105A0000548"] {
      let records = try #require(Array(hexadecimal: hex))
      #expect(throws: ItemDefect.self) { try decode("heart-rate", records) }
    }
    #expect(throws: ItemDefect.self) {
      try decode("heart-rate", try #require(Array(hexadecimal: "0002346101E000004848")))
    }
  }

  @Test("give the same in any pieces, and never more values than bytes")
  func property() throws {
    var generator = SeededGenerator(seed: .random(in: 0 ... .max))
    for _ in 0..<200 {
      let values = (0..<Int.random(in: 1...3000, using: &generator)).map { _ in
        UInt8.random(in: 0...200, using: &generator)
      }
      let count = UInt16(values.count)
      let records = [UInt8(count >> 8), UInt8(count & 0xFF), 0x34, 0x61, 0x01, 0xE0, 0, 1] + values
      let items = try decode("heart-rate", records)
      #expect(items.items.map { UInt8($0.values[0]) } == values.filter { $0 > 0 })
    }
  }
}
