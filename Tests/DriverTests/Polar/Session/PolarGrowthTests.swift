import CivilTime
import EventLoop
import Health
import PolarMessages
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Files of the wearable's own day, and its last night", .serialized)
struct PolarGrowthTests {
  private static let day = LocalDate(year: 2026, month: 11, day: 21)!
  private static let midnight = day.dayNumber * 86_400_000_000
  private static func at(_ hour: Int, _ minute: Int = 0) -> Int64 { midnight + Int64(hour * 60 + minute) * 60_000_000 }

  private static func time(_ microseconds: Int64) -> PbLocalDateTime {
    var moment = PbLocalDateTime()
    let time = ClockFace(microseconds: microseconds)
    (moment.date, moment.time, moment.obsoleteTrusted) = (time.wireDate, time.wireTime, true)
    return moment
  }

  /// A step count a minute from midnight on, its own number; equivalents each half minute; an activity class each hour.
  private static func activity(minutes: Int, from first: Int = 0) throws -> [UInt8] {
    var file = PbActivitySamples()
    file.startTime = time(at(0, first))
    file.stepsRecordingInterval.minutes = 1
    file.metRecordingInterval.seconds = 30
    file.stepsSamples = (first..<minutes).map { UInt32($0) }
    file.metSamples = (2 * first..<2 * minutes).map { Float($0) }
    file.activityInfo = stride(from: first, to: minutes, by: 60).map { minute in
      var info = PbActivityInfo()
      info.value = .sedentary
      info.timeStamp = time(at(0, minute))
      return info
    }
    return try file.partial()
  }

  private struct Session { var hour: Int, minute: Int, rates: [UInt32], isFast = false }

  private static func automatic(_ sessions: [Session], intervalsAt: [Int] = []) throws -> [UInt8] {
    var file = PbAutomaticSampleSessions()
    let time = ClockFace(microseconds: midnight)
    file.day = time.wireDate
    file.samples = sessions.map { session in
      var message = PbAutomaticHeartRateSamples()
      message.triggerType = session.isFast ? .triggerTypeHighActivity : .triggerTypeTimed
      message.time.hour = UInt32(session.hour)
      message.time.minute = UInt32(session.minute)
      message.time.seconds = 0
      message.heartRate = session.rates
      return message
    }
    file.ppiSamples = intervalsAt.map { hour in
      var session = PbPpIntervalAutoSamples()
      session.triggerType = .ppiTriggerTypeAutomatic
      session.recordingTime.hour = UInt32(hour)
      session.recordingTime.minute = 0
      session.recordingTime.seconds = 0
      (session.ppi.ppiDelta, session.ppi.ppiErrorEstimateDelta, session.ppi.status) = ([900, 100], [5, 0], [1, 1])
      return session
    }
    return try file.partial()
  }

