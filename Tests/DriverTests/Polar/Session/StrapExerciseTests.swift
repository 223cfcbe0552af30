import EventLoop
import Health
import PolarMessages
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

/// Samples as they came.
final class TakenItems: ItemSink {
  struct Item: Equatable {
    let series: Series
    let values: [Int64]
    let bytes: [UInt8]
    let time: Int64
  }
  private(set) var items: [Item] = []
  private(set) var anomalies = 0

  func append(
    _ series: Series, _ values: [Int64], bytes: [UInt8], at deviceTime: Int64, kind: SampleKind, isManual: Bool
  ) {
    items.append(Item(series: series, values: values, bytes: bytes, time: deviceTime))
  }
  func noteAnomaly(_ what: StaticString) { anomalies += 1 }
}

@Suite("Exercises in a strap's memory", .serialized)
struct StrapExerciseTests {
  private static let run = "/RUN_20200101_101010_250/SAMPLES.BPB"

  @LoopActor private static func domain(_ pocket: PocketTransfer) throws -> PolarExercises {
    try #require(PolarSession(pocket.link).exercises)
  }

  private func trouble(_ body: () async throws(VisitTrouble) -> Void) async -> VisitTrouble? {
    do throws(VisitTrouble) { try await body() } catch { return error }
    return nil
  }

  private func isUnsupported(_ trouble: VisitTrouble?) -> Bool {
    if case .unsupported? = trouble { true } else { false }
  }

  @Test("have the time of their beginning in their names, to the millisecond")
  func names() throws {
    let begins = WallTime(microseconds: 1_795_255_200_250_999)
    let name = try #require(PolarExerciseName("Run-2", begins: begins))
    #expect(name.text == "Run-2_20261121_100000_250" && name.begins.microseconds == 1_795_255_200_250_000)
    #expect(PolarExerciseName(name.text) == name && PolarExerciseName(path: "/\(name.text)/SAMPLES.BPB") == name)
    #expect(PolarExerciseName(String(repeating: "x", count: 43), begins: begins)?.text.utf8.count == 63)
    for id in ["", "a b", "a_b", "ä", "a/b", String(repeating: "x", count: 44)] {
      #expect(PolarExerciseName(id, begins: begins) == nil, "\(id)")
    }
    for text in [
      "RUN", "RUN_20261121_100000", "RUN_20261131_100000_250", "RUN_20261121_250000_250", "RUN_20261121_100000_25",
      "_20261121_100000_250", "RUN_20261121_100000_250_",
    ] {
      #expect(PolarExerciseName(text) == nil, "\(text)")
    }
  }

