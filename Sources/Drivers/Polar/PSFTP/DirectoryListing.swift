// Directory listings of a wearable, and the parsing of its paths.

import Bluetooth
import CivilTime
import Health
import MessageReading
import PolarMessages

extension PSFTP {
  struct Entry: Sendable, Hashable {
    /// A path component. The name of a directory ends in `/`.
    let name: String
    /// Bytes.
    let size: UInt64

    /// Longest accepted name, in bytes. Most names have 8.3 characters; exercises of a strap have up to 63.
    static let nameLimit = 96

    /// Whether the name is a single safe path component: printable ASCII without blanks, at most one slash (at the
    /// end), and neither `.` nor `..`.
    static func isSound(_ name: String) -> Bool {
      let bytes = name.utf8
      guard bytes.count <= nameLimit else { return false }
      let stem = name.hasSuffix("/") ? name.dropLast() : name[...]
      return !stem.isEmpty && stem != "." && stem != ".."
        && stem.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2F }
    }
  }

  /// The answer to a GET of a path that ends in `/`.
  struct Directory: Sendable, Hashable {
    let entries: [Entry]
    /// Number of entries with unsafe names. The walk never follows them, and a directory with such entries is never
    /// removed as a whole.
    let refused: Int

    init(_ entries: [Entry], refused: Int = 0) { (self.entries, self.refused) = (entries, refused) }

    /// Maximum number of entries of one listing. `AUTOS` has one entry per day, a strap one per exercise.
    static let entryLimit = 2000
    private static let shape = WireShape([1: .messages(128, WireShape())], messages: entryLimit)
    private static let bounds = ReadingBounds(size: PSFTPClient.directoryLimit, cost: 512 << 10)

    /// nil if the bytes are not a valid `PbPFtpDirectory`, or if it has more than `entryLimit` entries. If a name
    /// occurs twice, the first entry counts.
    init?(_ bytes: RawBytes) {
      guard let message = try? MessageReader<PbPFtpDirectory>.whole(bytes, Self.shape, Self.bounds) else { return nil }
      var seen: Set<String> = []
      var entries: [Entry] = []
      for entry in message.entries where Entry.isSound(entry.name) && seen.insert(entry.name).inserted {
        entries.append(Entry(name: entry.name, size: entry.size))
      }
      self.init(entries, refused: message.entries.count - entries.count)
    }
  }

  /// A file on the wearable, with its listed size.
  struct RemoteFile: Sendable, Hashable {
    let path: String
    /// Bytes.
    let size: UInt64
  }
}

/// Well-known paths on a wearable, and the parsing of paths and names.
enum PolarPath {
  /// The folder of the single user.
  static let user = "/U/0/"
  static let automaticSamples = "/U/0/AUTOS/"
  static let sensorLogs = "/SDLOGS/"
  static let deviceInformation = "/DEVICE.BPB"

  /// The wearable's day that a folder name such as `20261121/` stands for.
  static func day(folder name: some StringProtocol) -> LocalDate? {
    guard name.hasSuffix("/"), name.utf8.count == 9 else { return nil }
    return day(digits: name.dropLast())
  }

  /// The day of eight digits such as `20261121`.
  static func day(digits: some StringProtocol) -> LocalDate? {
    guard digits.utf8.count == 8, let number = number(digits) else { return nil }
    return LocalDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
  }

  /// The path of a day's folder, ending in `/`.
  static func folder(of day: LocalDate) -> String { user + digits(of: day) + "/" }

  static func digits(of day: LocalDate) -> String { day.text.filter { $0 != "-" } }

  /// Whether the name is a start time such as `101500/`.
  static func isTimeFolder(_ name: some StringProtocol) -> Bool {
    name.hasSuffix("/") && name.utf8.count == 7 && number(name.dropLast()) != nil
  }

  /// The day of the folder that contains this path; nil outside of day folders.
  static func day(of path: String) -> LocalDate? {
    guard path.hasPrefix(user) else { return nil }
    let rest = path.dropFirst(user.count)
    guard let slash = rest.firstIndex(of: "/") else { return nil }
    return day(digits: rest[..<slash])
  }

  /// The path's components, without empty ones.
  static func components(_ path: String) -> [Substring] { path.split(separator: "/") }

  /// The directory that contains a file or directory, ending in `/`; nil for the root.
  static func parent(_ path: String) -> String? {
    let stem = path.hasSuffix("/") ? path.dropLast() : path[...]
    guard let slash = stem.lastIndex(of: "/") else { return nil }
    return String(stem[...slash])
  }

  /// The number of one to nine ASCII digits; nil for any other text.
  static func number(_ digits: some StringProtocol) -> Int? {
    let bytes = digits.utf8
    guard (1...9).contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}
