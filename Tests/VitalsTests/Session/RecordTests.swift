// The record of a measurement and its bytes: whole and back, bounded, and safe from whatever the bytes are.

import Foundation
import Testing

@testable import Vitals

private let seeds = freshSeeds(20, for: "records of measurements")

extension MeasurementRecord {
  /// The one of the checked-in bytes.
  static var example: MeasurementRecord {
    var record = MeasurementRecord(basis: .ppi, endReason: .error(.signalLost))
    (record.session, record.number, record.person, record.device) = (300, 2, "Ada", "band")
    (record.start, record.end) = (1_795_000_000_000_000, 1_795_000_012_500_000)
    (record.requested, record.actual) = (60_000_000, 12_500_000)
    (record.artefactShare, record.coverage) = (0.25, 0.5)
    record.append(RecordedInterval(microseconds: 812_500, flags: .beginsStretch))
    record.append(RecordedInterval(microseconds: 0, flags: [.dropped]))
    record.append(Gap(start: 2_000_000, length: 3_000_000))
    record.append(
      VitalResult(
        name: "rmssd", value: 42.5, unit: "ms", confidence: .low, windowSeconds: 12.5, method: "TD-1",
        flags: [.optical, .shortWindow]))
    record.append(
      VitalResult(
        name: "stress_level", value: 0, text: "very_high", unit: "", confidence: .low, windowSeconds: 12.5,
        method: "BI-1"))
    record.append(NotReported(name: "sdnn", reason: "too_short"))
    return record
  }

  /// - Parameter isTame: with numbers of few digits: JSON of some platforms keeps no more than 16.
  static func random(_ random: inout SeededRandom, isTame: Bool = false) -> MeasurementRecord {
    let ends: [MeasurementEnd] = [.duration, .stop, .terminated] + SessionCode.allCases.map { .error($0) }
    let words = ["", "rmssd", "Zoë 🫀", "ß", "stress_index", "ms²", String(repeating: "é", count: 24)]
    func real(_ random: inout SeededRandom) -> Double {
      if isTame { return Double(random.below(1_000_000)) / 1024 - 100 }
      let value = Double(bitPattern: random.next())
      return value.isFinite ? value : 0.1
    }
    let all = MeasurementBasis.allCases
    var record = MeasurementRecord(basis: all[random.below(all.count)], endReason: ends[random.below(ends.count)])
    record.session = random.next()
    record.number = UInt32(truncatingIfNeeded: random.next())
    record.person = words[random.below(words.count)]
    record.device = words[random.below(words.count)]
    record.start = Int64(bitPattern: random.next())
    record.end = Int64(bitPattern: random.next() >> UInt64(random.below(64)))
    record.requested = [Int64.min, .max, 0, -1, 60_000_000][random.below(5)]
    record.actual = Int64(random.below(180_000_000))
    record.artefactShare = Double(random.below(1001)) / 1000
    record.coverage = Double(random.below(1001)) / 1000
    for _ in 0..<random.below(1500) {
      record.append(
        RecordedInterval(
          microseconds: UInt32(truncatingIfNeeded: random.next() >> UInt64(random.below(64))),
          flags: RecordedInterval.Flags(rawValue: UInt16(truncatingIfNeeded: random.next() >> UInt64(random.below(64))))
        ))
    }
    for _ in 0..<random.below(100) {
      record.append(Gap(start: Int64(bitPattern: random.next()), length: Int64(random.below(9_000_000))))
    }
    for _ in 0..<random.below(70) {
      record.append(
        VitalResult(
          name: words[random.below(words.count)], value: real(&random), text: words[random.below(words.count)],
          unit: words[random.below(words.count)],
          confidence: Confidence.allCases[random.below(4)], windowSeconds: real(&random),
          method: words[random.below(words.count)],
          flags: VitalResult.Flags(rawValue: UInt16(truncatingIfNeeded: random.next()))))
      record.append(NotReported(name: words[random.below(words.count)], reason: words[random.below(words.count)]))
    }
    return record
  }
}

