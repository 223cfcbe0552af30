import Bluetooth
import Control
import Hub
import HubProtocol
import Reasons
import StoreDocuments
import Testing

@testable import EventLoop
@testable import hearth

private let now = VirtualLoop.morning
private let hubTime = HubTime(zone: .utc, now: now)

@Suite("Pauses and mutes for people")
struct CLIStandingTests {
  private static func strap(_ state: WearableState) -> WearableSnapshot {
    WearableSnapshot(
      name: "strap-01", address: BluetoothAddress(value: 1, kind: .leRandom), kind: "HR strap", state: state,
      isEnrolled: true)
  }

  @Test("a paused wearable says since when and for how long, and needs no person")
  func paused() {
    var snapshot = Self.strap(.paused)
    snapshot.pause = PauseSnapshot(since: now + .seconds(-7200), until: now + .seconds(3600))
    let device = DeviceDocument(snapshot)
    #expect(!needsPerson(device))
    #expect(renderTable([device], hubTime, .plain).contains("paused for 2 h\n"))
    #expect(render(device, now: now, .plain).contains("collected      no: paused by order 2 h ago, for 1 h more\n"))
    #expect(renderPause(device, hubTime) == "strap-01: paused until 2026-11-21 11:00:00\n")
    snapshot.pause?.until = nil
    #expect(
      renderPause(DeviceDocument(snapshot), hubTime) == "strap-01: paused until: hearth device strap-01 resume\n")
    #expect(renderPause(DeviceDocument(Self.strap(.live)), hubTime) == "strap-01: collected\n")
  }

  @Test("what is muted stands on the page of its wearable as muted, and what visits leave out as not taken")
  func muted() {
    var snapshot = Self.strap(.live)
    snapshot.muted = [HearthError(.batteryCritical, "strap-01: 5 %")]
    snapshot.leftOut = ["sleep", "steps"]
    let page = render(DeviceDocument(snapshot), now: now, .plain)
    #expect(page.contains("muted          H2230 \(Reason.batteryCritical.text.sentence)\n"), "\(page)")
    #expect(page.contains("not taken      sleep, steps, by order\n"))
  }

  @Test("mutes are listed with wearable and end; a time of day that is over is the one of tomorrow")
  func mutes() throws {
    let list = [
      MuteDocument(code: "H2109", sentence: "linked again", device: "strap-01", since: "", until: now.rfc3339),
      MuteDocument(code: "H4110", sentence: "over its budget", device: nil, since: "", until: nil),
    ]
    #expect(
      render(list, hubTime) == """
        H2109  strap-01  until 2026-11-21 10:00:00  linked again
        H4110  all       until it is unmuted        over its budget

        """)
    #expect(render([], hubTime) == "nothing is muted\n")
    func end(_ words: [String]) throws -> WallTime? {
      try (try HearthCommand.parseAsRoot(["mute", "H2109"] + words) as? MuteCommand)?.end.end(hubTime)
    }
    #expect(try end([]) == nil)
    #expect(try end(["--for", "2h"]) == now + .seconds(7200))
    #expect(try end(["--until", "12:00"]) == now + .seconds(7200))
    #expect(try end(["--until", "07:00"]) == now + .seconds(21 * 3600))
    // What is over is no time of tomorrow, but for a time of day.
    for text in ["2026-11-20", "2h", "now", "yesterday"] {
      #expect(throws: HearthError.self, "\(text)") { try end(["--until", text]) }
    }
  }
}