  /// Successive looks at one file, the last one at the whole of it, with the result of each.
  private static func looks(_ path: String, _ files: [(bytes: [UInt8], at: Int64?)]) throws -> [(
    items: [TakenItems.Item], verdict: ItemVerdict
  )] {
    let file = try #require(PolarFile(path: path))
    var progress: [UInt8] = []
    return try files.map { bytes, time in
      try bytes.withUnsafeBytes { raw in
        let contents = try FileContents(file, raw)
        let content = try #require(
          PolarPart(before: PolarProgress(progress), lookedAt: time).content(
            contents, of: file, raw, exerciseStart: nil))
        progress = content.progress?.bytes ?? []
        #expect(progress.count <= ItemVerdict.progressLimit)
        let sink = TakenItems()
        content.append(sink)
        var verdict = ItemVerdict(summary: content.isOther ? "other" : "", isFinal: time == nil, mark: "m")
        verdict.progress = progress
        return (sink.items, verdict)
      }
    }
  }

  /// All of it at once.
  private static func whole(_ path: String, _ bytes: [UInt8]) throws -> [TakenItems.Item] {
    let file = try #require(PolarFile(path: path))
    let sink = TakenItems()
    try bytes.withUnsafeBytes { raw in try FileContents(file, raw).append(of: file, raw, exerciseStart: nil, to: sink) }
    return sink.items
  }

  private static func same(_ parts: [TakenItems.Item], _ whole: [TakenItems.Item]) -> Bool {
    func key(_ item: TakenItems.Item) -> [Int64] { [Int64(item.series.id), item.time] + item.values }
    return parts.map(key).sorted { $0.lexicographicallyPrecedes($1) }
      == whole.map(key).sorted { $0.lexicographicallyPrecedes($1) }
  }

  private static let steps = "/U/0/20261121/ACT/ASAMPL0.BPB", samples = "/U/0/AUTOS/AUTOS007.BPB",
    sleep = "/U/0/20261121/SLEEP/SLEEPRES.BPB"

  @Test(
    """
    bring steps, equivalents and classes once each, however often they are looked at, and no minute that may still \
    change
    """
  )
  func activity() throws {
    let whole = try Self.activity(minutes: 1440)
    let looks = try Self.looks(
      Self.steps,
      [
        (Self.activity(minutes: 600), Self.at(10)), (Self.activity(minutes: 600), Self.at(10)),
        (Self.activity(minutes: 660), Self.at(12)), (whole, nil),
      ])
    #expect(
      looks[0].items.count { $0.series == .steps } == 595 && looks[0].items.allSatisfy { $0.time < Self.at(9, 55) })
    // The length of the current hour is still unknown.
    #expect(looks[0].items.count { $0.series == .activeTime } == 9)
    #expect(looks[1].items.isEmpty, "nothing is new")
    // The file was not written for a while: the last minute may be incomplete.
    let minutes: [Int64] = looks[2].items.filter { $0.series == .steps }.map(\.values[1])
    #expect(minutes == Array(595..<659))
    #expect(
      try Self.same(looks.flatMap(\.items), Self.whole(Self.steps, whole))
        && looks.allSatisfy { $0.verdict.summary.isEmpty })
  }

  @Test(
    """
    of a morning that ended hours ago have its last minute and its last class too, and each once, also if it goes on \
    all the same
    """
  )
  func noonFile() throws {
    let noon = try Self.activity(minutes: 720)
    for first in [Self.at(12, 2), Self.at(13), nil] {
      var files: [(bytes: [UInt8], at: Int64?)] = [(noon, Self.at(20)), (noon, Self.at(21)), (noon, nil)]
      if let first { files.insert((noon, first), at: 0) }
      let looks = try Self.looks(Self.steps, files)
      // What the second look at it, or the first at eight in the evening, leaves to the next ones.
      let last = looks.count - 3
      #expect(looks[last...].dropFirst().allSatisfy { $0.items.isEmpty })
      let all = looks.flatMap(\.items)
      #expect(all.contains { $0.series == .steps && $0.time == Self.at(11, 59) && $0.values == [60_000_000, 719] })
      #expect(all.contains { $0.series == .metabolicEquivalent && $0.time == Self.at(11, 59) + 30_000_000 })
      #expect(
        all.contains { $0.series == .activeTime && $0.time == Self.at(11) && $0.values[0] == 3_600_000_000 },
        "the class that lasts as long as there are samples")
      #expect(try Self.same(all, Self.whole(Self.steps, noon)) && looks.allSatisfy { $0.verdict.summary.isEmpty })
    }
    // A class that began at rest after its first half: the second half is new.
    let half = try Self.activity(minutes: 630)
    let whole = try Self.activity(minutes: 1440)
    let looks = try Self.looks(Self.steps, [(half, Self.at(14)), (whole, nil)])
    let classes = looks.flatMap(\.items).filter { $0.series == .activeTime }
    #expect(classes.reduce(0) { $0 + $1.values[0] } == 24 * 3_600_000_000 && classes.count == 25)
    #expect(looks.flatMap(\.items).count { $0.series == .steps } == 1440)
  }

  @Test("go on in place when what came before was written again, and say so")
  func rewritten() throws {
    let looks = try Self.looks(
      Self.steps,
      [(Self.activity(minutes: 600), Self.at(10)), (Self.activity(minutes: 700, from: 300), Self.at(11, 40))])
    #expect(
      looks[1].items.filter { $0.series == .steps }.map(\.values[1]) == (595..<695).map { Int64($0) }
        && looks[1].verdict.summary == "other")
  }

  @Test("bring sessions around the clock once each, also those that come in hours after others that began later")
  func sessions() throws {
    let first = try Self.automatic(
      [Session(hour: 8, minute: 0, rates: [60, 61, 62]), Session(hour: 9, minute: 0, rates: [70, 0, 72, 73])],
      intervalsAt: [3])
    let late = [
      Session(hour: 2, minute: 0, rates: [50, 51]), Session(hour: 8, minute: 0, rates: [60, 61, 62]),
      Session(hour: 8, minute: 0, rates: [90, 91], isFast: true),
      Session(hour: 9, minute: 0, rates: [70, 0, 72, 73, 74, 75]),
    ]
    let second = try Self.automatic(late, intervalsAt: [1, 3])
    let whole = try Self.automatic(late + [Session(hour: 23, minute: 50, rates: [80, 81])], intervalsAt: [1, 3, 4])
    let looks = try Self.looks(
      Self.samples, [(first, Self.at(9, 20)), (first, Self.at(9, 21)), (second, Self.at(12)), (whole, nil)])
    #expect(
      looks[0].items.filter { $0.series == .heartRate }.map(\.values) == [[60], [61], [62], [70], [72]],
      "a mean of five minutes is whole when they have settled")
    #expect(looks[0].items.count { $0.series == .ppi } == 2 && looks[1].items.isEmpty)
    #expect(
      looks[2].items.filter { $0.series == .heartRate }.map(\.values) == [[50], [51], [90], [91], [73], [74], [75]])
    #expect(looks[3].items.filter { $0.series == .heartRate }.map(\.values) == [[80], [81]])
    #expect(try Self.same(looks.flatMap(\.items), Self.whole(Self.samples, whole)))
  }

  @Test("know sessions of their own day alone, and no more than can be remembered: the others wait for the day's end")
  func manySessions() throws {
    let many = (0..<400).map { Session(hour: $0 / 60, minute: $0 % 60, rates: [UInt32(40 + $0 % 100)], isFast: true) }
    let file = try Self.automatic(many)
    let looks = try Self.looks(Self.samples, [(file, Self.at(12)), (file, Self.at(14)), (file, nil)])
    #expect(looks[0].items.count == PolarSessions.limit && looks[1].items.isEmpty)
    #expect(try Self.same(looks.flatMap(\.items), Self.whole(Self.samples, file)))
    var other = PolarSessions(day: LocalDate(dayNumber: Self.day.dayNumber - 1))
    other.note(PolarSessions.Key(isIntervals: false, trigger: 3, begins: 0), 7)
    #expect(PolarProgress(PolarProgress.sessions(other).bytes) == .sessions(other))
    for bytes in [[], [9], [1, 2], [3, 1], [3] + [UInt8](repeating: 0x7F, count: 8)] as [[UInt8]] {
      #expect(PolarProgress(bytes) == nil, "\(bytes)")
    }
  }

  private static func night(ends: Int64, minutes: Int, goal: UInt32 = 480) throws -> [UInt8] {
    var file = PbSleepAnalysisResult()
    file.sleepStartTime = time(ends - Int64(minutes) * 60_000_000)
    file.sleepEndTime = time(ends)
    file.sleepGoalMinutes = goal
    file.sleepwakePhases = stride(from: 0, to: minutes * 60, by: 3600).map { offset in
      var phase = PbSleepWakePhase()
      phase.secondsFromSleepStart = UInt32(offset)
      phase.sleepwakeState = .pbRem
      return phase
    }
    return try file.partial()
  }

  @Test("bring a night whole in the morning, no part of it when it is final, and once more what was computed again")
  func night() throws {
    let bytes = try Self.night(ends: Self.at(7), minutes: 480)
    let again = try Self.night(ends: Self.at(7, 30), minutes: 510)
    let looks = try Self.looks(Self.sleep, [(bytes, Self.at(9)), (bytes, nil), (again, nil), (again, nil)])
    #expect(
      try Self.same(looks[0].items, Self.whole(Self.sleep, bytes)) && looks[1].items.isEmpty && looks[3].items.isEmpty)
    #expect(looks[2].items.map(\.series) == [.sleepStage, .sleep] && looks[2].items[0].time == Self.at(7))
  }

  // MARK: listing

  @LoopActor
  private func list(_ pocket: PocketTransfer, _ known: [KnownItem], at time: Int64) async throws -> (
    PolarFiles, [HeldItem]
  ) {
    let files = PolarFiles(PSFTPClient(pocket.link), pocket.link)
    files.now = time
    return (files, try await files.list(known: known))
  }

  @LoopActor
  private func stored(_ files: PolarFiles, _ item: HeldItem, _ bytes: [UInt8]) throws -> KnownItem {
    let verdict = try bytes.withUnsafeBytes { try files.pieces(of: item).verifyAll($0) }
    #expect(verdict.isFinal != item.isOpen && verdict.keepsBytes != item.isOpen)
    return KnownItem(
      id: item.id, mark: verdict.mark, size: bytes.count, fetched: bytes.count, isDurable: true, isErased: false,
      progress: verdict.progress ?? [])
  }

  @Test(
    """
    are listed once an hour while they grow, and whole when their day is over; what of them is stored is never \
    removed before
    """
  )
  func listing() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.files = [Self.steps: try Self.activity(minutes: 600), "/U/0/20261121/DSUM/DSUM.BPB": [1]]
      let (files, first) = try await list(pocket, [], at: Self.at(10))
      #expect(first.map(\.id) == [Self.steps] && first[0].isOpen && files.removals(of: first).isEmpty)
      var known = try stored(files, first[0], pocket.files[Self.steps] ?? [])
      pocket.files[Self.steps] = try Self.activity(minutes: 630)
      let (_, soon) = try await list(pocket, [known], at: Self.at(10, 30))
      #expect(
        soon.map(\.mark) == [known.mark] && soon[0].size == known.size, "it is in the store as far as it needs to be")
      let (later, second) = try await list(pocket, [known], at: Self.at(11, 10))
      #expect(second[0].mark != known.mark && second[0].isOpen)
      // A look that was cut off is the same look once more.
      let half = KnownItem(
        id: known.id, mark: second[0].mark, size: second[0].size, fetched: 10, isDurable: false, isErased: false,
        progress: known.progress)
      #expect(try await list(pocket, [half], at: Self.at(11, 20)).1.map(\.mark) == [second[0].mark])
      known = try stored(later, second[0], pocket.files[Self.steps] ?? [])
      // Midnight came, and it is as long as it was.
      let (last, whole) = try await list(pocket, [known], at: Self.at(24, 10))
      let item = try #require(whole.first { $0.id == Self.steps })
      #expect(!item.isOpen && item.mark != known.mark && whole.count == 2)
      let final = try stored(last, item, pocket.files[Self.steps] ?? [])
      #expect(try await list(pocket, [final], at: Self.at(24, 20)).1.contains { $0.mark == final.mark })
    }
  }

  @Test(
    "are looked at once more though they are as long as before, until no part of them was too young; then left alone")
  func sameSize() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      let autos = try Self.automatic([Session(hour: 11, minute: 50, rates: [60, 61])])
      pocket.files = [Self.steps: try Self.activity(minutes: 720), Self.samples: autos]
      var known: [KnownItem] = []
      var fresh: [Int] = []
      for minutes in [0, 2, 30, 63, 75, 130, 190] {
        let (files, items) = try await list(pocket, known, at: Self.at(12, minutes))
        #expect(items.count == 2)
        var count = 0
        known = try items.map { item in
          if let before = known.first(where: { $0.id == item.id }), before.mark == item.mark { return before }
          let sink = TakenItems()
          let bytes = pocket.files[item.id] ?? []
          let now = try stored(files, item, bytes)
          try bytes.withUnsafeBytes { try files.pieces(of: item).decodeAll($0, into: sink) }
          count += sink.items.count
          return now
        }
        fresh.append(count)
      }
      // 715 minutes, 1430 half minutes and 11 classes; a mean of five minutes. An hour later what is at rest by then.
      #expect(fresh == [715 + 1430 + 11 + 1, 0, 0, 5 + 10 + 1 + 1, 0, 0, 0])
      let reads = pocket.operations.count { $0 == "GET \(Self.steps)" }
      _ = try await list(pocket, known, at: Self.at(18))
      #expect(pocket.operations.count { $0 == "GET \(Self.steps)" } == reads, "it has all of it")
    }
  }

  @Test("are listed as a night once an hour and a half has passed since waking, and not read again")
  func morning() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      let recharge = "/U/0/20261121/NR/NR.BPB"
      pocket.files = [
        Self.sleep: try Self.night(ends: Self.at(7), minutes: 480), recharge: [],
        "/U/0/20261121/SLEEPSCO/SCORE.BPB": [1],
      ]
      var message = PbNightlyRecoveryStatus()
      message.ansStatus = 1
      message.recoveryIndicator = 4
      pocket.files[recharge] = try message.partial()
      #expect(try await list(pocket, [], at: Self.at(8, 29)).1.isEmpty)
      let (files, items) = try await list(pocket, [], at: Self.at(8, 30))
      // The score does not grow: it is kept once.
      #expect(
        items.map(\.id) == [recharge, Self.sleep, "/U/0/20261121/SLEEPSCO/SCORE.BPB"]
          && items.map(\.isOpen) == [true, true, false])
      let known = try items.map { try stored(files, $0, pocket.files[$0.id] ?? []) }
      let reads = pocket.operations.count { $0 == "GET \(Self.sleep)" }
      let (_, again) = try await list(pocket, known, at: Self.at(8, 45))
      #expect(again.map(\.mark) == known.map(\.mark) && pocket.operations.count { $0 == "GET \(Self.sleep)" } == reads)
      // Slept on, and worked out again.
      pocket.files[Self.sleep] = try Self.night(ends: Self.at(9), minutes: 600)
      #expect(try await list(pocket, known, at: Self.at(10)).1.isEmpty)
      let anew = try await list(pocket, known, at: Self.at(10, 30)).1
      #expect(anew.first { $0.id == Self.sleep }.map { $0.mark != known[1].mark } == true)
      // Two days later all of it is final.
      #expect(try await list(pocket, known, at: Self.at(50)).1.filter { !$0.isOpen }.count == 3)
    }
  }
}
