// What is measured. A series is a named kind of sample with unit and layout; adding one is one declaration here.

/// The kind of a sample: stable number on disk, stable name for people and exports.
///
/// Only a number: one travels with every sample of every notification, and texts in it would be counted references.
public struct Series: Hashable, Sendable {
  /// The number in stored items.
  public let id: UInt16

  private static let definitions: [Definition] = [
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
  ]

  private static func light(_ channels: Int) -> [String] { (0..<channels).map { "ppg\($0)" } + ["status"] }

  public static let heartRate = Series(known: 1)
  public static let rrInterval = Series(known: 2)
  public static let battery = Series(known: 3)
  public static let energyExpended = Series(known: 4)
  public static let ppi = Series(known: 5)
  public static let ecg = Series(known: 6)
  public static let ppg = Series(known: 7)
  public static let acc = Series(known: 8)
  public static let gyro = Series(known: 9)
  public static let mag = Series(known: 10)
  public static let pressure = Series(known: 11)
  public static let location = Series(known: 12)
  public static let skinTemperature = Series(known: 13)
  public static let spo2 = Series(known: 14)
  public static let steps = Series(known: 15)
  public static let distance = Series(known: 16)
  public static let calories = Series(known: 17)
  public static let activeTime = Series(known: 18)
  public static let sleepStage = Series(known: 19)
  public static let nightlyRecharge = Series(known: 20)
  public static let exercise = Series(known: 21)
  public static let footPressure = Series(known: 22)
  public static let temperature = Series(known: 23)
  public static let respirationRate = Series(known: 24)
  public static let raw = Series(known: 25)
  public static let orientation = Series(known: 26)
  public static let cadence = Series(known: 27)
  public static let pace = Series(known: 28)
  public static let speed = Series(known: 29)
  public static let groundTime = Series(known: 30)
  public static let gaitSymmetry = Series(known: 31)
  public static let footStrike = Series(known: 32)
  public static let pronation = Series(known: 33)
  public static let verticalRatio = Series(known: 34)
  public static let ppg2 = Series(known: 35)
  public static let ppg16 = Series(known: 36)
  public static let ppg20 = Series(known: 37)
  public static let ppg24 = Series(known: 38)
  public static let metabolicEquivalent = Series(known: 39)
  public static let trainingCalories = Series(known: 40)
  public static let basalCalories = Series(known: 41)
  public static let heartRateVariability = Series(known: 42)
  public static let altitude = Series(known: 43)
  public static let exerciseDistance = Series(known: 44)
  public static let strideLength = Series(known: 45)
  public static let leftPower = Series(known: 46)
  public static let rightPower = Series(known: 47)
  public static let training = Series(known: 48)
  public static let sleep = Series(known: 49)
  public static let recharge = Series(known: 50)
  public static let ansStatus = Series(known: 51)
  public static let pulseRate = Series(known: 52)
  public static let pulseAmplitudeIndex = Series(known: 53)

  public static let all: [Series] = definitions.map { Series(known: $0.id) }

  /// What every live item is asked for. Apart from the texts: to hold a layout, which has names, costs more than to
  /// look at it.
  public struct Shape: Sendable, Hashable {
    /// Of the layout.
    public let valueCount: Int
    public let hasBytes: Bool
    /// As that of the series.
    public let timeStep: Int64
  }

  private static let shapes = definitions.map {
    Shape(valueCount: $0.layout.valueCount, hasBytes: $0.layout.hasBytes, timeStep: $0.timeStep)
  }

  private struct Definition {
    let id: UInt16
    let name: String
    let unit: String
    let layout: SampleLayout
    let numerator: Int64
    let denominator: Int64
    let timeStep: Int64
    let daily: DailyMeaning

    init(
      _ id: UInt16, _ name: String, _ unit: String, _ numerator: Int64 = 1, _ denominator: Int64 = 1,
      _ layout: SampleLayout = .scalar,
      timeStep: Int64 = 1, daily: DailyMeaning = .level
    ) {
      self.id = id
      self.name = name
      self.unit = unit
      self.layout = layout
      self.numerator = numerator
      self.denominator = denominator
      self.timeStep = timeStep
      self.daily = daily
    }

    init(
      _ id: UInt16, _ name: String, _ unit: String, _ layout: SampleLayout, timeStep: Int64 = 1,
      daily: DailyMeaning = .level
    ) {
      self.init(id, name, unit, 1, 1, layout, timeStep: timeStep, daily: daily)
    }
  }

  /// One of `definitions`, whose numbers are their places from 1 on: there is no other way to make a series.
  private var definition: Definition { Self.definitions[Int(id) - 1] }

  private init(known id: UInt16) { self.id = id }

  public init?(id: UInt16) {
    guard id >= 1, id <= Self.definitions.count else { return nil }
    self.id = id
  }

  public init?(name: String) {
    guard let found = Self.definitions.first(where: { $0.name == name }) else { return nil }
    self.init(known: found.id)
  }

  /// As exported, for example `heart_rate`.
  public var name: String { definition.name }
  /// As exported, for example `bpm`.
  public var unit: String { definition.unit }
  public var layout: SampleLayout { definition.layout }
  public var daily: DailyMeaning { definition.daily }
  /// A stored value times `numerator / denominator` is the value in `unit`.
  public var numerator: Int64 { definition.numerator }
  public var denominator: Int64 { definition.denominator }
  /// Microseconds to which times of live samples are rounded down. Where the hub's hearing a notification is all the
  /// time there is, a connection interval (7.5 ms to 4 s) blurs it: digits below a millisecond would only be noise on
  /// the card.
  public var timeStep: Int64 { shape.timeStep }
  public var shape: Shape { Self.shapes[Int(id) - 1] }

  /// The value in `unit` of a number in the stored scale that is not whole, such as a mean.
  public func inUnit(_ stored: Double) -> Double { stored * Double(numerator) / Double(denominator) }

  /// The value in `unit` as exact decimal text: 946/1024 s prints as `923.828125`. Denominators have no prime factors
  /// but 2 and 5, so the text ends.
  public func text(_ value: Int64) -> String {
    let product = Int128(value) * Int128(numerator)
    let denominator = UInt64(denominator)
    let whole = product.magnitude / UInt128(denominator)
    var remainder = UInt64(truncatingIfNeeded: product.magnitude % UInt128(denominator))
    var text = product < 0 ? "-\(whole)" : "\(whole)"
    if remainder == 0 { return text }
    text.append(".")
    while remainder != 0 {
      remainder *= 10
      text.append(Character(Unicode.Scalar(UInt8(0x30 + remainder / denominator))))
      remainder %= denominator
    }
    return text
  }
}
