import Bluetooth
import EventLoop
import Health
import Testing
import Wearable

@testable import DriverTestSupport
@testable import GATTServices
@testable import StandardGATTFamily

@Suite("Stored spot-checks", .serialized)
struct RecordDomainTests {
  private static let driver = StandardDriver([.pulseOximeter, .battery, .currentTime])

  private static func records(_ count: Int, day: Int = 24, pulse: UInt8 = 70) -> [[UInt8]] {
    (0..<count).map { number in
      let time = (2026, 11, day, number / 60, number % 60, 5)
      return PocketOximeter.record(time, pulse: pulse + UInt8(number % 20))
    }
  }

  @LoopActor
  private func domain(_ link: ScriptedLink) throws -> RecordDomain {
    let session = try #require(Self.driver.makeSession(link))
    return try #require(session.domains.first as? RecordDomain)
  }

  /// All stages of one item: what it decodes to, and what custody would know of it then.
  @LoopActor
  private func fetch(_ item: HeldItem, _ domain: RecordDomain) async throws -> (
    samples: CollectingItems, known: KnownItem
  ) {
    let sink = CollectingSink()
    try await domain.fetch(item, into: sink)
    let samples = CollectingItems()
    let verdict = try sink.bytes.withUnsafeBytes { bytes in
      let verdict = try domain.verify(item, bytes)
      try domain.decode(item, bytes, into: samples)
      return verdict
    }
    let known = KnownItem(
      id: item.id, mark: verdict.mark, size: item.size, fetched: sink.bytes.count, isDurable: true, isErased: false,
      progress: verdict.progress ?? [])
    return (samples, known)
  }

