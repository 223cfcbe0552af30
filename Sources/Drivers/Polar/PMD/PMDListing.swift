// Recordings on a wearable: from its index file, or from a walk through its folders.

public import Bluetooth
import CivilTime
import Health

extension PMD {
  /// The path of a recording's file, such as `/U/0/20250730/R/101010/ACC0.REC`. The path has the day and local time of
  /// the start, and the kind. A split recording has numbered parts.
  public struct RecordingName: Sendable, Hashable {
    /// Path of the file.
    public let path: String
    /// Type of measurement, from the file's name.
    public let type: MeasurementType
    /// Start on the wearable's local clock, µs since 1970.
    public let begins: Int64
    /// The path without the part's number, common to all parts.
    public let group: String
    /// nil if the name has no number.
    public let part: Int?

    /// nil for any other path, including unknown kinds and invalid times.
    public init?(path: String) {
      let folders = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      guard folders.count == 7, folders[0].isEmpty, folders[1].elementsEqual("U".utf8),
        folders[2].elementsEqual("0".utf8),
        folders[4].elementsEqual("R".utf8), let begins = Self.time(day: folders[3], time: folders[5]),
        let name = String(folders[6]),
        let type = Self.type(fileName: name), let stem = Self.stem(name)
      else { return nil }
      self.path = path
      self.type = type
      self.begins = begins
      let digits = stem.utf8.reversed().prefix(while: Digits.isDigit).count
      part = Digits.number(stem.utf8.suffix(digits))
      let kept = String(decoding: path.utf8.dropLast(name.utf8.count), as: UTF8.self)
      group = kept + String(decoding: stem.utf8.dropLast(digits), as: UTF8.self) + ".REC"
    }

    /// The name without its ending, which must be `.REC`.
    private static func stem(_ name: String) -> String? {
      guard name.utf8.count > 4, name.utf8.suffix(4).elementsEqual(".REC".utf8) else { return nil }
      return String(decoding: name.utf8.dropLast(4), as: UTF8.self)
    }

    private static func time(day: Substring.UTF8View, time: Substring.UTF8View) -> Int64? {
      guard day.count == 8, time.count == 6, let day = Digits.number(day), let time = Digits.number(time),
        let date = LocalDate(year: day / 10_000, month: day / 100 % 100, day: day % 100)
      else { return nil }
      return PMD.localTime(date, time / 10_000, time / 100 % 100, time % 100)
    }

    private static let types: [String: MeasurementType] = [
      "ACC": .acc, "GYRO": .gyro, "MAG": .magnetometer, "MAGNETOMETER": .magnetometer, "PPG": .ppg, "PPI": .ppi,
      "HR": .offlineHR,
      "TEMP": .temperature, "SKINTEMP": .skinTemperature,
    ]

    /// The kind, from the name without its ending and all digits.
    public static func type(fileName: String) -> MeasurementType? {
      let stem = fileName.utf8.prefix { $0 != UInt8(ascii: ".") }
      return types[String(decoding: stem.filter { !Digits.isDigit($0) }, as: UTF8.self)]
    }
  }

  /// A recording, in one file or several parts.
  public struct RecordingEntry: Sendable, Hashable {
    /// Part of a recording: one file.
    public struct Part: Sendable, Hashable {
      /// Path of the file.
      public let path: String
      /// Size of the file in bytes.
      public let size: UInt64
    }

    /// The path without part numbers.
    public let path: String
    /// Type of measurement, common to all parts.
    public let type: MeasurementType
    /// Start on the wearable's local clock, µs since 1970.
    public let begins: Int64
    /// Parts in the order of recording.
    public let parts: [Part]

    /// Bytes of all parts.
    public var size: UInt64 { parts.reduce(0) { $0.addingReportingOverflow($1.size).overflow ? .max : $0 + $1.size } }

    /// The recordings among files, ordered by start. Empty files and files with other names are skipped. If a path
    /// occurs twice, the first entry counts.
    public static func all(of files: some Sequence<(path: String, size: UInt64)>) -> [RecordingEntry] {
      var seen: Set<String> = []
      var groups: [String: [(name: RecordingName, size: UInt64)]] = [:]
      for file in files where file.size > 0 && seen.insert(file.path).inserted {
        guard let name = RecordingName(path: file.path) else { continue }
        groups[name.group, default: []].append((name, file.size))
      }
      let entries = groups.compactMap { group, members -> RecordingEntry? in
        guard let first = members.first else { return nil }
        let sorted = members.sorted { ($0.name.part ?? -1, $0.name.path) < ($1.name.part ?? -1, $1.name.path) }
        return RecordingEntry(
          path: group, type: first.name.type, begins: first.name.begins,
          parts: sorted.map { Part(path: $0.name.path, size: $0.size) })
      }
      return entries.sorted { ($0.begins, $0.path) < ($1.begins, $1.path) }
    }

    /// The recordings of an index, which has a line of size, blank and path for each file. For an empty index it is
    /// nil, as that does not prove that there are no recordings.
    public static func all(index: RawBytes) -> [RecordingEntry]? {
      if index.isEmpty { return nil }
      let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }
      let lines = index.split(separator: 0x0A)
      return all(
        of: lines.lazy.compactMap { line -> (path: String, size: UInt64)? in
          let fields = line.split(maxSplits: 2, whereSeparator: isBlank)
          guard fields.count >= 2, let size = Digits.number(fields[0]) else { return nil }
          return (String(decoding: fields[1], as: UTF8.self), UInt64(size))
        })
    }
  }

  /// The index of recordings.
  public static let recordingIndex = "/PMDFILES.TXT"
  /// The folder in which a walk for recordings starts.
  public static let recordingRoot = "/U/0/"

  /// Whether a walk enters a folder below `recordingRoot`: days, `R`, times.
  ///
  /// - Parameter path: absolute, ending in `/`.
  public static func mayHoldRecordings(folder path: String) -> Bool {
    guard path.hasPrefix(recordingRoot), path.hasSuffix("/") else { return false }
    let folders = path.utf8.dropFirst(recordingRoot.utf8.count).split(separator: UInt8(ascii: "/"))
    let isNumber = { (folder: Substring.UTF8View.SubSequence, places: Int) in
      folder.count == places && folder.allSatisfy(Digits.isDigit)
    }
    switch folders.count {
    case 0: return true
    case 1: return isNumber(folders[0], 8)
    case 2: return isNumber(folders[0], 8) && folders[1].elementsEqual("R".utf8)
    case 3: return isNumber(folders[0], 8) && folders[1].elementsEqual("R".utf8) && isNumber(folders[2], 6)
    default: return false
    }
  }
}
