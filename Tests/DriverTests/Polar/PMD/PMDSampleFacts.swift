// A frame's samples in the words of the vectors.

@testable import DriverTestSupport
@testable import PolarFamily

enum PMDSampleFacts {
  static let types: [String: PMD.MeasurementType] = [
    "ecg": .ecg, "ppg": .ppg, "acc": .acc, "ppi": .ppi, "gyro": .gyro, "magnetometer": .magnetometer,
    "skinTemperature": .skinTemperature,
    "location": .location, "pressure": .pressure, "temperature": .temperature, "offlineHr": .offlineHR,
    "offlineHR": .offlineHR, "hr": .offlineHR,
  ]

  /// PPG 6 reports its first record alone.
  static func count(_ samples: PMD.Samples) -> Int {
    samples.format == .ppgSport ? min(1, samples.count) : samples.count
  }

  static func facts(
    _ samples: PMD.Samples, _ index: Int, _ frame: PMD.Frame, _ times: PMD.SampleTimes?, _ type: PMD.MeasurementType
  ) -> [String: PMDFact] {
    var facts = numbers(samples, index, type)
    if let times {
      facts["timeStamp"] = .whole(times.time(index))
    } else if case .ppi = samples.format {
      let later = (index + 1..<samples.count).reduce(UInt64(0)) { $0 + UInt64(samples.number($1, 1)) * 1_000_000 }
      facts["timeStamp"] = .whole(frame.time == 0 ? 0 : frame.time - later)
    } else {
      facts["timeStamp"] = .whole(frame.time)
    }
    return facts
  }

  private static func numbers(_ samples: PMD.Samples, _ index: Int, _ type: PMD.MeasurementType) -> [String: PMDFact] {
    func whole(_ channel: Int) -> PMDFact { .whole(samples.whole(index, channel)) }
    func value(_ channel: Int) -> PMDFact { .real(samples.value(index, channel)) }
    switch samples.format {
    case .ecg: return ["microVolts": whole(0)]
    case .ecgContact:
      return [
        "microVolts": whole(0), "overSampling": whole(1), "skinContactBit": whole(2), "contactImpedance": whole(3),
      ]
    case .ecgTags: return ["microVolts": whole(0), "ecgDataTag": whole(1), "paceDataTag": whole(2)]
    case .ecgImpedance:
      return ["data0": whole(0), "data1": whole(1), "microVolts": whole(0), "bioz": whole(1), "status": whole(2)]
    case .ppgAmbient: return ["ppg.0": whole(0), "ppg.1": whole(1), "ppg.2": whole(2), "ambient": whole(3)]
    case .ppgStatus(let channels):
      var facts: [String: PMDFact] = [:]
      for channel in 0..<channels { facts["ppg.\(channel)"] = whole(channel) }
      let status = UInt32(samples.whole(index, channels))
      facts["statusInt"] = .whole(status)
      var digits = String(status, radix: 2).map { PMDFact.whole($0 == "1" ? 1 : 0) }
      if channels == 20 {
        digits = Array(repeating: PMDFact.whole(0), count: max(0, 20 - digits.count)) + digits
        for (group, range) in [0..<8, 8..<14, 14..<20].enumerated() {
          facts["group.\(group)"] = .list(range.map(whole))
        }
      }
      facts["statusBits"] = .list(digits)
      return facts
    case .ppgGains:
      var facts: [String: PMDFact] = [:]
      for channel in 0..<12 {
        facts["numIntTs.\(channel)"] = whole(channel)
        facts["gain1.\(channel)"] = whole(12 + 2 * channel)
        facts["gain2.\(channel)"] = whole(13 + 2 * channel)
      }
      return facts
    case .ppgOperationMode: return ["operationMode": .whole(UInt32(bitPattern: samples.number(index, 0)))]
    case .ppgSport:
      return [
        "sportId": .whole(
          UInt64(UInt32(bitPattern: samples.number(index, 0))) | UInt64(UInt32(bitPattern: samples.number(index, 1)))
            << 32)
      ]
    case .ppgGain:
      return [
        "numIntTs1": whole(0), "numIntTs.0": whole(0), "gain1": whole(1), "gain2": whole(2), "gain1.0": whole(1),
        "gain2.0": whole(2),
      ]
    case .accMilliG, .accScaledMilliG, .accG: return ["x": whole(0), "y": whole(1), "z": whole(2)]
    case .ppi:
      let flags = PMD.PPIFlags(rawValue: UInt8(truncatingIfNeeded: samples.number(index, 3)))
      return [
        "hr": whole(0), "ppInMs": whole(1), "ppErrorEstimate": whole(2),
        "blockerBit": .whole(flags.contains(.blocker) ? 1 : 0),
        "skinContactStatus": .whole(flags.contains(.skinContact) ? 1 : 0),
        "skinContactSupported": .whole(flags.contains(.contactSupported) ? 1 : 0),
      ]
    case .gyro, .gyroFloat: return ["x": value(0), "y": value(1), "z": value(2)]
    case .magnetometer, .magnetometerCalibrated:
      return [
        "x": value(0), "y": value(1), "z": value(2), "calibrationStatus": .whole(samples.calibration(index) ?? -1),
      ]
    case .float:
      return [type == .pressure ? "pressure" : type == .temperature ? "temperature" : "skinTemperature": value(0)]
    case .offlineHR: return ["hr": whole(0)]
    case .offlineHRQuality: return ["hr": whole(0), "ppgQuality": whole(1), "correctedHr": whole(2)]
    case .location(let record): return location(record, samples, index)
    }
  }

