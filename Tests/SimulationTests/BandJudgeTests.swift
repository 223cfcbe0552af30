// The judge of bands, held against stores that were made wrong on purpose.

import CivilTime
import EventLoop
import Health
import Testing

@testable import hearth_sim

@Suite("The judge of bands", .serialized)
struct BandJudgeTests {
  /// What is done to each tenth heart rate.
  enum Wrong: CaseIterable, Sendable {
    case dropped, storedTwice, storedTwiceUnsure, anHourOff, anHourOffUnsure, invented, sure

    /// Least number of a hundred that the judge has to find. The rest has excuses: short memories, clocks set by
    /// others, or equal values.
    var least: Int {
      switch self {
      case .dropped: 75
      case .storedTwice, .storedTwiceUnsure, .anHourOff, .anHourOffUnsure, .invented: 85
      case .sure: 30
      }
    }

    func isMeant(_ kept: BandKept, _ place: Int) -> Bool {
      kept.series == .heartRate && (self == .sure ? !kept.isSure : place % 10 == 3)
    }

    func result(_ kept: BandKept) -> [BandKept] {
      var other = kept
      switch self {
      case .dropped: return []
      case .storedTwice: return [kept, kept]
      case .storedTwiceUnsure:
        other.isSure = false
        other.time += 20_000_000
        return [kept, other]
      case .anHourOff, .anHourOffUnsure:
        other.time += 3_600_000_000
        other.isSure = self == .anHourOff
        return [other]
      case .invented:
        other.numbers = other.numbers.map { $0 + 1 }
        return [kept, other]
      case .sure:
        other.isSure = true
        return [other]
      }
    }
  }

  @LoopActor
  private final class Tally {
    var count = 0
  }

  /// A day of Moyoung bands on which clocks change, and telephones set some.
  private static let options: TrialOptions = {
    var options = TrialOptions(
      seed: 122_383_257, visits: 0, wearables: 7, faults: .all, population: .bands, days: 1)
    (options.zone, options.from) = ("Australia/Lord_Howe", LocalDate(text: "2026-04-04"))
    options.families = [.moyoung]
    return options
  }()

  /// A single one, drawn at random, in a quick run.
  private static let wrongs = isAtLength ? Wrong.allCases : [Wrong.allCases.randomElement() ?? .dropped]

  @Test("sees values that were dropped, stored twice, dated falsely or invented", arguments: wrongs)
  func wrong(_ wrong: Wrong) throws {
    let (report, count) = try VirtualLoop.run(wall: Self.options.morning) { loop in
      let month = BandMonth(loop, Self.options)
      let tally = Tally()
      month.tampering = { place, kept in
        guard wrong.isMeant(kept, place) else { return [kept] }
        tally.count += 1
        return wrong.result(kept)
      }
      return (try await month.run(), tally.count)
    }
    let seen = report.bands?.wrong ?? 0
    #expect(count >= 50 && seen * 100 >= count * wrong.least, "\(seen) of \(count)")
    #expect(!report.violations.isEmpty)
  }

  /// A day of FitCloud bands on which clocks change.
  private static let confirming: TrialOptions = {
    var options = TrialOptions(
      seed: 476_500_895, visits: 0, wearables: 9, faults: .all, population: .bands, days: 1)
    (options.zone, options.from) = ("Europe/Berlin", LocalDate(text: "2026-03-28"))
    options.families = [.fitCloud]
    return options
  }()

  /// - Parameter wrong: what the store is taken to have instead; nil: as it is.
  /// - Returns: violations, and how often something else was there.
  private static func judged(
    _ options: TrialOptions, _ wrong: @escaping @LoopActor (BandKept) -> [BandKept]?
  ) throws -> (violations: [String], count: Int) {
    try VirtualLoop.run(wall: options.morning) { loop in
      let month = BandMonth(loop, options)
      let tally = Tally()
      month.tampering = { _, kept in
        guard let other = wrong(kept) else { return [kept] }
        tally.count += 1
        return other
      }
      return (try await month.run().violations, tally.count)
    }
  }

  @Test(
    "sees bytes of no published layout that a band had to erase although they are not stored", arguments: [0, 1])
  func raw(_ way: Int) throws {
    let (violations, count) = try Self.judged(Self.confirming) { kept in
      guard kept.series == .raw, let last = kept.bytes.last else { return nil }
      var other = kept
      other.bytes[kept.bytes.count - 1] = last ^ 1
      return [[], [other]][way]
    }
    #expect(count > 0 && violations.contains { $0.contains("are not kept") }, "\(violations)")
  }

  @Test("sees steps of Moyoung bands that are lost, on days on which clocks change, too")
  func lostSteps() throws {
    let (violations, count) = try Self.judged(Self.options) { $0.series == .steps ? [] : nil }
    #expect(count > 0 && violations.contains { $0.contains("in all") && $0.contains("and reported") }, "\(violations)")
  }

  @Test("sees steps of Moyoung bands that are counted twice, on days on which clocks change, too")
  func steps() throws {
    let report = try VirtualLoop.run(wall: Self.options.morning) { loop in
      let month = BandMonth(loop, Self.options)
      month.tampering = { place, kept in kept.series == .steps && place % 4 == 1 ? [kept, kept] : [kept] }
      return try await month.run()
    }
    #expect(report.violations.contains { $0.contains("in all") })
  }
}
