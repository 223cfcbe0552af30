import JSONText
import Testing

@testable import UplinkMessages

/// Rows as the daemon says them, written and read back.
struct RowBatchWritingTests {
  static let head = BatchHead(store: 0xFEDC_BA98_7654_3210, hub: "gym", sent: 1_795_255_200_123, resend: 7)

  static func row(
    _ ordinal: UInt64, series: String = "heart_rate", enrolment: UInt32 = 3, fetched: Bool = false, time: Int64? = nil,
    _ values: String..., change: (inout UplinkRow) -> Void = { _ in }
  ) -> UplinkRow {
    var likeness = UplinkRow.Likeness()
    likeness.device = "strap-02"
    likeness.address = "A0:9E:1A:00:00:01"
    likeness.unit = "bpm"
    likeness.origin = "live"
    var row = UplinkRow(
      ring: RingName(enrolment: enrolment, series: series, isFetched: fetched), ordinal: ordinal, likeness: likeness,
      time: time ?? 1_795_255_200_000_000 + Int64(ordinal) * 1_000_000, numbers: values.compactMap { ExactNumber($0) })
    change(&row)
    return row
  }

  static func read(_ rows: [UplinkRow]) throws -> RowBatch {
    var places = RingPlaces()
    return try RowBatch(reading: RowBatchWriter.bytes(places.runs(rows), head))
  }

  /// Ring, ordinal, time and values of all rows as text, in the order of the batch.
  static func lines(_ batch: RowBatch) -> [String] {
    batch.runs.flatMap { run in
      (0..<run.count).map { place in
        let values = run.numbers(of: place).map { run.decimal(run.numbers[$0]) }
        return "\(run.enrolment) \(run.series) \(run.isFetched) \(run.ordinals[place]) \(run.times[place]) \(values)"
      }
    }
  }

  static func lines(_ rows: [UplinkRow]) -> [String] {
    rows.map { row in
      let values = row.numbers.map(\.text)
      return "\(row.ring.enrolment) \(row.ring.series) \(row.ring.isFetched) \(row.ordinal) \(row.time) \(values)"
    }
  }

  @Test func everyValueComesBackAsItsDecimalText() throws {
    let texts = [
      "0", "-1", "36.6", "0.001", "-0.25", "9223372036854775807", "-9223372036854775807", "1000000", "12.5", "0.5",
      "123456789.123456789", "1e-05", "2.5e3",
    ]
    for text in texts {
      let rows = [Self.row(0, text), Self.row(1, "1"), Self.row(2, text)]
      #expect(try Self.lines(Self.read(rows)) == Self.lines(rows), "\(text)")
    }
    let all = texts.enumerated().map { Self.row(UInt64($0.offset), $0.element) }
    #expect(try Self.lines(Self.read(all)) == Self.lines(all), "in one run, whose parts differ in scale")
  }

  @Test func headAndKindsComeBack() throws {
    let rows = [
      Self.row(5, "61"),
      Self.row(6, "62") { $0.likeness.kind = "maximum" },
      Self.row(7, "63") { $0.likeness.manual = true },
      Self.row(8, "64") { ($0.likeness.hasEnd, $0.end) = (true, 60_000_000) },
      Self.row(9) { ($0.likeness.hasData, $0.data, $0.likeness.record) = (true, [1, 2, 255], 12) },
      Self.row(10) {
        ($0.likeness.hasData, $0.data, $0.likeness.hasCount, $0.count) = (true, [], true, 42)
        ($0.likeness.encoding, $0.likeness.period) = (9, 7_692_307)
      },
      Self.row(11, "65") { ($0.likeness.clockUnsure, $0.likeness.lowQuality, $0.likeness.wearer) = (true, true, "ab") },
    ]
    let batch = try Self.read(rows)
    #expect(batch.store == Self.head.store && batch.hub == "gym" && batch.resend == 7)
    #expect(batch.sentMs == 1_795_255_200_123)
    #expect(batch.runs.count == rows.count)
    #expect(Self.lines(batch) == Self.lines(rows))
    #expect(batch.runs[1].traits.kind == "maximum" && batch.runs[2].traits.isManual)
    #expect(batch.runs[3].ends == [60_000_000])
    #expect(batch.runs[4].data == [[1, 2, 255]] && batch.runs[4].traits.record == 12)
    #expect(batch.runs[5].counts == [42] && batch.runs[5].traits.encoding == 9)
    #expect(batch.runs[5].traits.periodNs == 7_692_307)
    #expect(batch.runs[6].traits.isClockUnsure && batch.runs[6].traits.isLowQuality && batch.runs[6].wearer == "ab")
    #expect(batch.runs[0].address == 0xA09E_1A00_0001)
  }

