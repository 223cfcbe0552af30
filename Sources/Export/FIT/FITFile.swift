// The bytes of a FIT activity file.

internal import CivilTime
internal import Health

/// A FIT activity file, with counts of the values that are not in it.
public struct FITFile: Sendable {
  /// The whole file, with its checksums.
  public let bytes: [UInt8]
  /// Number of sessions.
  public let sessions: Int
  /// Number of values that are not within a training.
  public let outside: Int
  /// Number of values of a second and quantity for which another value is there.
  public let shadowed: Int
  /// Number of values that no field can hold, or that the wearable itself doubts.
  public let unfit: Int
  /// Number of trainings at the same time as a longer one.
  public let overlapping: Int

  /// - Throws: `empty`, `time`.
  public init(_ activity: FITActivity) throws(FITActivity.Problem) {
    let sessions = FITSessions(activity)
    guard let first = sessions.all.first, let last = sessions.all.last else { throw .empty }
    for second in sessions.all.flatMap({ [$0.begin, $0.end] }) where !FITTime.range.contains(second) {
      throw .time(second)
    }
    var encoder = FITEncoder(activity, sessions)
    encoder.begin(first.begin)
    var shadowed = 0
    for session in sessions.all { shadowed += encoder.add(session) }
    encoder.end(last.end)
    bytes = encoder.finished()
    self.sessions = sessions.all.count
    self.shadowed = shadowed
    unfit = activity.unfit
    overlapping = sessions.overlapping
    outside = sessions.values.count - sessions.all.reduce(0) { $0 + $1.values.count }
  }
}

/// Writes sessions one after the other.
private struct FITEncoder {
  private let activity: FITActivity
  private let sessions: FITSessions
  private let measured: [FITMeasure]
  private let record: FITMessage
  private let sport: FITMessage
  private var writer = FITWriter()
  private var laps: Int64 = 0
  private var written: Int64 = 0
  private var timer: Int64 = 0

  init(_ activity: FITActivity, _ sessions: FITSessions) {
    (self.activity, self.sessions) = (activity, sessions)
    let used = Set(sessions.all.flatMap { sessions.values[$0.values].lazy.compactMap(\.quantity.measure) })
    measured = FITMeasure.allCases.filter(used.contains)
    record = .record(measured)
    let names = sessions.all.compactMap { Self.sportName($0) }
    sport = .session(nameRoom: (names.map(\.utf8.count).max() ?? 0) + 1)
  }

  /// The wearable's own number of the sport.
  private static func sportName(_ session: FITSession) -> String? {
    session.training?.known(1).map { "sport \($0)" }
  }

  mutating func begin(_ time: Int64) {
    writer.write(
      .fileID(nameRoom: activity.equipment.utf8.count + 1),
      [.number(4), .number(255), .number(0), FITTime.value(time), .text(activity.equipment)])
    var devices = [activity.equipment]
    let used = Set(sessions.all.flatMap { sessions.values[$0.values].lazy.map(\.source) }).sorted()
    for name in used.map({ activity.sources[Int($0)].device }) + sessions.all.compactMap({ $0.training?.device })
    where !devices.dropFirst().contains(name) { devices.append(name) }
    let message = FITMessage.deviceInfo(nameRoom: min(255, (devices.map(\.utf8.count).max() ?? 0) + 1))
    for (place, name) in devices.prefix(255).enumerated() {
      writer.write(
        message,
        [
          FITTime.value(time), .number(Int64(place)), .number(255), .number(0), .number(place == 0 ? 5 : 3),
          .text(name),
        ])
    }
  }

  /// Returns the number of values for which other values are there.
  mutating func add(_ session: FITSession) -> Int {
    let (seconds, shadowed) = sessions.seconds(of: session)
    writer.write(.event, [FITTime.value(session.begin), .number(0), .number(0)])
    for second in seconds {
      if !second.measures.isEmpty {
        let values = measured.flatMap { $0.values(second.measures[$0]) }
        writer.write(record, [FITTime.value(second.time)] + values)
      }
      var rest = second.intervals[...]
      while !rest.isEmpty {
        writer.write(.hrv, [.numbers(Array(rest.prefix(FITMessage.beats)))])
        rest = rest.dropFirst(FITMessage.beats)
      }
    }
    writer.write(.event, [FITTime.value(session.end), .number(0), .number(4)])
    summarise(session, seconds)
    return shadowed
  }

  private mutating func summarise(_ session: FITSession, _ seconds: [FITSecond]) {
    let first = laps
    for part in session.parts {
      writeLap(part.begin, part.end, part, seconds.filter { (part.begin...part.end).contains($0.time) }, isPart: true)
    }
    if session.parts.isEmpty { writeLap(session.begin, session.end, session.training, seconds, isPart: false) }
    let name = Self.sportName(session).map { FITValue.text($0) }
    writer.write(
      sport,
      [.number(written)] + Self.times(session.begin, session.end, event: 8)
        + Self.figures(session.training, seconds) + [
          .number(0), .number(activity.sport.number), .number(first), .number(laps - first), name,
        ])
    written += 1
    timer += session.end - session.begin
  }

  private mutating func writeLap(
    _ begin: Int64, _ end: Int64, _ training: FITActivity.Training?, _ seconds: [FITSecond], isPart: Bool
  ) {
    writer.write(
      .lap,
      [.number(laps)] + Self.times(begin, end, event: 9) + Self.figures(training, seconds)
        + [.number(isPart ? 0 : 7), .number(activity.sport.number)])
    laps += 1
  }

  /// Returns the fields from the end to the active time.
  private static func times(_ begin: Int64, _ end: Int64, event: Int64) -> [FITValue?] {
    let length = FITValue.number((end - begin) * 1000)
    return [FITTime.value(end), .number(event), .number(1), FITTime.value(begin), length, length]
  }

  /// Distance, calories, mean and highest heart rate: as the training reports them, else of the records.
  private static func figures(_ training: FITActivity.Training?, _ seconds: [FITSecond]) -> [FITValue?] {
    let rates = seconds.compactMap { $0.measures[.heartRate] }
    let mean = rates.isEmpty ? nil : Int64((Double(rates.reduce(0, +)) / Double(rates.count)).rounded())
    let metres = training?.known(3).flatMap { $0 <= 40_000_000 ? $0 * 100 : nil }
    let passed = seconds.last { $0.measures[.distance] != nil }?.measures[.distance]
    return [
      metres ?? passed, training?.known(4), training?.known(5) ?? mean, training?.known(6) ?? rates.max(),
    ].map { $0.map { .number($0) } }
  }

  mutating func end(_ time: Int64) {
    let offset = Int64(activity.zone.offset(at: time * 1_000_000))
    writer.write(
      .activity,
      [
        FITTime.value(time), .number(timer * 1000), .number(written), .number(written > 1 ? 1 : 0), .number(26),
        .number(1), FITTime.value(time + offset),
      ])
  }

  func finished() -> [UInt8] { writer.finished() }
}
