// Triggers: recordings that begin automatically.

public import Bluetooth
public import Wearable

extension PMD {
  /// Conditions when recordings begin automatically.
  public enum TriggerMode: UInt8, Sendable, Hashable, CaseIterable {
    case disabled = 0
    case systemStart = 1
    case exerciseStart = 2
  }

  /// Whether a measurement is recorded when the trigger fires.
  public enum Trigger: Sendable, Hashable {
    case disabled
    /// Recorded with these parameters: settings, and the security entry after them. Empty for a measurement without
    /// settings.
    case enabled([UInt8])

    /// A trigger with a selection, encrypted with `secret`.
    ///
    /// - Throws: a value that does not fit its setting.
    public static func enabled(_ selection: Selection, secret: Secret? = nil) throws(Selection.DoesNotFit) -> Trigger {
      .enabled(try selection.encode() + (secret?.encode() ?? []))
    }

    /// Parameters of the command: `0 type`, or `1 type length parameters`. All settings and the longest key have 60
    /// bytes, so more than 255 would be a programming error.
    func encode(_ type: MeasurementType) -> [UInt8] {
      switch self {
      case .disabled: return [0, type.rawValue]
      case .enabled(let parameters):
        guard parameters.count <= 255 else { fatalError("a trigger's parameters have one byte of length") }
        return [1, type.rawValue, UInt8(parameters.count)] + parameters
      }
    }
  }

  /// The answer to `triggerStatus`.
  ///
  ///     mode (1), then for each type:  0 (1)  type (1)
  ///                                or  1 (1)  type (1)  length (1)  settings (length)
  ///
  /// Other states occur (2 of a Loop with firmware 3.1.0, 4 of a Verity Sense with 2.1.1; polar-ble-sdk issues 719 and
  /// 425). Their meaning is unknown. Such an entry is skipped, and assumed to have no settings.
  public struct TriggerStatus: Sendable, Hashable {
    /// Event at which recordings begin.
    public let mode: TriggerMode
    /// Settings of the enabled types, nil for disabled ones; unknown types are left out.
    public let triggers: [MeasurementType: Settings?]
    /// Types that are listed with an unknown state, or truncated.
    public let unclear: Set<MeasurementType>
    /// Every entry was understood.
    public let isWhole: Bool

    /// - Throws: `empty`, and `outOfRange` for an unknown mode. A malformed entry is no error.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      var reader = ByteReader(bytes)
      guard let first = reader.u8() else { throw .empty }
      guard let mode = TriggerMode(rawValue: first) else { throw .outOfRange }
      self.mode = mode
      var triggers: [MeasurementType: Settings?] = [:]
      var unclear: Set<MeasurementType> = []
      var isWhole = true
      while let state = reader.u8() {
        let type = reader.u8().flatMap { MeasurementType(octet: $0) }
        var settings: Settings?
        var isClear = state <= 1
        if state == 1 {
          let parameters = reader.u8().flatMap { reader.take(Int($0)) }
          let read = parameters.map { Settings.reading($0) }
          settings = read?.settings
          isClear = read?.isWhole ?? false
        }
        if !isClear { isWhole = false }
        guard let type else { continue }
        if state == 0 || settings != nil {
          triggers.updateValue(settings, forKey: type)
        } else {
          unclear.insert(type)
        }
      }
      (self.triggers, self.isWhole) = (triggers, isWhole)
      self.unclear = unclear.subtracting(triggers.keys)
    }
  }

  /// Commands that establish the wanted triggers after the mode was set. There is one for every listed type, whatever
  /// its state, except for types in `except`.
  public static func triggerCommands(
    _ wanted: [MeasurementType: Trigger], listed: TriggerStatus, except: Set<MeasurementType> = []
  ) -> [Command] {
    let all = listed.unclear.union(listed.triggers.keys)
    let types = all.subtracting(except).sorted { $0.rawValue < $1.rawValue }
    return types.map { .setTrigger($0, wanted[$0] ?? .disabled) }
  }
}
