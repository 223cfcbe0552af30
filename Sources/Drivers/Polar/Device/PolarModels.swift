// What each model can do, as data.

extension Polar {
  /// How a wearable keeps its files.
  public enum FileSystem: String, Sendable, Hashable {
    /// Exercises in folders of their own names, at the root.
    case h10 = "H10_FILE_SYSTEM"
    /// Everything of a day in a folder of that day.
    case v2 = "POLAR_FILE_SYSTEM_V2"
    case unknown = "UNKNOWN_FILE_SYSTEM"

    /// Any other name is an unknown file system.
    public init(name: String) { self = FileSystem(rawValue: name) ?? .unknown }
  }

  /// What the vendor's own table says of a model. What it leaves out is nil.
  public struct ModelFacts: Sendable, Hashable {
    public var fileSystem: FileSystem?
    /// Heart rate and RR intervals into its own memory, started and stopped by the host: the H10.
    public var recordsExercises: Bool?
    public var takesFirmwareUpdates: Bool?
    /// Steps, sleep and the like.
    public var hasActivityData: Bool?
    /// A sensor without a display.
    public var isSensor: Bool?

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

  /// Facts by model, and what is said of all that are not in it.
  public struct ModelTable: Sendable {
    public let defaults: ModelFacts
    /// By key: the model in lower case.
    public let models: [String: ModelFacts]

    public init(defaults: ModelFacts, models: [String: ModelFacts]) {
      self.defaults = defaults
      self.models = models
    }

    /// Every fact is there: the model's own, or else the default, or else the one that promises nothing.
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
