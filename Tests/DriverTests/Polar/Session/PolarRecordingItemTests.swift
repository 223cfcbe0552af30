import EventLoop
import Health
import PolarMessages
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Recordings as things that a hub stores", .serialized)
struct PolarRecordingItemTests {
  private static let folder = "/U/0/20200101/R/101010/"

  /// What a domain makes of an item's bytes, and how many bytes of items the largest piece stored.
  @LoopActor
  private static func read(_ domain: any FetchDomain, _ item: HeldItem, _ bytes: [UInt8]) throws(ItemDefect) -> (
    verdict: ItemVerdict, items: [TakenItems.Item], pieces: [Int]
  ) {
    let sink = TakenItems()
    let pieces = domain.pieces(of: item)
    var ends: [Int] = []
    let verdict: Result<ItemVerdict, ItemDefect> = bytes.withUnsafeBytes { bytes in
      Result { () throws(ItemDefect) in
        let verdict = try pieces.verifyAll(bytes)
        var isMore = true
        while isMore {
          isMore = try pieces.decodeNext(bytes, into: sink)
          ends.append(sink.items.count)
        }
        return verdict
      }
    }
    return (try verdict.get(), sink.items, zip(ends, [0] + ends).map { $0 - $1 })
  }

  @LoopActor
  private static func files(_ pocket: PocketTransfer) async throws -> any FetchDomain {
    let session = PolarSession(pocket.link)
    _ = try await session.check()
    return try #require(session.domains.first)
  }

  private static func whole(_ type: PMD.MeasurementType, _ bytes: [UInt8], _ secret: PMD.Secret? = nil) -> [TakenItems
    .Item]
  {
    let sink = TakenItems()
    bytes.withUnsafeBytes { _ = try? PMD.RecordingDecoder(type, secret: secret).decode($0, into: sink) }
    return sink.items
  }

  @Test("are read in pieces of some packets as they are read whole, encrypted or not", arguments: [true, false])
  func pieces(_ isEncrypted: Bool) throws {
    try onLoop { _ async throws in
      let packets = (1...600).map { PocketRecording.acc($0) }
      let bytes = isEncrypted ? try PocketRecording.encrypted(packets) : try PocketRecording.file(packets)
      let pocket = PocketTransfer.onTime()
      pocket.link.orders.secret = PocketRecording.key
      let domain = try await Self.files(pocket)
      let item = HeldItem(id: Self.folder + "ACC0.REC", mark: "\(bytes.count)", size: bytes.count)
      let (verdict, items, pieces) = try Self.read(domain, item, bytes)
      #expect(items == Self.whole(.acc, bytes, PMD.Secret(.aes128, key: PocketRecording.key)) && items.count == 600)
      #expect(verdict.summary == "acc: 600 packets" && verdict.isFinal)
      // The last packet of a piece may begin just before its end.
      let most = PolarRecordingPieces.size / packets[0].count + 1
      #expect(pieces.count > 5 && pieces.allSatisfy { $0 <= most })
      // A second pass gives the same.
      let again = domain.pieces(of: item)
      let (one, two) = (TakenItems(), TakenItems())
      try bytes.withUnsafeBytes { bytes in
        try again.decodeAll(bytes, into: one)
        again.rewind()
        while try again.decodeNext(bytes, into: two) {}
      }
      #expect(one.items == items && two.items == items)
    }
  }

