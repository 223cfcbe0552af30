import CivilTime
import EventLoop
import Health
import PolarMessages
import Testing
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Sums, tests and scores of the wearable's own day", .serialized)
struct PolarTotalsTests {
  private static let day = LocalDate(year: 2026, month: 11, day: 21)!
  private static let midnight = day.dayNumber * 86_400_000_000
  private static func at(_ hour: Int, _ minute: Int = 0) -> Int64 { midnight + Int64(hour * 60 + minute) * 60_000_000 }

  private static let sums = "/U/0/20261121/DSUM/DSUM.BPB", test = "/U/0/20261121/SPO2TEST/101500/SPO2TRES.BPB"
  private static let sleep = "/U/0/20261121/SLEEP/SLEEPRES.BPB", score = "/U/0/20261121/SLEEPSCO/SCORE.BPB"

  private static func summary(distance: Float?, calories: UInt32, training: UInt32? = nil) throws -> [UInt8] {
    var file = PbDailySummary()
    file.date = ClockFace(microseconds: midnight).wireDate
    file.activityCalories = calories
    if let distance { file.activityDistance = distance }
    if let training { file.trainingCalories = training }
    return try file.partial()
  }

  private static func oxygen(_ percent: Int32, rate: UInt32 = 61) throws -> [UInt8] {
    var file = PbSpo2TestResult()
    (file.testStatus, file.bloodOxygenPercent, file.averageHeartRateBpm) = (.spo2TestPassed, percent, rate)
    return try file.partial()
  }

  private static func night(ends: Int64) throws -> [UInt8] {
    func moment(_ time: Int64) -> PbLocalDateTime {
      let civil = ClockFace(microseconds: time)
      var moment = PbLocalDateTime()
      (moment.date, moment.time, moment.obsoleteTrusted) = (civil.wireDate, civil.wireTime, true)
      return moment
    }
    var file = PbSleepAnalysisResult()
    (file.sleepStartTime, file.sleepEndTime) = (moment(ends - 28_800_000_000), moment(ends))
    return try file.partial()
  }

  private typealias Look = (values: [[Int64]], isOther: Bool, progress: [UInt8])

  /// Successive looks at a file, and the result of each: series, minutes after midnight, minutes, amount.
  private static func looks(_ path: String, _ files: [(bytes: [UInt8], at: Int64?)]) throws -> [Look] {
    let file = try #require(PolarFile(path: path))
    var progress: [UInt8] = []
    return try files.map { bytes, time in
      try bytes.withUnsafeBytes { raw in
        let part = PolarPart(before: PolarProgress(progress), lookedAt: time)
        let content = try #require(part.content(FileContents(file, raw), of: file, raw, exerciseStart: nil))
        progress = content.progress?.bytes ?? []
        let sink = TakenItems()
        content.append(sink)
        let values = sink.items.map {
          [Int64($0.series.id), ($0.time - midnight) / 60_000_000]
            + $0.values.enumerated().map { $0.offset == 0 && $0.element > 1000 ? $0.element / 60_000_000 : $0.element }
        }
        return (values, content.isOther, progress)
      }
    }
  }

  private static let (distance, calories, training) = (
    Int64(Series.distance.id), Int64(Series.calories.id), Int64(Series.trainingCalories.id)
  )

