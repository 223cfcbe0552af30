import EventLoop
import Testing
import Wearable

@testable import Hub

@Suite("The end of the hub, with wearables that would stream on without a link,")
struct HubEndTests {
  private static func streaming(_ streams: RecorderStreams) -> RecorderDriver {
    var driver = RecorderDriver()
    driver.beats = true
    driver.streaming = streams
    return driver
  }

  @Test("waits for a slow one, and does not let a quick one start again meanwhile")
  func slow() throws {
    let streams = RecorderStreams()
    try inHouse(Self.streaming(streams), recorders: 2) { house, _ in
      house.start()
      // Each is looked at every five seconds: some of these moments are just before that.
      for round in 1...20 {
        let before = streams.begun
        try await house.wait { streams.begun == before + 2 }
        streams.endings = [.zero, .milliseconds(2900)]
        try await house.pass(.milliseconds(5000 + 250 * round))
        try await house.stopAndRestart()
        #expect(streams.begun == streams.ended, "round \(round)")
      }
    }
  }

  @Test("in the middle of a look at what it streams ends that too")
  func looking() throws {
    let streams = RecorderStreams()
    try inHouse(Self.streaming(streams)) { house, _ in
      house.start()
      try await house.wait { streams.begun == 1 }
      streams.looking = .seconds(1)
      // Behind a visit it is looked at in the visit's turn.
      _ = try house.hearth.visitNow("recorder-0")
      try await house.wait { streams.isLooking }
      await house.hearth.stop()
      #expect(streams.ended == streams.begun)
    }
  }
}