  @Test func rowsWithCorrectedTimesComeBackAsSuchInRunsWithoutGaps() throws {
    let ordinals: [UInt64] = [3, 4, 6, 9, 10]
    let rows = ordinals.map { ordinal in
      Self.row(ordinal, "61") { ($0.likeness.clockCorrected, $0.parts) = (true, ordinal == 6 ? 2 : 1) }
    }
    for count in [1, 500] {
      let many = (0..<count).flatMap { turn in
        rows.map { row in
          var row = row
          row.ordinal += UInt64(turn) * 20
          return row
        }
      }
      let batch = try RowBatch(
        reading: RowBatchWriter.bytes(
          RingPlaces.whole([Self.row(90_000_000, "1")]), Self.head, retimed: RingPlaces.whole(many)))
      #expect(batch.runs.first?.isRetimed == false && batch.runs.dropFirst().allSatisfy(\.isRetimed))
      #expect(batch.runs.dropFirst().prefix(2).map(\.ordinals) == [[3, 4, 6], [9, 10]])
      #expect(Self.lines(batch) == Self.lines([Self.row(90_000_000, "1")] + many))
    }
    let unmarked = RowBatchWriter.bytes([], Self.head, retimed: RingPlaces.whole([Self.row(1, "1")]))
    #expect(throws: RowBatchDefect.self) { try RowBatch(reading: unmarked) }
  }

  @Test func rowsOfManyRingsAreGatheredEachInItsOrder() throws {
    var rows: [UplinkRow] = []
    for ordinal in 0..<100 as Range<UInt64> {
      for wearable in 1...5 as ClosedRange<UInt32> { rows.append(Self.row(ordinal, enrolment: wearable, "60")) }
    }
    let batch = try Self.read(rows)
    #expect(batch.runs.count == 5)
    #expect(batch.runs.allSatisfy { $0.ordinals == Array(0..<100) })
    #expect(Set(Self.lines(batch)) == Set(Self.lines(rows)))
  }

  @Test func whatIsSkippedIsKnownWithinOnePassAlone() throws {
    var places = RingPlaces()
    let first = places.runs([Self.row(10, "60"), Self.row(11, "61")])
    #expect(first.map(\.skipped) == [0], "what lies before the first of a pass is not known")
    let second = places.runs([Self.row(15, "62"), Self.row(17, "63")])
    #expect(second.map(\.skipped) == [3])
    let batch = try RowBatch(reading: RowBatchWriter.bytes(second, Self.head))
    #expect(batch.runs[0].ordinals == [15, 17], "a gap inside of a run")
    var other = RingPlaces()
    #expect(other.runs([Self.row(20, "60")])[0].skipped == 0)
    let long = Self.row(34, series: "recording", "1") { $0.parts = 4 }
    #expect(other.runs([long])[0].skipped == 3, "but of its own parts the first of a pass says how many there are")
    #expect(other.runs([Self.row(36, series: "recording", "1") { $0.parts = 2 }])[0].skipped == 1)
  }

  @Test func unevenRowsAndTimesComeBack() throws {
    var random = SystemRandomNumberGenerator()
    var rows: [UplinkRow] = []
    var (ordinal, time): (UInt64, Int64) = (0, 1_795_255_200_000_000)
    for _ in 0..<400 {
      ordinal += UInt64.random(in: 1...3, using: &random)
      time += Int64.random(in: -5_000_000...9_000_000, using: &random)
      var row = Self.row(ordinal, time: time)
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let scale = Int.random(in: 0...3, using: &random)
        let number = ExactNumber(ExactNumber(mantissa: .random(in: -9999...9999, using: &random), scale: scale).text)
        if let number { row.numbers.append(number) }
      }
      rows.append(row)
    }
    #expect(try Self.lines(Self.read(rows)) == Self.lines(rows))
  }

  @Test func numbersWhoseDifferencesDoNotFitAreTakenApart() throws {
    let rows = [Self.row(0, "9223372036854775807"), Self.row(1, "-9223372036854775807"), Self.row(2, "1")]
    let batch = try Self.read(rows)
    #expect(Self.lines(batch) == Self.lines(rows))
    #expect(batch.runs.count > 1)
  }

  @Test func aRowOfSteadyValuesTakesAByteOrTwo() {
    var random = SystemRandomNumberGenerator()
    let rows = (0..<512).map { Self.row(UInt64($0), "\(70 + Int.random(in: -4...4, using: &random))") }
    var places = RingPlaces()
    let bytes = RowBatchWriter.bytes(places.runs(rows), Self.head)
    #expect(bytes.count < 512 * 2)
  }

  @Test func longWaveformsAreSeveralMessages() {
    let long = (0..<40).map { ordinal in
      Self.row(UInt64(ordinal)) { $0.numbers = [ExactNumber](repeating: ExactNumber(mantissa: 9), count: 10_000) }
    }
    let pieces = RowBatchWriter.pieces(long)
    #expect(pieces.count > 3)
    #expect(pieces.flatMap { $0.map(\.ordinal) } == Array(0..<40))
    #expect(RowBatchWriter.pieces([]).isEmpty)
  }

  @Test func correctionsComeBackAlsoWithoutRows() throws {
    let correction = BatchCorrection(enrolment: 4, from: 1_000_000, to: 2_000_000, wearer: "")
    let batch = try RowBatch(reading: RowBatchWriter.bytes([], Self.head, corrections: [correction]))
    #expect(batch.corrections.map(\.times) == [1_000_000..<2_000_000])
    #expect(batch.runs.isEmpty)
  }
}
