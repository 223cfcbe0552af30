// All settings of a hub, with their defaults. `Schema.swift` defines how each key is written.

public import CivilTime
import Glibc
public import Lights
internal import SettingsText
/// The settings of a hub, made by `load`. A key that is not given has the default of the preset.
public struct Configuration: Sendable, Equatable {
  /// The default path. Only here a missing file is no error: then every key has its default.
  public static let defaultPath = "/etc/hearth/hearth.yaml"
  /// The kind of place of the hub, which decides some defaults.
  public enum Preset: String, Sendable, CaseIterable {
    case gym, ward
  }
  /// Section `hub`: name and general behaviour.
  public struct Hub: Sendable, Equatable {
    /// Name of the hub.
    public var name = "hearth"
    /// Place of the hub, with the defaults for it.
    public var preset = Preset.gym
    /// The zone in which days begin: `local` for the machine's own, or the name of a zone that the machine knows.
    public var timeZone = "local"
  }
  /// The Bluetooth adapter to use. Numbers are not accepted: they change with the order of the kernel's discovery.
  public enum Adapter: Sendable, Equatable {
    /// A USB adapter if there is one, else the onboard one.
    case automatic
    case usb
    case uart
    /// The adapter with this public address, upper case, `B8:27:EB:01:02:03`.
    case address(String)
  }
  /// Section `radio`: adapters, scanning and links.
  public struct Radio: Sendable, Equatable {
    /// The only adapter that serves; `automatic`: as `adapters` says.
    public var adapter = Adapter.automatic
    /// Adapters that serve together.
    public var adapters = Adapters()
    /// The adapter that only listens.
    public var listen = Listening.automatic
    /// Links that an adapter holds at most, 1 to 32; nil: learned for each controller.
    public var slots: Int?
    /// Whether the hub may lift a soft rfkill block by itself.
    public var unblocksRFKill = false
    /// Silence after which the radio is recovered, if wearables were heard before.
    public var watchdog = Duration.seconds(90)
    /// Whether the hub may restart the machine.
    public var reboot = Reboot.never
    /// Whether values that enrolled wearables advertise without a link are stored.
    public var keepsAdvertisedValues = true
    /// The address for the adapter, public or static random, from a restored store; no file can set it.
    public var takenAddress: UInt64?
    /// The static address for the adapter from a restored store, if any. No file can set it.
    public var takenStaticAddress: UInt64?
  }
  /// Whether the hub may restart the machine, at most once a day, if no other step revives the radio.
  public enum Reboot: String, Sendable, CaseIterable {
    case never
    case daily
  }
  /// Times when unknown wearables may be enrolled.
  public enum EnrolmentMode: String, Sendable, CaseIterable {
    case closed, window, all
  }
  /// Section `enrolment`.
  public struct Enrolment: Sendable, Equatable {
    /// Times when unknown wearables may be enrolled.
    public var mode = EnrolmentMode.window
    /// Minimum signal strength (RSSI) of a wearable that counts as near, in dBm.
    public var nearRSSI = -55
    /// Default duration of an enrolment window.
    public var window = Duration.seconds(120)
    /// Times when an enrolled wearable may pair.
    public var pairing = Pairing.enrolment
  }
  /// Times when an enrolled wearable may pair: during its enrolment only, or at any request.
  public enum Pairing: String, Sendable, CaseIterable {
    case enrolment, always
  }
  /// Section `lane`: visits.
  public struct Lane: Sendable, Equatable {
    /// Slice: longest visit of one wearable while others wait.
    public var slice = Duration.seconds(45)
    /// Longest time between two visits of a present wearable that records.
    public var visitBound = Duration.seconds(900)
    /// A return within this time after a visit is no reason for another visit.
    public var fresh = Duration.seconds(120)
    /// Fixed times of visits, after local midnight, ascending; empty: no fixed time.
    public var visitAt: [Duration] = []
    /// Names of the phases that scheduled visits fetch; nil: all.
    public var phases: Set<String>?
    /// Data that may be erased on wearables.
    public var erase = Erase.verified
    /// A wearable that was away for longer is missing; nil: never. Default: a day and an hour, as most come once a day.
    public var absentAfter: Duration? = .seconds(25 * 3600)
  }
  /// Battery levels at which a wearable's battery is low, and at which it must be charged: percent; nil: never. Own
  /// choice: for a battery that lasts a day, a fifth is a few hours and a tenth one or two.
  public struct Battery: Sendable, Equatable {
    /// Level in percent at which the battery is low; nil: never.
    public var low: Int? = 20
    /// Level in percent at which the battery must be charged; nil: never.
    public var critical: Int? = 10
  }
  /// Choice of what may be erased on wearables.
  public enum Erase: String, Sendable, CaseIterable {
    /// Data that was verified and is durable in the store.
    case verified
    /// Erases no data on any wearable.
    case never
  }
  /// The board with LEDs and button.
  public enum Board: Sendable, Equatable {
    case none
    /// Draw the LEDs on the standard output of the daemon.
    case terminal
    /// A board file by its path.
    case file(String)
    /// A board file by its name, in the folder `boards`.
    case named(String)
  }
  /// Section `lights`.
  public struct Lights: Sendable, Equatable {
    /// The board in use.
    public var board = Board.none
    /// Folder of the files that describe boards.
    public var boards = "/usr/share/hearth/board"
    /// Hours when the LEDs are dimmed, if the board has a dimmer; nil: never.
    public var night: NightHours?
    /// Hours when the LEDs are off but for trouble; nil: never.
    public var off: NightHours?
  }
  /// Settings of `hearth backup --scheduled`.
  public struct Backup: Sendable, Equatable {
    /// A folder; nil: no backup is scheduled.
    public var to: String?
    /// Time between two backups.
    public var every = Duration.seconds(86_400)
    /// File with the passphrase; nil: not configured.
    public var passphraseFile: String?
    /// Number of backup files that stay, the newest ones.
    public var keep = 7
    /// True if samples are in the backup.
    public var samples = false
  }
  /// Section `control`: the control socket.
  public struct Control: Sendable, Equatable {
    /// Path of the socket.
    public var socket = "/run/hearth/hearth.sock"
  }
  /// Groups of the machine: their members may use the socket.
  public struct Access: Sendable, Equatable {
    /// Group that may read.
    public var read = "hearth-read"
    /// Group that may also operate the hub.
    public var operate = "hearth"
    /// Group that may also administer the hub.
    public var administer = "hearth-admin"
  }
  /// Levels of swift-log.
  public enum LogLevel: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
  }
  /// Section `log`.
  public struct Log: Sendable, Equatable {
    /// Minimum level of lines that are logged.
    public var level = LogLevel.info
  }
  /// Section `hub`: name, preset and time zone.
  public var hub = Hub()
  /// Section `radio`: the adapters, their links, and how the hub recovers them.
  public var radio = Radio()
  /// Section `enrolment`: when wearables may be enrolled and paired.
  public var enrolment = Enrolment()
  /// Section `lane`: how long and how often wearables are visited, and which data visits fetch and erase.
  public var lane = Lane()
  /// Section `battery`: the levels at which the battery of a wearable is low.
  public var battery = Battery()
  /// Section `profiles`: the connection parameters of each profile.
  public var profiles = Profiles()
  /// Section `store`: path, size and durability of the store, and the bounds of its rings.
  public var store = Store()
  /// Section `backup`: target, time and contents of scheduled backups.
  public var backup = Backup()
  /// Section `lights`: the board with LEDs and button.
  public var lights = Lights()
  /// Section `control`: the control socket.
  public var control = Control()
  /// Section `access`: the groups of the machine with the right to read, to operate or to administer the hub.
  public var roles = Access()
  /// Section `log`: the least level of logged lines.
  public var log = Log()
  /// Section `metrics`: the file that a collector of metrics reads.
  public var metrics = Metrics()
  /// The file and line of each key that a file sets.
  var places: [String: Place] = [:]
  /// The defaults of a preset. On a ward no wearable can join by default, and advertised values are not stored. A
  /// wearable is missing after an hour, and samples are kept for two weeks. LEDs have calmer patterns and are dimmed at
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
  /// The zone in which days begin; the machine's own if the configured one no longer exists.
  public var timeZone: TimeZoneRules { (hub.timeZone == "local" ? nil : TimeZoneRules.named(hub.timeZone)) ?? .local() }
  /// The path of the board file; nil for `none` and `terminal`.
  public var boardFile: String? {
    switch lights.board {
    case .none, .terminal: nil
    case .file(let path): path
    case .named(let name):
      boardFolders.lazy.map { resolve("\(name).yaml", in: $0) }.first { access($0, R_OK) == 0 }
        ?? resolve("\(name).yaml", in: lights.boards)
    }
  }
  /// Folders in which a board is searched by its name: the configured one. By default these are the installed one, the
  /// one of another prefix (`bin/../share`) and that of a checkout (`.build/TRIPLE/release/../../..`).
  private var boardFolders: [String] {
    if places["lights.boards"] != nil { return [lights.boards] }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    if count <= 0 { return [lights.boards] }
    let program = folder(of: String(decoding: buffer.prefix(count), as: UTF8.self))
    return [lights.boards, program + "/../share/hearth/board", program + "/../../../board"]
  }
}
/// A key with its value and origin, for `hearth config show`.
public struct ConfigurationEntry: Sendable, Hashable {
  /// The full name, for example `store.commit.every`.
  public var key: String
  /// The value as written in a file.
  public var value: String
  /// The source: `default`, `preset ward`, or `file:line`.
  public var origin: String
}

extension Configuration {
  /// Every key, in the order of the documented file. Keys of single series are listed only if they are set.
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
