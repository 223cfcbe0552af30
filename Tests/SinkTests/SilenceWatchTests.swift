// A subscription that stands still while its connection lives, minute by minute.

import EventLoop
import Testing

@testable import Sink

@Suite("A silent subscription")
struct SilenceWatchTests {
  private static let online = Array(#"{"state":"online"}"#.utf8)
  private static let offline = Array(#"{"state":"offline"}"#.utf8)

  private static func status(_ watch: inout SilenceWatch, _ payload: [UInt8] = online, kept: Bool = false) {
    watch.heard("hearth/1/g/gym/status", payload, isRetained: kept)
  }

  /// Minutes at which it asks for a new connection, each of which stands at once; `during` says what comes in a minute.
  private static func restarts(
    _ watch: inout SilenceWatch, minutes: Range<Int>, during: (Int, inout SilenceWatch) -> Void = { _, _ in }
  ) -> [Int] {
    var restarts: [Int] = []
    for minute in minutes {
      during(minute, &watch)
      for _ in 0..<6 where watch.passed(.seconds(10)) != nil {
        restarts.append(minute + 1)
        watch.connected()
      }
    }
    return restarts
  }

  @Test("of rows is begun again after two minutes, then after twice as long each time, at last each hour")
  func doubles() {
    var watch = SilenceWatch(.seconds(120))
    watch.heard("hearth/1/g/gym/rows", [], isRetained: false)
    let restarts = Self.restarts(&watch, minutes: 0..<300)
    #expect(restarts == [2, 6, 14, 30, 62, 122, 182, 242])
  }

  @Test("is heard although the words of hubs go on")
  func apart() {
    var watch = SilenceWatch(.seconds(120))
    watch.heard("hearth/1/g/gym/rows", [], isRetained: false)
    let restarts = Self.restarts(&watch, minutes: 0..<7) { _, watch in Self.status(&watch) }
    #expect(restarts == [2, 6])
  }

  @Test("has two minutes again once something came")
  func patience() {
    var watch = SilenceWatch(.seconds(120))
    watch.heard("hearth/1/g/gym/rows", [], isRetained: false)
    #expect(Self.restarts(&watch, minutes: 0..<20) == [2, 6, 14])
    watch.heard("hearth/1/g/gym/rows", [], isRetained: false)
    #expect(Self.restarts(&watch, minutes: 20..<24) == [22])
  }

  @Test("of rows is known by hubs that are online, though no row ever came, also by what a broker kept")
  func online() {
    for kept in [true, false] {
      var watch = SilenceWatch(.seconds(120))
      Self.status(&watch, kept: kept)
      #expect(watch.hubsOnline == 1)
      #expect(watch.passed(.seconds(119)) == nil)
      #expect(watch.passed(.seconds(1))?.kind == .rows)
    }
  }

  @Test("is not reported without a hub, or if all have left")
  func nobody() {
    var watch = SilenceWatch(.seconds(120))
    #expect(Self.restarts(&watch, minutes: 0..<200).isEmpty)
    Self.status(&watch)
    Self.status(&watch, Self.offline)
    #expect(watch.hubsOnline == 0 && Self.restarts(&watch, minutes: 0..<200).isEmpty)
  }

  @Test("of statuses is not ended by what a broker kept and gives again")
  func kept() {
    var watch = SilenceWatch(.seconds(120))
    Self.status(&watch)
    let restarts = Self.restarts(&watch, minutes: 0..<16) { _, watch in
      watch.heard("hearth/1/g/gym/rows", [], isRetained: false)
      Self.status(&watch, kept: true)
    }
    #expect(restarts == [2, 6, 14])
  }

  @Test("is not the silence of births, and no topic of others counts")
  func births() {
    var watch = SilenceWatch(.seconds(120))
    watch.heard("spBv1.0/g/NBIRTH/gym", [], isRetained: false)
    watch.heard("other/rows", [], isRetained: false)
    #expect(Self.restarts(&watch, minutes: 0..<200).isEmpty)
  }

  @Test("begins to count with each connection")
  func connections() {
    var watch = SilenceWatch(.seconds(120))
    watch.heard("hearth/1/g/gym/rows", [], isRetained: false)
    for _ in 0..<10 {
      #expect(watch.passed(.seconds(110)) == nil)
      watch.connected()
    }
  }

  @Test("is looked for more often the shorter its patience is")
  func interval() {
    #expect(SilenceWatch(.seconds(120)).interval == .seconds(10))
    #expect(SilenceWatch(.seconds(2)).interval == .milliseconds(250))
  }
}
