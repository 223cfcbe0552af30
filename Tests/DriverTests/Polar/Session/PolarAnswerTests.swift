import EventLoop
import Health
import PolarMessages
import Testing
import Wearable

@testable import Bluetooth
@testable import DriverTestSupport
@testable import PolarFamily

@Suite("Answers of a Polar wearable that only describe")
struct PolarAnswerTests {
  private static let kept = "/U/0/20250101/ACT/ASAMPL0.BPB"

  /// A wearable that records the heart rate by a trigger, and holds a day.
  @LoopActor
  private static func sense(armed: Bool = true) throws -> PocketTransfer {
    let pocket = PocketTransfer.band("Polar Loop 1234567C", measures: true)
    pocket.files = [kept: [1, 2, 3], "/U/0/20250101/SLEEP/SLEEPRES.BPB": [1]]
    pocket.features = [0x0F, 0x00, 0x60]
    if armed { try pocket.link.remember(PolarTriggers(.systemStart, [.offlineHR])) }
    return pocket
  }

  /// A whole visit: what it lists, and what its end says.
  @LoopActor
  private static func visit(_ pocket: PocketTransfer) async throws(VisitTrouble) -> (
    report: CheckReport, items: [String], end: VisitTrouble?
  ) {
    let session = PolarSession(pocket.link)
    let report = try await session.check()
    var items: [String] = []
    if report.mayNotFetch == nil {
      for domain in session.domains { items += try await domain.list(known: []).map(\.id) }
    }
    do throws(VisitTrouble) { try await session.finish() } catch { return (report, items, error) }
    return (report, items, nil)
  }

  /// After `F0 07 00 00 00`: mode 1 (system start), then what is said of each type.
  @Test(
    "triggers in a state that is not known, cut, or with settings that are not, are passed over and noted",
    arguments: [
      "01020200050006000100 03010E00", "01040200050006000100 03010E00", "0100020005010E0002", "01FF3F010E00",
      "010002010E00010104 00", "010402 010E04 0701AABB", "010E01010E00",
    ])
  func triggers(_ hex: String) throws {
    try onLoop { _ async throws in
      let pocket = try Self.sense()
      let parameters = Self.octets(hex)
      pocket.answers[7] = [[0xF0, 7, 0, 0, 0] + parameters]
      let (report, items, end) = try await Self.visit(pocket)
      #expect(report.mayNotFetch == nil && items.contains(Self.kept) && end == nil, "\(String(describing: end))")
      #expect(pocket.link.notes.contains { $0.hasPrefix("triggers in a state that is not known") })
      #expect(!pocket.commands.contains { $0[0] == 8 }, "what was ordered is armed: nothing is armed anew")
    }
  }

  @Test("triggers of which the ordered one is unclear, or of an unknown mode, are reported as not as they were ordered")
  func unclear() throws {
    try onLoop { _ async throws in
      for (hex, told) in [
        ("01 020E", "has other triggers than were ordered: system-start heart_rate?"),
        ("07 010E00", "does not say which triggers it has: triggers: mode 7"),
        ("", "does not say which triggers it has: triggers: mode none"),
      ] {
        let pocket = try Self.sense()
        pocket.answers[7] = [[0xF0, 7, 0, 0, 0] + Self.octets(hex)]
        let (report, items, end) = try await Self.visit(pocket)
        #expect(report.mayNotFetch == nil && items.contains(Self.kept))
        #expect(end == .needsAttention(.recordingNotArmed, told))
      }
    }
  }

  @Test("a type whose state is unclear is armed and disarmed as any")
  func commands() throws {
    let status = try Self.octets("01 0202 0105 00 020E").withUnsafeBytes { try PMD.TriggerStatus($0) }
    #expect(status.unclear == [.acc, .offlineHR] && status.enabled == [.gyro] && !status.isWhole)
    let commands = PMD.triggerCommands([.offlineHR: .enabled([])], listed: status)
    #expect(commands.map { $0.encode() } == [[9, 0, 2], [9, 0, 5], [9, 1, 14, 0]])
  }

  /// An answer that violates the description.
  enum Odd: String, CaseIterable {
    case featuresShort, featuresLong, featuresOfAnotherKind, featuresEmpty
    case statusCut, statusRefused, statusUnknownCode, statusOfUnknownTypes
    case spaceGarbled, spaceLong, spaceRefused, spaceUnknownCode, spaceOwnError
    case indexRefused, folderGarbled, folderRefused, settingsGarbled
  }

