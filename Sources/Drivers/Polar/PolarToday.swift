// Today's measurements, read from the wearable on request and not stored: its files of today still grow.

import CivilTime
import EventLoop
import Health
import Wearable

extension PolarSession {
  /// Whether the wearable stores days, and not only recordings.
  var keepsDays: Bool {
    transfer.isPresent && exercises == nil && Polar.measuresDays(link.known.polarModel) == true
  }

  /// Reports today, only within a sync: its beginning makes the wearable write data in RAM to its files.
  func todayReport() async throws(VisitTrouble) -> [ReportRow] {
    guard let reading = try await transfer.clockReading() else { throw .unsupported("its clock has no day") }
    let day = reading.time.date
    let today = PolarToday()
    let tree = try await transfer.walk(PolarFile.folder(of: day)) { name, _ in PolarToday.isLookedInto(name) }
    for file in tree.files where file.size > 0 {
      guard let known = PolarFile(path: file.path), today.wants(known) else { continue }
      if let bytes = try await transfer.get(known.path, limit: PolarToday.fileLimit) { read(known, bytes, into: today) }
    }
    if let (file, bytes) = try await automaticSamples(of: day) { read(file, bytes, into: today) }
    return [ReportRow("so-far", [ReportRow.Field("local_time", reading.time.text)])] + today.rows
  }

  /// Unreadable files are noted and left out.
  private func read(_ file: PolarFile, _ bytes: [UInt8], into today: PolarToday) {
    let isRead = bytes.withUnsafeBytes { bytes in
      guard let contents = try? FileContents(file, bytes) else { return false }
      today.note(contents, of: file, bytes)
      return true
    }
    if !isRead { link.note("a file of today cannot be read") }
  }

  /// Names of these files are reused, and the day is in their content: today's is one of the last.
  private func automaticSamples(of day: LocalDate) async throws(VisitTrouble) -> (PolarFile, [UInt8])? {
    let names =
      try await transfer.list(PolarFile.automaticFolder)?.entries.map(\.name).filter(PolarFile.isAutomaticSamples)
      .sorted() ?? []
    // The number after the last one is the first.
    let likely = Array(names.suffix(PolarToday.automaticLimit).reversed()) + names.prefix(2)
    for name in likely {
      let path = PolarFile.automaticFolder + name
      guard let bytes = try await transfer.get(path, limit: PolarFiles.samplesLimit), PSFTP.sampleDay(bytes) == day
      else { continue }
      return PolarFile(path: path).map { ($0, bytes) }
    }
    return nil
  }
}

/// Sums and last values of a day so far.
final class PolarToday: ItemSink {
  /// Largest file, in bytes; a whole day of steps and equivalents has some 20 kB.
  static let fileLimit = 256 << 10
  /// Maximum number of files of heart rate around the clock that are read to find today's.
  static let automaticLimit = 8
  /// Maximum number of trainings in the report.
  private static let trainingLimit = 16

  private struct Kept {
    var sum: Int64 = 0
    var count: Int64 = 0
    var lowest = Int64.max
    var highest = Int64.min
    var last: (time: Int64, value: Int64) = (.min, 0)
  }

  private var kept: [Series: Kept] = [:]
  /// Seconds in each class.
  private var activity: [Int64: Int64] = [:]
  private var events: [(series: Series, time: Int64, values: [Int64])] = []
  private var told: [ReportRow.Field] = []

  /// Folders of a day that are skipped have more than a few kilobytes, and no data for this report.
  static func isLookedInto(_ name: String) -> Bool { name != "R/" && name != "SLEEPSCO/" && name != "SKINCONT/" }

  /// Samples and routes of trainings are skipped as they are long; so are kinds that cannot be decoded.
  func wants(_ file: PolarFile) -> Bool {
    switch file.kind {
    case .activitySamples, .dailySummary, .nightlyRecharge, .sleep, .skinTemperature, .spo2Test, .trainingSession,
      .exerciseBase:
      true
    default: false
    }
  }

  func note(_ contents: FileContents, of file: PolarFile, _ bytes: UnsafeRawBufferPointer) {
    if case .summary(let summary) = contents, summary.hasActivityGoalSummary,
      summary.activityGoalSummary.activityGoal > 0,
      let share = stored(
        100 * Double(summary.activityGoalSummary.achievedActivity) / Double(summary.activityGoalSummary.activityGoal))
    {
      told = [ReportRow.Field("goal_percent", "\(share)")]
    }
    contents.append(of: file, bytes, exerciseStart: nil, to: self)
  }

  func noteAnomaly(_ what: StaticString) {}