  private static func location(_ record: PMD.Format.LocationRecord, _ samples: PMD.Samples, _ index: Int) -> [String:
    PMDFact]
  {
    switch record {
    case .fix:
      guard let fix = PMD.LocationFix(samples.content, index: index) else { return [:] }
      func two(_ value: some BinaryInteger, _ places: Int = 2) -> String {
        String(repeating: "0", count: max(0, places - "\(value)".count)) + "\(value)"
      }
      let date =
        """
        \(two(fix.year, 4))-\(two(fix.month))-\(two(fix.day))T\(two(fix.hours)):\(two(fix.minutes)):\
        \(two(fix.seconds)).\(two(fix.milliseconds, 3))
        """
      return [
        "latitude": .real(fix.latitude), "longitude": .real(fix.longitude), "date": .text(date), "time": .text(date),
        "cumulativeDistance": .real(fix.distance), "speed": .real(fix.speed),
        "usedAccelerationSpeed": .real(fix.accelerationSpeed),
        "coordinateSpeed": .real(fix.coordinateSpeed), "accelerationSpeedFactor": .real(fix.accelerationFactor),
        "course": .real(fix.course),
        "gpsChipSpeed": .real(fix.receiverSpeed), "fix": .bool(fix.hasFix), "speedFlag": .whole(fix.speedFlag),
        "fusionState": .whole(fix.fusionState),
      ]
    case .dilution:
      guard let dilution = PMD.LocationDilution(samples.content, index: index) else { return [:] }
      return [
        "dilution": .real(dilution.dilution), "altitude": .whole(dilution.altitude),
        "satellites": .whole(dilution.satellites),
        "numberOfSatellites": .whole(dilution.satellites), "fix": .bool(dilution.hasFix),
      ]
    case .satellites:
      guard let all = PMD.LocationSatellites(samples.content, index: index) else { return [:] }
      return [
        "seenBand1": summary(all.seenBand1), "usedBand1": summary(all.usedBand1), "seenBand2": summary(all.seenBand2),
        "usedBand2": summary(all.usedBand2),
        "maxSnr": .whole(all.strongest),
      ]
    case .nmea:
      var offset = 0
      for _ in 0..<index { offset += 7 + (PMD.LocationText(samples.content, at: offset)?.text.count ?? 0) }
      guard let text = PMD.LocationText(samples.content, at: offset) else { return [:] }
      let words = PMDFact.text(String(decoding: text.text, as: UTF8.self))
      return [
        "measurementPeriod": .whole(text.period), "messageLength": .whole(text.text.count),
        "statusFlags": .whole(text.status), "nmeaMessage": words,
        "nmea": words, "message": words,
      ]
    }
  }

  private static func summary(_ bands: PMD.LocationSatellites.Summary) -> PMDFact {
    .object([
      "gps": .whole(bands.gps), "gpsMaxSnr": .whole(bands.gpsStrongest), "glonass": .whole(bands.glonass),
      "glonassMaxSnr": .whole(bands.glonassStrongest),
      "galileo": .whole(bands.galileo), "galileoMaxSnr": .whole(bands.galileoStrongest), "beidou": .whole(bands.beidou),
      "beidouMaxSnr": .whole(bands.beidouStrongest), "total": .whole(bands.total), "top5Snr": .whole(bands.meanOfFive),
    ])
  }
}
