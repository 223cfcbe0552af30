import Bluetooth
import EventLoop
import Health
import Testing
import Wearable

@testable import BotzFamily
@testable import DriverTestSupport

@Suite("An activity file")
struct ActivityFileTests {
  private let start: UInt32 = 1_759_233_600

  private func parse(_ bytes: [UInt8]) throws -> Botz.ActivityFile {
    try bytes.withUnsafeBytes { try Botz.ActivityFile($0) }
  }

  @Test("cut anywhere keeps its whole records, and never has a footer it cannot trust")
  func cutAnywhere() throws {
    let whole = PocketInsole.file(start: start, records: 5)
    for length in 53...whole.count {
      let session = try #require(try parse(Array(whole.prefix(length))).sessions.first)
      #expect(session.recordCount == min(5, (length - 53) / 26))
      #expect((session.footer != nil) == (length == whole.count), "\(length)")
      #expect(session.rest.count == (length == whole.count ? 0 : (length - 53) - 26 * min(5, (length - 53) / 26)))
    }
    for length in 5..<53 {
      #expect(throws: Botz.ActivityFile.Defect.cutHeader) { try parse(Array(whole.prefix(length))) }
    }
    #expect(throws: Botz.ActivityFile.Defect.noHeader) { try parse([]) }
  }

  @Test("with sessions appended is all of them: closed, lost, cut, in any order")
  func appended() throws {
    let parts = [
      PocketInsole.file(start: start, records: 3), PocketInsole.file(start: start + 5000, records: 0, isClosed: false),
      PocketInsole.file(start: start + 9000, records: 2, isClosed: false) + [1, 2, 3],
      PocketInsole.file(start: start + 9900, records: 1),
    ]
    let file = try parse(parts.reduce([], +))
    #expect(file.sessions.map(\.header.start) == [start, start + 5000, start + 9000, start + 9900])
    #expect(file.sessions.map(\.recordCount) == [3, 0, 2, 1])
    #expect(file.sessions.map(\.isFooterSound) == [true, false, false, true])
    #expect(file.sessions.map(\.rest.count) == [0, 0, 3, 0])
  }

  @Test("of another version is kept unparsed, at its beginning and behind a session")
  func otherVersion() throws {
    var other = PocketInsole.file(start: start, records: 1)
    other[4] = 2
    #expect(throws: Botz.ActivityFile.Defect.unknownVersion(2)) { try parse(other) }
    let both = PocketInsole.file(start: start, records: 1) + other
    let file = try parse(both)
    #expect(file.sessions.count == 1 && file.unknownVersion?.version == 2 && file.unknownVersion?.offset == 99)
  }

  @Test("whose numbers go back is in disorder; gaps are not")
  func numbers() throws {
    func file(_ numbers: [UInt32]) -> [UInt8] {
      Botz.ActivityHeader(start: start).encode()
        + numbers.flatMap { Botz.ActivityRecord(number: $0, time: start).encode() }
    }
    #expect(try parse(file([0, 1, 5])).sessions[0].recordCount == 3)
    #expect(throws: Botz.ActivityFile.Defect.disorder(session: 0)) { try parse(file([0, 1, 1])) }
    #expect(throws: Botz.ActivityFile.Defect.disorder(session: 0)) { try parse(file([5, 0])) }
  }

