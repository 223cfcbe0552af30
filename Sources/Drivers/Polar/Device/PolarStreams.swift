// What each model measures, at which rates, and how much memory it has. The tables serve planning, and correct the
// settings that some wearables report wrongly.

public import Health

extension Polar {
  /// A measurement of one model.
  public struct StreamOffer: Sendable, Hashable {
    /// Measured series.
    public let series: Series
    /// Hz, slowest first; empty if the rate cannot be chosen.
    public let rates: [UInt16]
    /// ± in the unit of the setting (g, degrees a second, gauss); empty if the range cannot be chosen.
    public let ranges: [UInt16]
    /// nil if the resolution cannot be chosen or is unknown.
    public let bits: UInt16?
    /// The first firmware with this measurement; nil for every version.
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

  /// Measurements of one model.
  public struct ModelStreams: Sendable {
    /// Live streams without SDK mode.
    public var live: [StreamOffer] = []
    /// Recordings in its own memory, ordered by the host.
    public var recorded: [StreamOffer] = []
    /// Measurements of SDK mode, which replace the others. Algorithms on the wearable, including heart rate, are then
    /// off.
    public var liveInSDKMode: [StreamOffer] = []
    /// Recordings in SDK mode.
    public var recordedInSDKMode: [StreamOffer] = []
    /// The first firmware with ordered recordings; nil if the model does not have them.
    public var recordsFrom: FirmwareVersion?
    /// The first firmware with triggers, which begin recordings automatically.
    public var triggersFrom: FirmwareVersion?
    /// The first firmware with SDK mode; nil if the model does not have it.
    public var sdkModeFrom: FirmwareVersion?
    /// Encrypts recordings on request.
    public var encrypts = false
    /// Measured day and night without an order.
    public var daily: [Series] = []
    /// Free memory below which no recording begins (`DISK_FULL`), in bytes.
    public var memoryToBegin: Int?
    /// Free memory below which all recordings end and triggers are off, in bytes.
    public var memoryToGoOn: Int?
    /// Total memory in bytes, if known.
    public var memory: Int?
  }

  /// The streams of a model, by its key. A model that is not listed is asked for everything, and no stream is expected.
  ///
  /// Source: polar-ble-sdk 8.0.0, product documents. RR intervals come over the standard Heart Rate service, not over
  /// these streams.
  public static func streams(of key: String) -> ModelStreams? { modelStreams[key.lowercased()] }

  /// Whether a model measures whole days by itself; nil if no table has it.
  static func measuresDays(_ key: String) -> Bool? {
    let table = ModelTable.known
    if table.models[key.lowercased()] != nil { return table.facts(key).hasActivityData }
    return streams(of: key).map { !$0.daily.isEmpty }
  }

  /// False only for a model that is known not to measure a series day and night.
  static func mayMeasure(_ series: Series, by key: String) -> Bool {
    if let streams = streams(of: key) { return streams.daily.contains(series) }
    return measuresDays(key) ?? true
  }

  private static let modelStreams: [String: ModelStreams] = [
    "h10": h10, "h9": ModelStreams(), "oh1": oh1, "sense": veritySense,
    // The model number of a Verity Sense, used until its name is received after a restart of the hub.
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

  /// Streams only while the pre-training screen is shown.
  private static let watch = ModelStreams(
    live: [
      StreamOffer(.acc, [50], ranges: [8]), StreamOffer(.ppg), StreamOffer(.ppi), StreamOffer(.gyro), StreamOffer(.mag),
      StreamOffer(.pressure), StreamOffer(.skinTemperature),
    ],
    daily: [.sleepStage, .steps, .nightlyRecharge, .heartRate, .ppi, .skinTemperature, .calories])
}
