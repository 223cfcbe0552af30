import Testing

@testable import Health

@Suite("Series and what is said about samples")
struct SeriesTests {
  @Test("have numbers and names of their own, which find them again")
  func identities() {
    #expect(Series.all.map(\.id) == Array(1...UInt16(Series.all.count)))
    #expect(Set(Series.all.map(\.name)).count == Series.all.count)
    for series in Series.all {
      #expect(Series(id: series.id) == series)
      #expect(Series(name: series.name) == series)
      #expect(series.numerator > 0 && series.denominator > 0 && series.timeStep > 0)
      #expect((0...16).contains(series.layout.valueCount))
      #expect(series.shape.valueCount == series.layout.valueCount && series.shape.hasBytes == series.layout.hasBytes)
    }
    for id in [0, UInt16(Series.all.count) + 1, .max] { #expect(Series(id: id) == nil) }
    #expect(Series(name: "heart rate") == nil)
  }

  @Test("are the ones the format lists")
  func constants() {
    let named: [(Series, UInt16, String)] = [
      (.heartRate, 1, "heart_rate"), (.rrInterval, 2, "rr_interval"), (.battery, 3, "battery"),
      (.energyExpended, 4, "energy_expended"), (.ppi, 5, "ppi"),
      (.ecg, 6, "ecg"), (.ppg, 7, "ppg"), (.acc, 8, "acc"), (.gyro, 9, "gyro"), (.mag, 10, "mag"),
      (.pressure, 11, "pressure"), (.location, 12, "location"),
      (.skinTemperature, 13, "skin_temperature"), (.spo2, 14, "spo2"), (.steps, 15, "steps"),
      (.distance, 16, "distance"), (.calories, 17, "calories"),
      (.activeTime, 18, "active_time"), (.sleepStage, 19, "sleep_stage"), (.nightlyRecharge, 20, "nightly_recharge"),
      (.exercise, 21, "exercise"),
      (.footPressure, 22, "foot_pressure"), (.temperature, 23, "temperature"),
      (.respirationRate, 24, "respiration_rate"), (.raw, 25, "raw"),
      (.orientation, 26, "orientation"), (.cadence, 27, "cadence"), (.pace, 28, "pace"), (.speed, 29, "speed"),
      (.groundTime, 30, "ground_time"),
      (.gaitSymmetry, 31, "gait_symmetry"), (.footStrike, 32, "foot_strike"), (.pronation, 33, "pronation"),
      (.verticalRatio, 34, "vertical_ratio"),
      (.ppg2, 35, "ppg_2"), (.ppg16, 36, "ppg_16"), (.ppg20, 37, "ppg_20"), (.ppg24, 38, "ppg_24"),
      (.metabolicEquivalent, 39, "met"), (.trainingCalories, 40, "training_calories"),
      (.basalCalories, 41, "basal_calories"),
      (.heartRateVariability, 42, "hrv_rmssd"), (.altitude, 43, "altitude"),
      (.exerciseDistance, 44, "exercise_distance"),
      (.strideLength, 45, "stride_length"), (.leftPower, 46, "power_left"), (.rightPower, 47, "power_right"),
      (.training, 48, "training"), (.sleep, 49, "sleep"), (.recharge, 50, "recharge"), (.ansStatus, 51, "ans_status"),
      (.pulseRate, 52, "pulse_rate"), (.pulseAmplitudeIndex, 53, "pulse_amplitude_index"),
      (.bodyTemperature, 54, "body_temperature"), (.temperaturePlace, 55, "temperature_place"),
      (.systolicPressure, 56, "blood_pressure_systolic"), (.diastolicPressure, 57, "blood_pressure_diastolic"),
      (.meanPressure, 58, "blood_pressure_mean"), (.cuffPressure, 59, "cuff_pressure"), (.stress, 60, "stress"),
      (.userIndex, 61, "user_index"), (.weight, 62, "weight"), (.bodyMassIndex, 63, "body_mass_index"),
      (.bodyFat, 64, "body_fat"), (.musclePercentage, 65, "muscle_percentage"), (.muscleMass, 66, "muscle_mass"),
      (.fatFreeMass, 67, "fat_free_mass"), (.softLeanMass, 68, "soft_lean_mass"),
      (.bodyWaterMass, 69, "body_water_mass"), (.basalMetabolism, 70, "basal_metabolism"),
      (.bodyImpedance, 71, "body_impedance"), (.totalDistance, 72, "total_distance"),
      (.crankCadence, 73, "crank_cadence"), (.wheelRate, 74, "wheel_rate"),
      (.wheelRevolutions, 75, "wheel_revolutions"), (.measurement, 76, "measurement"),
    ]
    #expect(named.map(\.0) == Series.all)
    for (series, id, name) in named { #expect(series.id == id && series.name == name) }
  }

  @Test("have layouts with parts that fit each other")
  func layouts() {
    #expect(Series.ppi.layout == .vector(["ppi", "error", "status"]))
    #expect((Series.ppi.layout.valueCount, Series.ppi.layout.hasBytes) == (3, false))
    #expect(
      (Series.acc.layout.valueCount, Series.acc.layout.hasBytes, Series.acc.layout.components.count) == (3, true, 3))
    #expect((Series.footPressure.layout.valueCount, Series.footPressure.layout.hasBytes) == (16, false))
    #expect(
      Series.footPressure.layout.components.prefix(1) + Series.footPressure.layout.components.suffix(1) == [
        "right0", "left7",
      ])
    #expect((Series.ppg24.layout.valueCount, Series.ppg24.layout.components.count) == (3, 25))
    #expect((Series.steps.layout.valueCount, Series.steps.layout.hasBytes) == (2, false))
    #expect((Series.exercise.layout.valueCount, Series.exercise.layout.hasBytes) == (1, true))
    #expect(Set(Series.all.map(\.layout.name)) == ["scalar", "vector", "waveform", "interval", "record"])
  }

