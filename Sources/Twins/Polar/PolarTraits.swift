// What makes one Polar wearable differ from the next: its model, its firmware, who wears it, and what is wrong with it.

internal import EventLoop

/// The switches of a simulated Polar wearable. The defaults are those of the model.
public struct PolarTraits: Sendable {
  public enum Model: String, Sendable, CaseIterable {
    case h10 = "H10"
    case oh1 = "OH1"
    case veritySense = "Sense"
    case band360 = "360"
    case watch = "Vantage V3"
  }

  public let model: Model
  /// What people wear in a gym today.
  public static let inUse: [Model] = [.h10, .veritySense, .band360, .watch]
  /// `3.2.1`: three numbers.
  public var firmware: String
  /// Eight hexadecimal digits with their checksum.
  public var deviceID = "1234567C"
  /// The ATT MTU it agrees to.
  public var mtu = 235
  /// Nothing of its files works on an unencrypted link.
  public var needsBond: Bool
  /// Its manufacturer data tells the heart rate.
  public var broadcastsHeartRate: Bool
  /// Bytes of its file system.
  public var memory: Int
  /// Below it nothing begins to record, and below the second all recordings end; bytes.
  public var memoryLimits: (begin: Int, goOn: Int)
  /// Deviation of its own second, parts per million.
  public var clockDrift = 0
  /// Its clock when the simulation begins, against local time; nil: it was never set.
  public var clockError: Duration? = .zero
  /// Minutes from UTC of the time it lives in.
  public var zoneOffset = 0
  /// How long after its start the file of a recording appears.
  public var recordingDelay: Duration = .seconds(60)
  /// Bytes after which a recording goes on in another file.
  public var partSize = 512 * 1024
  /// Percent, and percent an hour.
  public var battery = 80.0
  public var batteryDrain = 0.5
  /// A wearer who trains by a schedule; it serves no files meanwhile.
  public var training: Training?
  public var isWorn = true
  public var isCharging = false
  /// A watch streams only while it shows the screen before a training.
  public var showsTrainingScreen = true
  /// Share of response packets that its own queue loses, 0 to 1.
  public var packetLoss = 0.0
  /// Days of files that are there when the simulation begins, before today.
  public var daysBefore = 0
  /// Each day has a test of blood oxygen, and each night a score in a form that nobody has described.
  public var hasTestsAndScores = false
  public var advertisingInterval: Duration = .milliseconds(250)
  public var rssi = -60
  /// In Device Name, where that is not the advertised one.
  public var deviceName: String?
  public var conduct: PolarConduct?
  /// Bits of switches that its radio has: broadcast, several connections and ANT+, a strap 5 kHz too.
  public var radioSwitches: UInt16
  /// It lets nobody turn them.
  public var keepsRadio = false
  /// It puts its clock forward and back by itself when its settings say so.
  public var changesClock = true
  /// Its ledgers have the content of all files that ever were; off for a run of weeks.
  public var keepsPast = true
  /// It goes into hub names and logs of tests.
  public var label: String { model.rawValue + " " + deviceID }
  public var localName: String { "Polar " + label }

  public struct Training: Sendable {
    public var length: ClosedRange<Duration>
    public var pause: ClosedRange<Duration>

    public init(length: ClosedRange<Duration>, pause: ClosedRange<Duration>) {
      self.length = length
      self.pause = pause
    }
  }

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
  /// Optical sensors of the older kind: stamps that follow the clock late, intervals that cost much else.
  var isOpticalSensor: Bool { model == .oh1 || model == .veritySense }
}

/// What no Polar wearable should do.
public enum PolarConduct: String, CaseIterable, Sendable {
  /// Takes requests and never answers.
  case silentFiles
  /// Says `more` for ever: a response without an end.
  case endlessResponse
  /// Directories that hold themselves.
  case directoryLoop
  /// Responses under the sequence numbers of others.
  case wrongSequence
  /// Acknowledges a removal and keeps everything.
  case keepsWhatIsRemoved
  /// Frames whose content is chance.
  case brokenFrames
}
