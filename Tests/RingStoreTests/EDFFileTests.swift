import CivilTime
import Health
import Testing

@testable import Export

@Suite("Exports as EDF+")
struct EDFFileTests {
  /// 2026-11-21T10:00:00Z
  private static let morning: Int64 = 1_795_255_200_000_000

  private func file(
    _ rows: [EDFRow], devices: [String] = ["strap-01"], person: String? = nil, zone: TimeZoneRules = .utc,
    notes: [String] = []
  ) throws -> (file: EDFFile, reading: EDFReading) {
    var bytes: [UInt8] = []
    for row in rows { row.append(to: &bytes) }
    let identity = EDFIdentity(person: person, equipment: "Hearth_0", zone: zone)
    return try bytes.withUnsafeBytes { source in
      let file = try EDFFile(source, devices: devices, identity: identity, notes: notes)
      var made = [UInt8](repeating: 0xAA, count: file.size)
      made.withUnsafeMutableBytes { file.write(source, to: $0) }
      return (file, EDFReading(made))
    }
  }

  private func row(
    _ series: Series, _ seconds: Double, _ content: EDFRow.Content, device: Int = 0, origin: Origin = .live,
    kind: SampleKind = .normal, marks: EDFRow.Marks = []
  ) -> EDFRow {
    EDFRow(
      device: device, series: series, time: Self.morning + Int64((seconds * 1_000_000).rounded()), origin: origin,
      kind: kind, marks: marks, content)
  }

  private func heart(_ seconds: Double, _ value: Int64, device: Int = 0, origin: Origin = .live) -> EDFRow {
    row(.heartRate, seconds, .values([value]), device: device, origin: origin)
  }

  /// Blocks of 70 samples at 130 Hz; sample n has the value n.
  private func ecg(from seconds: Double, blocks: Range<Int>, hertz: Double = 130) -> [EDFRow] {
    blocks.map { block in
      row(
        .ecg, seconds + Double(block * 70) / hertz,
        .block(period: Int64((1e9 / hertz).rounded()), numbers: (0..<70).map { Int32(block * 70 + $0) }))
    }
  }

  @Test("the header has the wearer, the time in the hub's own zone, and how each signal is measured")
  func header() throws {
    let berlin = try #require(TimeZoneRules.named("Europe/Berlin"))
    let (file, made) = try file([heart(0, 72), heart(1, 74), heart(2, 73)], person: "Ada Lovelace", zone: berlin)
    #expect(file.size == 256 * 3 + 3 * (2 + file.annotationBytes))
    #expect(made.version == "0" && made.reserved == "EDF+C" && made.records == 3 && made.recordLength == 1)
    #expect(made.patient == "X X X Ada_Lovelace")
    #expect(made.recording == "Startdate 21-NOV-2026 X X Hearth_0 UTC+01:00 no_value=digital_minimum")
    #expect(made.date == "21.11.26" && made.time == "11.00.00")
    let signal = try #require(made.signals.first)
    #expect(made.signals.count == 1 && signal.label == "heart_rate" && signal.unit == "bpm" && signal.samples == 1)
    #expect(signal.transducer == "heart_rate live strap-01")
    #expect(signal.values == [72, 74, 73] && signal.digital == (71, 74) && signal.known == [72, 74, 73])
    #expect(made.onsets == [0, 1, 2])
    #expect(try self.file([heart(0, 1)]).reading.patient == "X X X X")
  }

