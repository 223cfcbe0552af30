import Bluetooth
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import StandardGATTFamily

@Suite("Values that stand for no number, in each measurement")
struct SpecialNumbersTests {
  private static let driver = StandardDriver([
    .pulseOximeter, .bloodPressure, .thermometer, .genericHealthSensor,
  ])

  /// A measurement with valid numbers only.
  struct Row: Sendable {
    let characteristic: BluetoothUUID
    let hex: String
    /// Byte at which a number begins, and the series that it becomes; nil for one that is not kept.
    let numbers: [(place: Int, series: Series?)]
    var isWide = false
    /// Series beside those numbers.
    var others: [Series] = []
    /// What needs a value that was kept.
    var companions: [Series] = []
    let odd: String
    /// What is counted if a reading that is kept has no number at all.
    var failed: String?
  }

  static let rows = [
    Row(
      characteristic: 0x2A35, hex: "0C 7800 5000 5D00 4800 01",
      numbers: [(1, .systolicPressure), (3, .diastolicPressure), (5, .meanPressure), (7, .pulseRate)],
      others: [.userIndex], odd: "blood pressure: a number that is reserved, left out",
      failed: "blood pressure: a measurement that failed, without a pressure"),
    Row(
      characteristic: 0x2A36, hex: "00 7800 FF07 FF07", numbers: [(1, .cuffPressure), (3, nil), (5, nil)],
      odd: "blood pressure: a number that is reserved, left out"),
    Row(
      characteristic: 0x2A1C, hex: "04 6E0100FF 02", numbers: [(1, .bodyTemperature)], isWide: true,
      companions: [.temperaturePlace], odd: "thermometer: a number that is reserved, left out",
      failed: "thermometer: a measurement that failed, without a temperature"),
    Row(
      characteristic: 0x2A1E, hex: "01 D20300FF", numbers: [(1, .bodyTemperature)], isWide: true,
      odd: "thermometer: a number that is reserved, left out"),
    Row(
      characteristic: 0x2A5E, hex: "08 6000 4000 0A00",
      numbers: [(1, .spo2), (3, .pulseRate), (5, .pulseAmplitudeIndex)],
      odd: "pulse oximeter: a number that is reserved, left out",
      failed: "pulse oximeter: a measurement that failed, without a number"),
    Row(
      characteristic: 0x2A5F, hex: "13 6000 4000 6100 4100 6200 4200 0A00",
      numbers: [(1, .spo2), (3, .pulseRate), (5, nil), (7, nil), (9, nil), (11, nil), (13, .pulseAmplitudeIndex)],
      odd: "pulse oximeter: a number that is reserved, left out"),
    Row(
      characteristic: 0x2B8B, hex: "03 01 0C00 0100 B84B0200 2002 62000000", numbers: [(12, .spo2)], isWide: true,
      odd: "health sensor: a number that is reserved, left out"),
    // Saturation and pulse of one moment.
    Row(
      characteristic: 0x2B8B, hex: "03 07 1700 0000 02 B84B0200 2002 62000000 1A480200 A00A 48000000",
      numbers: [(13, .spo2), (23, .pulseRate)], isWide: true,
      odd: "health sensor: a number that is reserved, left out"),
  ]

  private static let short: [UInt16] = [0x07FF, 0x0800, 0x07FE, 0x0802, 0x0801]
  private static let long: [UInt32] = [0x007F_FFFF, 0x0080_0000, 0x007F_FFFE, 0x0080_0002, 0x0080_0001]

  private func read(_ row: Row, _ bytes: [UInt8]) throws -> RecordingSink {
    let (decoder, sink) = (Self.driver.makeDecoder(), RecordingSink())
    let source = try #require(Self.driver.liveSources.first { $0.characteristic == row.characteristic })
    try decoder.decode(source, bytes, into: sink)
    return sink
  }

  @Test("leave the other numbers intact, and the reserved one is reported", arguments: rows)
  func special(_ row: Row) throws {
    let right = try #require(Array(hexadecimal: row.hex))
    let all = try read(row, right)
    let series = row.numbers.compactMap(\.series) + row.others
    #expect(all.samples.map(\.series) == series + row.companions && all.anomalies.isEmpty)
    for (place, lost) in row.numbers {
      for index in Self.short.indices {
        var bytes = right
        let special: [UInt8] =
          row.isWide
          ? (0..<4).map { UInt8(truncatingIfNeeded: Self.long[index] >> (8 * UInt32($0))) }
          : (0..<2).map { UInt8(truncatingIfNeeded: Self.short[index] >> (8 * UInt16($0))) }
        bytes.replaceSubrange(place..<place + special.count, with: special)
        let sink = try read(row, bytes)
        let left = all.samples.filter { sample in
          sample.series != lost && (lost == nil || !row.companions.contains(sample.series))
        }
        #expect(sink.samples == left, "\(bytes)")
        let isReserved = index == Self.short.count - 1 && (lost != nil || row.characteristic == 0x2A36)
        let odd = isReserved ? row.odd : row.numbers.count == 1 ? row.failed : nil
        #expect(sink.anomalies == (odd.map { [$0] } ?? []), "\(bytes)")
      }
    }
    // Empty: neither a value nor a user.
    var bytes = right
    for (place, _) in row.numbers {
      bytes.replaceSubrange(
        place..<place + (row.isWide ? 4 : 2), with: row.isWide ? [0xFF, 0xFF, 0x7F, 0] : [0xFF, 0x07])
    }
    let empty = try read(row, bytes)
    #expect(empty.samples.isEmpty && empty.anomalies == (row.failed.map { [$0] } ?? []))
  }
}