  @Test("a sum brings what it has grown by since the last look, and the rest when the day is over")
  func growth() throws {
    let looks = try Self.looks(
      Self.sums,
      [
        (Self.summary(distance: 1000, calories: 50), Self.at(8)),
        (Self.summary(distance: 1000, calories: 60), Self.at(10)),
        (Self.summary(distance: 4000.5, calories: 60, training: 0), Self.at(20)),
        (Self.summary(distance: 5000, calories: 75, training: 0), nil),
        (Self.summary(distance: 5000, calories: 75, training: 0), nil),
      ])
    #expect(looks[0].values == [[Self.calories, 0, 480, 500], [Self.distance, 0, 480, 10_000]])
    #expect(looks[1].values == [[Self.calories, 480, 120, 100]])
    #expect(
      looks[2].values == [[Self.training, 0, 1200, 0], [Self.distance, 600, 600, 30_005]],
      "what is told for the first time is told from midnight on")
    #expect(looks[3].values == [[Self.calories, 1200, 240, 150], [Self.distance, 1200, 240, 9995]])
    #expect(looks[4].values.isEmpty && looks.allSatisfy { !$0.isOther && $0.progress.count == 41 })
  }

  @Test("a day without a look is one value for each sum, as ever; written again it brings what is more")
  func wholeDay() throws {
    let looks = try Self.looks(
      Self.sums, [(Self.summary(distance: 5000, calories: 0), nil), (Self.summary(distance: 5100, calories: 0), nil)])
    #expect(looks[0].values == [[Self.calories, 0, 1440, 0], [Self.distance, 0, 1440, 50_000]])
    #expect(looks[1].values == [[Self.distance, 0, 1440, 1000]])
  }

  @Test("a sum that went down brings no value until it is more than what is stored, and that is said")
  func lower() throws {
    let looks = try Self.looks(
      Self.sums,
      [
        (Self.summary(distance: 1000, calories: 50), Self.at(8)),
        (Self.summary(distance: 10, calories: 70), Self.at(10)),
        (Self.summary(distance: 900, calories: 70), Self.at(12)), (Self.summary(distance: 1200, calories: 70), nil),
      ])
    #expect(looks.map(\.isOther) == [false, true, true, false])
    #expect(looks[1].values == [[Self.calories, 480, 120, 200]] && looks[2].values.isEmpty)
    #expect(looks[3].values == [[Self.distance, 720, 720, 2000]])
  }

  @Test("a clock that was put back gives no value a negative length, and all lie inside their day")
  func clock() throws {
    let looks = try Self.looks(
      Self.sums,
      [
        (Self.summary(distance: 1000, calories: 50), Self.at(14)),
        (Self.summary(distance: 1100, calories: 50), Self.at(11)),
        (Self.summary(distance: 1200, calories: 50), Self.at(12)),
        (Self.summary(distance: 1300, calories: 50), Self.at(25)),
      ])
    #expect(looks[1].values == [[Self.distance, 660, 0, 1000]] && looks[2].values == [[Self.distance, 660, 60, 1000]])
    #expect(looks[3].values == [[Self.distance, 720, 720, 1000]])
    #expect(try Self.looks(Self.sums, [([], Self.at(14))])[0].values.isEmpty, "no day, no sum")
  }

  @Test("what is remembered of sums is read as it was written, and what is no such thing is not")
  func progress() throws {
    let bytes = try Self.looks(Self.sums, [(Self.summary(distance: 1000, calories: 50), Self.at(8))])[0].progress
    #expect(PolarProgress(bytes)?.bytes == bytes)
    for wrong in [Array(bytes.dropLast()), bytes + [0], [4], bytes.dropLast(8) + [UInt8](repeating: 0xFE, count: 8)]
      as [[UInt8]]
    {
      #expect(PolarProgress(wrong) == nil, "\(wrong)")
    }
  }

  // MARK: listing

  @LoopActor
  private func list(_ pocket: PocketTransfer, _ known: [KnownItem], at time: Int64, setBackFrom: Int64? = nil)
    async throws -> (files: PolarFiles, items: [HeldItem])
  {
    let files = PolarFiles(PSFTPClient(pocket.link), pocket.link)
    (files.now, files.setBackFrom) = (time, setBackFrom)
    return (files, try await files.list(known: known))
  }

  @LoopActor
  private func stored(_ files: PolarFiles, _ item: HeldItem, _ bytes: [UInt8]) throws -> (
    known: KnownItem, values: [[Int64]]
  ) {
    let pieces = files.pieces(of: item)
    let sink = TakenItems()
    let verdict = try bytes.withUnsafeBytes { raw in
      let verdict = try pieces.verifyAll(raw)
      try pieces.decodeAll(raw, into: sink)
      return verdict
    }
    #expect(verdict.isFinal != item.isOpen && verdict.keepsBytes != item.isOpen)
    let known = KnownItem(
      id: item.id, mark: verdict.mark, size: bytes.count, fetched: bytes.count, isDurable: true, isErased: false,
      progress: verdict.progress ?? [])
    return (known, sink.items.map(\.values))
  }

  @Test("sums are looked at once an hour if they grew, also in the same size, and never next to midnight")
  func listing() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.files = [Self.sums: try Self.summary(distance: 1000, calories: 50)]
      #expect(try await list(pocket, [], at: Self.at(0, 4)).items.isEmpty)
      let (files, first) = try await list(pocket, [], at: Self.at(8))
      #expect(first.map(\.id) == [Self.sums] && first[0].isOpen && files.removals(of: first).isEmpty)
      let (known, values) = try stored(files, first[0], pocket.files[Self.sums] ?? [])
      #expect(values.count == 2)
      let reads = pocket.operations.count { $0 == "GET \(Self.sums)" }
      pocket.files[Self.sums] = try Self.summary(distance: 2000, calories: 51)
      #expect(try await list(pocket, [known], at: Self.at(8, 50)).items.map(\.mark) == [known.mark])
      #expect(pocket.operations.count { $0 == "GET \(Self.sums)" } == reads, "it was read within the hour")
      let (later, second) = try await list(pocket, [known], at: Self.at(9, 10))
      #expect(second[0].isOpen && second[0].mark != known.mark && second[0].size == known.size)
      let (again, more) = try stored(later, second[0], pocket.files[Self.sums] ?? [])
      #expect(more.map(\.[1]) == [10, 10_000])
      for (hour, minute) in [(12, 0), (23, 56)] {
        #expect(
          try await list(pocket, [again], at: Self.at(hour, minute)).items.map(\.mark) == [again.mark],
          "nothing is new, or it is too late")
      }
      let (last, whole) = try await list(pocket, [again], at: Self.at(24, 10))
      #expect(!whole[0].isOpen && whole[0].mark != again.mark)
      let (final, rest) = try stored(last, whole[0], pocket.files[Self.sums] ?? [])
      #expect(
        rest.isEmpty && final.mark == whole[0].mark
          && last.removals(of: whole).contains { $0.covers.map(\.id) == [Self.sums] })
    }
  }

  @Test("sums that cannot be read wait for the end of their day")
  func unreadable() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.files = [Self.sums: [0xFF], Self.test: [0xFF]]
      #expect(try await list(pocket, [], at: Self.at(12)).items.isEmpty)
      #expect(try await list(pocket, [], at: Self.at(25)).items.count == 2)
    }
  }

  @Test("a test of blood oxygen is stored five minutes after it was made, once, and stays until its day is over")
  func oxygen() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.files = [Self.test: try Self.oxygen(97)]
      #expect(try await list(pocket, [], at: Self.at(10, 19)).items.isEmpty)
      let (files, items) = try await list(pocket, [], at: Self.at(10, 20))
      #expect(items.map(\.id) == [Self.test] && !items[0].isOpen && files.removals(of: items).isEmpty)
      let (known, values) = try stored(files, items[0], pocket.files[Self.test] ?? [])
      #expect(values == [[97], [61]])
      let (tomorrow, whole) = try await list(pocket, [known], at: Self.at(25))
      #expect(whole.map(\.mark) == [known.mark], "it is in the store")
      #expect(tomorrow.removals(of: whole).contains { $0.covers.map(\.id) == [Self.test] })
      // Written again, in another size: the same values are no second test, others are.
      let looks = try Self.looks(Self.test, [(Self.oxygen(97), nil), (Self.oxygen(97), nil), (Self.oxygen(98), nil)])
      #expect(looks.map(\.values.count) == [2, 0, 2] && looks.map(\.isOther) == [false, false, true])
      // By the clock as it was before this visit put it back.
      #expect(try await list(pocket, [], at: Self.at(9), setBackFrom: Self.at(11)).items.map(\.id) == [Self.test])
      #expect(try await list(pocket, [], at: Self.at(9), setBackFrom: Self.at(10)).items.isEmpty)
    }
  }

  @Test("a sleep score is kept as it is once the night is over, and again only if it was written again by the end")
  func score() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      pocket.files = [Self.sleep: try Self.night(ends: Self.at(7)), Self.score: [1, 2, 3]]
      #expect(try await list(pocket, [], at: Self.at(8, 29)).items.isEmpty)
      let (files, items) = try await list(pocket, [], at: Self.at(8, 30))
      let item = try #require(items.first { $0.id == Self.score })
      #expect(!item.isOpen && files.removals(of: items).isEmpty)
      let (known, values) = try stored(files, item, [1, 2, 3])
      #expect(values.isEmpty)
      let (final, same) = try await list(pocket, [known], at: Self.at(50))
      #expect(same.first { $0.id == Self.score }?.mark == known.mark)
      #expect(final.removals(of: same).contains { $0.covers.contains { $0.id == Self.score } })
      pocket.files[Self.score] = [1, 2, 4]
      #expect(
        try await list(pocket, [known], at: Self.at(10)).items.first { $0.id == Self.score }?.mark == known.mark,
        "it waits for the end")
      let (last, anew) = try await list(pocket, [known], at: Self.at(50))
      let other = try #require(anew.first { $0.id == Self.score })
      #expect(other.mark != known.mark)
      let (kept, _) = try stored(last, other, [1, 2, 4])
      #expect(try await list(pocket, [kept], at: Self.at(51)).items.first { $0.id == Self.score }?.mark == kept.mark)
    }
  }
}
