// Rates, resolutions and ranges: as offered, as chosen, and on the air.

public import Bluetooth
public import Wearable

extension PMD {
  /// A setting of a measurement.
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
    /// Bit pattern of a 32-bit float by which every number is multiplied. The wearable reports it, and the hub never
    /// sets it.
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

  /// Tag of a security entry among the settings, see `Secret`.
  static let securityTag: UInt8 = 6

  /// The values that a wearable offers for each setting.
  ///
  ///     setting (1)  count (1)  count × value (1, 2 or 4 by setting)
  ///
  /// repeated to the end. Values are a set.
  public struct Settings: Sendable, Hashable {
    /// Offered values by setting.
    public var values: [Setting: Set<UInt32>]
    /// The first value of each setting in the bytes, used if only one value is possible.
    private var first: [Setting: UInt32] = [:]

    /// Offered values by setting.
    public init(_ values: [Setting: Set<UInt32>] = [:]) { self.values = values }

    public static func == (a: Settings, b: Settings) -> Bool { a.values == b.values }
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }

    /// Decodes settings; at most one byte means that there are no settings.
    ///
    /// - Throws: `truncated` if announced values are missing; `outOfRange` for an unknown setting, as its width is
    ///   unknown.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      self.init()
      try add(bytes)
    }

    /// Reads the settings before the first unreadable one: an unknown setting, or truncated values. For answers to
    /// queries, in which additions of newer firmware must not hide the known settings.
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
          // A strategy and its key. The key is not a setting and must not be shown.
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

    /// The first value in the bytes, for settings that were already chosen.
    public func single(_ setting: Setting) -> UInt32? { first[setting] ?? values[setting]?.min() }

    /// The factor of all samples; 1 if it is missing or not finite.
    public var factor: Float {
      guard let bits = single(.factor) else { return 1 }
      let factor = Float(bitPattern: bits)
      return factor.isFinite ? factor : 1
    }

    /// The largest value of each setting, which is the default of the vendor's own programs.
    public var largest: Selection {
      Selection(values.compactMapValues { $0.max() }.filter { $0.key != .factor })
    }

    /// Chooses for each setting the wanted value if it is offered, else the nearest below, else the smallest offered.
    /// Takes the largest if no value is wanted.
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

  /// A value for each setting, as a measurement is started.
  public struct Selection: Sendable, Hashable {
    /// Chosen value by setting.
    public let values: [Setting: UInt32]

    /// Chosen value by setting.
    public init(_ values: [Setting: UInt32] = [:]) { self.values = values }

    /// A value does not fit the width of its setting.
    public struct DoesNotFit: Error, Sendable, Hashable {
      /// Setting that is too narrow.
      public let setting: Setting
      /// Value that does not fit the width of `setting`.
      public let value: UInt32
    }

    /// Encodes all settings in ascending order, except the factor, which only the wearable reports.
    ///
    /// - Throws: the first setting with a value that is wider than the setting.
    public func encode() throws(DoesNotFit) -> [UInt8] {
      var bytes: [UInt8] = []
      for (setting, value) in values.sorted(by: { $0.key < $1.key }) where setting != .factor {
        guard UInt64(value) < 1 << (8 * UInt64(setting.width)) else { throw DoesNotFit(setting: setting, value: value) }
        bytes += [setting.rawValue, 1]
        Self.append(value, setting.width, to: &bytes)
      }
      return bytes
    }

    /// Hz; nil if no rate was chosen.
    public var sampleRate: UInt32? { values[.sampleRate] }

    fileprivate static func append(_ value: UInt32, _ width: Int, to bytes: inout [UInt8]) {
      for place in 0..<width { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * place))) }
    }
  }
}
