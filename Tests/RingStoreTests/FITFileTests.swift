import CivilTime
import Health
import StateCodec
import Testing

@testable import Export

@Suite("Exports as FIT activities")
struct FITFileTests {
  /// 2026-11-21T10:00:00Z, and the same as FIT counts it.
  private static let morning: Int64 = 1_795_255_200
  private static let fit = Int(morning - 631_065_600)

  private func row(
    _ series: Series, _ seconds: Double, _ value: RowValue, device: String = "strap-01", origin: String = "live"
  ) -> ExportRow {
    ExportRow(
      device: device, address: nil, series: series.name, known: series,
      time: Self.morning * 1_000_000 + Int64((seconds * 1_000_000).rounded()), value: value, unit: "", origin: origin)
  }

  private func heart(_ seconds: Double, _ bpm: Int64, device: String = "strap-01", origin: String = "live") -> ExportRow
  {
    row(.heartRate, seconds, .number(bpm), device: device, origin: origin)
  }

  private func training(
    _ seconds: Double, _ values: [Int64], device: String = "strap-01", origin: String = "fetched"
  ) -> ExportRow { row(.training, seconds, .vector(values), device: device, origin: origin) }

  private func file(
    _ rows: [ExportRow], zone: TimeZoneRules = .utc, sport: FITSport = .generic
  ) throws -> (file: FITFile, reading: FITReading) {
    var activity = FITActivity(equipment: "Hearth 0", zone: zone, sport: sport)
    for row in rows {
      let number: Int64? = if case .number(let value) = row.value { value } else { nil }
      try activity.take(row, interval: number)
    }
    let file = try FITFile(activity)
    let reading = FITReading(file.bytes)
    #expect(reading.isSound)
    return (file, reading)
  }