  func append(_ series: Series, _ values: [Int64], bytes: [UInt8], at time: Int64, kind: SampleKind, isManual: Bool) {
    if series.daily == .event {
      if events.count < Self.trainingLimit * 4 { events.append((series, time, values)) }
      return
    }
    if series == .activeTime, values.count == 2 { activity[values[1], default: 0] &+= values[0] / 1_000_000 }
    guard kind == .normal, !series.layout.hasBytes, let value = series.layout == .interval ? values.last : values.first
    else { return }
    var known = kept[series] ?? Kept()
    known.sum &+= value
    known.count += 1
    (known.lowest, known.highest) = (min(known.lowest, value), max(known.highest, value))
    if time >= known.last.time { known.last = (time, value) }
    kept[series] = known
  }

  // MARK: rows

  var rows: [ReportRow] {
    var rows = [row("activity", activityFields)]
    for (name, series, unit) in [
      ("heart-rate", Series.heartRate, "bpm"), ("pulse-intervals", .ppi, "ms"),
      ("skin-temperature", .skinTemperature, "degc"), ("blood-oxygen", .spo2, "percent"),
    ] {
      guard let known = kept[series], let mean = Int64(exactly: (Double(known.sum) / Double(known.count)).rounded())
      else { continue }
      rows.append(
        row(
          name,
          [
            ("last_\(unit)", series.text(known.last.value)), ("at", Self.time(known.last.time)),
            ("lowest_\(unit)", series.text(known.lowest)),
            ("mean_\(unit)", series.text(mean)), ("highest_\(unit)", series.text(known.highest)),
            ("values", "\(known.count)"),
          ]))
    }
    for event in events where event.series == .sleep { rows.append(row("sleep", Self.night(event.time, event.values))) }
    for event in events where event.series == .recharge { rows.append(row("recharge", recharge(event.values))) }
    let trainings = events.filter { $0.series == .training }.sorted {
      ($0.time, $0.values[0]) < ($1.time, $1.values[0])
    }
    for (index, event) in trainings.prefix(Self.trainingLimit).enumerated() {
      rows.append(row("training-\(index + 1)", Self.training(event.time, event.values)))
    }
    return rows.filter { !$0.fields.isEmpty }
  }

  private var activityFields: [(String, String?)] {
    func sum(_ series: Series) -> String? { kept[series].map { series.text($0.sum) } }
    // Light, moderate and vigorous.
    let active = activity.isEmpty ? nil : (3...7).reduce(Int64(0)) { $0 &+ (activity[$1] ?? 0) } / 60
    return [
      ("steps", sum(.steps)), ("distance_m", sum(.distance)), ("active_minutes", active.map { "\($0)" }),
      ("calories_kcal", sum(.calories)),
      ("training_calories_kcal", sum(.trainingCalories)), ("basal_calories_kcal", sum(.basalCalories)),
    ] + told.map { ($0.name, $0.value) }
  }

  /// Values by index, as in the series.
  private static func night(_ end: Int64, _ values: [Int64]) -> [(String, String?)] {
    [
      ("from", time(end - values[0] * 1_000_000)), ("to", time(end)), ("deep_minutes", "\(values[4] / 60)"),
      ("rem_minutes", "\(values[2] / 60)"),
      ("light_minutes", "\(values[3] / 60)"), ("awake_minutes", "\(values[1] / 60)"),
      ("rating", values[7] > 0 ? "\(values[7])" : nil),
    ]
  }

  private func recharge(_ values: [Int64]) -> [(String, String?)] {
    func known(_ place: Int) -> String? { values[place] > 0 ? "\(values[place])" : nil }
    return [
      ("recovery", known(0)), ("ans", known(2)),
      ("ans_status", kept[.ansStatus].map { Series.ansStatus.text($0.last.value) }), ("rmssd_ms", known(4)),
    ]
  }

  private static func training(_ begin: Int64, _ values: [Int64]) -> [(String, String?)] {
    func known(_ place: Int) -> String? { values[place] > 0 ? "\(values[place])" : nil }
    return [
      ("begins", time(begin)), ("part", known(0)), ("sport", known(1)), ("minutes", "\(values[2] / 60)"),
      ("distance_m", known(3)), ("calories_kcal", known(4)),
      ("mean_bpm", known(5)), ("highest_bpm", known(6)),
    ]
  }

  private func row(_ name: String, _ fields: [(String, String?)]) -> ReportRow {
    ReportRow(name, fields.compactMap { field in field.1.map { ReportRow.Field(field.0, $0) } })
  }

  /// `14:05`, of the wearable's clock.
  private static func time(_ microseconds: Int64) -> String {
    String(ClockFace(microseconds: microseconds).text.dropFirst(11).prefix(5))
  }
}
