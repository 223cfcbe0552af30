// Differences between Polar wearables: model, firmware, wearer, defects.

internal import EventLoop

/// Switches of a simulated Polar wearable. The defaults are those of the model.
public struct PolarTraits: Sendable {
  /// Model of a wearable.
  public enum Model: String, Sendable, CaseIterable {
    case h10 = "H10"
    case oh1 = "OH1"
    case veritySense = "Sense"
    case band360 = "360"
    case watch = "Vantage V3"
  }

  /// Model of the wearable.
  public let model: Model
  /// Models that are used in gyms today.
  public static let inUse: [Model] = [.h10, .veritySense, .band360, .watch]
  /// `3.2.1`: three numbers.
  public var firmware: String
  /// Eight hexadecimal digits with their checksum.
  public var deviceID = "1234567C"
  /// ATT MTU to which it agrees.
  public var mtu = 235
  /// Files are accessible only over an encrypted link.
  public var needsBond: Bool
  /// The manufacturer data contains the heart rate.
  public var broadcastsHeartRate: Bool
  /// Bytes of its file system.
  public var memory: Int
  /// Free bytes below which no recording begins, and below which all recordings end.
  public var memoryLimits: (begin: Int, goOn: Int)
  /// Deviation of its own second, parts per million.
  public var clockDrift = 0
  /// Difference of its clock from local time when the simulation begins; nil: never set.
  public var clockError: Duration? = .zero
  /// Minutes from UTC of its wearer's zone.
  public var zoneOffset = 0
  /// Delay after its start until the file of a recording appears.
  public var recordingDelay: Duration = .seconds(60)
  /// Bytes after which a recording continues in another file.
  public var partSize = 512 * 1024
  /// Battery level in percent when the simulation begins.
  public var battery = 80.0
  /// Percent of the battery that an hour takes.
  public var batteryDrain = 0.5
  /// A wearer's training schedule; it serves no files during a training.
  public var training: Training?
  /// True while it is worn.
  public var isWorn = true
  /// True while it is on its charger.
  public var isCharging = false
  /// A watch streams only while it shows the screen before a training.
  public var showsTrainingScreen = true
  /// Share of response packets lost in its own queue, 0 to 1.
  public var packetLoss = 0.0
  /// Days before today with files when the simulation begins.
  public var daysBefore = 0
  /// Each day has a test of blood oxygen, and each night a score in an undocumented form.
  public var hasTestsAndScores = false
  /// Time between two advertisements.
  public var advertisingInterval: Duration = .milliseconds(250)
  /// Signal strength in dBm.
  public var rssi = -60
  /// Device Name, if it differs from the advertised one.
  public var deviceName: String?
  /// Misbehaviour, if any.
  public var conduct: PolarConduct?
  /// Bits of its radio switches: broadcast, several connections, ANT+; a strap has 5 kHz too.
  public var radioSwitches: UInt16
  /// The switches cannot be changed.
  public var keepsRadio = false
  /// The clock changes between summer and winter time by itself if the settings say so.
  public var changesClock = true
  /// The ledgers keep the content of all files that ever existed; off for runs of weeks.
  public var keepsPast = true
  /// Label in hub names and logs of tests.
  public var label: String { model.rawValue + " " + deviceID }
  /// Advertised name.
  public var localName: String { "Polar " + label }

  /// Trainings of the wearer.
  public struct Training: Sendable {
    /// Length of a training.
    public var length: ClosedRange<Duration>
    /// Pause between two trainings.
    public var pause: ClosedRange<Duration>

    /// Trainings with these lengths and pauses.
    public init(length: ClosedRange<Duration>, pause: ClosedRange<Duration>) {
      self.length = length
      self.pause = pause
    }
  }

  /// A wearable of this model without defects.
  public init(_ model: Model) {
    self.model = model
    needsBond = model == .band360 || model == .watch
    broadcastsHeartRate = model == .h10
    radioSwitches = model == .h10 ? 0x0183 : 0x0181
    switch model {
    case .h10: (firmware, memory, memoryLimits) = ("3.1.1", 512 * 1024, (0, 0))
    case .oh1: (firmware, memory, memoryLimits) = ("2.1.15", 4_000_000, (0, 0))
    case .veritySense: (firmware, memory, memoryLimits) = ("2.2.6", 12_000_000, (2_000_000, 300_000))
    case .band360: (firmware, memory, memoryLimits) = ("2.0.9", 15_000_000, (2_000_000, 2_000_000))
    case .watch: (firmware, memory, memoryLimits) = ("4.0.17", 32_000_000, (0, 0))
    }
  }

  var hasDays: Bool { model == .band360 || model == .watch }
  var recordsOffline: Bool { model == .veritySense || model == .band360 }
  var hasSDKMode: Bool { recordsOffline }
  /// Older optical sensors: their time stamps follow the clock late, and intervals exclude other measurements.
  var isOpticalSensor: Bool { model == .oh1 || model == .veritySense }
}

/// Conduct that no Polar wearable should show.
public enum PolarConduct: String, CaseIterable, Sendable {
  /// Accepts requests and never answers.
  case silentFiles
  /// Sends `more` for ever: a response without an end.
  case endlessResponse
  /// Directories that contain themselves.
  case directoryLoop
  /// Responses with wrong sequence numbers.
  case wrongSequence
  /// Acknowledges a removal and keeps all files.
  case keepsWhatIsRemoved
  /// Frames with random content.
  case brokenFrames
}
