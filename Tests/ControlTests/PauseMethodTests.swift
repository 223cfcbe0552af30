import Control
import EventLoop
import Hub
import HubProtocol
import Reasons
import Testing

@Suite("Pauses and mutes on the control socket")
struct PauseMethodTests {
  @Test("a pause is shown with its end, and a resumed wearable has no end")
  func pause() throws {
    let (paused, resumed) = try serve { path in
      let client = try ControlClient(path: path)
      let paused: DeviceDocument = try client.fetch(
        "device", of: "Pause", ["name": "strap-01", "until": "2026-11-22T07:00:00Z"])
      let resumed: DeviceDocument = try client.fetch("device", of: "Resume", ["name": "strap-01"])
      return (paused, resumed)
    }
    #expect(paused.state == "paused" && paused.pausedSince != nil)
    #expect(paused.pausedUntil.flatMap { WallTime(rfc3339: $0) } == WallTime(rfc3339: "2026-11-22T07:00:00Z"))
    #expect(resumed.pausedSince == nil && resumed.state != "paused")
  }

  @Test("mutes are listed with code, wearable and end; a code that does not exist is refused")
  func mute() throws {
    let (mutes, refused) = try serve { path in
      let client = try ControlClient(path: path)
      _ = try client.call("Mute", ["code": "H2109", "name": "strap-01", "until": "2026-11-22T07:00:00Z"])
      _ = try client.call("Mute", ["code": "H4110"])
      var mutes: [[MuteDocument]] = [try client.fetch("mutes", of: "Mutes")]
      mutes.append(try client.fetch("mutes", of: "Unmute", ["code": "H2109", "name": "strap-01"]))
      return (mutes, (try? client.call("Mute", ["code": "H9999"])) == nil)
    }
    #expect(mutes[0].map(\.code) == ["H2109", "H4110"] && mutes[0].map(\.device) == ["strap-01", nil])
    #expect(mutes[0][0].until != nil && mutes[0][0].sentence == Reason.linkFound.text.sentence)
    #expect(mutes[1].map(\.code) == ["H4110"])
    #expect(refused)
  }
}
