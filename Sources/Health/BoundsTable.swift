// Table of bounds: the lowest and the highest possible value of each series, with the source.
//
// Bounds are wide: values of an ill heart, an athlete or a poorly fitted sensor are measurements, too. Values outside
// come from a defective or malicious wearable.

extension Series {
  /// Rows in the order of the series' numbers, in the stored scale: `SeriesTable.swift`.
  static let boundsTable: [BoundsRow] = [
    BoundsRow(
      .heartRate, 20...300, source: "slowest in health 26/min (athletes); fastest with output 300/min (flutter 1:1)"),
    BoundsRow(
      .rrInterval, 102...10_240,
      source: "0.1 s: half the shortest refractory period; 10 s: longer pauses are not possible in a walking wearer"),
    BoundsRow(.battery, 0...100, source: "Battery Service 1.1, 3.1: percent"),
    BoundsRow(.energyExpended, 0...65_535, source: "Heart Rate Service 1.0, 3.1.1.3: 16 bits"),
    BoundsRow(
      .ppi, 100...10_000, 0...65_535, 0...255,
      source: "as rr_interval; error and status as wide as Polar's fields"),
    BoundsRow(.ecg, noneAs: waveformsHaveNone),
    BoundsRow(.ppg, noneAs: waveformsHaveNone),
    BoundsRow(.acc, noneAs: waveformsHaveNone),
    BoundsRow(.gyro, noneAs: waveformsHaveNone),
    BoundsRow(.mag, noneAs: waveformsHaveNone),
    BoundsRow(.pressure, 26_000...126_000, source: "range of barometric sensors: 260 to 1260 hPa"),
    BoundsRow(
      .location, -900_000_000...900_000_000, -1_800_000_000...1_800_000_000, -1_000...100_000, 0...1_000,
      source: "the globe; below the Dead Sea (-430 m) to the edge of the atmosphere; receivers end at 515 m/s"),
    BoundsRow(.skinTemperature, -20_000...60_000, source: "a wearable left outside in winter, to one in the sun"),
    BoundsRow(.spo2, 1...100, source: "a fraction; 0 is what oximeters send for no value"),
    BoundsRow(.steps, over: 0...longest, 0...2_000_000, source: "a week at three steps a second, awake and asleep"),
    BoundsRow(.distance, over: 0...longest, 0...100_000_000, source: "a week on a bicycle at 60 km/h: 10,000 km"),
    BoundsRow(
      .calories, over: 0...longest, 0...1_000_000, source: "ten days of 10,000 kcal, the most that is sustained"),
    BoundsRow(.activeTime, over: 0...longest, 0...8, source: "classes of the series; 0: the wearable reports no class"),
    BoundsRow(.sleepStage, over: 0...longest, 0...4, source: "stages of the series"),
    BoundsRow(.nightlyRecharge, noneAs: recordsHaveNone),
    BoundsRow(.exercise, noneAs: recordsHaveNone),
    BoundsRow(.footPressure, each: 0...16_383, 16, source: "the insole's converter has 14 bits"),
    BoundsRow(.temperature, -60_000...125_000, source: "coldest and hottest that a silicon sensor measures"),
    BoundsRow(.respirationRate, 1...150, source: "newborns in distress breathe 100 times a minute; apnoea is no rate"),
    BoundsRow(.raw, noneAs: recordsHaveNone),
    BoundsRow(
      .orientation, each: -10_100...10_100, 8, source: "parts of a unit quaternion, with the last digit's rounding"),
    BoundsRow(.cadence, 0...500, source: "sprinters take 300 steps a minute"),
    BoundsRow(.pace, 60...65_534, source: "60 km/h, faster than any runner; 65,535 stands for no value in 16 bits"),
    BoundsRow(.speed, 0...3_000, source: "300 km/h: faster than any skier or cyclist"),
    BoundsRow(.groundTime, 0...60_000, 0...60_000, source: "one step: a minute at most at one step a minute"),
    BoundsRow(
      .gaitSymmetry, -100...100, -128...255, -128...255, -128...255,
      source: "a share of both feet; the others as wide as the insole's fields: 8 bits, in files with a sign"),
    BoundsRow(.footStrike, 0...2, 0...2, source: "classes of the series"),
    BoundsRow(.pronation, -128...127, source: "as wide as the insole's field of 8 bits; 90 degrees break an ankle"),
    BoundsRow(.verticalRatio, 0...255, source: "as wide as the insole's field of 8 bits"),
    BoundsRow(.ppg2, noneAs: waveformsHaveNone),
    BoundsRow(.ppg16, noneAs: waveformsHaveNone),
    BoundsRow(.ppg20, noneAs: waveformsHaveNone),
    BoundsRow(.ppg24, noneAs: waveformsHaveNone),
    BoundsRow(.metabolicEquivalent, over: 0...longest, 0...5_000, source: "the fittest reach 25 MET; 50 is twice that"),
    BoundsRow(.trainingCalories, over: 0...longest, 0...1_000_000, source: "as calories, of another kind"),
    BoundsRow(.basalCalories, over: 0...longest, 0...1_000_000, source: "as calories, of another kind"),
    BoundsRow(.heartRateVariability, 0...20_000, source: "2 s between neighbours: more than fibrillation shows"),
    BoundsRow(.altitude, -100_000...2_000_000, source: "below the Dead Sea (-430 m) to above any aeroplane"),
    BoundsRow(.exerciseDistance, 0...100_000_000, source: "as distance"),
    BoundsRow(.strideLength, 0...1_000, source: "10 m: more than the longest jump"),
    BoundsRow(
      .leftPower, -2_000...5_000, source: "track sprinters reach 2,500 W with both legs; below 0 against the drive"),
    BoundsRow(.rightPower, -2_000...5_000, source: "as power_left"),
    BoundsRow(
      .training, 0...65_535, 0...4_294_967_295, 0...2_678_400, 0...10_000_000, 0...100_000, 0...300, 0...300,
      source: "a month, 10,000 km, ten days of calories; heart rates as heart_rate, 0 for no value"),
    BoundsRow(
      .sleep, 0...604_800, 0...604_800, 0...604_800, 0...604_800, 0...604_800, 0...604_800, 0...604_800, 0...5,
      source: "a week in seconds; the rating as the series says"),
    BoundsRow(
      .recharge, 0...6, 0...100, 0...5, 0...10_000, 0...2_000, 0...60_000, 0...10_000, 0...2_000, 0...60_000,
      source: "steps of the series; means of intervals as rr_interval, of breaths a minute; 0 for no value"),
    BoundsRow(.ansStatus, -1_000...1_000, source: "ten times what Polar's scale shows at its ends"),
    BoundsRow(.pulseRate, 200...3_000, source: "as heart_rate"),
    BoundsRow(.pulseAmplitudeIndex, 0...10_000, source: "a part of the light: 0 to 100 %; sensors end at 20 %"),
    BoundsRow(
      .bodyTemperature, 5_000...55_000, source: "lowest survived 11.8, highest 46.5 degC; and one that still cools"),
    BoundsRow(.temperaturePlace, 1...9, source: "Health Thermometer Service 1.0: Temperature Type"),
    BoundsRow(.systolicPressure, 1_000...50_000, source: "cuffs end at 300 mmHg; 480 mmHg was measured in an artery"),
    BoundsRow(.diastolicPressure, 500...50_000, source: "as blood_pressure_systolic"),
    BoundsRow(.meanPressure, 500...50_000, source: "as blood_pressure_systolic"),
    BoundsRow(.cuffPressure, 0...50_000, source: "cuffs vent at 330 mmHg (IEC 80601-2-30)"),
    BoundsRow(.stress, 0...100, source: "the series: a score of 0 to 100"),
    BoundsRow(.userIndex, 0...255, source: "User Data Service: 8 bits"),
    BoundsRow(.weight, 1...700_000, source: "the heaviest person weighed 635 kg; a scale shows small things, too"),
    BoundsRow(.bodyMassIndex, 1...3_000, source: "the highest known is 252"),
    BoundsRow(.bodyFat, 0...1_000, source: "a part of the body"),
    BoundsRow(.musclePercentage, 0...1_000, source: "a part of the body"),
    BoundsRow(.muscleMass, 0...700_000, source: "as weight, of which it is a part"),
    BoundsRow(.fatFreeMass, 0...700_000, source: "as weight, of which it is a part"),
    BoundsRow(.softLeanMass, 0...700_000, source: "as weight, of which it is a part"),
    BoundsRow(.bodyWaterMass, 0...700_000, source: "as weight, of which it is a part"),
    BoundsRow(.basalMetabolism, 0...65_534, source: "Body Composition Service 1.0: 16 bits, the last for no value"),
    BoundsRow(.bodyImpedance, 0...65_534, source: "Body Composition Service 1.0: 16 bits, the last for no value"),
    BoundsRow(.totalDistance, 0...4_294_967_295, source: "Running Speed and Cadence Service 1.0: 32 bits"),
    BoundsRow(.crankCadence, 0...3_000, source: "300 turns a minute: track sprinters reach 280"),
    BoundsRow(.wheelRate, 0...30_000, source: "3,000 turns a minute: 380 km/h on a wheel of 2.1 m"),
    BoundsRow(.wheelRevolutions, 0...4_294_967_295, source: "Cycling Speed and Cadence Service 1.0: 32 bits"),
    BoundsRow(.measurement, noneAs: recordsHaveNone),
  ]

  private static let waveformsHaveNone =
    "its samples are in encoded bytes, as wide as the sensor's converter: its decoder bounds them"
  private static let recordsHaveNone = "its bytes are kept unchanged, for programs that can read them"
  /// Longest interval, µs. Wearables report minutes, hours and days; a week is longer than any of these.
  private static let longest: Int64 = 7 * 86_400_000_000
}
