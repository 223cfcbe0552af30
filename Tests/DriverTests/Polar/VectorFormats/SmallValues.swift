// Services, values and rules of Polar's that the hub does not use: read here for the vectors.

import Bluetooth
import Health
import PolarMessages
import Wearable

@testable import PolarFamily

extension Polar {
  /// Streams of wearables before PMD: PSD.
  enum LegacyStreaming {
    static let service = uuid(0x20)
    static let features = uuid(0x21)
    static let controlPoint = uuid(0x22)
    static let pulseIntervals = uuid(0x26)
  }

  /// The one byte of settings of an H7.
  enum LegacySettings {
    static let service = BluetoothUUID(high: 0x6217_FF49_AC7B_547E, low: 0xEECF_016A_0697_0BA9)
    static let settings = BluetoothUUID(high: 0x6217_FF4A_B07D_5DEB, low: 0x261E_2586_752D_942E)
  }

  /// Signal strength of an advertiser without the outliers: the median of the last seven, or the newest of fewer.
  struct SignalMedian: Sendable, Hashable {
    private static let window = 7
    private var recent: [Int] = []
    /// dBm; -100 before anything was heard.
    private(set) var value = -100

    init() {}

    /// What advertisements claim to be heard with at 0 dBm and more is no measurement and should not come here.
    mutating func take(_ rssi: Int) {
      recent.append(rssi)
      guard recent.count == Self.window else {
        value = rssi
        return
      }
      value = recent.sorted()[Self.window / 2]
      recent.removeFirst()
    }
  }
}

/// Time stamps of streams and recordings: nanoseconds since 2000-01-01T00:00:00 on the wearable's clock, which shows
/// local time.
enum PolarEpoch {
  /// From 1970 to 2000, s.
  static let unixSeconds: Int64 = 946_684_800
  /// Time of an H10 that was not set since it was worn: 2019-01-01, ns since 2000.
  static let strapDefault: UInt64 = 599_616_000_000_000_000

  /// Since 1970, ns; nil beyond 64 bits (the year 2262).
  static func unixNanoseconds(_ stamp: UInt64) -> Int64? {
    let (sum, overflow) = stamp.addingReportingOverflow(UInt64(unixSeconds) * 1_000_000_000)
    return overflow ? nil : Int64(exactly: sum)
  }
}

extension PSFTP {
  /// A wearable's place with Polar's firmware service.
  static func firmwareServiceUUID(id: String) -> String { "0e030000-0084-0000-0000-0000" + id }

  /// Firmware is written in this order: the system image last, as the wearable restarts with it.
  static func firmwareOrder(_ files: [String]) -> [String] {
    files.filter { !$0.hasSuffix("SYSUPDAT.IMG") } + files.filter { $0.hasSuffix("SYSUPDAT.IMG") }
  }
}

extension PMD {
  /// Frame type 2, 41 bytes: four summaries of ten uint8 each, then the strongest signal.
  struct LocationSatellites: Sendable, Hashable {
    /// For each system how many and the strongest signal, dB; then how many in all, and the mean of the five strongest.
    struct Summary: Sendable, Hashable {
      let gps: UInt8
      let gpsStrongest: UInt8
      let glonass: UInt8
      let glonassStrongest: UInt8
      let galileo: UInt8
      let galileoStrongest: UInt8
      let beidou: UInt8
      let beidouStrongest: UInt8
      let total: UInt8
      let meanOfFive: UInt8

      fileprivate init(_ bytes: RawBytes) {
        (gps, gpsStrongest, glonass, glonassStrongest) = (bytes[0], bytes[1], bytes[2], bytes[3])
        (galileo, galileoStrongest, beidou, beidouStrongest) = (bytes[4], bytes[5], bytes[6], bytes[7])
        (total, meanOfFive) = (bytes[8], bytes[9])
      }
    }

    let seenBand1: Summary
    let usedBand1: Summary
    let seenBand2: Summary
    let usedBand2: Summary
    let strongest: UInt8

    init?(_ content: RawBytes, index: Int) {
      guard var reader = PMD.record(content, index, size: 41), let first = reader.take(10),
        let second = reader.take(10), let third = reader.take(10),
        let fourth = reader.take(10), let strongest = reader.u8()
      else { return nil }
      (seenBand1, usedBand1, seenBand2, usedBand2) = (Summary(first), Summary(second), Summary(third), Summary(fourth))
      self.strongest = strongest
    }
  }
}

extension PbExerciseSamples {
  /// Intervals between beats, ms, if the exercise was recorded so.
  var beatIntervals: [UInt32] { rrSamples.rrIntervals }
}

extension PbSleepSkinTemperatureResult {
  /// °C relative to the wearer's own usual; nil if the wearable knows no usual (it sends −1000 then).
  var deviation: Float? { deviationFromBaselineCelsius <= -1000 ? nil : deviationFromBaselineCelsius }
}

extension PbDuration {
  /// ms; at most 2³² of each part, which 64 bits hold.
  var wholeMilliseconds: Int64 {
    Int64(hours) * 3_600_000 + Int64(minutes) * 60_000 + Int64(seconds) * 1000 + Int64(millis)
  }
}

extension PolarPath {
  static func isDayFolder(_ name: some StringProtocol) -> Bool {
    name.hasSuffix("/") && name.utf8.count == 9 && number(name.dropLast()) != nil
  }
}
