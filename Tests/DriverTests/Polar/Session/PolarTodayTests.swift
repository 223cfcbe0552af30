import CivilTime
import EventLoop
import Health
import PolarMessages
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("What a Polar wearable says of today", .serialized)
struct PolarTodayTests {
  @LoopActor
  private func day(_ pocket: PocketTransfer, back: Int64 = 0) -> LocalDate {
    LocalDate(dayNumber: ClockFace(microseconds: pocket.link.hubTime.wall.microseconds).date.dayNumber - back)
  }

  private func moment(_ day: LocalDate, _ hour: UInt32, _ minute: UInt32 = 0) -> PbLocalDateTime {
    var moment = PbLocalDateTime()
    moment.date = ClockFace(microseconds: day.dayNumber * 86_400_000_000).wireDate
    (moment.time.hour, moment.time.minute, moment.time.seconds) = (hour, minute, 0)
    return moment
  }

  private func automatic(_ day: LocalDate, _ rate: UInt32) throws -> [UInt8] {
    var file = PbAutomaticSampleSessions()
    file.day = ClockFace(microseconds: day.dayNumber * 86_400_000_000).wireDate
    var session = PbAutomaticHeartRateSamples()
    (session.triggerType, session.time.hour, session.time.minute, session.time.seconds) = (.triggerTypeTimed, 9, 0, 0)
    session.heartRate = [rate, rate + 10]
    file.samples = [session]
    return try file.partial()
  }

  @LoopActor
  private func fill(_ pocket: PocketTransfer) throws {
    let today = day(pocket)
    let folder = PolarFile.folder(of: today)
    var steps = PbActivitySamples()
    steps.startTime = moment(today, 8)
    steps.stepsRecordingInterval.minutes = 1
    steps.metRecordingInterval.seconds = 30
    steps.stepsSamples = [40, 2]
    let classes: [(PbActivityInfo.ActivityClass, UInt32)] = [(.continuousModerate, 0), (.sedentary, 1)]
    steps.activityInfo = classes.map { kind, minute in
      var info = PbActivityInfo()
      (info.value, info.timeStamp) = (kind, moment(today, 8, minute))
      return info
    }
    pocket.files[folder + "ACT/ASAMPL0.BPB"] = try steps.partial()
    steps.stepsSamples = [8]
    steps.activityInfo = []
    pocket.files[folder + "ACT/ASAMPL1.BPB"] = try steps.partial()
    var summary = PbDailySummary()
    summary.date = ClockFace(microseconds: today.dayNumber * 86_400_000_000).wireDate
    (summary.activityCalories, summary.activityDistance) = (120, 37.54)
    (summary.activityGoalSummary.activityGoal, summary.activityGoalSummary.achievedActivity) = (200, 50)
    pocket.files[folder + "DSUM/DSUM.BPB"] = try summary.partial()
    var session = PbTrainingSession()
    (session.start, session.duration.minutes, session.sport.value, session.heartRate.average) = (
      moment(today, 7), 45, 1, 140
    )
    pocket.files[folder + "E/070000/TSESS.BPB"] = try session.partial()
    pocket.files[folder + "E/070000/00/SAMPLES.BPB"] = [1]
    pocket.files[folder + "R/070000/ACC0.REC"] = [1]
    pocket.files["/U/0/AUTOS/AUTOS006.BPB"] = try automatic(day(pocket, back: 1), 100)
    pocket.files["/U/0/AUTOS/AUTOS007.BPB"] = try automatic(today, 60)
  }

  @LoopActor
  private func report(_ pocket: PocketTransfer) async throws(VisitTrouble) -> [ReportRow] {
    try await PolarSession(pocket.link).report("today")
  }

  private func fields(_ rows: [ReportRow], _ name: String) -> [String: String] {
    Dictionary((rows.first { $0.name == name }?.fields ?? []).map { ($0.name, $0.value) }) { first, _ in first }
  }

  @Test(
    """
    sums and last values of today's files, in a sync of its own, each file read once and samples of trainings not at \
    all
    """
  )
  func today() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      try fill(pocket)
      let rows = try await report(pocket)
      #expect(rows.map(\.name) == ["so-far", "activity", "heart-rate", "training-1"])
      #expect(fields(rows, "so-far")["local_time"]?.hasPrefix(day(pocket).text) == true)
      #expect(
        fields(rows, "activity") == [
          "steps": "50", "distance_m": "37.5", "active_minutes": "1", "calories_kcal": "120", "goal_percent": "25",
        ])
      #expect(
        fields(rows, "heart-rate")["last_bpm"] == "70" && fields(rows, "heart-rate")["at"] == "09:05"
          && fields(rows, "heart-rate")["mean_bpm"] == "65")
      #expect(fields(rows, "training-1") == ["begins": "07:00", "sport": "1", "minutes": "45", "mean_bpm": "140"])
      let reads = pocket.operations.filter { $0.hasPrefix("GET ") && !$0.hasSuffix("/") }
      #expect(
        Set(reads).count == reads.count
          && !reads.contains { $0.hasSuffix("SAMPLES.BPB") || $0.hasSuffix(".REC") || $0.hasSuffix("AUTOS006.BPB") })
      #expect(pocket.operations.allSatisfy { $0.hasPrefix("GET ") } && pocket.queries.contains(13))
      // Begun, and ended: INITIALIZE_SESSION, START_SYNC, STOP_SYNC, TERMINATE_SESSION.
      #expect(pocket.said.compactMap { $0.dropFirst().first } == [8, 0, 1, 9])
    }
  }

  @Test(
    """
    a file that cannot be read is left out, an empty day says only the time, and a wearable in a training says that \
    it is busy
    """
  )
  func trouble() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band()
      let empty = try await report(pocket)
      #expect(empty.map(\.name) == ["so-far"])
      try fill(pocket)
      pocket.files[PolarFile.folder(of: day(pocket)) + "ACT/ASAMPL0.BPB"] = [0xFF, 0xFF]
      let left = try await report(pocket)
      #expect(fields(left, "activity")["steps"] == "8")
      pocket.codes[13] = 202
      var said: VisitTrouble?
      do throws(VisitTrouble) { _ = try await report(pocket) } catch { said = error }
      #expect(said?.isBusy == true, "\(String(describing: said))")
    }
  }

  @Test("a model without days is not asked", arguments: ["Polar Sense 1234567C", "Polar H10 1234567C"])
  func withoutDays(_ name: String) throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.band(name)
      let session = PolarSession(pocket.link)
      #expect(!session.reports.contains("today"))
      await #expect(throws: VisitTrouble.self) { _ = try await session.report("today") }
    }
  }
}

extension VisitTrouble {
  fileprivate var isBusy: Bool {
    if case .busy = self { return true }
    return false
  }
}
