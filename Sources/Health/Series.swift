// What is measured. A series is a named kind of sample with its unit; adding one is one declaration here.

/// The kind of a sample: stable number on disk, stable name for people and exports.
///
/// Only a number: one travels with every sample of every notification, and texts in it would be counted references.
public struct Series: Hashable, Sendable {
  /// The number in stored records.
  public let id: UInt16

  /// Beats per minute, as the wearable computed it.
  public static let heartRate = Series(known: 1)
  /// Time between two beats. Stored in 1/1024 s as it came (Heart Rate Service 1.0), exported in milliseconds, exactly.
  public static let rrInterval = Series(known: 2)
  /// Remaining charge of the wearable's battery.
  public static let battery = Series(known: 3)
  /// Energy expended since the wearable's last reset. Stored and exported in kilojoules.
  public static let energyExpended = Series(known: 4)

  public static let all: [Series] = definitions.indices.map { Series(known: UInt16($0 + 1)) }

  private struct Definition {
    let name: String
    let unit: String
    var numerator: Int64 = 1
    var denominator: Int64 = 1
  }

  /// In the order of their numbers, which begin at 1 and are never reused.
  private static let definitions = [
    Definition(name: "heart_rate", unit: "bpm"),
    Definition(name: "rr_interval", unit: "ms", numerator: 1000, denominator: 1024),
    Definition(name: "battery", unit: "%"),
    Definition(name: "energy_expended", unit: "kJ"),
  ]

  /// One of `definitions`: there is no other way to make a series.
  private var definition: Definition { Self.definitions[Int(id) - 1] }

  private init(known id: UInt16) { self.id = id }

  public init?(id: UInt16) {
    guard id >= 1, id <= Self.definitions.count else { return nil }
    self.id = id
  }

  public init?(name: String) {
    guard let index = Self.definitions.firstIndex(where: { $0.name == name }) else { return nil }
    self.init(known: UInt16(index + 1))
  }

  /// As exported, for example `heart_rate`.
  public var name: String { definition.name }
  /// As exported, for example `bpm`.
  public var unit: String { definition.unit }
  /// A stored value times `numerator / denominator` is the value in `unit`.
  public var numerator: Int64 { definition.numerator }
  public var denominator: Int64 { definition.denominator }

  /// The value in `unit` as exact decimal text: 946/1024 s prints as `923.828125`. Denominators are powers of two, so the text ends.
  public func text(_ value: Int64) -> String {
    let (product, overflow) = value.multipliedReportingOverflow(by: numerator)
    if overflow { return "null" }
    let denominator = UInt64(denominator)
    let whole = product.magnitude / denominator
    var remainder = product.magnitude % denominator
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

/// How a sample came to the hub.
public enum Origin: UInt8, Sendable, Hashable {
  /// Streamed by the wearable while it was measured; timed by the hub.
  case live = 0
  /// Recorded by the wearable, fetched later.
  case fetched = 1
  /// Sent again by the wearable as a repetition.
  case replayed = 2

  public var name: String {
    switch self {
    case .live: "live"
    case .fetched: "fetched"
    case .replayed: "replayed"
    }
  }
}

/// One decoded value on its way from a driver to the journal. The hub adds wearable and time.
public struct Sample: Sendable, Hashable {
  public let series: Series
  /// In the series' stored scale.
  public let value: Int64

  public init(_ series: Series, _ value: Int64) {
    self.series = series
    self.value = value
  }
}