  @Test("of several parts go on with the time of the part before, in another visit too, and ten comes after two")
  func parts() throws {
    try onLoop { _ async throws in
      let names = ["ACC0.REC", "ACC1.REC", "ACC2.REC", "ACC10.REC"].map { Self.folder + $0 }
      let files = try (0..<4).map { part in
        try PocketRecording.file((1...3).map { PocketRecording.acc(UInt64(3 * part + $0), samples: 50) })
      }
      let pocket = PocketTransfer.onTime()
      for (name, bytes) in zip(names, files) { pocket.files[name] = bytes }
      let domain = try await Self.files(pocket)
      let items = try await domain.list(known: [])
      #expect(items.map(\.id) == names)
      var known: [KnownItem] = []
      var times: [Int64] = []
      for (item, bytes) in zip(items, files) {
        let (verdict, samples, _) = try Self.read(domain, item, bytes)
        known.append(
          KnownItem(
            id: item.id, mark: verdict.mark, size: bytes.count, fetched: bytes.count, isDurable: true,
            isErased: item.id == names[0]))
        times += samples.map(\.time)
      }
      // 50 samples a second instead of the stated 52. From the second part on, only the part before shows it. Ten has
      // no part before.
      let distances = zip(times.dropFirst(), times).map { $0 - $1 }
      #expect(distances.dropFirst().dropLast(3).allSatisfy { abs($0 - 1_000_000) <= 1 }, "\(distances)")
      #expect(distances[8] > 1_000_000, "the first frame of a part without the one before is timed by its rate")
      pocket.files[names[0]] = nil
      let later = try await Self.files(pocket)
      let left = try await later.list(known: known)
      #expect(left.map(\.id) == Array(names.dropFirst()) && left.map(\.mark) == known.dropFirst().map(\.mark))
      let (_, samples, _) = try Self.read(later, try #require(left.first), files[1])
      #expect(samples.map(\.time) == Array(times[3..<6]))
    }
  }

  @Test("of heart rate count on from part to part")
  func heartRate() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.onTime()
      let domain = try await Self.files(pocket)
      let frame = PMD.Frame.encode(.offlineHR, time: 0, frameType: 0, isCompressed: false, [60, 0, 62])
      let bytes = try PocketRecording.file([frame], settings: [])
      var times: [Int64] = []
      for part in 0...1 {
        times += try Self.read(domain, HeldItem(id: Self.folder + "HR\(part).REC", mark: "1"), bytes).items.map(\.time)
      }
      #expect(times.map { $0 - 1_746_684_800_000_000 } == [0, 2_000_000, 3_000_000, 5_000_000])
    }
  }

  @Test("without their key are kept, and read as soon as it is there; with it they are never fetched twice")
  func keys() throws {
    try onLoop { _ async throws in
      let bytes = try PocketRecording.encrypted([PocketRecording.acc(1)])
      let path = Self.folder + "ACC0.REC"
      let pocket = PocketTransfer.onTime()
      pocket.files[path] = bytes
      var known: KnownItem?
      @LoopActor func visit(_ key: [UInt8]?) async throws -> (mark: String, outcome: Result<ItemVerdict, ItemDefect>) {
        pocket.link.orders.secret = key
        let domain = try await Self.files(pocket)
        let item = try #require(try await domain.list(known: known.map { [$0] } ?? []).first)
        let outcome = Result { () throws(ItemDefect) in try Self.read(domain, item, bytes).verdict }
        let mark = (try? outcome.get().mark) ?? item.mark
        known = KnownItem(
          id: path, mark: mark, size: bytes.count, fetched: bytes.count, isDurable: true, isErased: false)
        return (item.mark, outcome)
      }
      let first = try await visit(nil)
      #expect(
        first.mark == "\(bytes.count)~0" && first.outcome == .failure(.locked("an encrypted recording, and no key")))
      let second = try await visit(nil)
      #expect(second.mark == first.mark, "known, and not fetched again")
      let wrong = try await visit([UInt8](repeating: 9, count: 16))
      #expect(wrong.mark != first.mark && wrong.outcome == .failure(.locked("a recording encrypted with another key")))
      let right = try await visit(PocketRecording.key)
      #expect(right.mark != wrong.mark && (try? right.outcome.get().isFinal) == true)
      let end = String(PocketRecording.noon + 1_000_000_000, radix: 36)
      for key in [PocketRecording.key, nil, [UInt8](repeating: 9, count: 16)] {
        let later = try await visit(key)
        #expect(later.mark == "\(bytes.count)@\(end)")
        known = KnownItem(
          id: path, mark: later.mark, size: bytes.count, fetched: bytes.count, isDurable: true, isErased: false)
      }
      #expect(
        PMD.Secret(.aes128, key: [UInt8](repeating: 0, count: 16))?.checkValue == "66e94b",
        "FIPS 197's zero block under the zero key")
    }
  }

  @Test("and files of messages are handed on in pieces too, as they are read whole")
  func messages() throws {
    try onLoop { _ async throws in
      var file = PbExerciseSamples()
      file.recordingInterval.seconds = 1
      file.heartRateSamples = (0..<9000).map { 60 + $0 % 90 }
      file.speedSamples = (0..<9000).map { Float($0 % 30) }
      let bytes = try file.partial()
      let path = "/U/0/20200101/E/101010/00/SAMPLES.BPB"
      let domain = try await Self.files(PocketTransfer.onTime())
      let (verdict, items, pieces) = try Self.read(domain, HeldItem(id: path, mark: "1"), bytes)
      let whole = TakenItems()
      let name = try #require(PolarFile(path: path))
      try bytes.withUnsafeBytes { try FileContents(name, $0).append(of: name, $0, exerciseStart: nil, to: whole) }
      #expect(items == whole.items && items.count == 18_000 && verdict.summary == "9000 values of heart rate")
      // A list keeps its own end: 9,000 and 9,000.
      #expect(pieces == [2000, 2000, 2000, 2000, 1000, 2000, 2000, 2000, 2000, 1000])
    }
  }

  @Test("and undescribed bytes are kept as they came")
  func undescribed() throws {
    try onLoop { _ async throws in
      let domain = try await Self.files(PocketTransfer.onTime())
      for path in ["/U/0/20200101/SLEEPSCO/SCORE.BPB", "/U/0/20200101/SKINCONT/CONTACT.BPB"] {
        let (verdict, items, _) = try Self.read(domain, HeldItem(id: path, mark: "3"), [9, 9, 9])
        #expect(items.isEmpty && verdict.isFinal && verdict.summary == "3 bytes, kept as they are")
      }
    }
  }

  @Test("and the parts of a second exercise begin with it, not with the training")
  func exercises() throws {
    try onLoop { _ async throws in
      let folder = "/U/0/20200101/E/101010/01/"
      var base = PbExerciseBase()
      (base.start.date.year, base.start.date.month, base.start.date.day) = (2020, 1, 1)
      (base.start.time.hour, base.start.time.minute, base.start.time.seconds) = (10, 40, 0)
      let head = try base.partial()
      let pocket = PocketTransfer.onTime()
      pocket.files = [folder + "BASE.BPB": head, folder + "SAMPLES.BPB": PocketTransfer.exercise]
      let domain = try await Self.files(pocket)
      let items = try await domain.list(known: [])
      #expect(items.map(\.id) == [folder + "BASE.BPB", folder + "SAMPLES.BPB"])
      let (verdict, _, _) = try Self.read(domain, items[0], head)
      let (_, samples, _) = try Self.read(domain, items[1], PocketTransfer.exercise)
      let begins: Int64 = 1_577_875_200_000_000
      #expect(samples.map(\.time) == [begins, begins + 2_000_000])
      pocket.files[folder + "BASE.BPB"] = nil
      let later = try await Self.files(pocket)
      let left = try await later.list(known: [
        KnownItem(
          id: items[0].id, mark: verdict.mark, size: head.count, fetched: head.count, isDurable: true, isErased: true)
      ])
      let (_, again, _) = try Self.read(later, try #require(left.first), PocketTransfer.exercise)
      #expect(again == samples)
    }
  }
}
