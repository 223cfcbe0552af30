// What each model measures, how fast, and how much it holds. Every wearable says itself what it has; this is for
// planning, and for the lies.

public import Health

extension Polar {
  /// One kind of measurement of one model.
  public struct StreamOffer: Sendable, Hashable {
    public let series: Series
    /// Hz, slowest first; empty where the rate is not chosen.
    public let rates: [UInt16]
    /// Plus or minus, in the unit of the setting (g, degrees a second, gauss); empty where the range is not chosen.
    public let ranges: [UInt16]
    /// nil where it is not chosen, or not told.
    public let bits: UInt16?
    /// The first firmware that has it; nil: all.
    public let from: FirmwareVersion?

    init(
      _ series: Series, _ rates: [UInt16] = [], ranges: [UInt16] = [], bits: UInt16? = nil, from: FirmwareVersion? = nil
    ) {
      self.series = series
      self.rates = rates
      self.ranges = ranges
      self.bits = bits
      self.from = from
    }
  }

  /// What one model measures.
  public struct ModelStreams: Sendable {
    public var live: [StreamOffer] = []
    /// Into its own memory, by the host's order.
    public var recorded: [StreamOffer] = []
    /// Instead of those, while SDK mode is on: algorithms on the wearable, heart rate among them, are off then.
    public var liveInSDKMode: [StreamOffer] = []
    public var recordedInSDKMode: [StreamOffer] = []
    /// From which firmware recordings on order are there; nil if the model has none.
    public var recordsFrom: FirmwareVersion?
    /// From which firmware they can be armed to begin by themselves.
    public var triggersFrom: FirmwareVersion?
    /// From which firmware SDK mode is there; nil if the model has none.
    public var sdkModeFrom: FirmwareVersion?
    /// It encrypts recordings where asked.
    public var encrypts = false
    /// Kept day and night without an order.
    public var daily: [Series] = []
    /// Below it, nothing begins to record (`DISK_FULL`), bytes.
    public var memoryToBegin: Int?
    /// Below it, all recordings end and triggers are off, bytes.
    public var memoryToGoOn: Int?
    /// Bytes altogether, where known.
    public var memory: Int?
  }

  /// By model key; models that are not in it are asked for everything and nothing is expected of them.
  ///
  /// Source: polar-ble-sdk 8.0.0, product documents; RR intervals come with the standard Heart Rate service, not with
  /// these streams.
  public static func streams(of key: String) -> ModelStreams? { modelStreams[key.lowercased()] }

  /// Whether a model measures whole days by itself; nil: it is in no table.
  static func measuresDays(_ key: String) -> Bool? {
    let table = ModelTable.known
    if table.models[key.lowercased()] != nil { return table.facts(key).hasActivityData }
    return streams(of: key).map { !$0.daily.isEmpty }
  }

  /// False only of a model that is known not to measure a series day and night.
  static func mayMeasure(_ series: Series, by key: String) -> Bool {
    if let streams = streams(of: key) { return streams.daily.contains(series) }
    return measuresDays(key) ?? true
  }

  private static let modelStreams: [String: ModelStreams] = [
    "h10": h10, "h9": ModelStreams(), "oh1": oh1, "sense": veritySense,
    // The model number of a Verity Sense: all that is known of one that was not heard since the hub began.
    "inw4j": veritySense,
    "360": band360, "loop gen 2": loop,
    "ignite 3": smallWatch(daily: activity), "pacer": smallWatch(), "pacer pro": smallWatch(),
    "vantage v3": watch, "vantage m3": watch, "grit x2": watch, "grit x2 pro": watch,
  ]

  private static let h10 = ModelStreams(live: [
    StreamOffer(.ecg, [130]), StreamOffer(.acc, [25, 50, 100, 200], ranges: [2, 4, 8]),
  ])

  private static let oh1 = ModelStreams(live: [
    StreamOffer(.ppg, [135]), StreamOffer(.ppi), StreamOffer(.acc, [50], ranges: [8]),
  ])