  @Test("a waveform stands at its own rate beside values of each second; beats are annotations with their time")
  func waveform() throws {
    let beats = [row(.rrInterval, 0.25, .values([946])), row(.rrInterval, 1.173828, .values([1024]))]
    let (_, made) = try file(ecg(from: 0, blocks: 0..<13) + [heart(0.5, 60), heart(3.2, 61)] + beats)
    #expect(made.reserved == "EDF+C" && made.records == 7)
    let wave = try #require(made.signals.first { $0.label == "ECG" })
    #expect(wave.samples == 130 && wave.unit == "uV" && wave.known == (0..<910).map { Double($0) })
    #expect(made.signals.first { $0.label == "heart_rate" }?.numbers == [60, nil, nil, 61, nil, nil, nil])
    #expect(
      made.annotations == [
        .init(onset: 0.25, duration: nil, text: "rr_interval 923.828125 ms"),
        .init(onset: 1.173828, duration: nil, text: "rr_interval 1000 ms"),
      ])
  }

  @Test("blocks with jittering periods and starts are one signal without a hole, each sample once and in order")
  func jitter() throws {
    var random = Seeded(7)
    var rows: [EDFRow] = []
    var (end, samples) = (0.0, 0)
    for _ in 0..<200 {
      let period = 1 / 130 * Double.random(in: 0.95...1.05, using: &random)
      rows.append(
        row(
          .ecg, end + Double.random(in: -0.002...0.002, using: &random),
          .block(period: Int64(period * 1e9), numbers: (0..<73).map { Int32(samples + $0) })))
      (end, samples) = (end + 73 / 130, samples + 73)
    }
    let (_, made) = try file(rows)
    #expect(made.signals.count == 1 && made.signals[0].samples == 130)
    let known = made.signals[0].numbers.drop { $0 == nil }.prefix(14_600)
    #expect(Array(known) == (0..<14_600).map { Double($0) })
  }

  @Test("a gap makes EDF+D with the time of each record; a gap of less than ten minutes is filled")
  func gaps() throws {
    let (short, filled) = try file([heart(0, 60), heart(599, 61)])
    #expect(short.isContinuous && filled.records == 600 && filled.signals[0].known == [60, 61])
    let (long, made) = try file(ecg(from: 10, blocks: 0..<2) + ecg(from: 3610, blocks: 2..<4))
    #expect(!long.isContinuous && long.stretches == 2 && made.reserved == "EDF+D")
    #expect(made.time == "10.00.10" && made.onsets == [0, 1, 3601, 3602])
    #expect(made.signals[0].known == (0..<280).map { Double($0) })
    #expect(made.annotations.map(\.text) == ["gap in ecg"])
    #expect(abs((made.annotations[0].duration ?? 0) - 3600) < 0.001)
  }

  @Test("rows that overlap stand beside each other, and so do origins, kinds and wearables")
  func overlapping() throws {
    let rows = ecg(from: 0, blocks: 0..<4) + ecg(from: 1, blocks: 0..<4)
    let (_, made) = try file(rows)
    #expect(made.signals.map(\.label) == ["ECG", "ECG 2"])
    #expect(made.signals[1].transducer == "ecg live overlapping-2 strap-01")
    #expect(made.signals.allSatisfy { $0.known == (0..<280).map { Double($0) } })
    let many = try file(
      [
        heart(0, 60), heart(0, 61, device: 1), heart(0, 62, origin: .fetched),
        row(.heartRate, 0, .values([63]), kind: .maximum), row(.rrInterval, 0.5, .values([1024]), device: 1),
      ], devices: ["left", "right"])
    #expect(many.reading.signals.map(\.known) == [[60], [61], [62], [63]])
    #expect(
      many.reading.signals.map(\.transducer) == [
        "heart_rate live left", "heart_rate live right", "heart_rate fetched left", "heart_rate live maximum left",
      ])
    #expect(many.reading.annotations.map(\.text) == ["rr_interval 1000 ms [right]"])
  }

  @Test("a value that finds no cell of its time is an annotation with its time")
  func crowded() throws {
    let slow = (0..<20).map { heart(Double($0 * 10), 60 + Int64($0)) }
    let (_, made) = try file(slow + (0..<5).map { heart(100, 100 + Int64($0)) })
    #expect(made.signals[0].known == (60..<70).map { Double($0) } + [70, 100, 101] + (71..<80).map { Double($0) })
    #expect(
      made.annotations.map(\.text) == ["heart_rate 102 bpm", "heart_rate 103 bpm", "heart_rate 104 bpm"])
    #expect(made.annotations.allSatisfy { $0.onset == 100 })
  }

  @Test("values that come faster than each second have a rate that holds all of them")
  func fastValues() throws {
    let rows = (0..<500).map { row(.footPressure, Double($0) / 50, .values((0..<16).map { Int64($0) + 1 })) }
    let (_, made) = try file(rows)
    #expect(made.signals.count == 16 && made.signals[3].label == "foot right3" && made.signals[0].samples == 50)
    #expect(made.signals.allSatisfy { $0.known.count == 500 } && made.annotations.isEmpty)
  }

  @Test("a burst of values does not widen a signal to its distances")
  func bursts() throws {
    let rows = (0..<30).flatMap { minute in (0..<3).map { heart(Double(minute * 60) + Double($0) / 100, 60) } }
    let (_, made) = try file(rows)
    #expect(made.signals[0].samples == 3 && made.signals[0].known.count == 90 && made.annotations.isEmpty)
  }

  @Test("numbers beyond 16 bits make BDF+, and beyond 24 bits a refusal that names the signal")
  func wide() throws {
    let light = row(.ppg, 0, .block(period: 20_000_000, numbers: [1, 1, 1, 1, 70_000, -5, 0, 8_388_607]))
    let (file, made) = try file([light, heart(0, 60)])
    #expect(file.isWide && made.version == "\u{FFFD}BIOSEMI" && made.reserved == "BDF+C")
    #expect(made.signals.map(\.known) == [[1, 70_000], [1, -5], [1, 0], [1, 8_388_607], [60]])
    // Only the distance counts, as the physical minimum moves with it.
    let far = row(.location, 0, .values([525_200_000, 134_050_000, 34, 1]))
    let place = try self.file([far, row(.location, 1, .values([525_200_123, 134_050_001, 34, 1]))]).reading
    #expect(place.signals.map(\.unit) == ["deg", "deg", "m", "m/s"] && place.reserved == "EDF+C")
    #expect(place.signals[0].known.map { ($0 * 1e7).rounded() } == [525_200_000, 525_200_123])
    let wide = row(.ppg, 0, .block(period: 20_000_000, numbers: [0, 0, .min, 0, 0, 0, .max, 0]))
    #expect(throws: EDFFile.Problem.tooWide(signal: "ppg.ppg2 live strap-01")) { try self.file([wide]) }
    #expect(throws: EDFFile.Problem.empty) { try self.file([]) }
  }

  @Test("every number of a series comes back from its range, exactly, and never as the digital minimum")
  func scales() throws {
    var random = Seeded(3)
    for series in Series.all {
      for component in 0..<series.edfComponents {
        let factor = series.edfForm(component).factor
        for bits in [16, 24] {
          let most = Int64(1) << Int64(bits - 2)
          let low = Int64.random(in: -most...most, using: &random)
          let high = Int64.random(in: low...most, using: &random)
          guard let scale = EDFScale(lowest: low, highest: high, factor: factor, bits: bits) else {
            // Only a distance near the whole range may fail.
            #expect(high - low > most, "\(series.name) \(low) \(high)")
            continue
          }
          let (least, greatest) = (
            try #require(Double(scale.physicalMinimum)), try #require(Double(scale.physicalMaximum))
          )
          #expect(scale.physicalMinimum.count <= 8 && scale.physicalMaximum.count <= 8)
          for value in [low, high, (low + high) / 2] {
            let digital = value - scale.offset
            #expect(digital > scale.digitalMinimum && digital <= scale.digitalMaximum)
            let step = (greatest - least) / Double(scale.digitalMaximum - scale.digitalMinimum)
            let physical = Double(digital - scale.digitalMinimum) * step + least
            let stored = physical * Double(factor.denominator) / Double(factor.numerator)
            #expect(Int64(stored.rounded()) == value && abs(stored - Double(value)) < 0.01, "\(series.name)")
          }
        }
      }
    }
  }

  @Test("doubts are one annotation for neighbours; intervals, nights and what has no numbers have one each")
  func annotations() throws {
    let doubtful = (10..<20).map { row(.spo2, Double($0), .values([90]), marks: .lowQuality) }
    let (_, made) = try file(
      (0..<10).map { row(.spo2, Double($0), .values([97])) } + doubtful + [
        row(.steps, -60, .span(length: 60_000_000, value: 42), origin: .fetched),
        row(.sleepStage, 2, .span(length: 30_000_000, value: 4)), row(.exercise, 3, .opaque),
        row(.training, 4, .values([0, 1, 600, 1000, 80, 120, 150])),
      ], notes: ["missing: spo2, 3 rows, damaged"])
    #expect(made.signals.map(\.known) == [(0..<10).map { _ in 97 } + (10..<20).map { _ in 90 }])
    let texts = made.annotations.sorted { ($0.onset, $0.text) < ($1.onset, $1.text) }
    #expect(
      texts == [
        .init(onset: -60, duration: 60, text: "steps 42 steps fetched"),
        .init(onset: 0, duration: nil, text: "missing: spo2, 3 rows, damaged"),
        .init(onset: 2, duration: 30, text: "Sleep stage N3"),
        .init(onset: 3, duration: nil, text: "exercise not in this file"),
        .init(
          onset: 4, duration: nil,
          text: "training part=0 sport=1 duration=600 distance=1000 calories=80 mean_heart_rate=120 "
            + "highest_heart_rate=150"),
        .init(onset: 10, duration: 9, text: "spo2: low quality"),
      ])
  }

  @Test("thousands of annotations of one second are in other records, without loss")
  func manyAnnotations() throws {
    let values = (0..<600).map { heart(Double($0), 60) }
    let beats = (0..<2000).map { row(.rrInterval, 590 + Double($0) / 100, .values([Int64($0)])) }
    let (file, made) = try file(values + beats)
    #expect(made.annotations.count == 2000 && file.annotationBytes < 300)
    let texts = (0..<2000).map { "rr_interval \(Series.rrInterval.text(Int64($0))) ms" }
    #expect(Set(made.annotations.map(\.text)) == Set(texts))
  }

  @Test("a clock that is faster or slower than the rate costs no sample")
  func drift() throws {
    for hertz in [129.9, 130.1] {
      let (_, made) = try file(ecg(from: 0, blocks: 0..<2000, hertz: hertz))
      #expect(made.signals.count == 1 && made.signals[0].samples == 130)
      #expect(made.signals[0].known == (0..<140_000).map { Double($0 % 140_000) })
    }
  }

  @Test("times and numbers of a hostile store end neither the program nor the file")
  func hostile() throws {
    let rows = [
      row(.heartRate, 0, .values([60])), row(.heartRate, 1, .values([])), row(.acc, 0, .values([1, 2])),
      row(.acc, 0, .block(period: 0, numbers: [1, 2, 3])), row(.acc, 0, .block(period: 1, numbers: [1])),
      row(.acc, 0, .block(period: .max, numbers: [1, 2, 3])), row(.ecg, 5, .block(period: 1_000_000_000, numbers: [])),
      row(.steps, 0, .span(length: .min, value: .max)),
      EDFRow(device: 99, series: .heartRate, time: .max, .values([1])),
      EDFRow(device: -1, series: .heartRate, time: .min, .values([1])),
      EDFRow(device: 0, series: .heartRate, time: 0, .values([61])),
      row(.ecg, 0, .block(period: 5_000_000_000, numbers: [7, 8])),
      row(.ecg, 0, .block(period: 60_000_000_000, numbers: [5, 6])),
    ]
    let (file, made) = try file(rows)
    #expect(!file.isContinuous && made.onsets.first == 0 && made.date == "01.01.yy")
    #expect(made.signals.first { $0.label == "heart_rate" }?.known == [61, 60])
    #expect(Set(made.signals.filter { $0.label.hasPrefix("ECG") }.map(\.known)) == [[7, 8], [5, 6]])
  }

  @Test("rows come back from their bytes, and cut bytes give no rows")
  func rowBytes() {
    let rows = [
      row(
        .acc, 1, .block(period: 5, numbers: [1, -2, .max]), device: 7, origin: .replayed,
        marks: [.manual, .clockUnsure]),
      row(.steps, 2, .span(length: 9, value: -1)), row(.raw, 3, .opaque),
      row(.ppi, 4, .values([.min, 0, .max]), kind: .resting),
    ]
    var bytes: [UInt8] = []
    for row in rows { row.append(to: &bytes) }
    bytes.withUnsafeBytes { bytes in
      var (offset, found) = (0, [EDFRow]())
      while let row = EDFRow(bytes, at: &offset) { found.append(row) }
      #expect(found == rows && offset == bytes.count)
      for length in 0..<bytes.count {
        let cut = UnsafeRawBufferPointer(rebasing: bytes[..<length])
        var (offset, count) = (0, 0)
        while EDFRow(cut, at: &offset) != nil { count += 1 }
        #expect(count < rows.count)
      }
    }
  }
}