  @Test("print values exactly in their unit, the largest too")
  func text() {
    #expect(Series.rrInterval.text(946) == "923.828125")
    #expect(Series.rrInterval.text(-1) == "-0.9765625")
    #expect(Series.pressure.text(101_325) == "1013.25")
    #expect(Series.distance.text(120) == "12")
    #expect(Series.gyro.text(-70) == "-0.07")
    #expect(Series.mag.text(15) == "0.0015")
    #expect(Series.orientation.text(-7071) == "-0.7071")
    #expect(Series.rrInterval.text(.max) == "9007199254740991999.0234375")
    #expect(Series.rrInterval.text(.min) == "-9007199254740992000")
    #expect(Series.heartRate.text(.min) == "-9223372036854775808")
    #expect(Series.rrInterval.inUnit(1024) == 1000)
  }

  @Test("every byte of flags is read as it was written or refused")
  func flags() {
    var valid = 0
    for byte in UInt8.min ... .max {
      guard let flags = SampleFlags(rawValue: byte) else { continue }
      valid += 1
      #expect(
        SampleFlags(
          origin: flags.origin, kind: flags.kind, isManual: flags.isManual, isLowQuality: flags.isLowQuality,
          goesOn: flags.goesOn) == flags)
      #expect(flags.rawValue == byte)
    }
    #expect(valid == 4 * 2 * 4 * 2 * 2)
    #expect(SampleFlags(origin: .replayed, kind: .resting, isManual: true, goesOn: true).rawValue == 0b0101_1110)
    #expect(SampleFlags(origin: .live, isLowQuality: true).rawValue == 0b0010_0000)
  }

  @Test("capabilities have stable texts that are read again")
  func capabilities() {
    #expect(Set(Capability.all.map(\.text)).count == Capability.all.count)
    for capability in Capability.all { #expect(Capability(text: capability.text) == capability) }
    for wrong in ["", "live", "live:", "live:nothing", "erased", "recorded:heart_rate:x", "erase:heart_rate"] {
      #expect(Capability(text: wrong) == nil, "\(wrong)")
    }
    #expect(
      Capability.all.suffix(8).map(\.text)
        == [
          "recording_control", "files", "erase", "time_read", "time_set", "connection_profile", "battery",
          "pairing_required",
        ])
    #expect(Capability.live(.heartRate).text == "live:heart_rate")
    #expect(Capability.recorded(.acc).text == "recorded:acc")
  }

  @Test("a set of capabilities has each once, in one order, however it was made")
  func capabilitySets() {
    let watch: Capabilities = [.erase, .live(.acc), .recorded(.ppi), .live(.heartRate), .erase]
    #expect(watch.list == [.live(.heartRate), .live(.acc), .recorded(.ppi), .erase])
    #expect(watch == Capabilities(watch.list.reversed()))
    #expect(watch.contains(.erase) && !watch.contains(.files) && !watch.contains(.live(.ppi)))
    #expect(watch.live == [.heartRate, .acc])
    #expect(watch.recorded == [.ppi])
    #expect(watch.union([.files, .erase]).list == [.live(.heartRate), .live(.acc), .recorded(.ppi), .files, .erase])
  }
}

@Suite("The end of an item")
struct SeriesEndTests {
  @Test("an interval and a waveform end behind their begin, everything else at once; no end lies beyond all times")
  func ends() {
    #expect(Series.heartRate.end(of: [70], at: 5) == 5)
    #expect(Series.steps.end(of: [60_000_000, 12], at: 5) == 60_000_005)
    // 130 Hz: 73 samples.
    #expect(Series.ecg.end(of: [7_692_308, 73, 0], at: 0) == 561_538)
    #expect(Series.ecg.end(of: [.max, .max, 0], at: 9) == 9 && Series.ecg.end(of: [], at: 9) == 9)
    #expect(Series.steps.end(of: [.max, 1], at: 5) == 5 && Series.steps.end(of: [-5, 1], at: 5) == 5)
  }
}
