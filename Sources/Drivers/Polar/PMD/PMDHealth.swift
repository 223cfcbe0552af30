// Conversion of a frame's samples to the series that the hub stores.

import Bluetooth
public import Health
import Wearable

extension PMD.MeasurementType {
  /// The series that its frames may produce.
  public var series: [Series] {
    switch self {
    case .ecg: [.ecg]
    case .ppg: [.ppg, .ppg2, .ppg16, .ppg20, .ppg24]
    case .acc: [.acc]
    case .ppi: [.ppi]
    case .gyro: [.gyro]
    case .magnetometer: [.mag]
    case .skinTemperature: [.skinTemperature]
    case .location: [.location]
    case .pressure: [.pressure]
    case .temperature: [.temperature]
    case .offlineHR: [.heartRate]
    case .sdkMode, .offlineRecording: []
    }
  }
}

extension PMD {
  /// Converts samples to items of series, in buffers of its own.
  ///
  ///     format                      series
  ///     ECG, all four               `ecg`; tags and states of the electrodes are left out
  ///     PPG 0                       `ppg`
  ///     PPG 13, 7, 10, 8            `ppg_2`, `ppg_16`, `ppg_20`, `ppg_24`, with the status word last
  ///     PPG 4, 5, 6, 9, 14          not stored: settings of the sensor
  ///     ACC                         `acc` in mg
  ///     gyroscope                   `gyro` in 1/1000 °/s
  ///     magnetometer                `mag` in 1/10,000 G
  ///     PPI                         `ppi` with error and flags; its heart rate is older than the interval and left out
  ///     pressure                    `pressure` in 1/100 hPa
  ///     temperatures                `temperature` and `skin_temperature` in 1/1000 °C
  ///     location 0                  `location`, with the altitude of location 1
  ///     offline HR                  `heart_rate`, one a second from the recording's start; a rate of 0 is left out
  final class HealthWriter {
    /// `time` is ns since 2000 on the wearable's clock, `ago` the ns from then to the frame's last sample.
    typealias Taker = (
      _ series: Series, _ values: UnsafeBufferPointer<Int64>, _ bytes: RawBytes, _ time: UInt64, _ ago: UInt64
    ) -> Void

    /// Bytes of a waveform block: the size of an item in the store.
    static let blockLimit = 3800

    private let bytes: UnsafeMutableRawBufferPointer
    private let numbers: UnsafeMutableBufferPointer<Int32>
    private let values: UnsafeMutableBufferPointer<Int64>
    /// Metres, from the last record with a fix.
    private var altitude: Int16?
    /// Start of the recording, ns since 2000. Samples without times are counted from here.
    private let start: UInt64
    /// Duration of the samples that were counted so far, ns.
    private var counted: UInt64 = 0

    /// End of the samples without times, ns since 2000.
    var reached: UInt64 { start &+ counted }

    init(start: UInt64 = 0) {
      self.start = start
      bytes = .allocate(byteCount: Self.blockLimit, alignment: 8)
      numbers = .allocate(capacity: Self.blockLimit / 2)
      values = .allocate(capacity: 4)
    }

    deinit {
      bytes.deallocate()
      numbers.deallocate()
      values.deallocate()
    }

    /// - Parameter times: nil for formats without evenly spaced samples.
    func write(
      _ samples: Samples, _ type: MeasurementType, _ frame: Frame, _ times: SampleTimes?,
      anomaly: (StaticString) -> Void, _ take: Taker
    ) {
      switch samples.format {
      case .ecg, .ecgContact, .ecgTags, .ecgImpedance: waveform(.ecg, 1, samples, times, take)
      case .ppgAmbient: waveform(.ppg, 4, samples, times, take)
      case .ppgStatus(let channels):
        let series: Series = channels == 2 ? .ppg2 : channels == 16 ? .ppg16 : channels == 20 ? .ppg20 : .ppg24
        waveform(series, channels + 1, samples, times, take)
      case .ppgGains, .ppgOperationMode, .ppgSport, .ppgGain: break
      case .accMilliG, .accScaledMilliG, .accG: waveform(.acc, 3, samples, times, take)
      case .gyro, .gyroFloat:
        waveform(.gyro, 3, times, take) { sample, channel in Int32(rounding: samples.value(sample, channel) * 1000) }
      case .magnetometer, .magnetometerCalibrated:
        waveform(.mag, 3, times, take) { sample, channel in Int32(rounding: samples.value(sample, channel) * 10_000) }
      case .float:
        guard let times else { break }
        let (series, scale): (Series, Float) =
          switch type {
          case .pressure: (.pressure, 100)
          case .skinTemperature: (.skinTemperature, 1000)
          default: (.temperature, 1000)
          }
        for sample in 0..<samples.count {
          let value = samples.value(sample, 0)
          if value.isFinite {
            scalar(series, Int64(Int32(rounding: value * scale)), times.time(sample), times.ago(sample), take)
          } else {
            anomaly("a temperature or pressure that is no number")
          }
        }
      case .ppi:
        // The time of an interval is its end. The last interval ends at the frame's time, and each of the others ends
        // when the next one begins.
        let span = (0..<samples.count).reduce(UInt64(0)) { $0 + Self.interval(samples, $1) }
        counted &+= span
        let end = frame.time != 0 ? frame.time : start &+ counted
        var ago = span
        for sample in 0..<samples.count {
          ago -= Self.interval(samples, sample)
          for channel in 1...3 { values[channel - 1] = Int64(samples.number(sample, channel)) }
          give(.ppi, 3, end >= ago ? end - ago : 0, ago, take)
        }
      case .offlineHR, .offlineHRQuality:
        // Sampled once a second.
        for sample in 0..<samples.count {
          let rate = samples.number(sample, 0)
          if rate != 0 {
            scalar(.heartRate, Int64(rate), start &+ counted, UInt64(samples.count - 1 - sample) * 1_000_000_000, take)
          }
          counted &+= 1_000_000_000
        }
      case .location(let record): location(record, samples, times, anomaly, take)
      }
    }

