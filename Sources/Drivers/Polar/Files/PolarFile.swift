// The files of a Polar wearable by their paths. Dates and times of folders are those of the wearable's clock.

public import CivilTime
internal import Reasons

/// A file on a Polar wearable, as described by its path.
public struct PolarFile: Hashable, Sendable {
  /// Kind of a file.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case activitySamples = "activity-samples"
    case dailySummary = "daily-summary"
    case automaticSamples = "automatic-samples"
    case nightlyRecharge = "nightly-recharge"
    case sleep
    case sleepTemperature = "sleep-temperature"
    case sleepScore = "sleep-score"
    case skinTemperature = "skin-temperature"
    case skinContact = "skin-contact"
    case spo2Test = "spo2-test"
    case trainingSession = "training-session"
    case exerciseBase = "exercise-base"
    case exerciseSamples = "exercise-samples"
    case exerciseSamples2 = "exercise-samples-2"
    case route
    case route2 = "route-2"
    case physicalData = "physical-data"
    case userIdentifier = "user-identifier"
  }

  /// Path on the wearable.
  public let path: String
  /// Kind of the file.
  public let kind: Kind
  /// The day of the folder that contains it.
  public let day: LocalDate?
  /// Seconds since midnight, from the folder with a time.
  public let timeOfDay: Int?
  /// Number of the exercise within its training.
  public let exercise: Int?
  /// Compressed with gzip: `.GZB`.
  public let isCompressed: Bool

  /// Longest accepted path, in bytes. Paths on these wearables are far shorter.
  public static let pathLimit = 256

  /// nil for a path that matches no kind.
  public init?(path: String) {
    guard path.utf8.count <= Self.pathLimit else { return nil }
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard path.utf8.first == 0x2F, let name = parts.last, !path.hasSuffix("/") else { return nil }
    let folders = parts.dropLast().map(String.init)
    var place = (day: LocalDate?.none, time: Int?.none, exercise: Int?.none)
    let kind: Kind?
    if folders.starts(with: ["U", "0"]) {
      let inside = Array(folders.dropFirst(2))
      if let day = inside.first.flatMap(Self.date(folder:)) {
        place.day = day
        kind = Self.kind(inDay: Array(inside.dropFirst()), String(name), &place.time, &place.exercise)
      } else {
        kind = Self.kind(ofUser: inside, String(name))
      }
    } else {
      // Exercises of straps lie in folders with names of their own.
      kind = name == "SAMPLES.BPB" && !folders.isEmpty ? .exerciseSamples : nil
    }
    guard let kind else { return nil }
    self.path = path
    self.kind = kind
    (day, timeOfDay, exercise) = (place.day, place.time, place.exercise)
    isCompressed = name.hasSuffix(".GZB")
  }

  private static func kind(ofUser folders: [String], _ name: String) -> Kind? {
    switch (folders, name) {
    case (["AUTOS"], _): isAutomaticSamples(name) ? .automaticSamples : nil
    case (["S"], "PHYSDATA.BPB"): .physicalData
    case ([], "USERID.BPB"): .userIdentifier
    default: nil
    }
  }

  private static func kind(inDay folders: [String], _ name: String, _ time: inout Int?, _ exercise: inout Int?) -> Kind?
  {
    switch (folders.first, folders.count, name) {
    case ("ACT", 1, _): return isActivitySamples(name) ? .activitySamples : nil
    case ("DSUM", 1, "DSUM.BPB"): return .dailySummary
    case ("NR", 1, "NR.BPB"): return .nightlyRecharge
    case ("SLEEP", 1, "SLEEPRES.BPB"): return .sleep
    case ("NSTRESUL", 1, "NSTRCONT.BPB"): return .sleepTemperature
    case ("SKINTEMP", 1, "TEMPCONT.BPB"): return .skinTemperature
    // The format is undocumented, and so are the names except for their ending.
    case ("SLEEPSCO", 1, _): return name.hasSuffix(".BPB") ? .sleepScore : nil
    case ("SKINCONT", 1, _): return name.hasSuffix(".BPB") ? .skinContact : nil
    case ("SPO2TEST", 2, "SPO2TRES.BPB"):
      // If the folder's name is not a time, the file's own time counts.
      time = Self.time(folder: folders[1])
      return .spo2Test
    case ("E", 2, "TSESS.BPB"):
      time = Self.time(folder: folders[1])
      return time == nil ? nil : .trainingSession
    case ("E", 3, _):
      time = Self.time(folder: folders[1])
      exercise = isDigits(folders[2]) ? Int(folders[2]) : nil
      return time == nil || exercise == nil ? nil : exerciseParts[name]
    default: return nil
    }
  }

  /// File names of an exercise's parts.
  static let exerciseParts: [String: Kind] = [
    "BASE.BPB": .exerciseBase, "ROUTE.BPB": .route, "ROUTE.GZB": .route, "ROUTE2.BPB": .route2, "ROUTE2.GZB": .route2,
    "SAMPLES.BPB": .exerciseSamples, "SAMPLES.GZB": .exerciseSamples, "SAMPLES2.GZB": .exerciseSamples2,
  ]

  /// Start of the content according to the path, µs since 1970 on the wearable's clock.
  public var begins: Int64? { day?.midnight.map { $0 + Int64(timeOfDay ?? 0) * 1_000_000 } }
}

