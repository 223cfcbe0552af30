// Migration of the text notes in stores before format 4. Runs once, when a hub first starts with such a store.

public import StateCodec
public import Wearable

extension PolarDriver: FormerNotesDriver {
  /// Converts the notes of this driver, and removes them from `notes`.
  public func takeOver(_ notes: inout [String: String], into states: inout RememberedStates) {
    PolarOldNotes.takeOver(&notes, into: &states)
  }
}

extension PolarStrapDriver: FormerNotesDriver {
  /// Converts the notes of this driver, and removes them from `notes`.
  public func takeOver(_ notes: inout [String: String], into states: inout RememberedStates) {
    PolarOldNotes.takeOver(&notes, into: &states)
  }
}

enum PolarOldNotes {
  /// Removes this family's notes from `notes` and converts them. Malformed notes are dropped.
  static func takeOver(_ notes: inout [String: String], into states: inout RememberedStates) {
    func words(_ name: String) -> [String] {
      notes.removeValue(forKey: name)?.split(separator: " ").map { String($0) } ?? []
    }
    func seconds(_ name: String) -> Int64? { words(name).first.flatMap { Int64($0) } }
    keep(PolarRecordings(words("recordings").compactMap(recording)), in: &states)
    let triggers = words("triggers")
    if let mode = triggers.first.flatMap({ PMD.TriggerMode(word: $0) }), mode != .disabled {
      keep(PolarTriggers(mode, triggers.dropFirst().compactMap { PMD.MeasurementType(word: $0) }), in: &states)
    }
    keep(PolarPendingRenewals(words("renewals").compactMap(renewal)), in: &states)
    keep(PolarBegun(Dictionary(words("begun").compactMap(begun)) { first, _ in first }), in: &states)
    if let seen = seconds("sleep-seen") { keep(PolarSleepSeen(seconds: seen), in: &states) }
    keep(PolarSwitchedOff(Dictionary(words("off").compactMap(switchedOff)) { first, _ in first }), in: &states)
    keep(PolarFileBefore(before(words("file-before"))), in: &states)
    keep(PolarRadioBefore(before(words("radio-before"))), in: &states)
    keep(
      PolarExerciseRemovals(words("exercise-remove").filter { $0.utf8.count <= PolarExerciseRemovals.nameLimit }),
      in: &states)
    if let since = seconds("clock-waits") { keep(PolarClockWaits(seconds: since), in: &states) }
  }

  /// State that already exists is newer and stays.
  private static func keep<S: RememberedState>(_ state: S, in states: inout RememberedStates) {
    if states[S.self] == nil { _ = try? states.keep(state) }
  }

  /// `acc:52/8`, `ppg:55/`, `ppi`, and `acc:26/8/sdk` for a recording that needs SDK mode.
  private static func recording(_ word: String) -> PolarArmed.Wanted? {
    let parts = word.split(separator: ":", maxSplits: 1)
    guard let name = parts.first, let type = PMD.MeasurementType(word: String(name)) else { return nil }
    let numbers =
      parts.count > 1 ? parts[1].split(separator: "/", omittingEmptySubsequences: false).map { UInt32($0) } : []
    let range = numbers.count > 1 ? numbers[1] : nil
    return PolarArmed.Wanted(type: type, rate: numbers.first ?? nil, range: range, needsSDKMode: word.hasSuffix("/sdk"))
  }

  /// `2:52/16/8//3`: number of the kind, and the values of its settings in order; `2!:52/16/8//3` if it was encrypted.
  private static func renewal(_ word: String) -> PolarRenewals.Renewal? {
    let settings = PMD.Setting.allCases.filter { $0 != .factor }
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = UInt8(parts[0].prefix { $0.isNumber }),
      let type = PMD.MeasurementType(rawValue: number), type.isData
    else {
      return nil
    }
    let numbers = parts[1].split(separator: "/", omittingEmptySubsequences: false)
    guard numbers.count == settings.count else { return nil }
    var values: [PMD.Setting: UInt32] = [:]
    for (setting, number) in zip(settings, numbers) where !number.isEmpty {
      guard let value = UInt32(number) else { return nil }
      values[setting] = value
    }
    return PolarRenewals.Renewal(type, PMD.Selection(values), wasEncrypted: parts[0].hasSuffix("!"))
  }

  /// `2:1793491200`
  private static func begun(_ word: String) -> (UInt8, Int64)? {
    let parts = word.split(separator: ":")
    guard parts.count == 2, let type = UInt8(parts[0]), let time = Int64(parts[1]) else { return nil }
    return (type, time)
  }

  /// `telemetry`, `day-and-night:08031206`
  private static func switchedOff(_ word: String) -> (PolarSwitch, [UInt8])? {
    let parts = word.split(separator: ":", maxSplits: 1)
    guard let name = parts.first, let one = PolarSwitch(rawValue: String(name)) else { return nil }
    return (one, parts.count > 1 ? [UInt8](hexadecimal: String(parts[1])) ?? [] : [])
  }

  /// `ant-plus=off`; the value is empty if the wearable did not report it.
  private static func before(_ words: [String]) -> PolarBefore {
    var before = PolarBefore()
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { before.keep(String(parts[0]), String(parts[1])) }
    }
    return before
  }
}
