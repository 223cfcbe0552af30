import Bluetooth
import EventLoop
import Health
import RingStore
import Testing
import Wearable

@testable import BotzFamily
@testable import DriverTestSupport

@Suite("The files of an insole", .serialized)
struct ActivityDomainTests {
  @LoopActor
  private func domain(_ insole: PocketInsole) throws -> any FetchDomain {
    try #require(BotzSession(insole.link).domains.first)
  }

  private func trouble(_ body: () async throws(VisitTrouble) -> Void) async -> VisitTrouble? {
    do throws(VisitTrouble) { try await body() } catch { return error }
    return nil
  }

  /// A file for each number, each of another session.
  @LoopActor
  private func insole(with numbers: some Sequence<Int>, records: Int = 3) -> PocketInsole {
    let insole = PocketInsole()
    for number in numbers {
      insole.files[UInt8(number)] = PocketInsole.file(
        start: 1_795_000_000 + UInt32(number) * 1000, records: records + number % 5)
    }
    insole.newest = insole.files.keys.max() ?? 0
    return insole
  }

  /// An insole with such files. The hub has listed them, and erased them if the test says so.
  @LoopActor
  private func listed(with numbers: some Sequence<Int>, isErased: Bool = false) async throws -> (
    PocketInsole, [KnownItem]
  ) {
    let insole = insole(with: numbers)
    return (insole, try await domain(insole).list(known: []).map { $0.known(isErased: isErased) })
  }

