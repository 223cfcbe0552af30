// What a hub may choose about its store, and where the defaults come from.

public import CivilTime
internal import EventLoop
internal import Glibc

/// Options of how and where a store is kept.
public struct StoreOptions: Sendable {
  /// A directory for the store's files; made if only its last part is missing.
  public var path: String
  /// The bound of `data.mdb` in bytes. At least `minimumSize`; smaller values are raised to it.
  ///
  /// 1.5 GB stores more than half a year of heart rate and RR intervals of 30 wearables at 1 Hz. On a 4 GB card that
  /// leaves room for the system.
  public var sizeBytes: Int
  /// The longest time a sample waits in memory before its commit begins: what a power cut may cost. A millisecond to a
  /// day.
  public var commitEvery: Duration
  /// A commit begins earlier when the packed samples would pass this size, at least 256. 4096 is one chunk of one page.
  public var commitBytes: Int
  /// Bounds of the rings of each series, by its number; `standardRetention` for those that are not named.
  public var retention: [UInt16: Retention] = [:]
  /// Bounds of a ring without bounds of its own.
  public var standardRetention = Retention()
  /// Bytes of rings that one wearable keeps when the store is full: data of wearables above it are deleted first.
  /// Without it (nil), the oldest data are deleted first, whatever their wearable has.
  public var wearableShare: Int?
  /// Readers that must all have confirmed an item before it counts as exported; empty: one reader of any name is
  /// enough.
  public var awaitedReaders: [String] = []
  func awaits(_ reader: String) -> Bool { awaitedReaders.isEmpty || awaitedReaders.contains(reader) }
  /// The hub's zone: days of flash writes begin at its midnight.
  public var timeZone = TimeZoneRules.utc
  /// Bytes that may be written to flash a day before a warning; nil for any number. Writing continues beyond it:
  /// samples are worth more than cards.
  public var budgetPerDay: UInt64?
  /// Identifies the boot of the samples' monotonic clock.
  public var bootID: BootID
  /// The file with the key of the store's secrets; nil: `secrets.key` in the store's folder.
  public var secretsKey: String?
  /// The folder in which systemd hands over what was loaded for this service; a key of that is taken in place of the
  /// file's.
  public var credentials: String? = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
  /// Examines the medium of the folder at a path (`StoreMedium.look(at:)`), before a wearable may erase its data. nil:
  /// no check, as in a simulation.
  public var lookAtMedium: (@Sendable (String) -> StoreMedium?)?
  /// Called repeatedly, with percents, while a store of an earlier format is being overwritten: that may take
  /// minutes.
  public var whileConverting: (@Sendable (Int) -> Void)?
  /// The same of the copy that is made of it before.
  public var whileCopying: (@Sendable (Int) -> Void)?
  /// Called now and then while a damaged file is read.
  public var whileRescuing: (@Sendable () -> Void)?
  /// false: live samples go into the tables, as if the disk refused a journal file.
  package var usesJournalFile = true
  /// Called before each step of a conversion: tests kill themselves there.
  package var conversionProbe: (@Sendable (String) -> Void)?

  /// 1,024 pages (4 MiB with pages of 4 KiB). Room for the tables, the reserve that copy-on-write needs, the journal,
  /// and a chunk for each of some hundred rings.
  public static let minimumSize = 1024 * Int(sysconf(Int32(_SC_PAGESIZE)))

  /// Options of the store at `path`; sizes in bytes.
  public init(
    path: String, sizeBytes: Int = 1_500_000_000, commitEvery: Duration = .seconds(15), commitBytes: Int = 4096,
    bootID: BootID = .current, budgetPerDay: UInt64? = nil
  ) {
    self.path = path
    self.sizeBytes = sizeBytes
    self.commitEvery = commitEvery
    self.commitBytes = commitBytes
    self.bootID = bootID
    self.budgetPerDay = budgetPerDay
  }
}

/// Sixteen bytes that differ for every boot: two monotonic times compare only within one.
public struct BootID: Hashable, Sendable {
  /// Upper 64 bits: the first half of the identifier as printed.
  public let high: UInt64
  /// Lower 64 bits: the second half of the identifier as printed.
  public let low: UInt64

  /// An identity from its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Value for systems that do not report it.
  static let unknown = BootID(high: 0, low: 0)

  /// Thirty-two hexadecimal digits, dashes allowed; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let digits = String(text.filter { $0 != "-" })
    guard digits.utf8.count == 32, let high = UInt64(hexadecimal: digits.prefix(16), count: 16),
      let low = UInt64(hexadecimal: digits.suffix(16), count: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// The kernel's own (/proc/sys/kernel/random/boot_id); zeros without /proc.
  public static var current: BootID {
    let bytes = readSmallFile("/proc/sys/kernel/random/boot_id") ?? []
    return BootID(String(decoding: bytes.prefix(36), as: UTF8.self)) ?? .unknown
  }
}

/// Reads up to 4096 bytes of a file; nil if it cannot be read.
func readSmallFile(_ path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  if descriptor < 0 { return nil }
  defer { close(descriptor) }
  var count = 0
  let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, initialized in
    count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    initialized = count
  }
  return count > 0 ? bytes : nil
}
