// Rates, resolutions and ranges: as offered, as chosen, and on the air.

public import Bluetooth
public import Wearable

extension PMD {
  /// What can be set of a measurement.
  public enum Setting: UInt8, Sendable, Hashable, CaseIterable, Comparable {
    /// Hz.
    case sampleRate = 0
    /// Bits.
    case resolution = 1
    /// ± g, degrees a second or gauss.
    case range = 2
    /// ± in thousandths of those.
    case rangeMilliUnit = 3
    case channels = 4
    /// Bits of a 32-bit float, which every number is multiplied with. Only told, never asked for.
    case factor = 5

    /// Bytes of a value.
    public var width: Int {
      switch self {
      case .sampleRate, .resolution, .range: 2
      case .rangeMilliUnit, .factor: 4
      case .channels: 1
      }
    }

    public static func < (a: Setting, b: Setting) -> Bool { a.rawValue < b.rawValue }
  }

  /// The number that a security entry has among the settings, see `Secret`.
  static let securityTag: UInt8 = 6

  /// Settings with the values that a wearable offers of each.
  ///
  ///     setting (1)  count (1)  count × value (1, 2 or 4 by setting)
  ///
  /// and so on to the end. Values are a set.
  public struct Settings: Sendable, Hashable {
    public var values: [Setting: Set<UInt32>]
    /// In the order in which they came: the first value of each stands where only one can.
    private var first: [Setting: UInt32] = [:]

    public init(_ values: [Setting: Set<UInt32>] = [:]) { self.values = values }

    public static func == (a: Settings, b: Settings) -> Bool { a.values == b.values }
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }

    /// One byte or none is no setting at all.
    ///
    /// - Throws: `truncated` where values are announced that are not there; `outOfRange` for a setting nobody knows,
    ///   whose width is therefore unknown.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      self.init()
      try add(bytes)
    }

    /// As far as they can be read: a setting of unknown width, or cut values, end them. For answers that describe: what
    /// a newer firmware adds takes nothing away.
    public static func reading(_ bytes: RawBytes) -> (settings: Settings, isWhole: Bool) {
      var settings = Settings()
      let isWhole = (try? settings.add(bytes)) != nil
      return (settings, isWhole)
    }

    private mutating func add(_ bytes: RawBytes) throws(DecodeError) {
      if bytes.count <= 1 { return }
      var reader = ByteReader(bytes)
      while let tag = reader.u8() {
        guard let count = reader.u8() else { throw .truncated }
        if tag == PMD.securityTag {
          // A strategy and its key; a secret is nobody's setting.
          guard let strategy = reader.u8().flatMap(Secret.Strategy.init(rawValue:)) else { throw .truncated }
          guard reader.skip(strategy.keyLength ?? reader.remaining) else { throw .truncated }
          continue
        }
        guard let setting = Setting(rawValue: tag) else { throw .outOfRange }
        for _ in 0..<count {
          guard let value = Self.value(&reader, setting.width) else { throw .truncated }
          values[setting, default: []].insert(value)
          if first[setting] == nil { first[setting] = value }
        }
      }
    }

    private static func value(_ reader: inout ByteReader, _ width: Int) -> UInt32? {
      switch width {
      case 1: reader.u8().map(UInt32.init)
      case 2: reader.u16().map(UInt32.init)
      default: reader.u32()
      }
    }

    /// The value that came first, for settings that were chosen already.
    public func single(_ setting: Setting) -> UInt32? { first[setting] ?? values[setting]?.min() }

    /// What samples are multiplied with; 1 where it is not told or is no number.
    public var factor: Float {
      guard let bits = single(.factor) else { return 1 }
      let factor = Float(bitPattern: bits)
      return factor.isFinite ? factor : 1
    }

    /// The largest of each: what the vendor's own programs take unless told otherwise.
    public var largest: Selection {
      Selection(values.compactMapValues { $0.max() }.filter { $0.key != .factor })
    }

    /// For each setting the wanted value where it is offered, otherwise the nearest below, otherwise the smallest there
    /// is; the largest where nothing is wanted.
    public func choosing(_ wanted: [Setting: UInt32]) -> Selection {
      var chosen: [Setting: UInt32] = [:]
      for (setting, offered) in values where setting != .factor {
        guard let want = wanted[setting] else {
          chosen[setting] = offered.max()
          continue
        }
        chosen[setting] = offered.filter { $0 <= want }.max() ?? offered.min()
      }
      return Selection(chosen)
    }

    public func encode() -> [UInt8] {
      var bytes: [UInt8] = []
      for (setting, offered) in values.sorted(by: { $0.key < $1.key }) {
        let offered = offered.sorted().prefix(255)
        bytes += [setting.rawValue, UInt8(offered.count)]
        for value in offered { Selection.append(value, setting.width, to: &bytes) }
      }
      return bytes
    }
  }

  /// One value of each setting, as a measurement is started with.
  public struct Selection: Sendable, Hashable {
    public let values: [Setting: UInt32]

    public init(_ values: [Setting: UInt32] = [:]) { self.values = values }

    /// A value does not fit the width of its setting.
    public struct DoesNotFit: Error, Sendable, Hashable {
      public let setting: Setting
      public let value: UInt32
    }

    /// Without the factor, which is the wearable's to tell; in ascending order of settings.
    public func encode() throws(DoesNotFit) -> [UInt8] {
      var bytes: [UInt8] = []
      for (setting, value) in values.sorted(by: { $0.key < $1.key }) where setting != .factor {
        guard UInt64(value) < 1 << (8 * UInt64(setting.width)) else { throw DoesNotFit(setting: setting, value: value) }
        bytes += [setting.rawValue, 1]
        Self.append(value, setting.width, to: &bytes)
      }
      return bytes
    }

    /// Hz; nil where there is none.
    public var sampleRate: UInt32? { values[.sampleRate] }

    fileprivate static func append(_ value: UInt32, _ width: Int, to bytes: inout [UInt8]) {
      for place in 0..<width { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * place))) }
    }
  }
}
