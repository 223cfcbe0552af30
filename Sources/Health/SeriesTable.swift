// The table of series: number, name, unit, factor, layout, step of live times, what a day makes of it.

extension Series {
  /// Their numbers are their places from 1 on.
  static let definitions: [Definition] = [
    // As the wearable computed it.
    Definition(1, "heart_rate", "bpm", timeStep: 1000),
    // Between two beats. Stored in 1/1024 s as it came (Heart Rate Service 1.0), exported in milliseconds, exactly.
    Definition(2, "rr_interval", "ms", 1000, 1024, timeStep: 1000),
    // Remaining charge of the wearable's battery.
    Definition(3, "battery", "%", timeStep: 1000),
    // Since the wearable's last reset.
    Definition(4, "energy_expended", "kJ", timeStep: 1000),
    // Pulse to pulse, with the wearable's own error estimate and status bits.
    Definition(5, "ppi", "ms", .vector(["ppi", "error", "status"])),
    Definition(6, "ecg", "uV", .waveform(["ecg"])),
    Definition(7, "ppg", "counts", .waveform(["ppg0", "ppg1", "ppg2", "ambient"])),
    Definition(8, "acc", "mg", .waveform(["x", "y", "z"])),
    Definition(9, "gyro", "dps", 1, 1000, .waveform(["x", "y", "z"])),
    Definition(10, "mag", "G", 1, 10_000, .waveform(["x", "y", "z"])),
    Definition(11, "pressure", "hPa", 1, 100),
    // Degrees in 1e-7, metres above the ellipsoid, metres a second: the first two columns need no more than 32 bits.
    Definition(12, "location", "1e-7 deg, m, m/s", .vector(["latitude", "longitude", "altitude", "speed"])),
    Definition(13, "skin_temperature", "degC", 1, 1000),
    Definition(14, "spo2", "%", timeStep: 1000),
    Definition(15, "steps", "steps", .interval, daily: .amount),
    Definition(16, "distance", "m", 1, 10, .interval, daily: .amount),
    Definition(17, "calories", "kcal", 1, 10, .interval, daily: .amount),
    // Class of activity: 1 sleep, 2 sitting, 3 light, 4 moderate, 5 moderate with breaks, 6 vigorous, 7 vigorous with
    // breaks, 8 not worn.
    Definition(18, "active_time", "class", .interval, daily: .state),
    // 0 unknown, 1 awake, 2 REM, 3 light (N1, N2), 4 deep (N3).
    Definition(19, "sleep_stage", "stage", .interval, daily: .state),
    Definition(20, "nightly_recharge", "", .record),
    Definition(21, "exercise", "", .record),
    // Of one moment, both feet: wearables send it with gaps and repetitions, which a waveform of equal distances could
    // not say.
    Definition(
      22, "foot_pressure", "counts", .vector((0..<16).map { ($0 < 8 ? "right" : "left") + String($0 % 8) }),
      timeStep: 1000),
    Definition(23, "temperature", "degC", 1, 1000),
    Definition(24, "respiration_rate", "1/min", timeStep: 1000),
    // What a wearable's file held and no series above names.
    Definition(25, "raw", "", .record),
    // Quaternions of the right and the left foot; four zeros for a foot that was not heard.
    Definition(
      26, "orientation", "", 1, 10_000,
      .vector(["right_x", "right_y", "right_z", "right_w", "left_x", "left_y", "left_z", "left_w"]), timeStep: 1000),
    // Steps of both feet.
    Definition(27, "cadence", "1/min", timeStep: 1000),
    Definition(28, "pace", "s/km", timeStep: 1000),
    Definition(29, "speed", "km/h", 1, 10, timeStep: 1000),
    // Of one step: foot on the ground, and both in the air.
    Definition(30, "ground_time", "ms", .vector(["contact", "flight"]), timeStep: 1000),
    // Left against right, below 0 for the left.
    Definition(31, "gait_symmetry", "%", .vector(["balance", "contact", "force", "pronation"]), timeStep: 1000),
    // 0 heel, 1 middle, 2 forefoot.
    Definition(32, "foot_strike", "class", .vector(["left", "right"]), timeStep: 1000),
    Definition(33, "pronation", "deg", timeStep: 1000),
    // Height of the body's movement against the length of a step.
    Definition(34, "vertical_ratio", "%", timeStep: 1000),
    // Several lights at once, and a word of status: bit i is of channel i, its meaning the wearable's own.
    Definition(35, "ppg_2", "counts", .waveform(light(2))),
    Definition(36, "ppg_16", "counts", .waveform(light(16))),
    Definition(37, "ppg_20", "counts", .waveform(light(20))),
    Definition(38, "ppg_24", "counts", .waveform(light(24))),
    // Energy against that of rest.
    Definition(39, "met", "MET", 1, 100, .interval),
    // Of trainings, and of rest: apart from `calories`, which are those of activity.
    Definition(40, "training_calories", "kcal", 1, 10, .interval, daily: .amount),
    Definition(41, "basal_calories", "kcal", 1, 10, .interval, daily: .amount),
    // Root mean square of successive differences between beats.
    Definition(42, "hrv_rmssd", "ms", 1, 10),
    Definition(43, "altitude", "m", 1, 100),
    // Since the exercise began: not to be summed, as those of `distance` are.
    Definition(44, "exercise_distance", "m", 1, 10),
    Definition(45, "stride_length", "cm"),
    // Of each pedal.
    Definition(46, "power_left", "W"),
    Definition(47, "power_right", "W"),
    // One training, at its begin: 0 for the whole of it and 1, 2 … for the exercises it was made of; the wearable's own
    // number of the sport (0 unknown); active seconds, metres, kilocalories; mean and highest heart rate. 0 where the
    // wearable does not tell.
    Definition(
      48, "training", "class, s, m, kcal, bpm",
      .vector(["part", "sport", "duration", "distance", "calories", "mean_heart_rate", "highest_heart_rate"]),
      daily: .event),
    // One night, at the end of sleep: how long it was from begin to end, how long of that in each stage, and what was
    // aimed at; what the sleeper said of it, from 1 (poor) to 5 (well), 0 for nothing.
    Definition(
      49, "sleep", "s, class", .vector(["length", "awake", "rem", "light", "deep", "unknown", "goal", "rating"]),
      daily: .event),
    // What a night was worth, at the midnight it went over: recovery from 1 to 6, how far within that step (0 to 100),
    // the autonomic nervous system from 1 to 5; means of the night, beat to beat, RMSSD and breath to breath, and the
    // wearer's usual ones. 0 where the wearable does not tell.
    Definition(
      50, "recharge", "class, ms",
      .vector(["recovery", "level", "ans", "rri", "rmssd", "breath", "usual_rri", "usual_rmssd", "usual_breath"]),
      daily: .event),
    // How the autonomic nervous system calmed down in a night against the usual: -10 to 10, more at the ends.
    Definition(51, "ans_status", "", 1, 10),
    // Of a pulse oximeter, on a finger or an ear: apart from `heart_rate`, as one wearable may have both.
    Definition(52, "pulse_rate", "bpm", 1, 10, timeStep: 1000),
    // How much the pulse changes the light that comes through, against the light that does not change.
    Definition(53, "pulse_amplitude_index", "%", 1, 100, timeStep: 1000),
    // Of a thermometer, wherever it was held; where is `temperature_place`, of the same time. What a band measures at
    // the wrist is `skin_temperature`.
    Definition(54, "body_temperature", "degC", 1, 1000, timeStep: 1000),
    // Temperature Type of the Bluetooth SIG: 1 armpit, 2 body, 3 ear, 4 finger, 5 gastrointestinal, 6 mouth, 7 rectum,
    // 8 toe, 9 eardrum.
    Definition(55, "temperature_place", "class", timeStep: 1000, daily: .event),
    // Of a cuff: apart, so that each has a day of its own. 0.1 kPa is 0.75 mmHg.
    Definition(56, "blood_pressure_systolic", "mmHg", 1, 100, timeStep: 1000),
    Definition(57, "blood_pressure_diastolic", "mmHg", 1, 100, timeStep: 1000),
    Definition(58, "blood_pressure_mean", "mmHg", 1, 100, timeStep: 1000),
    // In the cuff while it measures: no pressure of the blood.
    Definition(59, "cuff_pressure", "mmHg", 1, 100, timeStep: 1000, daily: .event),
    // The wearable's own score, 0 to 100.
    Definition(60, "stress", "", timeStep: 1000),
    // Under which number a wearable of several people knows the one whose measurement of the same time it is.
    Definition(61, "user_index", "class", timeStep: 1000, daily: .event),
    Definition(62, "weight", "kg", 1, 1000, timeStep: 1000),
    Definition(63, "body_mass_index", "kg/m2", 1, 10, timeStep: 1000),
    // Of a scale, from the body's impedance.
    Definition(64, "body_fat", "%", 1, 10, timeStep: 1000),
    Definition(65, "muscle_percentage", "%", 1, 10, timeStep: 1000),
    Definition(66, "muscle_mass", "kg", 1, 1000, timeStep: 1000),
    Definition(67, "fat_free_mass", "kg", 1, 1000, timeStep: 1000),
    Definition(68, "soft_lean_mass", "kg", 1, 1000, timeStep: 1000),
    Definition(69, "body_water_mass", "kg", 1, 1000, timeStep: 1000),
    // In a day.
    Definition(70, "basal_metabolism", "kJ", timeStep: 1000),
    Definition(71, "body_impedance", "ohm", 1, 10, timeStep: 1000),
    // Since the wearable's last reset, as `energy_expended`: not to be summed.
    Definition(72, "total_distance", "m", 1, 10, timeStep: 1000),
    // Revolutions of a bicycle's crank and wheel; `cadence` is of steps.
    Definition(73, "crank_cadence", "1/min", 1, 10, timeStep: 1000),
    Definition(74, "wheel_rate", "1/min", 1, 10, timeStep: 1000),
    // Since the wearable's last reset, over which it goes back to 0; a distance needs the wheel's circumference.
    Definition(75, "wheel_revolutions", "", timeStep: 1000),
    // One measurement of vital signs that the hub made of a wearable's live values, at its begin. Kind 1; its bytes
    // are in the store's FORMAT.
    Definition(76, "measurement", "", .record),
  ]

  private static func light(_ channels: Int) -> [String] { (0..<channels).map { "ppg\($0)" } + ["status"] }
}
