// Table of series: number, name, unit, factor, layout, step of live times, meaning for a day.

extension Series {
  /// Definitions by number, from 1 on.
  static let definitions: [Definition] = [
    // As computed by the wearable.
    Definition(1, "heart_rate", "bpm", timeStep: 1000),
    // Between two beats. Stored in 1/1024 s as received (Heart Rate Service 1.0), exported in milliseconds, exactly.
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
    // Degrees in 1e-7, metres above the ellipsoid, metres per second: the first two columns fit 32 bits.
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
    // Both feet at one moment. Wearables send it with gaps and repetitions, which an equidistant waveform cannot
    // express.
    Definition(
      22, "foot_pressure", "counts", .vector((0..<16).map { ($0 < 8 ? "right" : "left") + String($0 % 8) }),
      timeStep: 1000),
    Definition(23, "temperature", "degC", 1, 1000),
    Definition(24, "respiration_rate", "1/min", timeStep: 1000),
    // Content of a wearable's file without a series of its own.
    Definition(25, "raw", "", .record),
    // Quaternions of the right and the left foot; four zeros for a foot that was not heard.
    Definition(
      26, "orientation", "", 1, 10_000,
      .vector(["right_x", "right_y", "right_z", "right_w", "left_x", "left_y", "left_z", "left_w"]), timeStep: 1000),
    // Steps of both feet.
    Definition(27, "cadence", "1/min", timeStep: 1000),
    Definition(28, "pace", "s/km", timeStep: 1000),
    Definition(29, "speed", "km/h", 1, 10, timeStep: 1000),
    // Of each step: time on the ground, and time in the air with both feet.
    Definition(30, "ground_time", "ms", .vector(["contact", "flight"]), timeStep: 1000),
    // Left against right, below 0 for the left.
    Definition(31, "gait_symmetry", "%", .vector(["balance", "contact", "force", "pronation"]), timeStep: 1000),
    // 0 heel, 1 middle, 2 forefoot.
    Definition(32, "foot_strike", "class", .vector(["left", "right"]), timeStep: 1000),
    Definition(33, "pronation", "deg", timeStep: 1000),
    // Vertical movement of the body relative to the step length.
    Definition(34, "vertical_ratio", "%", timeStep: 1000),
    // Several light channels, and a status word: bit i is of channel i, with the wearable's own meaning.
    Definition(35, "ppg_2", "counts", .waveform(light(2))),
    Definition(36, "ppg_16", "counts", .waveform(light(16))),
    Definition(37, "ppg_20", "counts", .waveform(light(20))),
    Definition(38, "ppg_24", "counts", .waveform(light(24))),
    // Energy relative to that at rest.
    Definition(39, "met", "MET", 1, 100, .interval),
    // Calories of trainings and of rest, separate from `calories`, which are those of activity.
    Definition(40, "training_calories", "kcal", 1, 10, .interval, daily: .amount),
    Definition(41, "basal_calories", "kcal", 1, 10, .interval, daily: .amount),
    // Root mean square of successive differences between beats.
    Definition(42, "hrv_rmssd", "ms", 1, 10),
    Definition(43, "altitude", "m", 1, 100),
    // Since the beginning of the exercise: unlike `distance`, not to be summed.
    Definition(44, "exercise_distance", "m", 1, 10),
    Definition(45, "stride_length", "cm"),
    // Power of each pedal.
    Definition(46, "power_left", "W"),
    Definition(47, "power_right", "W"),
    // Training, at its beginning. `part` is 0 for the whole training and 1, 2 … for its exercises. `sport` is the
    // wearable's own number (0 unknown). Then active seconds, metres, kilocalories, mean and highest heart rate. 0 if
    // not reported.
    Definition(
      48, "training", "class, s, m, kcal, bpm",
      .vector(["part", "sport", "duration", "distance", "calories", "mean_heart_rate", "highest_heart_rate"]),
      daily: .event),
    // Night, at the end of sleep: total length, time in each stage, and the goal. `rating` is the sleeper's own, from 1
    // (poor) to 5 (well), 0 if not given.
    Definition(
      49, "sleep", "s, class", .vector(["length", "awake", "rem", "light", "deep", "unknown", "goal", "rating"]),
      daily: .event),
    // Value of a night, at the midnight within it. Recovery is from 1 to 6, the progress within that step 0 to 100, the
    // autonomic nervous system from 1 to 5. Then means of the night: beat to beat, RMSSD and breath to breath, and the
    // wearer's usual ones. 0 if not reported.
    Definition(
      50, "recharge", "class, ms",
      .vector(["recovery", "level", "ans", "rri", "rmssd", "breath", "usual_rri", "usual_rmssd", "usual_breath"]),
      daily: .event),
    // Calming of the autonomic nervous system in a night compared with the usual: -10 to 10, more at the ends.
    Definition(51, "ans_status", "", 1, 10),
    // From a pulse oximeter, on a finger or an ear. Separate from `heart_rate`, as one wearable may have both.
    Definition(52, "pulse_rate", "bpm", 1, 10, timeStep: 1000),
    // Light modulated by the pulse, relative to the constant light.
    Definition(53, "pulse_amplitude_index", "%", 1, 100, timeStep: 1000),
    // From a thermometer at any place on the body; `temperature_place` of the same time names it. Values of a band at
    // the wrist are `skin_temperature`.
    Definition(54, "body_temperature", "degC", 1, 1000, timeStep: 1000),
    // Temperature Type of the Bluetooth SIG: 1 armpit, 2 body, 3 ear, 4 finger, 5 gastrointestinal, 6 mouth, 7 rectum,
    // 8 toe, 9 eardrum.
    Definition(55, "temperature_place", "class", timeStep: 1000, daily: .event),
    // From a cuff: separate series, so that each has its own days. 0.1 kPa is 0.75 mmHg.
    Definition(56, "blood_pressure_systolic", "mmHg", 1, 100, timeStep: 1000),
    Definition(57, "blood_pressure_diastolic", "mmHg", 1, 100, timeStep: 1000),
    Definition(58, "blood_pressure_mean", "mmHg", 1, 100, timeStep: 1000),
    // Pressure in the cuff during a measurement, not a blood pressure.
    Definition(59, "cuff_pressure", "mmHg", 1, 100, timeStep: 1000, daily: .event),
    // The wearable's own score, 0 to 100.
    Definition(60, "stress", "", timeStep: 1000),
    // Number of the person in a wearable for several people, for the measurement of the same time.
    Definition(61, "user_index", "class", timeStep: 1000, daily: .event),
    Definition(62, "weight", "kg", 1, 1000, timeStep: 1000),
    Definition(63, "body_mass_index", "kg/m2", 1, 10, timeStep: 1000),
    // From a scale, by the body's impedance.
    Definition(64, "body_fat", "%", 1, 10, timeStep: 1000),
    Definition(65, "muscle_percentage", "%", 1, 10, timeStep: 1000),
    Definition(66, "muscle_mass", "kg", 1, 1000, timeStep: 1000),
    Definition(67, "fat_free_mass", "kg", 1, 1000, timeStep: 1000),
    Definition(68, "soft_lean_mass", "kg", 1, 1000, timeStep: 1000),
    Definition(69, "body_water_mass", "kg", 1, 1000, timeStep: 1000),
    // Per day.
    Definition(70, "basal_metabolism", "kJ", timeStep: 1000),
    Definition(71, "body_impedance", "ohm", 1, 10, timeStep: 1000),
    // Since the wearable's last reset, like `energy_expended`: not to be summed.
    Definition(72, "total_distance", "m", 1, 10, timeStep: 1000),
    // Revolutions of a bicycle's crank and wheel; `cadence` is of steps.
    Definition(73, "crank_cadence", "1/min", 1, 10, timeStep: 1000),
    Definition(74, "wheel_rate", "1/min", 1, 10, timeStep: 1000),
    // Since the wearable's last reset, at which it returns to 0; a distance needs the wheel's circumference.
    Definition(75, "wheel_revolutions", "", timeStep: 1000),
    // Measurement of vital signs that the hub made from a wearable's live values, at its beginning. Kind 1; FORMAT.md
    // documents its bytes.
    Definition(76, "measurement", "", .record),
  ]

  private static func light(_ channels: Int) -> [String] { (0..<channels).map { "ppg\($0)" } + ["status"] }
}