@Suite("The record of a measurement")
struct RecordTests {
  /// Version 1.
  static let example: [UInt8] = [
    1,
    1, 4, 0xAC, 0x02, 0x02, 0x02,
    2, 4, 0x03, 0x41, 0x64, 0x61,
    3, 5, 0x04, 0x62, 0x61, 0x6E, 0x64,
    4, 24, 0x80, 0xC0, 0xF9, 0x95, 0xE0, 0xA2, 0xB0, 0x06, 0xC0, 0xB0, 0xEF, 0xA1, 0xE0, 0xA2, 0xB0, 0x06, 0x80, 0x9C,
    0x9C, 0x39, 0xC0, 0xF0, 0xF5, 0x0B,
    5, 3, 0x03, 0xBB, 0x17,
    6, 16, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xD0, 0x3F, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xE0, 0x3F,
    7, 6, 0xA9, 0x97, 0x63, 0x01, 0x01, 0x02,
    8, 8, 0x80, 0x92, 0xF4, 0x01, 0x80, 0x9B, 0xEE, 0x02,
    9, 80, 0x05, 0x72, 0x6D, 0x73, 0x73, 0x64, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x45, 0x40, 0x00, 0x02, 0x6D, 0x73,
    0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x29, 0x40, 0x04, 0x54, 0x44, 0x2D, 0x31, 0x03,
    0x0C, 0x73, 0x74, 0x72, 0x65, 0x73, 0x73, 0x5F, 0x6C, 0x65, 0x76, 0x65, 0x6C, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x09, 0x76, 0x65, 0x72, 0x79, 0x5F, 0x68, 0x69, 0x67, 0x68, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x29, 0x40, 0x04, 0x42, 0x49, 0x2D, 0x31, 0x00,
    10, 15, 0x04, 0x73, 0x64, 0x6E, 0x6E, 0x09, 0x74, 0x6F, 0x6F, 0x5F, 0x73, 0x68, 0x6F, 0x72, 0x74,
    11, 1, 0x00,
  ]

  @Test("has the bytes of version 1")
  func fixture() throws {
    let bytes = MeasurementRecord.example.bytes
    #expect(bytes == Self.example)
    #expect(try MeasurementRecord(bytes: Self.example) == .example)
  }

  @Test("is the same after its bytes", arguments: seeds)
  func roundTrip(seed: UInt64) throws {
    var random = SeededRandom(seed)
    for _ in 0..<8 {
      let record = MeasurementRecord.random(&random)
      let bytes = record.bytes
      #expect(bytes.count <= MeasurementRecord.sizeLimit)
      let read = try MeasurementRecord(bytes: bytes)
      #expect(read == record.fitted, "seed \(seed)")
      #expect(read.bytes == bytes, "seed \(seed)")
    }
  }

  @Test("is refused, cut off anywhere, without any result")
  func cut() {
    let bytes = MeasurementRecord.example.bytes
    for count in bytes.indices {
      #expect(throws: RecordDefect.self, "\(count) bytes") { try MeasurementRecord(bytes: Array(bytes.prefix(count))) }
    }
  }