  @Test("are begun and ended one at a time, each looked for afterwards")
  func operating() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.strap()
      let domain = try Self.domain(pocket)
      let name = try await domain.startExercise(id: "RUN", .heartRate(everySeconds: 5))
      #expect(pocket.recording == name && name.hasPrefix("RUN_20261121_1000"))
      // 08 type 12 interval 1A name: heart rate, 5 s.
      #expect(Array(pocket.parameters[14]?.prefix(6) ?? []) == [0x08, 1, 0x12, 2, 0x18, 5])
      let status = try await domain.exerciseStatus()
      #expect(status.isRecording && status.name == name)
      let second = await trouble { () throws(VisitTrouble) in _ = try await domain.startExercise(id: "TWO", .intervals)
      }
      #expect(second == .unsupported("it records '\(name)' already; stop that first"))
      let ended = try await domain.stopExercise()
      let nothing = try await domain.stopExercise()
      #expect(ended == name && nothing == nil && pocket.recording == nil)
      for (id, samples) in [("a b", .intervals), ("RUN", .heartRate(everySeconds: 2))]
        as [(String, PSFTPClient.StrapSamples)]
      {
        let refused = await trouble { () throws(VisitTrouble) in _ = try await domain.startExercise(id: id, samples) }
        #expect(isUnsupported(refused), "\(id)")
      }
      #expect(pocket.recording == nil)
      pocket.codes[14] = 0
      let lie = await trouble { () throws(VisitTrouble) in _ = try await domain.startExercise(id: "RUN", .intervals) }
      #expect(isUnsupported(lie))
    }
  }

  @Test(
    "a running one is ended by any name that people use: all, its kind, or no name",
    arguments: [["all"], ["rr"], []] as [[String]])
  func ended(_ words: [String]) throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.strap()
      let session = PolarSession(pocket.link)
      let stop = try #require(session.actions.first { $0.name == "recording-stop" })
      pocket.recording = "RUN_20260101_101010_250"
      #expect(
        try await session.perform(stop, words)
          == "exercise 'RUN_20260101_101010_250' has ended; it comes with the next visit")
      #expect(try await session.perform(stop, words) == "no exercise was being recorded" && pocket.recording == nil)
      await #expect(throws: VisitTrouble.self) { _ = try await session.perform(stop, ["acc"]) }
    }
  }

  @Test(
    """
    are listed but for the one that runs, and read from the time in their names; those of others as if they had \
    ended when they were first seen
    """
  )
  func reading() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.strap()
      pocket.files = [
        Self.run: PocketTransfer.exercise, "/OTHER/SAMPLES.BPB": PocketTransfer.exercise, "/U/0/S/PHYSDATA.BPB": [1],
        "/NEW_20200102_101010_250/SAMPLES.BPB": [1],
      ]
      pocket.recording = "NEW_20200102_101010_250"
      let domain = try Self.domain(pocket)
      let items = try await domain.list(known: [])
      #expect(
        items.map(\.id) == ["/OTHER/SAMPLES.BPB", Self.run] && items.map(\.begins) == [nil, 1_577_873_410_250_000])
      var (finals, samples): ([Bool], [[TakenItems.Item]]) = ([], [])
      for item in items {
        let sink = TakenItems()
        try PocketTransfer.exercise.withUnsafeBytes { bytes in
          let pieces = domain.pieces(of: item)
          finals.append(try pieces.verifyAll(bytes).isFinal)
          try pieces.decodeAll(bytes, into: sink)
        }
        samples.append(sink.items)
      }
      #expect(finals == [true, true])
      // Three seconds that were over by now.
      let seen = pocket.link.hubTime.wall.microseconds
      #expect(
        samples[0].map(\.values) == [[60], [62]] && samples[0].map(\.time) == [seen - 3_000_000, seen - 1_000_000])
      #expect(
        samples[1].map(\.values) == [[60], [62]]
          && samples[1].map(\.time) == [1_577_873_410_250_000, 1_577_873_412_250_000])
      // The kind of the running exercise is unknown: it may be any.
      pocket.recording = ""
      let none = try await domain.list(known: [])
      #expect(none.isEmpty)
    }
  }

  @Test(
    """
    of a phone, in beats: each at the end of its interval, marked as not sure, and at the same times when it is listed \
    again
    """
  )
  func others() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.strap()
      var file = PbExerciseSamples()
      file.recordingInterval.seconds = 1
      file.rrSamples.rrIntervals = [1000, 500, 1500]
      let bytes = try file.partial()
      pocket.files = ["/PHONE/SAMPLES.BPB": bytes]
      let domain = try Self.domain(pocket)
      let item = try #require(try await domain.list(known: []).first)
      let seen = pocket.link.hubTime.wall.microseconds
      let verdict = try bytes.withUnsafeBytes { try domain.pieces(of: item).verifyAll($0) }
      #expect(verdict.isTimeUnsure && verdict.isFinal && verdict.mark == item.mark)
      let later = try Self.domain(pocket)
      pocket.link.wall = seen + 3_600_000_000
      for isDurable in [false, true] {
        let known = KnownItem(
          id: item.id, mark: item.mark, size: bytes.count, fetched: 0, isDurable: isDurable, isErased: false)
        #expect(try await later.list(known: [known]).map(\.mark) == [item.mark])
      }
      // A file that an earlier version stored as raw bytes is decoded now.
      let raw = KnownItem(
        id: item.id, mark: "\(bytes.count)", size: bytes.count, fetched: bytes.count, isDurable: true, isErased: false)
      #expect(try await later.list(known: [raw]).first?.mark != raw.mark)
      let sink = TakenItems()
      try bytes.withUnsafeBytes { try later.pieces(of: item).decodeAll($0, into: sink) }
      #expect(
        sink.items.map(\.time) == [seen - 2_000_000, seen - 1_500_000, seen]
          && sink.items.map(\.values) == [[1024], [512], [1536]])
    }
  }

  @Test("of a phone go when a person says so, all of them are stored and they do not run, and no others with them")
  func ordered() throws {
    try onLoop { loop in
      let scratch = try ScratchStore(loop)
      let pocket = PocketTransfer.strap()
      let paths = ["/ONE/SAMPLES.BPB", "/TWO/SAMPLES.BPB"]
      for path in paths { pocket.files[path] = PocketTransfer.exercise }
      let session = PolarSession(pocket.link)
      let remove = try #require(session.actions.first { $0.name == "exercise-remove" })
      for words in [[], ["THREE"], ["ONE", "TWO"], ["/"]] {
        await #expect(throws: VisitTrouble.self) { _ = try await session.perform(remove, words) }
      }
      pocket.recording = "ONE"
      await #expect(throws: VisitTrouble.unsupported("'ONE' is being recorded")) {
        _ = try await session.perform(remove, ["ONE"])
      }
      pocket.recording = nil
      #expect(
        try await session.perform(remove, ["ONE"]) == "'ONE' is removed at the next visit at which all of it is stored")
      // The state lasts over links.
      let domain = try Self.domain(pocket)
      let items = try await domain.list(known: [])
      let removal = try #require(domain.removals(of: items).first)
      #expect(domain.removals(of: items).map(\.name) == [paths[0]])
      #expect(RemovalProof(removal, of: scratch.wearable, receipts: []) == nil, "not without its receipts")
      let proof = try #require(
        RemovalProof(removal, of: scratch.wearable, receipts: [try await scratch.receipt(items[0])]))
      #expect(try await domain.remove(proof) == .erased && pocket.files.keys.sorted() == [paths[1]])
      pocket.files[paths[0]] = PocketTransfer.exercise
      let again = try await domain.list(known: [])
      #expect(domain.removals(of: again).isEmpty, "another one of that name is another one")
      await scratch.close()
    }
  }

  @Test("go when they are stored, unchanged and ended, and others' not by themselves")
  func removing() throws {
    try onLoop { loop in
      let scratch = try ScratchStore(loop)
      let pocket = PocketTransfer.strap()
      pocket.files = [Self.run: PocketTransfer.exercise, "/OTHER/SAMPLES.BPB": PocketTransfer.exercise]
      let domain = try Self.domain(pocket)
      let items = try await domain.list(known: [])
      let removals = domain.removals(of: items)
      #expect(removals.map(\.name) == [Self.run])
      let removal = try #require(removals.first)
      let proof = try #require(
        RemovalProof(removal, of: scratch.wearable, receipts: [try await scratch.receipt(items[1])]))
      pocket.recording = "RUN_20200101_101010_250"
      let running = try await domain.remove(proof)
      pocket.recording = nil
      pocket.files[Self.run]?.append(0)
      let grown = try await domain.remove(proof)
      let late = RemovalOutcome.notNow("\(Self.run) changed since it was listed")
      #expect(running == late && grown == late && pocket.files.count == 2)
      pocket.files[Self.run]?.removeLast()
      let gone = try await domain.remove(proof)
      #expect(gone == .erased && pocket.files.keys.sorted() == ["/OTHER/SAMPLES.BPB"])
      await scratch.close()
    }
  }

  @Test("do not prevent a visit if they are not served")
  func unserved() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.strap()
      pocket.codes[16] = 201
      let report = try await PolarSession(pocket.link).check()
      #expect(report.mayNotFetch != nil && report.clock == nil)
      let strap = PocketTransfer.strap()
      let session = PolarSession(strap.link)
      _ = try await session.check()
      #expect(
        session.domains.map(\.id) == ["exercises"] && strap.queries == [16, 3, 5, 13],
        "its clock is told the time before the sync, and not asked")
    }
  }
}
