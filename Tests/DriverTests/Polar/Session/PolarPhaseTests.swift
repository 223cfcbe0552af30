import CivilTime
import EventLoop
import Health
import PolarMessages
import Testing
import Wearable

@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Phases of Polar's sync guideline that are asked for alone")
struct PolarPhaseTests {
  /// Two days that are over with something of every phase, and 24/7 samples.
  @LoopActor private func band() -> (pocket: PocketTransfer, day: String) {
    let pocket = PocketTransfer.onTime()
    let today = ClockFace(microseconds: pocket.link.hubTime.wall.microseconds).date
    func folder(_ back: Int64) -> String { PolarPath.folder(of: LocalDate(dayNumber: today.dayNumber - back)) }
    for back: Int64 in 1...2 {
      for name in [
        "ACT/ASAMPL0.BPB", "DSUM/DSUM.BPB", "SLEEP/SLEEPRES.BPB", "NSTRESUL/NSTRCONT.BPB", "NR/NR.BPB",
        "SKINTEMP/TEMPCONT.BPB", "SPO2TEST/101112/SPO2TRES.BPB", "E/101010/TSESS.BPB", "R/101010/ACC0.REC",
      ] { pocket.files[folder(back) + name] = [1, 2, 3] }
    }
    var samples = PbAutomaticSampleSessions()
    (samples.day.year, samples.day.month, samples.day.day) = (2020, 1, 1)
    pocket.files["/U/0/AUTOS/AUTOS000.BPB"] = (try? samples.partial()) ?? []
    return (pocket, folder(2))
  }

  /// What a visit lists, and the paths that it asks for to do so.
  @LoopActor private func listing(_ wanted: Set<String>?) async throws -> (items: [HeldItem], asked: [String]) {
    let (pocket, _) = band()
    pocket.link.wish.domains = wanted
    let session = PolarSession(pocket.link)
    _ = try await session.check()
    let before = pocket.operations.count
    let items = try await #require(session.domains.first).list(known: [])
    return (items, pocket.operations[before...].map { String($0.dropFirst("GET ".count)) })
  }

  /// Folders of days that were entered, by name.
  private func folders(_ asked: [String]) -> Set<String> {
    Set(asked.map { PolarPath.components($0) }.filter { $0.count > 3 }.map { String($0[3]) })
  }

  @Test("only sleep: no other folder is listed and no other file is read")
  func sleep() throws {
    try onLoop { _ async throws in
      let (items, asked) = try await listing(["sleep"])
      #expect(folders(asked) == ["SLEEP", "NSTRESUL"] && !asked.contains { $0.contains("AUTOS") })
      #expect(!items.isEmpty && items.allSatisfy { $0.id.contains("/SLEEP/") || $0.id.contains("/NSTRESUL/") })
    }
  }

  @Test("only recordings: no day's files are listed, and no file of a night is read to see whether it is over")
  func recordings() throws {
    try onLoop { _ async throws in
      let (items, asked) = try await listing(["recordings"])
      #expect(folders(asked) == ["R"] && !asked.contains { $0.hasSuffix(".BPB") })
      #expect(items.count == 2 && items.allSatisfy { $0.id.hasSuffix(".REC") })
    }
  }

  @Test("only nightly recharge: whether the night is over stands in its sleep, which is looked at and not fetched")
  func recharge() throws {
    try onLoop { _ async throws in
      let (items, asked) = try await listing(["nightly-recharge"])
      #expect(folders(asked) == ["SLEEP", "NR"])
      #expect(!items.isEmpty && items.allSatisfy { $0.id.contains("/NR/") })
    }
  }

  @Test("only 24/7 samples: no day is listed at all")
  func automaticSamples() throws {
    try onLoop { _ async throws in
      let (items, asked) = try await listing(["automatic-samples"])
      #expect(asked == ["/U/0/", "/U/0/AUTOS/", "/U/0/AUTOS/AUTOS000.BPB"])
      #expect(items.map(\.id) == ["/U/0/AUTOS/AUTOS000.BPB"])
    }
  }

  @Test("all phases together list what a visit without an order lists, and each item is of the phase that listed it")
  func together() throws {
    try onLoop { _ async throws in
      let whole = try await listing(nil).items.map(\.id)
      var alone: [String] = []
      for phase in PolarPhase.allCases {
        let (pocket, _) = band()
        let files = PolarSession(pocket.link).files
        let items = try await listing([phase.rawValue]).items
        #expect(!items.isEmpty && items.allSatisfy { files.syncDomain(of: $0) == phase.rawValue }, "\(phase)")
        alone += items.map(\.id)
      }
      #expect(alone.sorted() == whole.sorted() && alone.count == Set(alone).count)
      #expect(try await listing(Set(PolarPhase.allCases.map(\.rawValue))).items.map(\.id) == whole)
    }
  }

  @Test("a day of which one phase was listed is never removed as a whole")
  func removals() throws {
    try onLoop { _ async throws in
      let (pocket, day) = band()
      pocket.link.wish.domains = ["sleep"]
      let session = PolarSession(pocket.link)
      _ = try await session.check()
      let domain = try #require(session.domains.first)
      let calls = domain.removals(of: try await domain.list(known: []))
      #expect(!calls.isEmpty && calls.allSatisfy { $0.name.contains("/SLEEP") || $0.name.contains("/NSTRESUL") })
      #expect(!calls.contains { $0.name == String(day.dropLast()) })
    }
  }

  @Test("days and nights are measured by themselves; recordings, tests and trainings are begun by people")
  func initiation() {
    let automatic = PolarDriver().syncDomains.filter { $0.isAutomatic == true }.map(\.id)
    #expect(automatic == ["activity", "automatic-samples", "sleep", "nightly-recharge", "skin-temperature"])
    #expect(PolarDriver().syncDomains.filter { $0.isAutomatic == nil }.isEmpty)
    #expect(PolarDriver().syncDomains.filter { $0.isMeant(by: "sleep_stage") }.map(\.id) == ["sleep"])
    #expect(PolarStrapDriver().syncDomains.map(\.id) == ["exercises"])
  }

  @Test("a night reaches into the evening before its day; a day does not")
  func spans() throws {
    try onLoop { _ async throws in
      let files = PolarSession(PocketTransfer.onTime().link).files
      let midnight: Int64 = 1_795_219_200_000_000
      @LoopActor func span(_ path: String) -> Range<Int64>? { files.span(of: HeldItem(id: path, begins: midnight)) }
      let hour: Int64 = 3_600_000_000
      #expect(span("/U/0/20261121/SLEEP/SLEEPRES.BPB") == (midnight - 12 * hour)..<(midnight + 24 * hour))
      #expect(span("/U/0/20261121/ACT/ASAMPL0.BPB") == midnight..<(midnight + 24 * hour))
      #expect(files.span(of: HeldItem(id: "/U/0/20261121/ACT/ASAMPL0.BPB")) == nil)
    }
  }
}
