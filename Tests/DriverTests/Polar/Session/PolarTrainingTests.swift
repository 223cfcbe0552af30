import CivilTime
import EventLoop
import Health
import PolarMessages
import Testing
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Trainings of the wearable's own day")
struct PolarTrainingTests {
  private static let today = LocalDate(year: 2026, month: 11, day: 21)!
  /// 12:00 by the wearable's clock, µs since 1970.
  private static let noon = today.dayNumber * 86_400_000_000 + 43_200_000_000

  /// - Parameter ends: minutes before noon; nil: it does not say.
  private static func session(_ day: LocalDate = today, ends: Int?, exercises: UInt32 = 1) throws -> [UInt8] {
    var message = PbTrainingSession()
    message.exerciseCount = exercises
    func moment(_ minutes: Int) -> PbLocalDateTime {
      var moment = PbLocalDateTime()
      let time = ClockFace(microseconds: day.dayNumber * 86_400_000_000 + Int64(minutes) * 60_000_000)
      (moment.date, moment.time, moment.obsoleteTrusted) = (time.wireDate, time.wireTime, true)
      return moment
    }
    message.start = moment(600)
    if let ends { message.end = moment(720 - ends) }
    return try message.wire()
  }

  private static let folder = PolarFile.folder(of: today) + "E/100000/"

  private static func tree(_ names: [String], size: UInt64 = 9) -> PSFTP.Tree {
    var tree = PSFTP.Tree()
    tree.directories = [
      PolarFile.folder(of: today), PolarFile.folder(of: today) + "E/", folder, folder + "00/", folder + "01/",
    ]
    tree.files = names.map { PSFTP.RemoteFile(path: folder + $0, size: size) }
    return tree
  }

  @Test("are over when they say that they ended ten minutes ago, and all their exercises are there")
  func over() throws {
    let whole = PolarTrainings(
      tree: Self.tree(["00/BASE.BPB", "00/SAMPLES.BPB", "TSESS.BPB"]), today: Self.today, now: Self.noon)
    #expect(whole.sessions.map(\.folder) == [Self.folder] && whole.files(in: Self.folder).count == 3)
    for (ends, isOver) in [(10, true), (60, true), (9, false), (-5, false), (nil, false)] as [(Int?, Bool)] {
      #expect(
        try whole.isOver(Self.session(ends: ends), in: Self.folder) == isOver, "\(ends.map { "\($0)" } ?? "no") minutes"
      )
    }
    #expect(try !whole.isOver(Self.session(ends: 30, exercises: 2), in: Self.folder))
    #expect(try !whole.isOver(Self.session(ends: 30, exercises: .max), in: Self.folder))
    let empty = PolarTrainings(tree: Self.tree(["TSESS.BPB"]), today: Self.today, now: Self.noon)
    #expect(
      try !empty.isOver(Self.session(ends: 30, exercises: 0), in: Self.folder),
      "nothing was done in it, as far as can be seen")
    #expect(!whole.isOver([0xFF, 0xFF], in: Self.folder) && !whole.isOver([], in: Self.folder))
    #expect(
      try !PolarTrainings(tree: whole.tree, today: Self.today, now: .min).isOver(
        Self.session(ends: 30), in: Self.folder))
  }

  @Test("are left for tomorrow if a part was not seen, or their file is invalid")
  func unseen() {
    var tree = Self.tree(["00/BASE.BPB", "TSESS.BPB"])
    tree.unseenIn = [Self.folder + "00/"]
    #expect(PolarTrainings(tree: tree, today: Self.today, now: Self.noon).sessions.isEmpty)
    #expect(
      PolarTrainings(tree: Self.tree(["TSESS.BPB"], size: 1 << 20), today: Self.today, now: Self.noon).sessions.isEmpty)
    #expect(
      PolarTrainings(
        tree: Self.tree(["TSESS.BPB"]), today: LocalDate(dayNumber: Self.today.dayNumber + 1), now: Self.noon
      ).sessions.isEmpty)
    var many = Self.tree([])
    for number in 10..<60 {
      let folder = PolarFile.folder(of: Self.today) + "E/10\(number)00/"
      many.directories.append(folder)
      many.files.append(PSFTP.RemoteFile(path: folder + "TSESS.BPB", size: 9))
    }
    #expect(PolarTrainings(tree: many, today: Self.today, now: Self.noon).sessions.count == PolarTrainings.limit)
  }

  @Test("are listed once they are over and not removed; one that was written again since waits for the end of the day")
  func listed() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.onTime()
      let now = ClockFace(microseconds: pocket.link.hubTime.wall.microseconds)
      let folder = PolarFile.folder(of: now.date) + "E/000000/"
      // Ended in the day's first minute.
      let session = try Self.session(now.date, ends: 720)
      pocket.files = [folder + "TSESS.BPB": session, folder + "00/BASE.BPB": [1, 2]]
      let visit = PolarSession(pocket.link)
      _ = try await visit.check()
      let items = try await visit.files.list(known: [])
      #expect(items.map(\.id) == [folder + "00/BASE.BPB", folder + "TSESS.BPB"])
      #expect(visit.files.removals(of: items).isEmpty)
      func known(_ item: HeldItem, size: Int) -> KnownItem {
        KnownItem(id: item.id, mark: "\(size)", size: size, fetched: size, isDurable: true, isErased: false)
      }
      let reads = pocket.operations.count { $0 == "GET \(folder)TSESS.BPB" }
      #expect(reads == 1)
      let later = try await visit.files.list(known: [known(items[0], size: 1), known(items[1], size: session.count)])
      #expect(later.map(\.id) == [folder + "TSESS.BPB"], "the base has another size than what is stored")
      #expect(pocket.operations.count { $0 == "GET \(folder)TSESS.BPB" } == reads, "what is stored is not read again")
      visit.files.now = nil
      #expect(try await visit.files.list(known: []).isEmpty)
    }
  }
}