  @LoopActor
  private static func set(_ odd: Odd, _ pocket: PocketTransfer) {
    let sleep = "/U/0/20250101/SLEEP/"
    switch odd {
    case .featuresShort: pocket.features = [0x0F, 0x60]
    case .featuresLong: pocket.features += [0xFF, 0xFF]
    case .featuresOfAnotherKind: pocket.features = [0x10, 0x00, 0x60]
    case .featuresEmpty: pocket.features = []
    case .statusCut: pocket.answers[5] = [[0xF0, 5, 0]]
    case .statusRefused: pocket.answers[5] = [[0xF0, 5, 0, 3]]
    case .statusUnknownCode: pocket.answers[5] = [[0xF0, 5, 0, 0x77]]
    case .statusOfUnknownTypes: pocket.answers[5] = [[0xF0, 5, 0, 0, 0, 0x3F, 0x84, 0xC8]]
    case .spaceGarbled: pocket.results[5] = [0xFF, 0xFF, 0xFF]
    case .spaceLong: pocket.results[5] = [UInt8](repeating: 0x08, count: 4000)
    case .spaceRefused: pocket.codes[5] = 106
    case .spaceUnknownCode: pocket.codes[5] = 999
    case .spaceOwnError: pocket.codes[5] = 200
    case .indexRefused:
      // What is recorded is looked for in it.
      pocket.answers[5] = [[0xF0, 5, 0, 0, 0, 0x8E]]
      pocket.refusals["GET /PMDFILES.TXT"] = 106
    case .folderGarbled: pocket.garbled[sleep] = [0xFF, 0xFF, 0xFF]
    case .folderRefused: pocket.refusals["GET \(sleep)"] = 106
    case .settingsGarbled: pocket.files["/U/0/S/UDEVSET.BPB"] = [0xFF]
    }
  }

  @Test("end no visit, however short, long, unknown or refused one of them is", arguments: Odd.allCases)
  func oddities(_ odd: Odd) throws {
    try onLoop { _ async throws in
      let pocket = try Self.sense(armed: false)
      Self.set(odd, pocket)
      let (report, items, end) = try await Self.visit(pocket)
      #expect(report.mayNotFetch == nil && items.contains(Self.kept) && report.clock != nil)
      switch odd {
      // No part of it is fetched, and that is reported.
      case .folderGarbled, .folderRefused:
        #expect(
          end == .needsAttention(.visitUnsupported, "does not list /U/0/20250101/SLEEP/: it was not fetched"))
      default: #expect(end == nil)
      }
    }
  }

  @Test("a clock that is refused keeps its time, and the rest of the visit goes on")
  func clock() throws {
    try onLoop { _ async throws in
      let pocket = try Self.sense()
      pocket.answers[7] = [[0xF0, 7, 0, 0, 0, 1, 1, 14, 0]]
      pocket.codes[4] = 106
      let (report, _, end) = try await Self.visit(pocket)
      #expect(report.mayNotFetch == "its clock has no day" && report.clock == nil && end == nil)
      #expect(!pocket.queries.contains(3) && pocket.said.count == 4, "it was not set, and the sync was begun and ended")
    }
  }

  @Test("what it records, if it does not say so, is left alone, and what was ordered is not taken for proven")
  func recordings() throws {
    try onLoop { _ async throws in
      let pocket = try Self.sense(armed: false)
      pocket.answers[5] = [[0xF0, 5, 0]]
      let today = ClockFace(microseconds: pocket.link.hubTime.wall.microseconds).date
      let folder = PolarPath.folder(of: today)
      pocket.files[folder + "R/000001/HR0.REC"] = [1]
      pocket.files["/U/0/20250101/R/101010/HR0.REC"] = [1]
      try pocket.link.remember(PolarRecordings([PolarArmed.Wanted(type: .offlineHR)]))
      let (_, items, end) = try await Self.visit(pocket)
      #expect(items.contains("/U/0/20250101/R/101010/HR0.REC") && !items.contains(folder + "R/000001/HR0.REC"))
      #expect(pocket.commands.allSatisfy { $0[0] == 5 }, "nothing is ended, and nothing begun")
      #expect(end == .needsAttention(.recordingNotArmed, "does not say what it records"))
    }
  }

  private static func octets(_ hex: String) -> [UInt8] {
    let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