  @Test("is the same whether it is looked at at once or a few bytes at a time")
  func pieces() throws {
    let parts = [
      PocketInsole.file(start: start, records: 40), PocketInsole.file(start: start + 5000, records: 0, isClosed: false),
      PocketInsole.file(start: start + 9000, records: 20, isClosed: false) + [1, 2, 3],
      PocketInsole.file(start: start + 9900, records: 1),
    ]
    let bytes = parts.reduce([], +)
    let whole = try parse(bytes)
    for count in [1, 2, 19, 26, 53, 1000] {
      try bytes.withUnsafeBytes { raw in
        var reader = Botz.ActivityFileReader()
        var pieces = 1
        while try !reader.advance(raw, by: count) { pieces += 1 }
        #expect(reader.sessions.map(\.recordCount) == whole.sessions.map(\.recordCount))
        #expect(
          reader.sessions.map(\.isFooterSound) == whole.sessions.map(\.isFooterSound)
            && reader.sessions.map(\.rest) == whole.sessions.map(\.rest))
        #expect(pieces >= (bytes.count - 4 * 53) / count)
      }
    }
  }

  @Test("of a megabyte that looks like the end of a session everywhere costs no more than another")
  func hostile() throws {
    // Behind one wrong number, thousands of footers that count the records before them, each with a header's beginning
    // behind it.
    var bytes = Botz.ActivityHeader(start: start).encode()
    let body = bytes.count
    for number in 0..<20_000 {
      bytes += Botz.ActivityRecord(number: number == 19_999 ? 30_000 : UInt32(number), time: start).encode()
    }
    for _ in 0..<10_000 {
      let records = (bytes.count - body) / 26
      bytes +=
        Botz.ActivityFooter(end: start, packetCount: UInt32(records)).encode() + Botz.ActivityHeader.magic + [3, 0]
    }
    let began = ContinuousClock.now
    #expect(throws: Botz.ActivityFile.Defect.disorder(session: 0)) { try parse(bytes) }
    // Looking at all records once more for every footer would take minutes.
    #expect(ContinuousClock.now - began < .seconds(20))
  }

  @Test("is decoded in pieces, each of a bounded number of records")
  func decodedInPieces() throws {
    try onLoop { _ in
      let domain = try #require(BotzSession(PocketInsole().link).domains.first)
      let bytes = PocketInsole.file(start: start, records: 5000)
      let item = HeldItem(id: "activity_001.dat", size: bytes.count)
      let whole = CollectingItems()
      try bytes.withUnsafeBytes { raw in
        try domain.decode(item, raw, into: whole)
        let pieces = domain.pieces(of: item)
        var looks = 1
        while try pieces.verifyNext(raw) == nil { looks += 1 }
        #expect(looks >= bytes.count / (8 << 10))
        for _ in 1...2 {
          pieces.rewind()
          let sink = CollectingItems()
          var largest = 0
          var goesOn = true
          while goesOn {
            let before = sink.items.count
            goesOn = try pieces.decodeNext(raw, into: sink)
            largest = max(largest, sink.items.count - before)
          }
          #expect(largest <= 315 * 9 && sink.items.count == whole.items.count)
          #expect(sink.items.map(\.time) == whole.items.map(\.time) && sink.anomalies == whole.anomalies)
        }
      }
    }
  }

  @Test("bounds the sessions it takes")
  func bounded() throws {
    let header = Botz.ActivityHeader(start: start).encode()
    let many = Array(repeatElement(header, count: Botz.ActivityFile.sessionLimit).joined())
    #expect(try parse(many).sessions.count == Botz.ActivityFile.sessionLimit)
    #expect(throws: Botz.ActivityFile.Defect.tooManySessions) { try parse(many + header) }
  }

  @Test("a clock that falls back every 512 s goes on; set again, it is right; put right by seconds, it is left alone")
  func clock() {
    func unwrapped(_ times: [UInt32]) -> [Int64] {
      var clock = Botz.ClockUnwrapper(start: 10_000)
      return times.map { clock.unwrap($0) }
    }
    #expect(unwrapped([10_003, 10_511, 10_000, 10_511, 10_001]) == [10_003, 10_511, 10_512, 11_023, 11_025])
    // Falls back, is set to the true time, falls back again.
    #expect(unwrapped([10_510, 10_001, 10_530, 10_531, 10_020]) == [10_510, 10_513, 10_530, 10_531, 10_532])
    #expect(unwrapped([10_003, 10_002, 10_003, 10_300]) == [10_003, 10_002, 10_003, 10_300])
    // Standing for a while is no fall, and the first record may come after one.
    #expect(unwrapped([10_500]) == [10_500])
    #expect(unwrapped([9_990]) == [10_502])
    #expect(unwrapped([.max, 0, .max]).count == 3)
  }

  @Test("becomes samples on the insole's own clock; a record without steps is a cadence of zero")
  func samples() throws {
    try onLoop { _ in
      let domain = try #require(BotzSession(PocketInsole().link).domains.first)
      var bytes = PocketInsole.file(start: start, records: 2, isClosed: false)
      bytes += Botz.ActivityRecord(number: 2, time: start + 9).encode()
      bytes += Botz.ActivityFooter(end: start + 20, packetCount: 3).encode()
      let item = HeldItem(id: "activity_001.dat", size: bytes.count)
      let sink = CollectingItems()
      let verdict = try bytes.withUnsafeBytes { raw in
        try domain.decode(item, raw, into: sink)
        return try domain.verify(item, raw)
      }
      #expect(verdict.summary == "3 records, closed" && verdict.isFinal)
      #expect(sink.items.filter { $0.series == .cadence }.map(\.values) == [[160], [161], [0]])
      #expect(sink.items.filter { $0.series == .groundTime }.map(\.values) == [[245, 88], [245, 88]])
      #expect(sink.items.filter { $0.series == .pace }.count == 2)
      #expect(
        sink.items.first?.time == Int64(start + 3) * 1_000_000 && sink.items.last?.time == Int64(start + 9) * 1_000_000)
      #expect(Set(sink.items.map(\.series)).isSubset(of: Set(domain.series)))
      #expect(sink.items.allSatisfy { $0.values.count == $0.series.layout.valueCount })
      #expect(sink.anomalies.isEmpty)
    }
  }

  @Test("that is cut, of another kind or empty is distinguished from a sound one")
  func defects() throws {
    try onLoop { _ in
      let domain = try #require(BotzSession(PocketInsole().link).domains.first)
      @LoopActor func verdict(_ bytes: [UInt8], size: Int? = nil, isOpen: Bool = false) -> Result<
        ItemVerdict, ItemDefect
      > {
        bytes.withUnsafeBytes { raw in
          Result { () throws(ItemDefect) in
            try domain.verify(HeldItem(id: "activity_001.dat", size: size ?? raw.count, isOpen: isOpen), raw)
          }
        }
      }
      let whole = PocketInsole.file(start: start, records: 2)
      #expect(verdict(Array(whole.dropLast()), size: whole.count) == .failure(.cut("124 of 125 bytes")))
      #expect(
        verdict(Array("BRAW".utf8) + [UInt8](repeating: 0, count: 60))
          == .failure(.malformed("it does not begin with a header")))
      var other = whole
      other[4] = 9
      #expect(verdict(other) == .failure(.unknownVersion("activity file of version 9")))
      let lost = Array(whole.prefix(53))
      let sound = try verdict(lost).get()
      let open = try verdict(lost, isOpen: true).get()
      #expect(sound.summary == "0 records, not closed" && sound.isFinal && !open.isFinal)
    }
  }
}