  private static let veritySense: ModelStreams = {
    let normal = [
      StreamOffer(.ppg, [55], bits: 22), StreamOffer(.ppi), StreamOffer(.acc, [52], ranges: [8]),
      StreamOffer(.gyro, [52], ranges: [2000]), StreamOffer(.mag, [10, 20, 50, 100], ranges: [50]),
    ]
    func all(_ motion: [UInt16], _ field: [UInt16], _ light: [UInt16]) -> [StreamOffer] {
      [
        StreamOffer(.acc, motion, ranges: [2, 4, 8, 16]), StreamOffer(.gyro, motion, ranges: [250, 500, 1000, 2000]),
        StreamOffer(.mag, field, ranges: [50]), StreamOffer(.ppg, light, bits: 22),
      ]
    }
    return ModelStreams(
      live: normal, recorded: normal + [StreamOffer(.heartRate)],
      liveInSDKMode: all([26, 52, 104, 208, 416], [10, 20, 50, 100], [28, 44, 55, 135, 176]),
      recordedInSDKMode: all([13, 26, 52], [10, 20, 50], [28, 44, 55]), recordsFrom: FirmwareVersion(2, 1, 0),
      triggersFrom: FirmwareVersion(2, 1, 0),
      sdkModeFrom: FirmwareVersion(1, 1, 5), encrypts: true, memoryToBegin: 2_000_000, memoryToGoOn: 300_000)
  }()

  private static let activity: [Series] = [.steps, .distance, .activeTime, .calories]
  private static let dayAndNight: [Series] =
    activity + [.heartRate, .ppi, .skinTemperature, .nightlyRecharge, .sleepStage, .exercise]

  private static let band360 = band(
    recordsFrom: FirmwareVersion(1, 0), triggersFrom: FirmwareVersion(2, 0, 9), memory: 15_000_000)
  private static let loop = band(recordsFrom: FirmwareVersion(3, 0), triggersFrom: FirmwareVersion(3, 0), memory: nil)

  private static func band(recordsFrom: FirmwareVersion, triggersFrom: FirmwareVersion, memory: Int?) -> ModelStreams {
    let temperature = StreamOffer(.skinTemperature, [1, 2, 4], bits: 32)
    func motion(_ rates: [UInt16], _ ranges: [UInt16] = [2, 4, 8, 16]) -> StreamOffer {
      StreamOffer(.acc, rates, ranges: ranges, bits: 16)
    }
    func light(_ rates: [UInt16]) -> StreamOffer { StreamOffer(.ppg, rates, bits: 24, from: FirmwareVersion(2, 0, 8)) }
    return ModelStreams(
      live: [motion([50], [8]), StreamOffer(.ppi), light([22]), temperature],
      recorded: [motion([1, 10, 50], [8]), StreamOffer(.ppi), light([22]), temperature, StreamOffer(.heartRate)],
      liveInSDKMode: [motion([12, 25, 50, 100, 200, 400]), light([22, 50, 100]), temperature],
      recordedInSDKMode: [motion([1, 10, 12, 25, 50]), light([22, 50, 100]), temperature],
      recordsFrom: recordsFrom, triggersFrom: triggersFrom, sdkModeFrom: FirmwareVersion(0), daily: dayAndNight,
      memoryToBegin: 2_000_000, memoryToGoOn: 2_000_000, memory: memory)
  }

  private static func smallWatch(daily: [Series] = []) -> ModelStreams {
    ModelStreams(live: [StreamOffer(.acc, [50], ranges: [8]), StreamOffer(.ppi)], daily: daily)
  }

  /// Streams only while its pre-training screen is shown.
  private static let watch = ModelStreams(
    live: [
      StreamOffer(.acc, [50], ranges: [8]), StreamOffer(.ppg), StreamOffer(.ppi), StreamOffer(.gyro), StreamOffer(.mag),
      StreamOffer(.pressure), StreamOffer(.skinTemperature),
    ],
    daily: [.sleepStage, .steps, .nightlyRecharge, .heartRate, .ppi, .skinTemperature, .calories])
}