  @Test("of more than 33 hours of records stay on the insole, however large it says that they are")
  func longest() throws {
    try onLoop { _ in
      let domain = try self.domain(self.insole(with: [7]))
      for size in [ActivityContents.limit + 1, .max] {
        let item = HeldItem(id: "activity_007.dat", mark: "1-2-3", size: size)
        let trouble = await self.trouble { () throws(VisitTrouble) in
          try await domain.fetch(item, into: CollectingSink())
        }
        guard case .unsupported(let why)? = trouble else { return #expect(Bool(false), "\(size)") }
        #expect(why.contains("at most \(ActivityContents.limit) are fetched"))
      }
      #expect(ActivityContents.limit > 33 * 3600 * Botz.ActivityRecord.size)
    }
  }

  // MARK: listing

  @Test(
    "of which one cannot be opened, or has a status without its length, are listed but for it, without any erasure",
    arguments: [
      CBOR.map([]), .map(["len": .text("53")]),
      .map(["err": .map(["group": .unsigned(8), "rc": .unsigned(5)])]),
      .map(["err": .map(["group": .unsigned(8), "rc": .unsigned(77)])]),
    ])
  func untold(_ answer: CBOR) throws {
    try onLoop { _ in
      let insole = self.insole(with: [1, 2, 3])
      let odd = try #require(Botz.FileNumber(2))
      insole.answer = { $0 == .status(name: odd.path) ? answer : nil }
      let domain = try self.domain(insole)
      let items = try await domain.list(known: [])
      #expect(items.map(\.id) == ["activity_001.dat", "activity_003.dat"])
      #expect(domain.removals(of: items).isEmpty && insole.link.notes.contains { $0.hasPrefix(odd.name) })
    }
  }

  @Test("are known to be in the store as far as 64 bits can add up what is kept of them")
  func largestSizes() throws {
    func item(_ id: String, _ size: Int) -> KnownItem {
      KnownItem(id: id, mark: "1-2-3", size: size, fetched: size, isDurable: true, isErased: false)
    }
    let (largest, behind) = (item("activity_001.dat", .max), item("activity_001.dat+\(Int.max)", 1))
    let known = KnownActivity(try #require(Botz.FileNumber(1)), [behind, largest])
    #expect(known.durable.map(\.id) == [largest.id] && known.durableSize == .max)
    #expect(known.open?.id == behind.id)
  }

  @Test("are found by asking for every number at first contact", arguments: [0, 1, 40, 255])
  func firstContact(_ count: Int) throws {
    try onLoop { _ in
      let insole = self.insole(with: 1..<(count + 1))
      let items = try await self.domain(insole).list(known: [])
      #expect(items.map(\.id) == (1..<(count + 1)).map { Botz.FileNumber($0)?.name ?? "" })
      #expect(
        items.allSatisfy { $0.size == insole.files[Botz.FileNumber(name: $0.id)?.value ?? 0]?.count && !$0.isOpen })
      #expect(insole.statusCount == 255)
      #expect(
        items.prefix(24).allSatisfy { !$0.mark.isEmpty && $0.begins != nil } && insole.downloadCount == min(24, count))
      #expect(
        items.allSatisfy {
          $0.id.utf8.count <= HeldItem.idLimit && $0.mark.utf8.count <= HeldItem.markLimit && !$0.mark.contains(" ")
        })
    }
  }

  @Test("that are known are not asked for again, but for the newest, which proves that no other program erased")
  func laterVisit() throws {
    try onLoop { _ in
      let (insole, known) = try await self.listed(with: 1...5)
      insole.files[6] = PocketInsole.file(start: 1_795_111_111, records: 2)
      insole.newest = 6
      let before = insole.statusCount
      let items = try await self.domain(insole).list(known: known)
      #expect(items.map(\.id) == (1...6).map { Botz.FileNumber($0)?.name ?? "" })
      #expect(
        items.dropLast().map { $0.mark } == known.map { $0.mark }
          && items.dropLast().map { $0.size } == known.map { $0.size })
      // 5 itself, 6, and three that are free.
      #expect(insole.statusCount - before == 5)
    }
  }

  @Test("are found though the announcement of the newest was missed")
  func missedAnnouncement() throws {
    try onLoop { _ in
      let (insole, known) = try await self.listed(with: 1...3)
      for number in 4...9 {
        insole.files[UInt8(number)] = PocketInsole.file(start: 1_795_222_222 + UInt32(number), records: 2)
      }
      #expect(try await self.domain(insole).list(known: known).count == 9)
    }
  }

  @Test("of numbers that are used again after an erase are other files, also with the same length")
  func reuse() throws {
    try onLoop { _ in
      let (insole, known) = try await self.listed(with: 1...3)
      for number in 1...3 {
        insole.files[UInt8(number)] = PocketInsole.file(start: 1_795_300_000 + UInt32(number), records: 3 + number % 5)
      }
      let items = try await self.domain(insole).list(known: known)
      #expect(items.map(\.id) == known.map(\.id) && items.map(\.size) == known.map(\.size))
      #expect(zip(items, known).allSatisfy { $0.mark != $1.mark && !$0.mark.isEmpty })
    }
  }

  @Test("are not listed if a session began meanwhile: its header alone is no lost session")
  func sessionBeginsWhileListing() throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...2)
      insole.answer = { request in
        guard case .status(let name) = request, name.hasSuffix("activity_003.dat") else { return nil }
        insole.files[3] = Array(PocketInsole.file(start: 1_795_350_000, records: 0).prefix(Botz.ActivityHeader.size))
        insole.activity = .running
        return nil
      }
      let domain = try self.domain(insole)
      let found = await self.trouble { () async throws(VisitTrouble) in _ = try await domain.list(known: []) }
      #expect(found == .busy(what: "it is recording an activity", retryAfter: .seconds(60)))
    }
  }

  @Test("to which a session is being appended are left alone until it is over")
  func sessionBeginsWhileFetching() throws {
    try onLoop { _ in
      let insole = self.insole(with: [1, 255], records: 200)
      let domain = try self.domain(insole)
      let items = try await domain.list(known: [])
      insole.answer = { request in
        guard case .download(_, let offset) = request, offset > 0, insole.activity == .idle else { return nil }
        insole.files[1]? += PocketInsole.file(start: 1_795_360_000, records: 0).prefix(Botz.ActivityHeader.size)
        insole.activity = .running
        return nil
      }
      let sink = CollectingSink()
      let found = await self.trouble { () async throws(VisitTrouble) in try await domain.fetch(items[0], into: sink) }
      #expect(found == .busy(what: "it is recording an activity", retryAfter: .seconds(60)))
    }
  }

  @Test("that another program erased are gone from the list, and all numbers are asked for again")
  func erasedBySomebody() throws {
    try onLoop { _ in
      let (insole, known) = try await self.listed(with: 1...3)
      insole.files = [1: PocketInsole.file(start: 1_795_400_000, records: 7)]
      let before = insole.statusCount
      let items = try await self.domain(insole).list(known: known)
      #expect(items.map(\.id) == ["activity_001.dat"] && items[0].mark != known[0].mark)
      #expect(insole.statusCount - before == 256)
    }
  }

  @Test("after our own erase begin at 1 again, whatever stale number is announced")
  func afterErase() throws {
    try onLoop { _ in
      let (insole, known) = try await self.listed(with: 1...7, isErased: true)
      insole.files = [:]
      var before = insole.statusCount
      #expect(try await self.domain(insole).list(known: known).isEmpty)
      #expect(insole.statusCount - before == 10)
      (insole.files, insole.newest) = ([1: PocketInsole.file(start: 1_795_500_000, records: 1)], 1)
      before = insole.statusCount
      #expect(try await self.domain(insole).list(known: known).map(\.id) == ["activity_001.dat"])
      #expect(insole.statusCount - before == 4)
    }
  }

  @Test("that were appended to after number 255 become an item of their own, so that no record is stored twice")
  func appended() throws {
    try onLoop { _ in
      let (insole, listed) = try await self.listed(with: 1...255)
      let known =
        listed
        .map {
          $0.mark.isEmpty
            ? KnownItem(id: $0.id, mark: "1-1-1", size: $0.size, fetched: $0.fetched, isDurable: true, isErased: false)
            : $0
        }
        .map { item in
          guard let number = Botz.FileNumber(name: item.id), let bytes = insole.files[number.value] else { return item }
          let mark = bytes.withUnsafeBytes { ActivityMark($0, size: bytes.count).text }
          return KnownItem(
            id: item.id, mark: mark, size: item.size, fetched: item.fetched, isDurable: true, isErased: false)
        }
      let old = insole.files[1]?.count ?? 0
      let session = PocketInsole.file(start: 1_795_600_000, records: 4)
      insole.files[1]? += session
      insole.newest = 1
      let domain = try self.domain(insole)
      let items = try await domain.list(known: known)
      let item = try #require(items.last)
      #expect(
        items.count == 256 && item.id == "activity_001.dat+\(old)" && item.size == session.count
          && item.begins == 1_795_600_000_000_000)
      let sink = CollectingSink()
      try await domain.fetch(item, into: sink)
      #expect(sink.bytes == session)
      // And once more behind that.
      insole.files[1]? += session
      let more = try await self.domain(insole).list(known: known + [item.known()])
      #expect(more.last?.id == "activity_001.dat+\(old + session.count)")
    }
  }

  @Test("whose fetch was cut short before their beginning was known are fetched again")
  func unknownBeginning() throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...1, records: 200)
      let domain = try self.domain(insole)
      let known = KnownItem(
        id: "activity_001.dat", mark: "", size: insole.files[1]?.count, fetched: 1000, isDurable: false, isErased: false
      )
      let item = try #require(try await domain.list(known: [known]).first)
      let sink = CollectingSink([UInt8](repeating: 0xEE, count: 1000))
      try await domain.fetch(item, into: sink)
      #expect(sink.starts.map(\.mark) == [item.mark] && sink.bytes == insole.files[1])
    }
  }

  // MARK: fetching

  @Test("come in chunks, each cut into notifications, with either form of map", arguments: [true, false], [118, 2431])
  func download(_ indefinite: Bool, _ chunk: Int) throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...1, records: 400)
      (insole.usesIndefiniteMaps, insole.chunk) = (indefinite, chunk)
      let domain = try self.domain(insole)
      let item = try #require(try await domain.list(known: []).first)
      let sink = CollectingSink()
      try await domain.fetch(item, into: sink)
      #expect(sink.bytes == insole.files[1] && sink.starts.isEmpty && insole.link.disturbances > 0)
      #expect(insole.link.progress == sink.bytes.count, "nothing is fetched twice")
      let verdict = try sink.bytes.withUnsafeBytes { try domain.verify(item, $0) }
      #expect(verdict.mark == item.mark && verdict.isFinal && verdict.summary == "401 records, closed")
    }
  }

  @Test("go on at the offset that is kept, on a new link")
  func resume() throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...1, records: 400)
      let domain = try self.domain(insole)
      let item = try #require(try await domain.list(known: []).first)
      let sink = CollectingSink()
      sink.slice = 4000
      try await domain.fetch(item, into: sink)
      let kept = sink.bytes.count
      #expect(sink.taking == .enough && kept >= 4000 && kept < insole.files[1]?.count ?? 0, "it stops at once")
      sink.slice = nil
      let again = try self.domain(insole)
      let same = try #require(try await again.list(known: [item.known(fetched: kept, isDurable: false)]).first)
      #expect(same == item)
      let before = insole.asked.count
      try await again.fetch(same, into: sink)
      #expect(sink.bytes == insole.files[1] && sink.starts.isEmpty)
      #expect(insole.asked[before] == .download(name: "/lfs1/hardware/activity_001.dat", offset: kept))
    }
  }

  @Test(
    "survive lost, doubled and endless pieces: a chunk is asked for again",
    arguments: ["lost", "doubled", "short", "silent"])
  func pieces(_ fault: String) throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...1, records: 300)
      var count = 0
      insole.cut = { bytes in
        count += 1
        var pieces = PocketInsole.pieces(bytes, 118)
        guard count % 3 == 0, pieces.count > 3 else { return pieces }
        switch fault {
        case "lost": pieces.remove(at: 1)
        case "doubled": pieces.insert(pieces[1], at: 1)
        case "short": pieces[2].removeLast(7)
        default: pieces = []
        }
        return pieces
      }
      let domain = try self.domain(insole)
      let item = try #require(try await domain.list(known: []).first)
      let sink = CollectingSink()
      try await domain.fetch(item, into: sink)
      #expect(sink.bytes == insole.files[1])
    }
  }

  @Test("whose answers stay away are given up after four tries of ten seconds")
  func silence() throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...1)
      insole.cut = { _ in [] }
      let domain = try self.domain(insole)
      let start = insole.link.now
      let trouble = await self.trouble { () async throws(VisitTrouble) in _ = try await domain.list(known: []) }
      #expect(trouble == .silent(what: "file transfer") && insole.asked.count == 4)
      #expect((40...43).contains((insole.link.now - start) / 1_000_000_000))
    }
  }

  @Test("from another offset than was asked for are asked for again, and given up as a breach of the protocol")
  func offsetGoesBack() throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...1, records: 300)
      let domain = try self.domain(insole)
      let item = try #require(try await domain.list(known: []).first)
      insole.answer = { request in
        guard case .download(_, let offset) = request, offset > 0 else { return nil }
        return FileManagement.Chunk(offset: 0, data: [1, 2, 3], total: nil).payload
      }
      let sink = CollectingSink()
      let trouble = await self.trouble { () async throws(VisitTrouble) in try await domain.fetch(item, into: sink) }
      guard case .framing? = trouble else {
        Issue.record("\(String(describing: trouble))")
        return
      }
      #expect(sink.bytes == Array((insole.files[1] ?? []).prefix(2431)), "nothing false was taken")
    }
  }

  @Test("that end before their length are a breach of the protocol")
  func endsEarly() throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...1, records: 300)
      let domain = try self.domain(insole)
      let item = try #require(try await domain.list(known: []).first)
      insole.answer = { request in
        guard case .download(_, let offset) = request, offset > 0 else { return nil }
        return FileManagement.Chunk(offset: offset, data: [], total: nil).payload
      }
      let trouble = await self.trouble { () async throws(VisitTrouble) in
        try await domain.fetch(item, into: CollectingSink())
      }
      #expect(trouble == .framing("activity_001.dat ends after 2431 of \(item.size ?? 0) bytes"))
    }
  }

  @Test("that change while they are read are fetched from their beginning")
  func changesWhileRead() throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...1, records: 300)
      let other = PocketInsole.file(start: 1_795_700_000, records: 350)
      let domain = try self.domain(insole)
      let item = try #require(try await domain.list(known: []).first)
      var asked = 0
      insole.answer = { request in
        if case .download = request { asked += 1 }
        if asked == 2 { insole.files[1] = other }
        return nil
      }
      let sink = CollectingSink()
      try await domain.fetch(item, into: sink)
      #expect(sink.bytes == other && sink.starts.count == 1 && sink.starts[0].size == other.count)
      #expect(sink.starts[0].mark == other.withUnsafeBytes { ActivityMark($0, size: other.count).text })
    }
  }

  @Test("that never stop changing are left for later")
  func changesForEver() throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...1, records: 100)
      let domain = try self.domain(insole)
      let item = try #require(try await domain.list(known: []).first)
      insole.answer = { _ in
        insole.files[1]?.append(0)
        return nil
      }
      let trouble = await self.trouble { () async throws(VisitTrouble) in
        try await domain.fetch(item, into: CollectingSink())
      }
      guard case .busy? = trouble else {
        Issue.record("\(String(describing: trouble))")
        return
      }
    }
  }

  @Test("that claim 10^9 bytes are not fetched, and prevent every erasure")
  func claimsTooMuch() throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...2)
      insole.answer = { request in
        guard case .status(let name) = request, name.hasSuffix("002.dat") else { return nil }
        return .map(["len": .unsigned(1_000_000_000)])
      }
      let domain = try self.domain(insole)
      let items = try await domain.list(known: [])
      #expect(items.map(\.id) == ["activity_001.dat"] && domain.removals(of: items).isEmpty)
      #expect(insole.link.notes == ["activity_002.dat claims 1000000000 bytes, more than the insole has"])
    }
  }

  @Test("of a wearable that claims 10^9 of them are asked for by 255 numbers")
  func claimsTooMany() throws {
    try onLoop { _ in
      let insole = PocketInsole()
      insole.newest = 255
      insole.answer = { request in if case .status = request { .map(["len": .unsigned(53)]) } else { nil } }
      let items = try await self.domain(insole).list(known: [])
      #expect(items.count == 255 && insole.asked.count <= 255 + 24 + 2)
    }
  }

  @Test(
    "answers that are no answers end the try, not the program",
    arguments: [
      CBOR.map([]), .map(["len": .text("many")]), .map(["len": .unsigned(.max)]), .map(["len": .negative(3)]),
      .array([.other]), .unsigned(7),
      .map(["rc": .text("no")]), .map(["err": .unsigned(3)]), .map(["rc": .unsigned(10)]),
      .map(["err": .map(["group": .unsigned(8), "rc": .unsigned(7)])]),
    ])
  func hostilePayload(_ payload: CBOR) throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...1)
      insole.answer = { _ in payload }
      let domain = try self.domain(insole)
      let trouble = await self.trouble { () async throws(VisitTrouble) in _ = try await domain.list(known: []) }
      switch trouble {
      case .framing?, .unsupported?, .busy?: break
      default: Issue.record("\(String(describing: trouble))")
      }
    }
  }

  @Test("frames that claim more than a frame can have, or belong to no request, are passed over and given up")
  func hostileFrames() throws {
    try onLoop { _ in
      for frame: [UInt8] in [
        [9, 0, 0xFF, 0xFF, 0, 8, 1, 1, 0xBF], [0xFF], [9, 0, 0, 1, 0, 8, 99, 1, 0xA0],
        [9, 0, 0, 3, 0, 8, 1, 1, 0xBF, 0x9F, 0x9F],
      ] {
        let insole = self.insole(with: 1...1)
        insole.cut = { _ in [frame] }
        let domain = try self.domain(insole)
        #expect(await self.trouble { () async throws(VisitTrouble) in _ = try await domain.list(known: []) } != nil)
        #expect(insole.asked.count == 4)
      }
    }
  }

  @Test("the clock is kept right while a long file is fetched")
  func clockDuringFetch() throws {
    try onLoop { _ in
      let insole = self.insole(with: 1...1, records: 400)
      insole.chunk = 20
      insole.link.requestTime = 1_500_000_000
      let session = BotzSession(insole.link)
      _ = try await session.check()
      let domain = try #require(session.domains.first)
      let item = try #require(try await domain.list(known: []).first)
      try await domain.fetch(item, into: CollectingSink())
      let times = insole.link.written.filter { $0.characteristic == Botz.Control.setTime }.compactMap {
        Botz.SetTime($0.value)?.seconds
      }
      #expect(times.count > 3 && zip(times, times.dropFirst()).allSatisfy { $1 - $0 < Botz.clockWrap })
    }
  }
}