  @Test("become one item for each quarter of a day, with the times of their own clock")
  func slots() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter(Self.records(400))
      let domain = try domain(oximeter.link)
      let items = try await domain.list(known: [])
      #expect(items.map(\.id) == ["spot-checks/2026-11-24T00", "spot-checks/2026-11-24T06"])
      let (samples, _) = try await fetch(items[1], domain)
      #expect(samples.items.count == 80 && samples.manual.allSatisfy { $0 })
      // 06:00:05 of a clock on a wall, counted as if it stood in Greenwich.
      #expect(samples.items.first?.time == 1_795_500_005_000_000)
      #expect(samples.items.filter { $0.series == .spo2 }.allSatisfy { $0.values == [97] })
    }
  }

  @Test("are counted and read only: no request of a visit deletes")
  func requests() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter(Self.records(3))
      let link = oximeter.link
      let domain = try domain(link)
      let items = try await domain.list(known: [])
      #expect(oximeter.requests == [[4, 1], [1, 1]] && domain.removals(of: items).isEmpty)
      #expect(link.progress == 3 * 12)
      oximeter.records = []
      #expect(try await domain.list(known: []).isEmpty && oximeter.requests.count == 3)
    }
  }

  @Test("are known by their own bytes: what came since is all that is fetched, whatever has gone meanwhile")
  func growth() throws {
    try onLoop { _ in
      let all = Self.records(9)
      let oximeter = PocketOximeter(Array(all[..<5]))
      let domain = try domain(oximeter.link)
      let first = try #require(try await domain.list(known: []).first)
      let known = try await fetch(first, domain).known
      #expect(
        try await domain.list(known: [known]) == [
          HeldItem(id: known.id, mark: known.mark, size: known.size, begins: first.begins)
        ])
      // The memory is a ring: two of the old ones are gone, and come in another order.
      oximeter.records = Array(all[2...]).reversed()
      let grown = try #require(try await domain.list(known: [known]).first)
      #expect(grown.id == known.id && grown.mark != known.mark)
      let (samples, now) = try await fetch(grown, domain)
      let rates: [Int64] = samples.items.filter { $0.series == .pulseRate }.flatMap(\.values)
      #expect(rates.sorted() == [750, 760, 770, 780])
      #expect(try await domain.list(known: [now]).map(\.mark) == [now.mark])
    }
  }

  @Test("that are indicated while the memory is read are the same ones when they come from it, with bit 9 or without")
  func indicatedMeanwhile() throws {
    try onLoop { _ in
      let live = try #require([UInt8](hexadecimal: "0361004600EA070B180607080001"))
      let stored = try #require([UInt8](hexadecimal: "0361004600EA070B180607080003"))
      let oximeter = PocketOximeter([live, stored])
      let domain = try domain(oximeter.link)
      let item = try #require(try await domain.list(known: []).first)
      let (samples, known) = try await fetch(item, domain)
      #expect(samples.items.map(\.series) == [.spo2, .pulseRate])
      oximeter.records = [stored]
      #expect(try await domain.list(known: [known]).map(\.mark) == [known.mark])
      // Without a time it is all but that bit, and there may be two.
      let undated = [[2, 97, 0, 70, 0, 0, 1], [2, 97, 0, 70, 0, 0, 3]] as [[UInt8]]
      oximeter.records = undated
      let two = try #require(try await domain.list(known: []).first)
      let (values, knownTwo) = try await fetch(two, domain)
      #expect(values.items.count == 4)
      oximeter.records = [undated[1], undated[1]]
      #expect(try await domain.list(known: [knownTwo]).map(\.mark) == [knownTwo.mark])
    }
  }

  @Test("that come twice in one transfer are stored once, without a deletion for them")
  func twice() throws {
    try onLoop { _ in
      let six = Self.records(6)
      let oximeter = PocketOximeter(six + six)
      let link = oximeter.link
      let domain = try domain(link)
      let item = try #require(try await domain.list(known: []).first)
      #expect(try await fetch(item, domain).samples.items.count == 12)
      #expect(link.notes.contains("6 of its stored records came more than once"))
      try link.remember(RemovalOrder(link.hubTime))
      let items = try await domain.list(known: [])
      #expect(domain.removals(of: items).isEmpty)
    }
  }

  @Test("that an earlier version of the hub stored are known by the digests that it kept")
  func formerDigests() throws {
    try onLoop { _ in
      let all = Self.records(3)
      let oximeter = PocketOximeter(all)
      let domain = try domain(oximeter.link)
      let item = try #require(try await domain.list(known: []).first)
      var digests = RecordDigests()
      for record in all[..<2] { digests.insert(RecordDigests.digest(record, occurrence: 0)) }
      let known = KnownItem(
        id: item.id, mark: digests.mark, size: item.size, fetched: item.size ?? 0, isDurable: true, isErased: false,
        progress: digests.progress)
      let grown = try #require(try await domain.list(known: [known]).first)
      #expect(try await fetch(grown, domain).samples.items.count == 2)
    }
  }

  @Test("of the same bytes and without a time are as many measurements as there are, at times that are not sure")
  func undated() throws {
    try onLoop { _ in
      let same = PocketOximeter.record(nil, pulse: 60)
      let oximeter = PocketOximeter([same, same])
      let domain = try domain(oximeter.link)
      let item = try #require(try await domain.list(known: []).first)
      let (samples, known) = try await fetch(item, domain)
      #expect(item.id == "spot-checks/undated" && samples.items.count == 4)
      #expect(samples.items.allSatisfy { $0.time == RecordFormat.noTime })
      let bytes = RecordBytes.joined(oximeter.records.map { ($0, false) })
      #expect(try bytes.withUnsafeBytes { try domain.verify(item, $0) }.isTimeUnsure)
      oximeter.records.append(same)
      let grown = try #require(try await domain.list(known: [known]).first)
      #expect(try await fetch(grown, domain).samples.items.count == 2)
    }
  }

  @Test("by a clock that was never set keep the order of the wearable, and are not sure")
  func unset() throws {
    try onLoop { _ in
      var record = PocketOximeter.record((2000, 1, 1, 7, 0, 0), pulse: 60)
      record[0] |= 0x10
      let oximeter = PocketOximeter([record])
      let domain = try domain(oximeter.link)
      let item = try #require(try await domain.list(known: []).first)
      #expect(item.id == "spot-checks/unset-2000-01-01T06")
      let sink = CollectingSink()
      try await domain.fetch(item, into: sink)
      #expect(try sink.bytes.withUnsafeBytes { try domain.verify(item, $0) }.isTimeUnsure)
    }
  }

  @Test("that the wearable itself doubts give no sample, and that they come from storage is no doubt")
  func doubted() throws {
    try onLoop { _ in
      // Flags 3: a time and a measurement status. From storage (bit 9) and validated; then demonstration (bit 10).
      let time: [UInt8] = [0xEA, 7, 11, 24, 8, 0, 0]
      let good: [UInt8] = [3, 97, 0, 60, 0] + time + [0x80, 0x02]
      let shown: [UInt8] = [3, 97, 0, 61, 0] + time + [0x80, 0x06]
      let domain = try domain(PocketOximeter([good, shown]).link)
      let item = try #require(try await domain.list(known: []).first)
      let (samples, _) = try await fetch(item, domain)
      #expect(samples.items.map(\.values) == [[97], [600]])
    }
  }

  @Test("that cannot be read lie apart from the others, which are fetched all the same")
  func odd() throws {
    try onLoop { _ in
      let domain = try domain(PocketOximeter(Self.records(1) + [[1, 97]]).link)
      let items = try await domain.list(known: [])
      #expect(items.map(\.id) == ["spot-checks/2026-11-24T00", "spot-checks/odd"])
      let sink = CollectingSink()
      try await domain.fetch(items[1], into: sink)
      #expect(throws: ItemDefect.malformed("a record that cannot be read")) {
        try sink.bytes.withUnsafeBytes { try domain.verify(items[1], $0) }
      }
    }
  }

  @Test("fewer than counted are kept, and noticed; a wearable that does not count is read all the same")
  func counts() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter(Self.records(5))
      let link = oximeter.link
      let domain = try domain(link)
      oximeter.missing = 2
      #expect(try await domain.list(known: []).count == 1)
      #expect(link.notes == ["of 5 stored records it sent 3"])
      (oximeter.missing, oximeter.countCode) = (0, 2)
      #expect(try await domain.list(known: []).count == 1)
    }
  }

  @Test("of a wearable that does not answer for them cost no other value")
  func mute() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter(Self.records(5))
      oximeter.isMute = true
      let link = oximeter.link
      let domain = try domain(link)
      #expect(try await domain.list(known: []).isEmpty)
      #expect(link.notes == ["its stored records: it does not answer for its stored records"])
      #expect(domain.unread == link.notes.first)
      // Over this link it is not asked again.
      #expect(try await domain.list(known: []).isEmpty && oximeter.requests == [[4, 1]])
    }
  }

  @Test(
    """
    of a wearable that is still at an earlier request (0xFE) are asked for again when that is ended, and if it does \
    not end at the next visit over the same link
    """
  )
  func underWay() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter(Self.records(5))
      let link = oximeter.link
      let domain = try domain(link)
      oximeter.isUnderWay = true
      #expect(try await domain.list(known: []).count == 1)
      #expect(oximeter.requests == [[4, 1], [3, 0], [4, 1], [1, 1]])
      #expect(link.notes == ["a request for stored records was under way: it is ended"])
      (oximeter.isUnderWay, oximeter.endsNothing) = (true, true)
      for _ in 0..<2 {
        await #expect(
          throws: VisitTrouble.busy(
            what: "its stored records: another request for them is under way", retryAfter: nil)
        ) { _ = try await domain.list(known: []) }
      }
      (oximeter.isUnderWay, oximeter.endsNothing) = (false, false)
      #expect(try await domain.list(known: []).count == 1)
    }
  }

  @Test("come whatever an answer to the end of another request is: cut, longer, unknown, or to what was asked before")
  func ended() throws {
    try onLoop { _ in
      let right: [UInt8] = [6, 0, 3, 1]
      var forms = [[], [6], [6, 0], [6, 0, 3], right + [1], right + [UInt8](repeating: 7, count: 40)]
      for place in right.indices {
        for value: UInt8 in [0, 1, 0x7F, 0xFF] {
          forms.append(right)
          forms[forms.count - 1][place] = value
        }
      }
      for form in forms {
        let oximeter = PocketOximeter(Self.records(5))
        let domain = try domain(oximeter.link)
        oximeter.isUnderWay = true
        oximeter.worded = { $0.starts(with: [6, 0, 3]) ? form : $0 }
        let items = try await domain.list(known: [])
        #expect(items.count == 1 && items.first?.size == 5 * 14, "\(form)")
      }
    }
  }

  @Test("do not end with a late answer to what was asked before")
  func late() throws {
    try onLoop { _ in
      for late: [UInt8] in [[6, 0, 3, 1], [6, 0, 4, 6], [5, 0, 1, 0]] {
        let oximeter = PocketOximeter(Self.records(5))
        let link = oximeter.link
        let domain = try domain(link)
        oximeter.early = late
        let items = try await domain.list(known: [])
        #expect(items.first?.size == 5 * 14, "\(late)")
      }
    }
  }

  @Test("of a wearable that refuses to report them are said to be unread, and the rest of the visit goes on")
  func unreported() throws {
    try onLoop { _ in
      let oximeter = PocketOximeter(Self.records(5))
      oximeter.reportCode = 2
      let domain = try domain(oximeter.link)
      #expect(try await domain.list(known: []).isEmpty)
      #expect(domain.unread == "its stored records: it refuses to report them")
    }
  }

  @Test("of a wearable that has them and not now are no visit that was done", arguments: [10, 8] as [UInt8])
  func notNow(_ code: UInt8) throws {
    try onLoop { _ in
      let oximeter = PocketOximeter(Self.records(5))
      let domain = try domain(oximeter.link)
      oximeter.reportCode = code
      await #expect(throws: VisitTrouble.busy(what: "its stored records", retryAfter: nil)) {
        _ = try await domain.list(known: [])
      }
      oximeter.reportCode = nil
      #expect(try await domain.list(known: []).count == 1)
    }
  }

  @Test("a turn that is over ends the fetch, and the next goes on at the byte after it")
  func resumes() throws {
    try onLoop { _ in
      let domain = try domain(PocketOximeter(Self.records(360, pulse: 60)).link)
      let item = try #require(try await domain.list(known: []).first)
      let part = CollectingSink()
      part.slice = 4096
      try await domain.fetch(item, into: part)
      #expect(part.bytes.count == 4096 && item.size == 360 * 14)
      let rest = CollectingSink(part.bytes)
      try await domain.fetch(item, into: rest)
      let samples = CollectingItems()
      try rest.bytes.withUnsafeBytes { try domain.decode(item, $0, into: samples) }
      #expect(samples.items.count == 720)
    }
  }

  @Test("more than an item can have are left on the wearable, and what it has lost makes room")
  func bound() throws {
    try onLoop { _ in
      // A record every fifteen seconds of a night: 520 in two hours and ten minutes.
      let many = (0..<520).map { number in
        PocketOximeter.record((2026, 11, 24, number / 240, number / 4 % 60, number % 4 * 15), pulse: 70)
      }
      let oximeter = PocketOximeter(many)
      let link = oximeter.link
      let domain = try domain(link)
      let item = try #require(try await domain.list(known: []).first)
      let (samples, known) = try await fetch(item, domain)
      #expect(samples.items.count == 1000 && link.notes == ["20 stored records are more than one item can have"])
      #expect(known.progress.count <= KnownItem.progressLimit)
      oximeter.records = Array(many[100...])
      let rest = try #require(try await domain.list(known: [known]).first)
      #expect(try await fetch(rest, domain).samples.items.count == 40)
    }
  }

  @Test("random bytes in place of digests are refused")
  func digests() {
    #expect(RecordDigests([]).digests.isEmpty && RecordDigests([2, 0, 0, 0, 0, 1, 1, 1, 1]).digests.isEmpty)
    var digests = RecordDigests()
    for number in 0..<3 { digests.insert(RecordDigests.digest([UInt8(number)], occurrence: 0)) }
    digests.reach(7)
    #expect(RecordDigests(digests.progress) == digests && digests.highest == 7)
    #expect(RecordDigests(digests.progress + [1, 2]) == digests)
  }
}
