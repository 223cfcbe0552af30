import CivilTime
import EventLoop
import Health
import PolarTwin
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("A visit to a Polar wearable")
struct PolarSessionTests {
  @Test("a sync is begun before anything is listed, and ended at the end")
  func bracket() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.onTime()
      let session = PolarSession(pocket.link)
      let report = try await session.check()
      #expect(report.mayNotFetch == nil && report.clock != nil)
      #expect(
        pocket.said.map { $0[1] } == [8, 0] && pocket.queries.count { $0 == 4 } == 1, "one look at the clock is enough")
      try await session.finish()
      try await session.finish()
      #expect(pocket.said.map { $0[1] } == [8, 0, 1, 9])
    }
  }

  @Test("a wearable that trains is left alone")
  func busy() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.onTime()
      pocket.codes[13] = 202
      let session = PolarSession(pocket.link)
      let report = try await session.check()
      #expect(report.activity == .busy && report.mayNotFetch != nil)
      try await session.finish()
      #expect(pocket.said.isEmpty)
    }
  }

  @Test(
    "the longer a training goes on the later it is asked after again, until a visit finds it over, or it says so itself"
  )
  func busyLonger() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.onTime()
      let session = PolarSession(pocket.link)
      func visit() async throws -> Duration? {
        let report = try await session.check()
        try await session.finish()
        return report.comeAgainAfter
      }
      pocket.codes[13] = 202
      for pause: Duration in [.seconds(60), .seconds(120), .seconds(300), .seconds(600), .seconds(600)] {
        #expect(try await visit() == pause)
      }
      pocket.codes[13] = nil
      #expect(try await visit() == nil)
      pocket.codes[13] = 202
      #expect(try await visit() == .seconds(60))
      #expect(try await visit() == .seconds(120))
      // TRAINING_SESSION_STATUS, not in progress.
      let said = try #require(PolarDriver().liveSources.first { $0.characteristic == PSFTP.fromDevice })
      let sink = NoteSink()
      try [UInt8]([0x02, 5, 0x08, 0x01]).withUnsafeBytes { try session.decoder.decode(said, $0, into: sink) }
      #expect(sink.newItems == 0)
      try [UInt8]([0x02, 5, 0x08, 0x00]).withUnsafeBytes { try session.decoder.decode(said, $0, into: sink) }
      #expect(sink.newItems == 1)
      #expect(try await visit() == .seconds(60))
    }
  }

  /// Only what is new.
  private final class NoteSink: SampleSink {
    private(set) var newItems = 0
    func append(_ sample: Sample) {}
    func append(_ series: Series, values: UnsafeBufferPointer<Int64>) {}
    func append(_ series: Series, values: UnsafeBufferPointer<Int64>, bytes: RawBytes, ago: Int64) {}
    func noteNewItem() { newItems += 1 }
    func noteAnomaly(_ what: StaticString) {}
  }

  @Test(
    """
    days that are over are listed, today as what still grows, a night's results a day later or when there is another \
    night
    """,
    arguments: [true, false])
  func listing(_ hasNewNight: Bool) throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.onTime()
      let now = ClockFace(microseconds: pocket.link.hubTime.wall.microseconds).date
      func folder(_ back: Int64) -> String { PolarPath.folder(of: LocalDate(dayNumber: now.dayNumber - back)) }
      for back: Int64 in 0...2 {
        pocket.files[folder(back) + "ACT/ASAMPL0.BPB"] = [1, 2, 3]
        if back > 0 || hasNewNight { pocket.files[folder(back) + "SLEEP/SLEEPRES.BPB"] = [1, 2] }
        pocket.files[folder(back) + "R/101010/ACC0.REC"] = [1]
      }
      let session = PolarSession(pocket.link)
      _ = try await session.check()
      let domain = try #require(session.domains.first)
      let items = try await domain.list(known: [])
      #expect(!domain.resumesAtOffset)
      #expect(
        items.map(\.id) == [
          folder(2) + "ACT/ASAMPL0.BPB", folder(2) + "SLEEP/SLEEPRES.BPB", folder(2) + "R/101010/ACC0.REC",
          folder(1) + "ACT/ASAMPL0.BPB",
        ] + (hasNewNight ? [folder(1) + "SLEEP/SLEEPRES.BPB"] : []) + [
          folder(1) + "R/101010/ACC0.REC", folder(0) + "ACT/ASAMPL0.BPB", folder(0) + "R/101010/ACC0.REC",
        ])
      #expect(items.filter(\.isOpen).map(\.id) == [folder(0) + "ACT/ASAMPL0.BPB"])
      let calls = domain.removals(of: items)
      #expect(calls.first?.name == String(folder(2).dropLast()) && calls.first?.covers.count == 3)
      #expect(!calls.contains { $0.name.hasPrefix(folder(1).dropLast()) && $0.covers.count > 1 })
    }
  }

  private func mark(_ size: Int, after mark: String?, isErased: Bool = false, key: String? = nil) -> String {
    let known = mark.map { KnownItem(id: "/A", mark: $0, size: 7, fetched: 7, isDurable: true, isErased: isErased) }
    return PolarFileMark.listed(size, known, key: key).text
  }

  @Test("what is recorded since the clock lost its time is not taken for older than what was recorded before")
  func lostTime() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.onTime()
      let (before, running, ended) = (
        "/U/0/20191230/R/101010/ACC0.REC", "/U/0/20190101/R/000500/ACC0.REC", "/U/0/20190101/R/000100/ACC0.REC"
      )
      for path in [before, running, ended] { pocket.files[path] = PocketTransfer.recording }
      let session = PolarSession(pocket.link)
      _ = try await session.check()
      let now = try #require(LocalDate(year: 2019, month: 1, day: 1)?.midnight) + 360_000_000
      for growing: PolarFamily.PolarFiles.Growing in [.newest(by: now), .since(now - 60_000_000)] {
        session.files.growing[.acc] = growing
        #expect(try await session.files.list(known: []).map(\.id) == [ended, before])
      }
      session.files.growing[.acc] = .newest(by: nil)
      #expect(try await session.files.list(known: []).isEmpty)
    }
  }

  @Test("a file at the place of a removed one is another file, though it has the same size")
  func marks() {
    #expect(mark(7, after: nil) == "7" && mark(7, after: "7") == "7" && mark(7, after: "7", isErased: true) == "7.1")
    #expect(
      mark(7, after: "7.1") == "7.1" && mark(7, after: "7.1", isErased: true) == "7.2"
        && mark(8, after: "7.1", isErased: true) == "8")
    #expect(
      mark(7, after: "7@zz") == "7@zz" && mark(7, after: "7.65535@zz", isErased: true) == "7"
        && mark(7, after: "7-abc") == "7")
  }

  @Test("what could not be opened is something else as soon as there is another key, and what was opened never again")
  func keyMarks() {
    #expect(
      mark(7, after: nil, key: "0") == "7~0" && mark(7, after: "7~0", key: "0") == "7~0"
        && mark(7, after: "7~0", key: "abc") == "7~abc")
    #expect(
      mark(7, after: "7~abc", key: "abc") == "7~abc" && mark(7, after: "7~abc", key: "0") == "7~abc"
        && mark(7, after: "7.3~abc", key: "d") == "7.3~d")
    #expect(
      mark(7, after: "7@zz", key: "abc") == "7@zz" && mark(7, after: "7@zz", isErased: true, key: "abc") == "7.1~abc")
  }
}