  @Test("is a record or a defect, whatever the bytes are", arguments: seeds)
  func hostile(seed: UInt64) {
    var random = SeededRandom(seed)
    let whole = MeasurementRecord.random(&random).bytes
    for _ in 0..<150 {
      var bytes = random.below(3) == 0 ? MeasurementRecord.example.bytes : whole
      for _ in 0...random.below(4) {
        let place = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes[place] ^= 1 << UInt8(random.below(8))
        case 2: bytes.insert(UInt8(random.below(256)), at: place)
        default: bytes.remove(at: place)
        }
        if bytes.isEmpty { bytes = [1] }
      }
      // What is read again is written as it was read.
      if let record = try? MeasurementRecord(bytes: bytes) {
        #expect((try? MeasurementRecord(bytes: record.bytes)) == record, "seed \(seed)")
      }
      let noise = (0..<random.below(200)).map { _ in UInt8(random.below(256)) }
      _ = try? MeasurementRecord(bytes: noise)
      _ = try? MeasurementRecord(bytes: [1] + noise)
    }
  }

  @Test("names the defect of invalid bytes")
  func defects() {
    let whole = MeasurementRecord.example.bytes
    func defect(_ bytes: [UInt8]) -> RecordDefect? {
      do throws(RecordDefect) {
        _ = try MeasurementRecord(bytes: bytes)
        return nil
      } catch {
        return error
      }
    }
    #expect(defect([]) == .truncated)
    #expect(defect([2] + whole.dropFirst()) == .version)
    #expect(defect(whole + [UInt8](repeating: 0, count: MeasurementRecord.sizeLimit)) == .size)
    #expect(defect([1]) == .field)
    #expect(defect([1, 2, 0]) == .field)
    #expect(defect(Array(whole.prefix(7)) + whole.dropFirst()) == .field)
    // A field of a later program is passed over, one that this program has is not there twice.
    #expect(defect(whole + [12, 2, 7, 7]) == nil && defect(whole + [200, 0]) == nil)
    #expect(defect(whole + [11, 1, 0]) == .field)
    #expect(defect(whole + [12, 2, 7]) == .truncated)
    // A number of more than 64 bits, and one that is longer than it needs to be.
    #expect(defect([1, 1, 10] + [UInt8](repeating: 0xFF, count: 9) + [2]) == .number)
    #expect(defect([1, 1, 4, 0x80, 0, 1, 1]) == .number)
    #expect(defect([1, 1, 3, 1, 1, 9]) == .number)
    #expect(defect([1, 1, 4, 1, 1, 1, 1]) == .content)
    #expect(defect(Array(whole.prefix(7)) + [2, 2, 1, 0xFF]) == .text)
    // A single interval more than a record holds: 1,321 of one byte, then of two if flags follow.
    let many = [UInt8](repeating: 2, count: 1321)
    #expect(defect(replacing(7, [0xA9, 0x0A] + many, in: whole)) == .content)
    #expect(defect(replacing(7, [0xA8, 0x0A] + many.dropLast(), in: whole)) == nil)
    #expect(defect(replacing(7, [2, 3, 4], in: whole)) == nil)
    // Invalid flags, and an interval beyond 32 bits.
    #expect(defect(replacing(7, [2, 3, 0], in: whole)) == .number)
    #expect(defect(replacing(7, [5, 0x80, 0x80, 0x80, 0x80, 0x20], in: whole)) == .number)
    // A value that is no number.
    let noNumber: [UInt8] = [0, 0, 0, 0, 0, 0, 0xF8, 0x7F]
    let result: [UInt8] = [1, 0x61] + noNumber + [0, 0, 1] + [UInt8](repeating: 0, count: 8) + [0, 0]
    #expect(defect(replacing(9, [UInt8(result.count)] + result, in: whole)) == .number)
    #expect(defect(replacing(6, [16] + noNumber + noNumber, in: whole)) == .number)
  }

  /// The bytes of a record with another length and content of one field; all fields are shorter than 128 bytes.
  private func replacing(_ tag: UInt8, _ field: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    var place = 1
    while place < bytes.count, bytes[place] != tag { place += 2 + Int(bytes[place + 1]) }
    return Array(bytes[...place]) + field + bytes[(place + 2 + Int(bytes[place + 1]))...]
  }

  @Test("holds what its limits say and counts the rest")
  func limits() throws {
    var record = MeasurementRecord(basis: .rr, endReason: .duration)
    for number in 0..<2000 { record.append(RecordedInterval(microseconds: UInt32(number))) }
    for _ in 0..<100 { record.append(MeasurementRecord.Gap(start: 1, length: 1)) }
    let long = String(repeating: "é", count: 100)
    for value in [1, .nan, .infinity] {
      record.append(
        VitalResult(name: long, value: value, unit: long, confidence: .high, windowSeconds: 60, method: long))
    }
    record.append(NotReported(name: long, reason: long))
    #expect(record.intervals.count == 1320 && record.gaps.count == 90 && record.results.count == 1)
    #expect(record.leftOut == 680 + 10 + 2)
    #expect(record.results[0].name == String(repeating: "é", count: 24))
    (record.person, record.artefactShare, record.coverage) = (String(repeating: "🫀", count: 99), .nan, 70)
    let read = try MeasurementRecord(bytes: record.bytes)
    #expect(read.person == String(repeating: "🫀", count: 32) && read.artefactShare == 0 && read.coverage == 10)
    #expect(read.intervals == record.intervals && read.leftOut == record.leftOut)
  }

  @Test("of the longest measurement with every sign fits whole")
  func longest() throws {
    // 180 s at 220 beats a minute, each seventh one corrected; every sign of this hub is a result or has a reason.
    var record = MeasurementRecord(basis: .ppi, endReason: .duration)
    (record.session, record.number) = (.max, 4_000_000)
    (record.person, record.device) = ("Ada Lovelace-Byron", "polar-verity-sense-01")
    (record.start, record.end) = (1_795_000_000_000_000, 1_795_000_180_000_000)
    (record.requested, record.actual) = (180_000_000, 180_004_321)
    (record.artefactShare, record.coverage) = (0.0123, 0.987)
    for number in 0..<660 {
      let micros = UInt32(272_727 + number * 37 % 900)
      record.append(RecordedInterval(microseconds: micros, flags: number % 7 == 0 ? .missed : []))
    }
    let measured = VitalSign.allCases.prefix(30)
    for sign in measured {
      record.append(
        VitalResult(
          name: sign.rawValue, value: 1234.5678, text: sign.unit.isEmpty ? "very_high" : "", unit: sign.unit,
          confidence: .medium, windowSeconds: 180.004, method: "RSA-1", flags: [.optical, .corrected]))
    }
    for sign in VitalSign.allCases.dropFirst(30) {
      record.append(NotReported(name: sign.rawValue, reason: "insufficient_quality"))
    }
    #expect(record.results.count == 30 && record.notReported.count == VitalSign.allCases.count - 30)
    #expect(record.bytes.count <= 3800)
    #expect(record.fitted == record)
    #expect(try MeasurementRecord(bytes: record.bytes) == record)
  }

  @Test("leaves its last intervals out where they have no room, and never a result")
  func fitted() throws {
    var record = MeasurementRecord(basis: .rr, endReason: .duration)
    for number in 0..<1320 { record.append(RecordedInterval(microseconds: UInt32(800_000 + number), flags: .missed)) }
    record.append(MeasurementRecord.Gap(start: 1, length: 3_000_000))
    for sign in VitalSign.allCases {
      record.append(
        VitalResult(
          name: sign.rawValue, value: 1.5, unit: sign.unit, confidence: .high, windowSeconds: 60, method: "TD-1"))
    }
    let bytes = record.bytes
    // What another interval of four bytes would need is not there.
    #expect(bytes.count <= 3800 && bytes.count > 3790)
    let read = try MeasurementRecord(bytes: bytes)
    #expect(read.results == record.results && read.gaps == record.gaps)
    #expect(read.intervals == Array(record.intervals.prefix(read.intervals.count)))
    #expect(read.intervals.count > 400 && Int(read.leftOut) == 1320 - read.intervals.count)
    // Texts as no hub writes them: then even results have to go.
    let long = String(repeating: "é", count: 24)
    for _ in 0..<64 {
      record.append(
        VitalResult(
          name: long, value: 1, text: long, unit: long, confidence: .low, windowSeconds: 1, method: long))
      record.append(NotReported(name: long, reason: long))
    }
    let full = try MeasurementRecord(bytes: record.bytes)
    #expect(record.bytes.count <= 3800 && full.intervals.isEmpty && full.gaps.isEmpty && full.notReported.isEmpty)
    #expect(full.results == Array(record.results.prefix(full.results.count)) && full.results.count > 38)
  }

  @Test("is made from a measurement that ended")
  func made() throws {
    var session = MeasurementSession(at: moment(0))
    for event in [SessionEvent.sensorReady, .start(duration: 60_000_000)] { _ = session.handle(event, at: moment(1)) }
    _ = session.handle(.prepared, at: moment(2))
    _ = session.handle(.fault(.signalLost), at: moment(20, stepped: 100))
    let done = try #require(session.measurement)
    let record = MeasurementRecord(session: 9, done, basis: .rr, person: "Ada", device: "strap")
    #expect(record.endReason == .error(.signalLost) && record.number == 1 && record.session == 9)
    #expect(record.start == moment(2).wall && record.end == moment(20, stepped: 100).wall)
    #expect(record.requested == 60_000_000 && record.actual == 18_000_000)
    #expect(MeasurementBasis.allCases.map(\.series.name) == ["rr_interval", "ppi", "heart_rate"])
  }
}
