// Directories as a wearable lists them, and the names that are taken from it.

import Bluetooth
import CivilTime
import Health
import MessageReading
import PolarMessages

extension PSFTP {
  struct Entry: Sendable, Hashable {
    /// One component of a path; that of a directory ends in `/`.
    let name: String
    /// Bytes.
    let size: UInt64

    /// Bytes of a name: 8.3 characters are the rule, exercises of a strap have up to 63.
    static let nameLimit = 96

    /// One component that leads nowhere else: printable ASCII without blanks, one slash at most and only at the end,
    /// neither `.` nor `..`.
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
    /// Entries whose names are none. They are never followed, and what holds them is never removed as a whole.
    let refused: Int

    init(_ entries: [Entry], refused: Int = 0) { (self.entries, self.refused) = (entries, refused) }

    /// Entries of one listing: `AUTOS` has one for each day, and a strap one for each exercise.
    static let entryLimit = 2000
    private static let shape = WireShape([1: .messages(128, WireShape())], messages: entryLimit)
    private static let bounds = ReadingBounds(size: PSFTPClient.directoryLimit, cost: 512 << 10)

    /// nil if the bytes are no `PbPFtpDirectory`, or one of more than `entryLimit` entries. Of equal names the first
    /// counts.
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

  /// A file on the wearable, as it was listed.
  struct RemoteFile: Sendable, Hashable {
    let path: String
    /// Bytes.
    let size: UInt64
  }
}

/// Where things lie on a wearable, and how their names are read.
enum PolarPath {
  /// Everything that belongs to the one user.
  static let user = "/U/0/"
  static let automaticSamples = "/U/0/AUTOS/"
  static let sensorLogs = "/SDLOGS/"
  static let deviceInformation = "/DEVICE.BPB"

  /// `20261121/` as the day that the wearable means.
  static func day(folder name: some StringProtocol) -> LocalDate? {
    guard name.hasSuffix("/"), name.utf8.count == 9 else { return nil }
    return day(digits: name.dropLast())
  }

  /// `20261121`.
  static func day(digits: some StringProtocol) -> LocalDate? {
    guard digits.utf8.count == 8, let number = number(digits) else { return nil }
    return LocalDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
  }

  /// The folder of a day, ending in `/`.
  static func folder(of day: LocalDate) -> String { user + digits(of: day) + "/" }

  static func digits(of day: LocalDate) -> String { day.text.filter { $0 != "-" } }

  /// `101500/`: the time at which something began.
  static func isTimeFolder(_ name: some StringProtocol) -> Bool {
    name.hasSuffix("/") && name.utf8.count == 7 && number(name.dropLast()) != nil
  }

  /// The day in whose folder a file or directory lies; nil outside of days.
  static func day(of path: String) -> LocalDate? {
    guard path.hasPrefix(user) else { return nil }
    let rest = path.dropFirst(user.count)
    guard let slash = rest.firstIndex(of: "/") else { return nil }
    return day(digits: rest[..<slash])
  }

  /// Components without the empty ones around slashes.
  static func components(_ path: String) -> [Substring] { path.split(separator: "/") }

  /// The directory in which a file or directory lies, ending in `/`; nil for the root.
  static func parent(_ path: String) -> String? {
    let stem = path.hasSuffix("/") ? path.dropLast() : path[...]
    guard let slash = stem.lastIndex(of: "/") else { return nil }
    return String(stem[...slash])
  }

  /// ASCII digits alone.
  static func number(_ digits: some StringProtocol) -> Int? {
    let bytes = digits.utf8
    guard (1...9).contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}
