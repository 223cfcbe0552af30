import CivilTime
import EventLoop
import Health
import PolarMessages
import Testing
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

@Suite("What is removed from Polar's wearables", .serialized)
struct RemovalPlanTests {
  private static let today = LocalDate(year: 2026, month: 11, day: 21)!

  @Test("sizes that no memory has are added up to what fits")
  func sizes() {
    let file = PSFTP.RemoteFile(path: "/SDLOGS/A.SLG", size: .max)
    #expect(PSFTP.RemoteFile.size(of: [file, file, PSFTP.RemoteFile(path: "/TRC1.BIN", size: 0)]) == .max)
    #expect(
      PSFTP.RemoteFile.size(of: []) == 0
        && PSFTP.RemoteFile.size(of: [PSFTP.RemoteFile(path: "/TRC1.BIN", size: 7)]) == 7)
  }

  private static func day(_ before: Int64) -> LocalDate { LocalDate(dayNumber: today.dayNumber - before) }

  /// A wearable's file system of some days around today, with files of every kind and some of unknown ones.
  private static func files(_ generator: inout SeededGenerator) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = ["/U/0/USERID.BPB": [1], "/U/0/S/PHYSDATA.BPB": [1], "/DEVICE.BPB": [1]]
    func some(_ chance: UInt64) -> Bool { generator.next() % chance == 0 }
    for before in -1...5 as ClosedRange<Int64> where !some(4) {
      let folder = PolarPath.folder(of: day(before))
      for kind in DayKind.allCases where some(3) {
        let place = folder + kind.rawValue + "/" + (kind == .bloodOxygenTest ? "08151\(generator.next() % 10)/" : "")
        for index in 0...(generator.next() % 2) {
          files[place + "F\(index).BPB"] = [UInt8](repeating: 1, count: Int(generator.next() % 9))
        }
        if some(5) { files[place + ["HIST.BPB", "NOTE.TXT"][Int(generator.next() % 2)]] = [2] }
      }
      if some(3) { files[folder + "NSTRESUL/NSTRCONT.BPB"] = [1] }
      for hour in 0..<3 where some(3) {
        files[folder + "E/0\(hour)0000/TSESS.BPB"] = [1]
        files[folder + "E/0\(hour)0000/00/BASE.BPB"] = [1]
      }
      for hour in 0..<2 where some(3) { files[folder + "R/1\(hour)0000/ACC0.REC"] = [1, 2, 3] }
      if some(6) { files[folder + "NEW/THING.XYZ"] = [1] }
    }
    for number in 0..<4 where some(2) { files["/U/0/AUTOS/AUTOS00\(number).BPB"] = [UInt8(number)] }
    if some(2) {
      files["/SDLOGS/A.SLG"] = [1]
      files["/SDLOGS/A.BIN"] = [1]
      files["/TRC12.BIN"] = [1]
      files["/TRC1234.BIN"] = [1]
    }
    return files
  }

  @Test("is stored, over, unwanted and at rest, and exactly what each call says: 400 generated wearables")
  func property() throws {
    try onLoop { _ async throws in
      var generator = SeededGenerator(seed: 0x504F_4C41)
      var (calls, whole, samples) = (0, 0, 0)
      for round in 0..<400 {
        let pocket = PocketTransfer()
        pocket.files = Self.files(&generator)
        pocket.link.mtu = 517
        // Most of it is stored in some rounds, half of it in others.
        let unstored = Set(pocket.files.keys.sorted().filter { _ in generator.next() % (round % 2 == 0 ? 40 : 2) == 0 })
        let first = Self.day(Int64(generator.next() % 6))
        let wanted = round % 3 == 0 ? [first...LocalDate(dayNumber: first.dayNumber + Int64(generator.next() % 3))] : []
        let running = pocket.files.keys.sorted().filter { $0.contains("/R/") && generator.next() % 8 == 0 }.compactMap {
          PolarPath.parent($0)
        }
        let rules = RemovalRules(today: Self.today, wanted: wanted, growing: running) { !unstored.contains($0.path) }
        let client = PSFTPClient(pocket.link)
        let tree = try await client.walk("/") { name, _ in round % 5 != 0 || name != "NEW/" }
        let dated = tree.files.filter { $0.path.hasPrefix(PolarPath.automaticSamples) }.enumerated().map {
          DatedFile(file: $1, day: Self.day(Int64($0) - 1))
        }
        let plan = RemovalPlan.all(tree, samples: dated, rules)
        var covered: Set<String> = []
        for call in plan {
          let before = Set(pocket.files.keys)
          let answer1 = try await client.remove(call)
          #expect(answer1 == .erased)
          let gone = before.subtracting(pocket.files.keys)
          let covers = Set(call.covers.map { $0.path })
          #expect(gone == covers && !gone.isEmpty, "\(call.path) of round \(round)")
          #expect(gone.isDisjoint(with: unstored) && covered.isDisjoint(with: gone))
          covered.formUnion(gone)
          for path in gone {
            let isRunning = running.contains { path.hasPrefix($0) }
            #expect(!isRunning)
            let day = PolarPath.day(of: path) ?? dated.first { $0.file.path == path }?.day
            guard let day else { continue }
            let isWanted = wanted.contains { $0.contains(day) }
            #expect(day < Self.today && !isWanted, "\(path) of round \(round)")
            if DayKind.ofNight.contains(where: { path.contains("/\($0)/") }) {
              #expect(day < Self.day(1), "\(path): of the last night")
            }
          }
          calls += 1
          if PolarPath.components(call.path).count == 3 { whole += 1 }
          if call.path.contains("AUTOS") { samples += 1 }
        }
        // What could go and is of a kind that goes is gone.
        for file in tree.files where !covered.contains(file.path) {
          guard let day = PolarPath.day(of: file.path), day < Self.day(1), !rules.isWanted(day), rules.isStored(file),
            rules.isAtRest(file.path)
          else { continue }
          let parts = PolarPath.components(file.path)
          guard let kind = DayKind(rawValue: String(parts[3])), DayKind.isRemovable(parts[parts.count - 1]) else {
            continue
          }
          Issue.record("\(kind) \(file.path) of round \(round) could have gone")
        }
        #expect(
          pocket.files["/U/0/USERID.BPB"] != nil && pocket.files["/U/0/S/PHYSDATA.BPB"] != nil
            && pocket.files["/DEVICE.BPB"] != nil)
      }
      print("removals: \(calls), of them whole days: \(whole), of automatic samples: \(samples)")
      #expect(whole > 100 && samples > 100 && calls > 2000)
    }
  }

  @Test("goes in a visit only if each thing in it has its receipt, is over and was listed: 60 generated wearables")
  func domain() throws {
    try onLoop { loop in
      var generator = SeededGenerator(seed: 0x444F_4D41)
      var (calls, whole) = (0, 0)
      for round in 0..<60 {
        let scratch = try ScratchStore(loop)
        let pocket = PocketTransfer.onTime()
        pocket.link.mtu = 517
        pocket.files = Self.files(&generator)
        for (kind, name) in ["DSUM": "DSUM", "NR": "NR", "SLEEP": "SLEEPRES", "SKINTEMP": "TEMPCONT"] {
          for path in pocket.files.keys where path.hasSuffix("/\(kind)/F0.BPB") {
            pocket.files["\(path.dropLast(6))\(name).BPB"] = pocket.files.removeValue(forKey: path)
          }
        }
        for (number, path) in pocket.files.keys.filter({ $0.hasPrefix(PolarPath.automaticSamples) }).sorted()
          .enumerated()
        {
          var sessions = PbAutomaticSampleSessions()
          sessions.day = ClockFace(microseconds: Self.day(Int64(number)).dayNumber * 86_400_000_000).wireDate
          pocket.files[path] = try sessions.partial()
        }
        let session = PolarSession(pocket.link)
        _ = try await session.check()
        let domain = try #require(session.domains.first)
        let items = try await domain.list(known: [])
        var receipts: [String: [Receipt]] = [:]
        for item in items where generator.next() % 12 != 0 { receipts[item.id] = [try await scratch.receipt(item)] }
        // Something comes while it is visited, in some rounds.
        if round % 4 == 0 { pocket.files[PolarPath.folder(of: Self.day(3)) + "ACT/LATE.BPB"] = [1] }
        for removal in domain.removals(of: items) {
          guard let proof = RemovalProof(removal, of: scratch.wearable, receipts: receipts.values.flatMap { $0 }) else {
            continue
          }
          let before = Set(pocket.files.keys)
          let outcome = try await domain.remove(proof)
          let gone = before.subtracting(pocket.files.keys)
          #expect(
            gone.isSubset(of: removal.covers.map(\.id)) && gone.allSatisfy { receipts[$0] != nil },
            "\(removal.name) of round \(round)")
          if outcome != .erased { #expect(gone.isEmpty) }
          for path in gone {
            let day = try #require(
              PolarPath.day(of: path) ?? (path.hasPrefix(PolarPath.automaticSamples) ? Self.day(1) : nil))
            // A recording that has ended goes by itself on whatever day; everything else when the day is over.
            if PMD.RecordingName(path: path) == nil || removal.covers.count > 1 {
              #expect(day < Self.today, "\(path) of round \(round)")
            }
            if DayKind.ofNight.contains(where: { path.contains("/\($0)/") }) {
              #expect(day < Self.day(1), "\(path): of the last night")
            }
          }
          calls += 1
          if PolarPath.components(removal.name).count == 3, !gone.isEmpty { whole += 1 }
        }
        #expect(round % 4 != 0 || pocket.files[PolarPath.folder(of: Self.day(3)) + "ACT/LATE.BPB"] != nil)
        #expect(
          pocket.files["/U/0/USERID.BPB"] != nil && pocket.files["/U/0/S/PHYSDATA.BPB"] != nil
            && pocket.files["/DEVICE.BPB"] != nil)
        await scratch.close()
      }
      print("removals in visits: \(calls), of them whole days: \(whole)")
      #expect(calls > 200 && whole > 5)
    }
  }

  @Test(
    "goes with a whole day only if everything of the day was seen and is stored, and the night after it is over too")
  func wholeDays() throws {
    func plan(_ names: [String], day: LocalDate, unseen: Set<String> = [], unstored: String? = nil) -> [RemovalCall] {
      let folder = PolarPath.folder(of: day)
      var tree = PSFTP.Tree(
        files: names.map { PSFTP.RemoteFile(path: folder + $0, size: 1) }, directories: ["/U/0/", folder],
        unseenIn: unseen)
      for file in tree.files {
        var place = file.path
        while let parent = PolarPath.parent(place), parent.hasPrefix(folder), parent != folder {
          if !tree.directories.contains(parent) { tree.directories.append(parent) }
          place = parent
        }
      }
      return RemovalPlan.dayFolders(tree, RemovalRules(today: Self.today) { !$0.path.hasSuffix(unstored ?? "nothing") })
    }
    let yesterday = Self.day(1)
    let whole = plan(["ACT/A.BPB", "E/101010/TSESS.BPB"], day: yesterday)
    #expect(whole.count == 1 && whole.first?.path == "/U/0/20261120")
    #expect(plan(["ACT/A.BPB"], day: Self.today).isEmpty)
    #expect(plan(["ACT/A.BPB"], day: Self.day(-1)).isEmpty)
    #expect(plan(["ACT/A.BPB", "SLEEP/SLEEPRES.BPB"], day: yesterday).isEmpty)
    #expect(plan(["ACT/A.BPB", "SLEEP/SLEEPRES.BPB"], day: Self.day(2)).count == 1)
    #expect(plan(["ACT/A.BPB", "R/101010/ACC0.REC"], day: yesterday, unstored: "ACC0.REC").isEmpty)
    #expect(plan(["ACT/A.BPB"], day: yesterday, unseen: ["/U/0/20261120/"]).isEmpty)
    #expect(plan(["ACT/A.BPB"], day: yesterday, unseen: ["/U/0/20261120/NEW/"]).isEmpty)
  }

  @Test("leaves the folder of exercises while another is in it, or begins in it")
  func exercises() throws {
    let day = PolarPath.folder(of: Self.day(1))
    let names = ["E/101010/TSESS.BPB", "E/101010/00/BASE.BPB", "E/111111/TSESS.BPB"]
    let tree = PSFTP.Tree(
      files: names.map { PSFTP.RemoteFile(path: day + $0, size: 1) },
      directories: [day, day + "E/", day + "E/101010/", day + "E/101010/00/", day + "E/111111/"])
    let all = RemovalPlan.trainingSessions(tree, RemovalRules(today: Self.today) { _ in true })
    let (paths, counts) = (all.map { $0.path }, all.map { $0.covers.count })
    #expect(paths == [day + "E/101010/", day + "E/111111/"] && counts == [2, 1])
    var alone = tree
    alone.files.removeLast()
    alone.directories.removeLast()
    let only = RemovalPlan.trainingSessions(alone, RemovalRules(today: Self.today) { _ in true })
    #expect(only.count == 1 && only.first?.path == day + "E/")
    let beside = RemovalPlan.trainingSessions(
      alone, RemovalRules(today: Self.today, growing: [day + "E/235900/"]) { _ in true })
    #expect(beside.count == 1 && beside.first?.path == day + "E/101010/")
  }

  @Test("leaves empty folders of today, and of what was not looked into")
  func emptyFolders() {
    var tree = PSFTP.Tree()
    let (over, now) = ("/U/0/20261119/", PolarFile.folder(of: Self.today))
    tree.directories = [
      "/U/0/", over, over + "R/", over + "R/101010/", over + "R/111111/", over + "E/", over + "E/121212/",
      over + "ACT/", now, now + "R/", "/U/0/S/",
    ]
    tree.files = [PSFTP.RemoteFile(path: over + "R/111111/ACC0.REC", size: 1)]
    tree.unseenIn = [over + "ACT/"]
    #expect(RemovalPlan.emptyFolders(tree, before: Self.today) == [over + "R/101010/", over + "E/121212/"])
    #expect(RemovalPlan.emptyFolders(tree, before: LocalDate(dayNumber: Self.today.dayNumber + 1)).last == now + "R/")
    #expect(RemovalPlan.emptyFolders(PSFTP.Tree(), before: Self.today).isEmpty)
  }

  @Test("is read back: what is still there was not erased, what is refused is left for later, empty folders go with it")
  func readBack() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer()
      let path = "/U/0/20261119/SLEEP/SLEEPRES.BPB"
      pocket.files = [path: [1], "/U/0/S/P.BPB": [1]]
      let client = PSFTPClient(pocket.link)
      let call = RemovalCall(path: path, covers: [PSFTP.RemoteFile(path: path, size: 1)], clearsParents: true)
      pocket.ignores = ["REMOVE \(path)"]
      let answer2 = try await client.remove(call)
      #expect(answer2 == .ineffective("\(path) is still there"))
      pocket.refusals = ["REMOVE \(path)": 106]
      let answer3 = try await client.remove(call)
      #expect(answer3 == .notNow("\(path): not permitted"))
      (pocket.refusals, pocket.ignores) = ([:], [])
      let answer4 = try await client.remove(call)
      #expect(answer4 == .erased)
      #expect(pocket.children(of: "/U/0/") == ["S/"])
      // Gone before: no fault.
      let answer5 = try await client.remove(call)
      #expect(answer5 == .erased)
    }
  }
}
