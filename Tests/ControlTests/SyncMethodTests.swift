import EventLoop
import Health
import Hub
import Reasons
import Testing

@testable import Control
@testable import HubProtocol

private func refusal(_ body: () throws -> Void) -> HearthError? {
  do { try body() } catch { return error as? HearthError }
  return nil
}

@Suite("The sync methods of the control socket")
struct SyncMethodTests {
  @Test("a sync is ordered with its kinds of data and its range, in the forms of time that people use")
  func order() throws {
    let (sync, second, requests) = try serve(
      client: { path -> (SyncDocument, HearthError?) in
        let client = try ControlClient(path: path)
        let parameters: JSON = [
          "name": "strap-01", "series": .array([.string("sleep"), .string("acc")]),
          "since": "2026-11-20", "until": "2026-11-20",
          "automatic_only": true,
        ]
        let sync: SyncDocument = try client.fetch("sync", of: "SyncNow", parameters)
        return (sync, refusal { _ = try client.call("SyncNow", ["name": "strap-01"]) })
      }, after: { hub, _, found in (found.0, found.1, hub.syncRequests) })
    #expect(sync.number == 1 && sync.ended == nil && sync.domains.map(\.domain) == ["sleep", "recordings"])
    #expect(sync.domains.map(\.state) == ["waiting", "waiting"] && sync.domainsOver == 0 && sync.automaticOnly)
    #expect(second?.reason == .syncRunning)
    let request = try #require(requests.first)
    #expect(requests.count == 1 && request.words == ["sleep", "acc"] && request.isAutomaticOnly)
    let (since, until) = (try #require(request.since), try #require(request.until))
    #expect(until - since == .seconds(86_400), "a date alone is included to its end")
  }

  @Test("a sync is watched to its end, each state once; the last reply is what came of it")
  func watch() throws {
    let states = try serve { hub, server in
      server.visitTick = .milliseconds(2)
      server.loop.spawn {
        while hub.syncs.isEmpty { try? await server.loop.sleep(for: .milliseconds(1)) }
        try? await server.loop.sleep(for: .milliseconds(20))
        hub.syncs[0].domains[0].state = .running
        (hub.syncs[0].item, hub.syncs[0].itemFetched, hub.syncs[0].itemSize) = ("a", 5, 10)
        try? await server.loop.sleep(for: .milliseconds(20))
        hub.syncs[0].domains[0].state = .done
        hub.syncs[0].domains[1].state = .failed
        hub.syncs[0].domains[1].trouble = HearthError(.visitRefused, "it refused listing")
        hub.syncs[0].ended = FakeHub.now
      }
    } client: { path in
      let client = try ControlClient(path: path)
      _ = try client.call("SyncNow", ["name": "strap-01"])
      var states: [SyncDocument] = []
      try client.stream("SyncWatch", ["name": "strap-01"]) { reply throws(HearthError) in
        states.append(try ControlClient.document(reply, "sync", "SyncWatch"))
        return true
      }
      return states
    }
    #expect(states.map { $0.domains.map(\.state) }.last == ["done", "failed"])
    #expect(states.contains { $0.percent == 50 && $0.domains[0].state == "running" })
    #expect(states.count == Set(states).count && states.last?.ended != nil)
    #expect(states.last?.domains[1].reason?.code == "H2121")
  }

  @Test("watching without an ordered sync ends at once with an empty answer; watching an unknown wearable is refused")
  func watchNothing() throws {
    let (replies, error) = try serve { path in
      let client = try ControlClient(path: path)
      var replies: [JSON] = []
      try client.stream("SyncWatch", ["name": "strap-01"]) { reply in
        replies.append(reply)
        return true
      }
      return (replies, refusal { try client.stream("SyncWatch", ["name": "nobody"]) { _ in true } })
    }
    #expect(replies == [["sync": .null]])
    #expect(error?.reason == .noSuchWearable)
  }
}
