// Capabilities of each model, as data.

extension Polar {
  /// Layout of the wearable's file system.
  public enum FileSystem: String, Sendable, Hashable {
    /// Exercises at the root, each in a folder with its name.
    case h10 = "H10_FILE_SYSTEM"
    /// A folder for each day.
    case v2 = "POLAR_FILE_SYSTEM_V2"
    case unknown = "UNKNOWN_FILE_SYSTEM"

    /// An unlisted name is an unknown file system.
    public init(name: String) { self = FileSystem(rawValue: name) ?? .unknown }
  }

  /// The vendor's table entry of a model. Facts that it omits are nil.
  public struct ModelFacts: Sendable, Hashable {
    /// File system of the model.
    public var fileSystem: FileSystem?
    /// Records heart rate and RR intervals in its own memory, started and stopped by the host (H10).
    public var recordsExercises: Bool?
    /// True if it takes firmware updates over the air.
    public var takesFirmwareUpdates: Bool?
    /// Steps, sleep and the like.
    public var hasActivityData: Bool?
    /// A sensor without a display.
    public var isSensor: Bool?

    /// Facts of a model; nil: not in the table.
    public init(
      fileSystem: FileSystem? = nil, recordsExercises: Bool? = nil, takesFirmwareUpdates: Bool? = nil,
      hasActivityData: Bool? = nil, isSensor: Bool? = nil
    ) {
      self.fileSystem = fileSystem
      self.recordsExercises = recordsExercises
      self.takesFirmwareUpdates = takesFirmwareUpdates
      self.hasActivityData = hasActivityData
      self.isSensor = isSensor
    }
  }

  /// Facts by model, and defaults for models that are not listed.
  public struct ModelTable: Sendable {
    /// Facts of models that are not listed.
    public let defaults: ModelFacts
    /// Facts by key: the model's name in lower case.
    public let models: [String: ModelFacts]

    /// A table; `models` by the key of the model.
    public init(defaults: ModelFacts, models: [String: ModelFacts]) {
      self.defaults = defaults
      self.models = models
    }

    /// Facts of a model: its own, else the default, else the least capable value.
    public func facts(_ key: String) -> (
      fileSystem: FileSystem, recordsExercises: Bool, takesFirmwareUpdates: Bool, hasActivityData: Bool, isSensor: Bool
    ) {
      let own = models[key.lowercased()] ?? ModelFacts()
      return (
        own.fileSystem ?? defaults.fileSystem ?? .unknown, own.recordsExercises ?? defaults.recordsExercises ?? false,
        own.takesFirmwareUpdates ?? defaults.takesFirmwareUpdates ?? false,
        own.hasActivityData ?? defaults.hasActivityData ?? false,
        own.isSensor ?? defaults.isSensor ?? false
      )
    }

    /// polar-ble-sdk 8.0.0, polar_device_capabilities.json.
    public static let known = ModelTable(
      defaults: ModelFacts(
        fileSystem: .v2, recordsExercises: false, takesFirmwareUpdates: true, hasActivityData: false, isSensor: false),
      models: [
        "h10": ModelFacts(fileSystem: .h10, recordsExercises: true, isSensor: true),
        "oh1": ModelFacts(takesFirmwareUpdates: false, isSensor: true),
        "sense": ModelFacts(isSensor: true),
        "inw4j": ModelFacts(isSensor: true),
        "360": ModelFacts(hasActivityData: true, isSensor: true),
        "loop gen 2": ModelFacts(hasActivityData: true, isSensor: true),
        "ignite 3": ModelFacts(hasActivityData: true),
        "grit x2 pro": ModelFacts(hasActivityData: true),
        "vantage v3": ModelFacts(hasActivityData: true),
        "vantage m3": ModelFacts(hasActivityData: true),
      ])
  }
}