  @Test("the checksum is that of the protocol")
  func checksum() {
    // The check value of CRC-16/ARC.
    #expect(CRC16ARC.of("123456789".utf8) == 0xBB3D)
    var random = Seeded(5)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(CRC16ARC.of(bytes) == FITReading.checksum(bytes))
    }
  }

  @Test("a definition comes before the first message of its kind, byte by byte as documented")
  func layout() {
    var writer = FITWriter()
    let message = FITMessage(
      local: 3, global: 20,
      fields: [FITField(253, .uint32), FITField(3, .uint8), FITField(0, .sint32), FITField(8, .string, count: 4)])
    writer.write(message, [.number(0x0102_0304), .number(72), .number(-2), .text("aäb")])
    writer.write(message, [.number(0x1_0000_0000), .number(255), nil, nil])
    let bytes = writer.finished()
    let head: [UInt8] = [14, 16, 0x92, 0x08, UInt8(bytes.count - 16), 0, 0, 0, 0x2E, 0x46, 0x49, 0x54]
    #expect(Array(bytes.prefix(12)) == head)
    let body: [UInt8] = [
      0x43, 0, 0, 20, 0, 4, 253, 4, 0x86, 3, 1, 0x02, 0, 4, 0x85, 8, 4, 0x07,
      3, 4, 3, 2, 1, 72, 0xFE, 0xFF, 0xFF, 0xFF, 0x61, 0xC3, 0xA4, 0,
      3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0, 0, 0,
    ]
    #expect(Array(bytes.dropFirst(14).dropLast(2)) == body)
    #expect(FITReading(bytes).isSound)
  }

  @Test("a training is a session with its own figures, records of its seconds and intervals behind them")
  func session() throws {
    var rows = [training(0, [0, 15, 60, 250, 12, 88, 121])]
    for second in -5..<70 { rows.append(heart(Double(second) + 0.4, 90 + Int64(second) % 40)) }
    rows += [row(.rrInterval, 10.1, .number(1024)), row(.rrInterval, 10.9, .number(512))]
    let (file, made) = try file(rows, sport: .running)
    let id = try #require(made.messages.first)
    #expect(id.global == 0 && id.number(0) == 4 && id.number(4) == Self.fit && id.texts[8] == "Hearth 0")
    #expect(made.all(23).map { $0.texts[27] } == ["Hearth 0", "strap-01"])
    #expect(made.all(23).map { $0.number(0) } == [0, 1] && made.all(23).map { $0.number(25) } == [5, 3])
    let records = made.all(20)
    #expect(records.map { $0.number(253) } == (0...60).map { Self.fit + $0 })
    #expect(records.map { $0.number(3) } == (0...60).map { 90 + $0 % 40 })
    #expect(made.all(78).map { $0.numbers[0] } == [[1000, 500]])
    let place = try #require(made.messages.firstIndex { $0.global == 78 })
    #expect(made.messages[place - 1].number(253) == Self.fit + 10)
    let session = try #require(made.all(18).first)
    #expect(session.number(2) == Self.fit && session.number(253) == Self.fit + 60 && session.number(5) == 1)
    #expect(session.number(7) == 60_000 && session.number(9) == 25_000 && session.number(11) == 12)
    #expect(session.number(16) == 88 && session.number(17) == 121 && session.texts[110] == "sport 15")
    #expect(made.all(19).count == 1 && made.all(19)[0].number(24) == 7 && made.all(19)[0].number(15) == 88)
    let activity = try #require(made.messages.last)
    #expect(activity.global == 34 && activity.number(0) == 60_000 && activity.number(1) == 1 && activity.number(2) == 0)
    #expect(file.sessions == 1 && file.outside == 14 && file.unfit == 0 && file.shadowed == 0)
  }

  @Test("without a training all values are one session, and a second without a value has no record")
  func gaps() throws {
    let (file, made) = try file([heart(0, 60), heart(1, 61), heart(7.9, 62), heart(3600, 63)])
    #expect(made.all(20).map { $0.number(253) } == [0, 1, 7, 3600].map { Self.fit + $0 })
    let session = try #require(made.all(18).first)
    #expect(session.number(7) == 3_600_000 && session.number(16) == 62 && session.number(17) == 63)
    #expect(session.number(9) == nil && session.number(11) == nil && session.texts[110] == nil)
    #expect(made.all(21).map { $0.number(1) } == [0, 4] && file.outside == 0)
    // A second with an interval alone has no record, and a record without a field has its invalid value.
    let (_, mixed) = try self.file(
      [heart(0, 60), row(.rrInterval, 1, .number(900)), row(.speed, 2, .number(120))])
    #expect(mixed.all(20).map { $0.number(253) } == [Self.fit, Self.fit + 2])
    #expect(mixed.all(20).map { $0.number(3) } == [60, nil] && mixed.all(20).map { $0.number(6) } == [nil, 3333])
  }

  @Test("each quantity stands in the unit of its field")
  func quantities() throws {
    let (file, made) = try file([
      row(.cadence, 0, .number(171)), row(.speed, 0, .number(365)), row(.exerciseDistance, 0, .number(12_345)),
      row(.altitude, 0, .number(-1_250)), row(.leftPower, 0, .number(120)), row(.rightPower, 0, .number(131)),
      row(.leftPower, 1, .number(90)),
      row(.crankCadence, 2, .number(903)), row(.totalDistance, 2, .number(500)), row(.totalDistance, 3, .number(530)),
      row(.totalDistance, 4, .number(20)), heart(5, 255),
      row(.location, 6, .vector([525_000_000, -1_344_000_000, 34, 3])),
    ])
    let records = made.all(20)
    let first = try #require(records.first)
    #expect(first.number(4) == 85 && first.number(53) == 64 && first.number(6) == 10_139)
    #expect(first.number(5) == 123_450 && first.number(2) == 2438 && first.number(7) == 251)
    let last = try #require(records.last)
    #expect(last.number(0) == 626_349_397 && last.number(1) == -1_603_454_457)
    #expect(last.number(2) == 2670 && last.number(6) == 3000)
    // One pedal is no power; a total that falls began again.
    #expect(records.map { $0.number(253) } == [0, 2, 3, 6].map { Self.fit + $0 })
    #expect(records[1].number(4) == 90 && records[1].number(53) == 38)
    #expect(records.map { $0.number(5) } == [123_450, 0, 300, nil])
    #expect(file.unfit == 1)
  }

  @Test("of wearables at the same time one comes first, others fill its seconds, and intervals are of one")
  func several() throws {
    var rows: [ExportRow] = []
    for second in 0..<10 { rows.append(heart(Double(second), 100 + Int64(second))) }
    for second in 5..<14 { rows.append(heart(Double(second), 150, device: "strap-02")) }
    for second in 0..<4 { rows.append(row(.rrInterval, Double(second), .number(1024))) }
    for second in 0..<3 { rows.append(row(.rrInterval, Double(second) + 0.5, .number(512), device: "strap-02")) }
    rows += [heart(3, 99, origin: "fetched"), heart(0.7, 77)]
    let (file, made) = try file(rows)
    let rates = made.all(20).compactMap { $0.number(3) }
    #expect(rates == [77] + Array(101..<110) + [150, 150, 150, 150])
    #expect(made.all(78).map { $0.numbers[0] } == [[1000], [1000], [1000], [1000]])
    #expect(file.shadowed == 5 + 1 + 3 + 1)
    #expect(made.all(23).map { $0.texts[27] } == ["Hearth 0", "strap-01", "strap-02"])
  }

  @Test("a training across midnight and across the change of clocks is one session")
  func midnight() throws {
    let berlin = try #require(TimeZoneRules.named("Europe/Berlin"))
    // 2026-10-24 21:30 UTC to 2026-10-25 01:30: from summer time to winter time, over local midnight.
    let start = Double(1_792_877_400 - Self.morning)
    var rows = [training(start, [0, 0, 14_400, 0, 0, 0, 0])]
    for second in stride(from: 0, through: 14_400, by: 60) { rows.append(heart(start + Double(second), 120)) }
    let (file, made) = try file(rows, zone: berlin)
    #expect(file.sessions == 1 && file.outside == 0 && made.all(20).count == 241)
    let session = try #require(made.all(18).first)
    #expect(session.number(7) == 14_400_000 && session.number(16) == 120 && session.texts[110] == nil)
    let activity = try #require(made.messages.last)
    #expect(activity.number(5).map { $0 - (activity.number(253) ?? 0) } == 3600)
  }

  @Test("exercises are laps, several trainings are several sessions, and of two at once the longer one is there")
  func trainings() throws {
    var rows = [
      training(0, [0, 1, 100, 0, 0, 0, 0]), training(0, [1, 2, 40, 0, 0, 0, 0]), training(50, [2, 3, 50, 0, 0, 0, 0]),
      training(20, [0, 0, 30, 0, 0, 0, 0], device: "strap-02"), training(300, [0, 0, 60, 0, 0, 0, 0]),
      training(360, [0, 0, 10, 0, 0, 0, 0]),
    ]
    for second in 0..<400 { rows.append(heart(Double(second), 100)) }
    let (file, made) = try file(rows)
    #expect(file.sessions == 3 && file.overlapping == 1 && made.messages.last?.number(2) == 1)
    #expect(made.all(18).map { $0.number(254) } == [0, 1, 2])
    #expect(made.all(18).map { $0.number(25) } == [0, 2, 3] && made.all(18).map { $0.number(26) } == [2, 1, 1])
    #expect(made.all(19).map { $0.number(7) } == [40_000, 50_000, 60_000, 10_000])
    #expect(made.all(19).map { $0.number(24) } == [0, 0, 7, 7])
    // Each second once, also that at which one ends and the next begins.
    #expect(made.all(20).count == 101 + 61 + 10 && file.outside == 400 - 172)
    #expect(made.messages.last?.number(0) == 170_000)
  }

  @Test(
    "times that FIT has no number for are refused, and so is a selection without values",
    arguments: [
      0.0, 631_065_599, 631_065_600, 899_501_055, 4_926_032_895, 5_000_000_000,
    ])
  func refused(seconds: Double) throws {
    let beyond = heart(seconds - Double(Self.morning), 60)
    #expect(throws: FITActivity.Problem.time(Int64(seconds))) { try file([beyond]) }
    // Outside of a training it is only left out.
    #expect(try file([beyond, training(0, [0, 0, 60, 0, 0, 0, 0])]).file.outside == 1)
    #expect(throws: FITActivity.Problem.time(Int64(seconds))) {
      try file([training(seconds - Double(Self.morning), [0, 0, 60, 0, 0, 0, 0])])
    }
    #expect(throws: FITActivity.Problem.empty) { try file([row(.weight, 0, .number(70_000))]) }
    #expect(try file([heart(899_501_056 - Double(Self.morning), 60)]).file.sessions == 1)
  }

  @Test("hostile rows cause no trap")
  func hostile() throws {
    var random = Seeded(11)
    let edges: [Int64] = [.min, .min + 1, -1, 0, 1, 255, 65_535, 1 << 31, 1 << 62, .max - 1, .max]
    func any() -> Int64 { edges.randomElement(using: &random) ?? 0 }
    for _ in 0..<200 {
      var activity = FITActivity(equipment: String(repeating: "ä", count: 300), zone: .utc)
      for _ in 0..<30 {
        let series = FITActivity.series.randomElement(using: &random) ?? .heartRate
        var row = heart(0, any(), device: String(repeating: "x", count: 200))
        (row.known, row.series, row.time) = (series, series.name, Bool.random(using: &random) ? any() : row.time)
        if Bool.random(using: &random) {
          row.value = .vector((0..<Int.random(in: 0...8, using: &random)).map { _ in any() })
        }
        try activity.take(row, interval: any())
      }
      do throws(FITActivity.Problem) { #expect(FITReading(try FITFile(activity).bytes).isSound) } catch {
        #expect(error != .tooMany)
      }
    }
  }
}
