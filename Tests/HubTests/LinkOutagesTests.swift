import EventLoop
import Testing

@testable import Hub

@Suite("Why a link was gone")
struct LinkOutagesTests {
  private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }

  private func words(_ news: [LinkOutages.News]) -> [String] { news.map { "\($0.cause) \($0.news)" } }
  private func words(_ cause: LinkOutages.Cause, _ news: OutageNews) -> String { "\(cause) \(news)" }

  @Test("a slot that was given away and a link that was lost are distinguished")
  func apart() {
    var log = LinkOutages()
    #expect(log.begin(.slot, at(100)).map { words([$0]) } == [words(.slot, .began(at(100)))])
    #expect(words(log.end(at(160))) == [words(.slot, .ended(from: at(100), to: at(160)))])
    #expect(log.begin(.lost, at(200)).map { words([$0]) } == [words(.lost, .began(at(200)))])
    #expect(words(log.end(at(210))) == [words(.lost, .ended(from: at(200), to: at(210)))])
    // Within the hour both are counted, each for itself.
    for second in stride(from: Int64(300), to: 600, by: 100) {
      #expect(log.begin(.slot, at(second)) == nil && log.end(at(second + 20)).isEmpty)
    }
    #expect(log.begin(.lost, at(700)) == nil && log.end(at(705)).isEmpty)
    let news = [
      words(.lost, .ended(from: at(700), to: at(705))),
      words(.slot, .often(3, from: at(300), to: at(520), gone: .seconds(60))),
    ]
    #expect(words(log.untold(at(800))) == news && words(log.hourly(at(3600))) == news)
    #expect(log.untold(at(3600)).isEmpty)
  }

  @Test("while one without a slot is away, it is not the slot that it lacks")
  func away() {
    var log = LinkOutages()
    _ = log.begin(.slot, at(0))
    #expect(
      words(log.wasAway(since: at(60), at(1000))) == [
        words(.lost, .began(at(60))), words(.slot, .ended(from: at(0), to: at(60))),
        words(.lost, .ended(from: at(60), to: at(1000))),
      ])
    // The wearable waits for a slot again, within the hour.
    #expect(words(log.untold(at(1100))) == [words(.slot, .began(at(1000)))])
    #expect(log.end(at(1200)).isEmpty)
    #expect(words(log.hourly(at(3600))) == [words(.slot, .ended(from: at(1000), to: at(1200)))])
    #expect(log.wasAway(since: at(3700), at(3800)).isEmpty)
  }
}
