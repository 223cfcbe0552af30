// Sample of any layout, and its properties besides its values.

/// Way by which a sample came to the hub.
public enum Origin: UInt8, Sendable, Hashable {
  /// Streamed by the wearable during the measurement; timed by the hub.
  case live = 0
  /// Recorded by the wearable, fetched later.
  case fetched = 1
  /// Sent again by the wearable as a repetition.
  case replayed = 2
  /// Received in advertisements, which any device can send under any address: less trusted than values of a link.
  case advertised = 3

  /// Name in documents and exports.
  public var name: String {
    switch self {
    case .live: "live"
    case .fetched: "fetched"
    case .replayed: "replayed"
    case .advertised: "advertised"
    }
  }
}

/// Meaning of a value.
public enum SampleKind: UInt8, Sendable, Hashable, CaseIterable {
  /// Measured at that time.
  case normal = 0
  /// Largest value of the period that ends at that time, as the wearable computed it.
  case maximum = 1
  /// Smallest value of that period.
  case minimum = 2
  /// Resting value, as the wearable computed it.
  case resting = 3

  /// Name in documents and exports.
  public var name: String {
    switch self {
    case .normal: "normal"
    case .maximum: "maximum"
    case .minimum: "minimum"
    case .resting: "resting"
    }
  }
}

/// Origin, kind, quality and trigger of a measurement, in the one byte that is stored with an item.
///
/// Bits 0–1 origin, bit 2 manual, bits 3–4 kind, bit 5 low quality, bit 6 continues in the next item. Bit 7 is 0.
/// Until format 4 of the store bit 5 was 0.
public struct SampleFlags: Sendable, Hashable {
  public let rawValue: UInt8

  /// Flags of a normal value over a link.
  public static let live = SampleFlags(origin: .live)
  /// Flags of a normal value from the wearable's memory.
  public static let fetched = SampleFlags(origin: .fetched)

  /// Flags of one item. `goesOn`: its bytes continue in the next item.
  public init(
    origin: Origin, kind: SampleKind = .normal, isManual: Bool = false, isLowQuality: Bool = false, goesOn: Bool = false
  ) {
    let marks: UInt8 = (isManual ? 4 : 0) | (isLowQuality ? 0x20 : 0) | (goesOn ? 0x40 : 0)
    rawValue = origin.rawValue | kind.rawValue << 3 | marks
  }

  /// nil for a byte that Hearth never writes.
  public init?(rawValue: UInt8) {
    guard rawValue & 0x80 == 0, Origin(rawValue: rawValue & 3) != nil else { return nil }
    self.rawValue = rawValue
  }

  /// Way by which the sample came.
  public var origin: Origin { Origin(rawValue: rawValue & 3) ?? .live }

  /// Whether days, limits, trainings and measurements ignore it: its quality is low, or any device may have sent it.
  public var isDoubtful: Bool { isLowQuality || origin == .advertised }
  /// Meaning of the value.
  public var kind: SampleKind { SampleKind(rawValue: rawValue >> 3 & 3) ?? .normal }
  /// Whether the user started the measurement.
  public var isManual: Bool { rawValue & 4 != 0 }
  /// Whether the wearable itself reports low quality: an early estimate, a poor signal, a loose cuff.
  public var isLowQuality: Bool { rawValue & 0x20 != 0 }
  /// Whether the bytes go on in the next item of the ring.
  public var goesOn: Bool { rawValue & 0x40 != 0 }
}

/// Decoded value on its way from a driver to the journal. The hub adds wearable and time.
public struct Sample: Sendable, Hashable {
  /// Series that the value belongs to.
  public let series: Series
  /// Value in the stored scale of the series.
  public let value: Int64
  /// Properties stored with it.
  public let flags: SampleFlags

  /// A scalar in the stored scale.
  public init(_ series: Series, _ value: Int64, flags: SampleFlags = .live) {
    self.series = series
    self.value = value
    self.flags = flags
  }
}