    /// ns.
    private static func interval(_ samples: Samples, _ sample: Int) -> UInt64 {
      UInt64(UInt16(truncatingIfNeeded: samples.number(sample, 1))) * 1_000_000
    }

    private func scalar(_ series: Series, _ value: Int64, _ time: UInt64, _ ago: UInt64, _ take: Taker) {
      values[0] = value
      give(series, 1, time, ago, take)
    }

    private func give(
      _ series: Series, _ valueCount: Int, _ time: UInt64, _ ago: UInt64, _ take: Taker, byteCount: Int = 0
    ) {
      take(
        series, UnsafeBufferPointer(start: values.baseAddress, count: valueCount),
        RawBytes(start: bytes.baseAddress, count: byteCount), time, ago)
    }

    /// A waveform in whole numbers of the format's unit.
    private func waveform(_ series: Series, _ components: Int, _ samples: Samples, _ times: SampleTimes?, _ take: Taker)
    {
      guard samples.areWhole, let numbers = samples.numbers.baseAddress else {
        return waveform(series, components, times, take) { sample, channel in samples.whole(sample, channel) }
      }
      blocks(series, components, times, take) { first, _ in numbers + first * components }
    }

    @inline(__always)
    private func waveform(
      _ series: Series, _ components: Int, _ times: SampleTimes?, _ take: Taker,
      _ number: (_ sample: Int, _ channel: Int) -> Int32
    ) {
      guard let numbers = numbers.baseAddress else { return }
      blocks(series, components, times, take) { first, count in
        var place = 0
        for sample in first..<(first + count) {
          for channel in 0..<components {
            numbers[place] = number(sample, channel)
            place += 1
          }
        }
        return UnsafePointer(numbers)
      }
    }

    /// Writes blocks of as many samples as fit, each in the narrowest encoding that holds all its numbers.
    @inline(__always)
    private func blocks(
      _ series: Series, _ components: Int, _ times: SampleTimes?, _ take: Taker,
      _ numbers: (_ first: Int, _ count: Int) -> UnsafePointer<Int32>
    ) {
      guard let times else { return }
      let most = Self.blockLimit / (4 * components)
      var first = 0
      while first < times.count {
        let count = min(most, times.count - first)
        let size = count * components
        let block = numbers(first, count)
        var bits: Int32 = 0
        for index in 0..<size { bits |= block[index] ^ block[index] >> 31 }
        let width = bits < 1 << 15 ? 2 : bits < 1 << 23 ? 3 : 4
        pack(block, size, width)
        values[0] = times.period
        values[1] = Int64(count)
        values[2] =
          width == 2 ? Waveform.Encoding.int16 : width == 3 ? Waveform.Encoding.int24 : Waveform.Encoding.int32
        give(series, 3, times.time(first), times.ago(first), take, byteCount: size * width)
        first += count
      }
    }

    private func pack(_ block: UnsafePointer<Int32>, _ count: Int, _ width: Int) {
      switch width {
      case 2:
        for index in 0..<count {
          bytes.storeBytes(
            of: Int16(truncatingIfNeeded: block[index]).littleEndian, toByteOffset: 2 * index, as: Int16.self)
        }
      case 3:
        for index in 0..<count {
          bytes[3 * index] = UInt8(truncatingIfNeeded: block[index])
          bytes[3 * index + 1] = UInt8(truncatingIfNeeded: block[index] >> 8)
          bytes[3 * index + 2] = UInt8(truncatingIfNeeded: block[index] >> 16)
        }
      default:
        for index in 0..<count {
          bytes.storeBytes(of: block[index].littleEndian, toByteOffset: 4 * index, as: Int32.self)
        }
      }
    }

    /// A position gets the last known altitude, and is not stored without one.
    private func location(
      _ record: Format.LocationRecord, _ samples: Samples, _ times: SampleTimes?, _ anomaly: (StaticString) -> Void,
      _ take: Taker
    ) {
      switch record {
      case .satellites, .nmea: return
      case .dilution:
        for index in 0..<samples.count {
          if let dilution = LocationDilution(samples.content, index: index), dilution.hasFix {
            altitude = dilution.altitude
          }
        }
      case .fix:
        guard let times else { return }
        for index in 0..<samples.count {
          guard let fix = LocationFix(samples.content, index: index), fix.hasFix else { continue }
          guard let altitude, abs(fix.latitude) <= 90, abs(fix.longitude) <= 180, fix.speed.isFinite else {
            anomaly("location: a fix without an altitude, or nowhere on Earth")
            continue
          }
          values[0] = Int64((fix.latitude * 1e7).rounded())
          values[1] = Int64((fix.longitude * 1e7).rounded())
          values[2] = Int64(altitude)
          values[3] = Int64(Int32(rounding: fix.speed / 3.6))
          give(.location, 4, times.time(index), times.ago(index), take)
        }
      }
    }
  }
}

extension Int32 {
  /// The nearest representable value; 0 for NaN.
  @inline(__always)
  init(rounding value: Float) { self.init(cutting: value.rounded(.toNearestOrAwayFromZero)) }
}
