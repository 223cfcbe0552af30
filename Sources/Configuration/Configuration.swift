// What a hub can be told, with every default. `Schema.swift` says how each key is written.

public import CivilTime
import Glibc
public import Health
public import Lights
internal import SettingsText

/// The settings of one hub. Made by `load`; every key that is not given has the default of its preset.
public struct Configuration: Sendable, Equatable {
  /// Where the daemon looks when it is not told. There, and only there, no file means that every key has its default.
  public static let defaultPath = "/etc/hearth/hearth.yaml"

  /// What kind of place the hub stands in; decides some defaults.
  public enum Preset: String, Sendable, CaseIterable {
    case gym, ward
  }

  public struct Hub: Sendable, Equatable {
    public var name = "hearth"
    public var preset = Preset.gym
    /// Where days begin: `local` for the machine's own zone, or the name of a zone this machine knows.
    public var timeZone = "local"
  }

  /// Which Bluetooth adapter to use. Never by number: numbers change with the order in which the kernel finds adapters.
  public enum Adapter: Sendable, Equatable {
    /// USB before everything else, then the onboard one.
    case automatic
    case usb
    case uart
    /// The adapter with this public address, upper case, `B8:27:EB:01:02:03`.
    case address(String)
  }

  public struct Radio: Sendable, Equatable {
    /// The one adapter that serves; `automatic`: `adapters` says which.
    public var adapter = Adapter.automatic
    public var adapters = Adapters()
    /// How many links an adapter holds at most, 1 to 32; nil: learn what each controller carries.
    public var slots: Int?
    /// Whether the hub may lift a soft rfkill block by itself.
    public var unblocksRFKill = false
    /// Nothing heard for so long where something used to be: the radio is looked after.
    public var watchdog = Duration.seconds(90)
    public var reboot = Reboot.never
    /// Values that enrolled wearables advertise are kept while they have no link.
    public var keepsAdvertisedValues = true
    /// The address that the adapter is to have, public or static random; in no file: a restored store says it.
    public var takenAddress: UInt64?
    public var takenStaticAddress: UInt64?
  }

  /// Whether the hub may restart the machine, once a day at most, when nothing else revives the radio.
  public enum Reboot: String, Sendable, CaseIterable {
    case never
    case daily
  }

  public enum EnrolmentMode: String, Sendable, CaseIterable {
    case closed, window, all
  }

  public struct Enrolment: Sendable, Equatable {
    public var mode = EnrolmentMode.window
    /// A wearable heard at or above this is near, in dBm.
    public var nearRSSI = -55
    /// How long a window stays open when nobody says.
    public var window = Duration.seconds(120)
    public var pairing = Pairing.enrolment
  }

  /// When an enrolled wearable may pair: inside its enrolment, or whenever it asks.
  public enum Pairing: String, Sendable, CaseIterable {
    case enrolment, always
  }

  public struct Lane: Sendable, Equatable {
    /// How long one wearable may hold the lane while others wait.
    public var slice = Duration.seconds(45)
    /// A present wearable that keeps data is visited at least this often.
    public var visitBound = Duration.seconds(900)
    /// One that was visited this recently is not visited again because it went away and came back.
    public var fresh = Duration.seconds(120)
    /// After local midnight, ascending; empty: no visit has a fixed time.
    public var visitAt: [Duration] = []
    /// Phases that visits bring unasked, by name; nil: all.
    public var phases: Set<String>?
    public var erase = Erase.verified
    /// A wearable that was away for longer is missing: a day and an hour, as most come once a day; nil: none ever is.
    public var absentAfter: Duration? = .seconds(25 * 3600)
  }

  /// When a wearable's battery is low, and when somebody has to charge it: percent; nil: never. Ours: of a day's wear a
  /// fifth is a few hours, a tenth one or two.
  public struct Battery: Sendable, Equatable {
    public var low: Int? = 20
    public var critical: Int? = 10
  }

  /// What may be removed on wearables.
  public enum Erase: String, Sendable, CaseIterable {
    /// What was verified and is durable in the store.
    case verified
    /// Nothing.
    case never
  }

  public struct Store: Sendable, Equatable {
    /// The folder of the store.
    public var path = "/var/lib/hearth"
    /// The file with the key of its bond keys and secrets; nil: `secrets.key` in its folder.
    public var secretsKey: String?
    /// Upper bound of its size in bytes.
    public var size = 1_500_000_000
    /// A sample is durable at most this long after it came, or as soon as this many bytes wait.
    public var commitEvery = Duration.seconds(15)
    public var commitBytes = 4000
    /// Bytes written to the card in a day beyond which the hub warns; nil: it never does.
    public var budgetPerDay: Int? = 150_000_000
    /// How long samples may wait for a reader before the hub warns; nil: it never does.
    public var exportWithin: Duration?
    /// Percent of `size` that one wearable may bring in a day, and keeps of a full store; nil: any number.
    public var share: Int? = 10
    /// Bytes that one wearable may bring in a day; nil: any number.
    public var shareOfDay: Int? { share.map { size / 100 * $0 } }
    /// What bounds a ring whose series has no bounds of its own.
    public var ring = Ring()
    /// What was set for single series; the rest is as `ring`.
    var rings: [Series: RingRule] = [:]

    /// What bounds the ring of one wearable's `series`.
    public func ring(of series: Series) -> Ring {
      let rule = rings[series] ?? RingRule()
      return Ring(
        quota: rule.quota ?? ring.quota, keep: rule.keep ?? ring.keep, whenFull: rule.whenFull ?? ring.whenFull)
    }