// MARK: - Names of folders and files

extension PolarFile {
  /// The date of a folder such as `20260408`.
  public static func date(folder: String) -> LocalDate? {
    guard folder.utf8.count == 8, isDigits(folder), let number = Int(folder) else { return nil }
    return LocalDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
  }

  /// Seconds since midnight for a folder such as `083906`; nil unless the name is a time of six digits.
  public static func time(folder: String) -> Int? {
    guard folder.utf8.count == 6, isDigits(folder), let number = Int(folder) else { return nil }
    let (hour, minute, second) = (number / 10_000, number / 100 % 100, number % 100)
    return hour <= 23 && minute <= 59 && second <= 59 ? (hour * 60 + minute) * 60 + second : nil
  }

  static func isDigits(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.count <= 18 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether this is a file of steps and activity in a day's folder `ACT/`.
  public static func isActivitySamples(_ name: String) -> Bool {
    !name.hasSuffix("/") && (name.holds("ASAMPL") || name.holds(".BPB"))
  }

  /// Whether the name is `AUTOS` and three digits. The day is in the file's content.
  public static func isAutomaticSamples(_ name: String) -> Bool {
    let name = Array(name.utf8)
    return name.count == 12 && name.starts(with: "AUTOS".utf8) && name[8...].elementsEqual(".BPB".utf8)
      && name[5..<8].allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The folder with 24/7 heart rate and intervals of all days.
  public static let automaticFolder = "/U/0/AUTOS/"
  /// Path of the file with the wearer's physical data (`PbUserPhysData`).
  public static let physicalDataPath = "/U/0/S/PHYSDATA.BPB"
  /// Path of the user's identifier.
  public static let userIdentifierPath = "/U/0/USERID.BPB"

  /// The folder of a day, year 0 to 9999: `/U/0/20260408/`.
  public static func folder(of day: LocalDate) -> String { "/U/0/" + day.text.filter { $0 != "-" } + "/" }

  /// The path of a kind that has one file with a fixed name per day; nil for kinds that must be listed.
  public static func path(_ kind: Kind, of day: LocalDate) -> String? {
    let name: String
    switch kind {
    case .dailySummary: name = "DSUM/DSUM.BPB"
    case .nightlyRecharge: name = "NR/NR.BPB"
    case .sleep: name = "SLEEP/SLEEPRES.BPB"
    case .sleepTemperature: name = "NSTRESUL/NSTRCONT.BPB"
    case .skinTemperature: name = "SKINTEMP/TEMPCONT.BPB"
    default: return nil
    }
    return folder(of: day) + name
  }

  /// The folder with a day's files of a kind that must be listed.
  public static func folder(_ kind: Kind, of day: LocalDate) -> String? {
    switch kind {
    case .activitySamples: folder(of: day) + "ACT/"
    case .spo2Test: folder(of: day) + "SPO2TEST/"
    case .trainingSession: folder(of: day) + "E/"
    case .automaticSamples: automaticFolder
    default: nil
    }
  }
}
