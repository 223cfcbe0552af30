import Testing

@testable import Vitals

@Suite("Screening of single intervals")
struct ScreeningTests {
  private let screening = IntervalScreening()

  @Test(
    "keeps what no heart does, since a missed or an extra beat is the classifier's to find",
    arguments: [0, 100, 272, 2001, 65_535.0])
  func improbable(_ milliseconds: Double) {
    #expect(screening.verdict(on: ReceivedInterval(milliseconds)) == .usable)
  }

  @Test("drops what is no time at all", arguments: [-1, 65_536, Double.infinity, -Double.infinity, Double.nan])
  func malformed(_ milliseconds: Double) {
    #expect(screening.verdict(on: ReceivedInterval(milliseconds)) == .dropped(.malformed))
  }

  @Test("drops an interval that the sensor blocks, or measured without contact")
  func blocked() {
    #expect(screening.verdict(on: ReceivedInterval(800, isBlocked: true)) == .dropped(.blocked))
    #expect(screening.verdict(on: ReceivedInterval(800, contact: .absent)) == .dropped(.noContact))
    #expect(screening.verdict(on: ReceivedInterval(800, contact: .present)) == .usable)
    #expect(screening.verdict(on: ReceivedInterval(800), contactLost: true) == .dropped(.noContact))
  }

  @Test("does not believe the contact bits of a sensor that has contact with a table")
  func verity() {
    let verity = IntervalScreening(trustsContact: false)
    #expect(verity.verdict(on: ReceivedInterval(800, contact: .absent)) == .usable)
    #expect(verity.verdict(on: ReceivedInterval(800, isBlocked: true, contact: .present)) == .dropped(.blocked))
  }

  @Test("takes an error of 10 to 30 ms for uncertain, a larger one or an invalid one for useless")
  func errors() {
    func verdict(_ error: Double) -> IntervalScreening.Verdict {
      screening.verdict(on: ReceivedInterval(800, errorEstimate: error))
    }
    #expect(verdict(5) == .usable && verdict(9.9) == .usable)
    #expect(verdict(10) == .uncertain && verdict(30) == .uncertain)
    #expect(verdict(30.1) == .dropped(.tooUncertain) && verdict(.nan) == .dropped(.tooUncertain))
  }
}
