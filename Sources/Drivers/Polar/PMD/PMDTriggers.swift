// Recordings that begin by themselves.

public import Bluetooth
public import Wearable

extension PMD {
  /// When recordings begin without being asked for.
  public enum TriggerMode: UInt8, Sendable, Hashable, CaseIterable {
    case disabled = 0
    case systemStart = 1
    case exerciseStart = 2
  }

  /// Whether a measurement is recorded when the trigger fires.
  public enum Trigger: Sendable, Hashable {
    case disabled
    /// With these parameters: settings, and the security entry behind them. None for what has no settings.
    case enabled([UInt8])

    public static func enabled(_ selection: Selection, secret: Secret? = nil) throws(Selection.DoesNotFit) -> Trigger {
      .enabled(try selection.encode() + (secret?.encode() ?? []))
    }

    /// Parameters of the command: `0 type`, or `1 type length parameters`. Parameters above 255 bytes do not occur: all
    /// settings and the longest key are 60, so what is longer would be the caller's mistake.
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
  public struct TriggerStatus: Sendable, Hashable {
    public let mode: TriggerMode
    /// Settings of those that are enabled, nil for those that are not; types that nobody knows are left out.
    public let triggers: [MeasurementType: Settings?]

    /// - Throws: `empty`, `truncated`; `outOfRange` for a mode or a state that nobody knows.
    public init(_ bytes: RawBytes) throws(DecodeError) {
      var reader = ByteReader(bytes)
      guard let first = reader.u8() else { throw .empty }
      guard let mode = TriggerMode(rawValue: first) else { throw .outOfRange }
      self.mode = mode
      var triggers: [MeasurementType: Settings?] = [:]
      while let state = reader.u8() {
        guard state <= 1 else { throw .outOfRange }
        guard let octet = reader.u8() else { throw .truncated }
        var settings: Settings?
        if state == 1 {
          guard let length = reader.u8(), let parameters = reader.take(Int(length)) else { throw .truncated }
          settings = try Settings(parameters)
        }
        if let type = MeasurementType(octet: octet) { triggers.updateValue(settings, forKey: type) }
      }
      self.triggers = triggers
    }
  }

  /// What brings the triggers to what is wanted, after the mode was set: a command for every type that the wearable
  /// listed, except those that are as they should be.
  public static func triggerCommands(
    _ wanted: [MeasurementType: Trigger], listed: TriggerStatus, except: Set<MeasurementType> = []
  ) -> [Command] {
    let types = listed.triggers.keys.filter { !except.contains($0) }.sorted { $0.rawValue < $1.rawValue }
    return types.map { .setTrigger($0, wanted[$0] ?? .disabled) }
  }
}
