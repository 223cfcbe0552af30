import EventLoop
import Health
import PolarTwin
import Testing
import Wearable

@testable import Bluetooth
@testable import Drivers

@Suite("A visit to a Polar wearable")
struct PolarSessionTests {
  @Test("a sync is begun before anything is listed, and ended at the end")
  func bracket() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.onTime()
      let session = PolarSession(pocket.link)
      let report = try await session.check()
      #expect(report.mayNotFetch == nil && report.clock != nil)
      #expect(pocket.said.map { $0[1] } == [8, 0])
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

  @Test("days that are over are listed, today is not, a night's results a day later")
  func listing() throws {
    try onLoop { _ async throws in
      let pocket = PocketTransfer.onTime()
      let now = CivilTime(microseconds: pocket.link.hubTime.wall.microseconds).date
      func folder(_ back: Int64) -> String { PolarPath.folder(of: LocalDate(dayNumber: now.dayNumber - back)) }
      for back: Int64 in 0...2 {
        pocket.files[folder(back) + "ACT/ASAMPL0.BPB"] = [1, 2, 3]
        pocket.files[folder(back) + "SLEEP/SLEEPRES.BPB"] = [1, 2]
        pocket.files[folder(back) + "R/101010/ACC0.REC"] = [1]
      }
      let session = PolarSession(pocket.link)
      _ = try await session.check()
      let domain = try #require(session.domains.first)
      let items = try await domain.list(known: [])
      #expect(!domain.resumesAtOffset)
      #expect(
        items.map(\.id) == [
          folder(2) + "ACT/ASAMPL0.BPB", folder(2) + "SLEEP/SLEEPRES.BPB", folder(2) + "R/101010/ACC0.REC", folder(1) + "ACT/ASAMPL0.BPB",
          folder(1) + "R/101010/ACC0.REC", folder(0) + "R/101010/ACC0.REC",
        ])
      let calls = domain.removals(of: items)
      #expect(calls.first?.name == String(folder(2).dropLast()) && calls.first?.covers.count == 3)
      #expect(!calls.contains { $0.name.hasPrefix(folder(1).dropLast()) && $0.covers.count > 1 })
    }
  }

  @Test("what lies where something was removed is something else, though it has the same size")
  func marks() {
    func known(_ mark: String, _ isErased: Bool) -> KnownItem { KnownItem(id: "/A", mark: mark, size: 7, fetched: 7, isDurable: true, isErased: isErased) }
    #expect(PolarFiles.mark(7, nil) == "7" && PolarFiles.mark(7, known("7", false)) == "7" && PolarFiles.mark(7, known("7", true)) == "7.1")
    #expect(PolarFiles.mark(7, known("7.1", false)) == "7.1" && PolarFiles.mark(7, known("7.1", true)) == "7.2" && PolarFiles.mark(8, known("7.1", true)) == "8")
  }
}
