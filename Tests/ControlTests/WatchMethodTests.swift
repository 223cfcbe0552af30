import EventLoop
import Foundation
import Hub
import Reasons
import Testing

@testable import Control
@testable import HubProtocol

private let call = #"{"method":"io.hearth.Hub.Watch","parameters":{},"more":true}"#

private func view(_ text: String?) throws -> ViewDocument {
  let reply = try JSON.parse(Array(try #require(text).utf8))
  return try (reply["parameters"]?["view"] ?? .null).decoded(ViewDocument.self)
}

/// The next view with a wearable in it. Earlier views may hold a status alone, a new minute, or no news.
private func nextOfDevices(_ client: RawClient) throws -> ViewDocument {
  while true {
    let next = try view(client.receive())
    if !next.devices.isEmpty { return next }
    try #require(next.order == nil && next.visits == nil && next.events == nil)
  }
}

/// Waits until a client watches, however long that takes on a busy machine.
@LoopActor
private func whenWatched(_ hub: FakeHub, _ loop: EpollLoop, _ action: @escaping @LoopActor () -> Void) {
  if !hub.subscribers.isEmpty { return action() }
  loop.schedule(after: .milliseconds(50)) { whenWatched(hub, loop, action) }
}

/// When something began, and when it was over.
@LoopActor
private final class Stretch {
  var began: Instant?
  var ended: Instant?

  nonisolated init() {}
}

@Suite("Updates of full-screen views")
struct WatchMethodTests {
  @Test("the first reply has everything, and the next only the wearable that changed")
  func changes() throws {
    let (first, second) = try serve(
      prepare: { hub, server in
        hub.change = { $0[0].heartRate = ($0[0].heartRate?.bpm ?? 72, FakeHub.now) }
        whenWatched(hub, server.loop) {
          server.loop.schedule(after: .milliseconds(100)) {
            hub.change = { $0[1].battery = 12 }
            hub.noteChange()
          }
        }
      },
      client: { path in
        let client = try RawClient(path)
        client.send(call)
        return (try view(client.receive()), try nextOfDevices(client))
      })
    #expect(first.status?.name == "gym-north" && first.radio?.adapter == "hci0")
    #expect(first.devices.map(\.name) == ["strap-01", "strap-02"])
    #expect(first.order == first.devices.map(\.address))
    #expect(first.lights != nil && first.visits != nil && first.events != nil)
    #expect(second.devices.map(\.name) == ["strap-02"] && second.devices[0].battery == 12)
    #expect(second.order == nil && second.visits == nil && second.events == nil)
    #expect(second.status == nil || second.status?.clock.time.prefix(16) != first.status?.clock.time.prefix(16))
  }

  @Test("constant movement is no change: no reply is sent for it, however often the hub reports a change")
  func noise() throws {
    let last = try serve(
      prepare: { hub, server in
        @LoopActor func tremble(_ left: Int) {
          hub.change = { all in
            all[0].rssi = -58 - left % 3
            all[0].counters = [("samples", UInt64(1000 + left))]
            all[0].lastSeen = FakeHub.now + .milliseconds(left)
            all[0].lastValue = all[0].lastSeen
            // The last of all is one.
            if left == 0 { all[0].battery = 7 }
          }
          hub.noteChange()
          if left > 0 { server.loop.schedule(after: .milliseconds(20)) { tremble(left - 1) } }
        }
        whenWatched(hub, server.loop) { tremble(60) }
      },
      client: { path in
        let client = try RawClient(path)
        client.send(call)
        _ = try client.receive()
        return try nextOfDevices(client)
      })
    #expect(last.devices.map(\.battery) == [7])
  }

  @Test("a view of a hub without changes gets an empty reply within some seconds")
  func quiet() throws {
    let views = try serve(
      client: { path in
        let client = try RawClient(path)
        client.send(call)
        return try (0..<2).map { _ in try view(client.receive()) }
      }, after: { _, _, found in found })
    #expect(views[0].status != nil && views[1].devices.isEmpty && views[1].order == nil)
  }

  @Test("views are sent four times a second at most, and without views no wearable is looked at")
  func pace() throws {
    let stretch = Stretch()
    let (looks, replies, rest, seconds) = try serve(
      prepare: { hub, server in
        @LoopActor func flicker(_ left: Int) {
          hub.change = { $0[0].battery = left == 0 ? 0 : 1 + left % 99 }
          hub.noteChange()
          if left == 0 { stretch.ended = server.loop.now }
          if left > 0 { server.loop.schedule(after: .milliseconds(5)) { flicker(left - 1) } }
        }
        whenWatched(hub, server.loop) {
          stretch.began = server.loop.now
          flicker(200)
        }
      },
      client: { path in
        let client = try RawClient(path)
        client.send(call)
        var replies = 0
        // 200 changes in a second: the last of them has the battery at 0.
        while try view(client.receive()).devices.first?.battery != 0 { replies += 1 }
        return replies
      }
    ) { hub, server, replies in
      let looks = server.feed.looks
      // The client is gone by now; its end is heard in a turn of the loop.
      while !hub.subscribers.isEmpty { try await server.loop.sleep(for: .milliseconds(1)) }
      hub.noteChange()
      try await server.loop.sleep(for: .milliseconds(300))
      let seconds = stretch.began.flatMap { began in stretch.ended.map { ($0 - began).inSeconds } }
      return (looks, replies, server.feed.looks - looks, seconds ?? 0)
    }
    // Four in each second that it took on this machine, and the first and the last one.
    let most = Int(seconds * 4) + 3
    #expect((2...most).contains(replies), "\(replies) replies in \(seconds) s")
    #expect(looks <= most + 1 && rest <= 1, "\(looks) looks in \(seconds) s, \(rest) without anybody")
  }

  @Test("a plain call gets everything once; a parameter is refused")
  func once() throws {
    let (document, refused) = try serve(client: { path in
      let client = try ControlClient(path: path)
      let document: ViewDocument = try client.fetch("view", of: "Watch")
      let raw = try RawClient(path)
      raw.send(#"{"method":"io.hearth.Hub.Watch","parameters":{"name":"strap-01"},"more":true}"#)
      return (document, try raw.receive())
    })
    #expect(document.devices.count == 2 && document.status != nil)
    #expect(refused?.contains("InvalidParameter") == true)
  }

  @Test("a view that never reads delays no other, is not sent more, and has the newest state when it reads again")
  func slow() throws {
    // A name of 60 KB makes each reply too large for the kernel's buffer after some.
    let (fast, slow) = try serve(
      prepare: { hub, server in
        @LoopActor func flicker(_ left: Int) {
          hub.change = { all in
            all[0].manufacturer = String(repeating: "x", count: 200_000)
            all[0].battery = left
          }
          hub.noteChange()
          if left > 0 { server.loop.schedule(after: .milliseconds(260)) { flicker(left - 1) } }
        }
        server.loop.schedule(after: .milliseconds(20)) { flicker(6) }
      },
      client: { path in
        let (fast, slow) = (try RawClient(path), try RawClient(path))
        fast.send(call)
        slow.send(call)
        while try view(fast.receive()).devices.first?.battery != 0 {}
        var replies = 1
        while try view(slow.receive()).devices.first?.battery != 0 { replies += 1 }
        return (true, replies)
      })
    #expect(fast && slow < 8, "\(slow) replies")
  }
}