    /// The series that differ from `ring` in something, in the order of their numbers.
    public var seriesWithRings: [Series] { rings.keys.sorted { $0.id < $1.id } }
  }

  /// What to do with a ring that has reached its quota, or with a full store.
  public enum WhenFull: String, Sendable, CaseIterable {
    /// The oldest samples go.
    case oldest
    /// What could be fetched stays on the wearable. Live samples have nowhere to stay: of those the oldest go.
    case refuse
  }

  /// The bounds of one wearable's ring of one series.
  public struct Ring: Sendable, Equatable {
    /// Bytes; nil: no bound but the size of the store.
    public var quota: Int?
    /// Older samples go; nil: they stay as long as there is room.
    public var keep: Duration?
    public var whenFull = WhenFull.oldest

    public init(quota: Int? = nil, keep: Duration? = nil, whenFull: WhenFull = .oldest) {
      self.quota = quota
      self.keep = keep
      self.whenFull = whenFull
    }
  }

  /// As much of a ring's bounds as somebody set.
  struct RingRule: Sendable, Equatable {
    var quota: Int??
    var keep: Duration??
    var whenFull: WhenFull?
  }

  public enum Board: Sendable, Equatable {
    case none
    /// Draw the lights on the standard output of the daemon.
    case terminal
    /// A board file: a path.
    case file(String)
    /// A board file by its name, in the folder `boards`.
    case named(String)
  }

  public struct Lights: Sendable, Equatable {
    public var board = Board.none
    public var boards = "/usr/share/hearth/board"
    /// When the lamps are dimmed, where the board can; nil: never.
    public var night: NightHours?
  }

  /// What `hearth backup --scheduled` does.
  public struct Backup: Sendable, Equatable {
    /// A folder; nil: no backup is scheduled.
    public var to: String?
    public var every = Duration.seconds(86_400)
    public var passphraseFile: String?
    /// Newest files that stay.
    public var keep = 7
    public var samples = false
  }

  public struct Control: Sendable, Equatable {
    public var socket = "/run/hearth/hearth.sock"
  }

  /// The groups of the machine whose members may use the socket.
  public struct Access: Sendable, Equatable {
    public var read = "hearth-read"
    public var operate = "hearth"
    public var administer = "hearth-admin"
  }

  /// As in swift-log.
  public enum LogLevel: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
  }

  public struct Log: Sendable, Equatable {
    public var level = LogLevel.info
  }

  public var hub = Hub()
  public var radio = Radio()
  public var enrolment = Enrolment()
  public var lane = Lane()
  public var battery = Battery()
  public var profiles = Profiles()
  public var store = Store()
  public var backup = Backup()
  public var lights = Lights()
  public var control = Control()
  public var roles = Access()
  public var log = Log()
  public var metrics = Metrics()

  /// Where each key that is not at its default was set.
  var places: [String: Place] = [:]

  /// The defaults of a preset. A ward admits nobody until somebody says so, believes no advertisements, misses who was
  /// away for an hour, and keeps what it measured for two weeks; its lights speak another language and are dimmed at
  /// night.
  public init(preset: Preset = .gym) {
    hub.preset = preset
    if preset == .ward {
      enrolment.mode = .closed
      radio.keepsAdvertisedValues = false
      lane.absentAfter = .seconds(3600)
      store.ring.keep = .seconds(14 * 86_400)
      lights.night = .usual
    }
  }

  /// Where days begin; the machine's zone if the one that was set has gone meanwhile.
  public var timeZone: TimeZoneRules { (hub.timeZone == "local" ? nil : TimeZoneRules.named(hub.timeZone)) ?? .local() }

  /// The path of the board file, or nil for `none` and `terminal`.
  public var boardFile: String? {
    switch lights.board {
    case .none, .terminal: nil
    case .file(let path): path
    case .named(let name):
      boardFolders.lazy.map { resolve("\(name).yaml", in: $0) }.first { access($0, R_OK) == 0 }
        ?? resolve("\(name).yaml", in: lights.boards)
    }
  }

  /// Where a board is looked for by its name: the folder that was set; if none was, the installed one, then those
  /// beside the program under another prefix (`bin/../share`) and in a checkout (`.build/TRIPLE/release/../../..`).
  private var boardFolders: [String] {
    if places["lights.boards"] != nil { return [lights.boards] }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    if count <= 0 { return [lights.boards] }
    let program = folder(of: String(decoding: buffer.prefix(count), as: UTF8.self))
    return [lights.boards, program + "/../share/hearth/board", program + "/../../../board"]
  }
}

/// One key with its value and where that came from, for `hearth config show`.
public struct ConfigurationEntry: Sendable, Hashable {
  /// For example `store.commit.every`.
  public var key: String
  /// As it is written in a file.
  public var value: String
  /// `default`, `preset ward`, or `file:line`.
  public var origin: String
}

extension Configuration {
  /// Every key, in the order of the documented file; of the series' rings only what is set.
  public var entries: [ConfigurationEntry] {
    let plain = Configuration()
    return Schema.keys.filter { $0.isListed(self) }.map { key in
      let value = key.show(self)
      let origin =
        places[key.path].map { "\($0.file):\($0.line)" }
        ?? (value == key.show(plain) ? "default" : "preset \(hub.preset.rawValue)")
      return ConfigurationEntry(key: key.path, value: value, origin: origin)
    }
  }
}
