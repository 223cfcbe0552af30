import Bluetooth
import EventLoop
import Foundation
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

/// A lane that is busy in every way its documents can say.
@LoopActor
func fillLane(_ hub: FakeHub) {
  hub.visits = [
    FakeHub.visit(8) {
      $0.ended = FakeHub.now + .seconds(3)
      $0.isRunning = false
      $0.outcome = .busy
      $0.trouble = HearthError(.linkLost, "out of range")
      $0.rate = 64_000
      $0.expectedEnd = FakeHub.now
      $0.sliceUsed = .milliseconds(28_500)
    }
  ]
  var sync = SyncSnapshot(
    number: 3, wearable: "strap-01", request: SyncRequest(["sleep"], since: FakeHub.now), ordered: FakeHub.now,
    domains: [SyncedDomain("sleep", [.sleep])])
  (sync.ended, sync.visit, sync.item, sync.itemFetched, sync.itemSize) = (FakeHub.now, 8, "a", 5, 10)
  (sync.domains[0].state, sync.domains[0].bytes) = (.failed, 12)
  sync.domains[0].trouble = HearthError(.visitRefused, "strap-01 refused listing")
  sync.watermarks = [SyncedSeries(series: .sleep, end: FakeHub.now, refused: 2)]
  hub.syncs = [sync]
  hub.queue = [
    QueueSnapshot(wearable: "strap-02", why: "memory full in 3 h", notBefore: FakeHub.now, trigger: .schedule)
  ]
  var item = CustodySnapshot(id: "20261120/ACC.REC", mark: "m", bytesFetched: 735_000, visit: 8)
  (item.size, item.fetched, item.verified, item.durable, item.erased) = (
    1_204_992, FakeHub.now, FakeHub.now, FakeHub.now, FakeHub.now
  )
  (item.receipts, item.firstReceipt, item.remark) = (1, 41, "activity")
  hub.items = [item]
  hub.pairingsWaiting = [
    PairingSnapshot(
      wearable: "strap-01", request: PairingRequest(address: FakeHub.address(0), kind: .compare(4217)),
      until: FakeHub.now)
  ]
}

@Suite("The lane on the control socket")
struct LaneMethodTests {
  @Test("asked why, the queue says by what right each wearable goes and what it needs")
  func reasons() throws {
    let reply = try serve { hub, _ in
      var queued = QueueSnapshot(wearable: "strap-02", why: "not linked", trigger: .seen)
      queued.priority = .returning
      queued.hold = .paced(until: FakeHub.now)
      (queued.slot, queued.isHeard) = (.of("strap-01", at: FakeHub.now), true)
      hub.queue = [queued]
    } client: { path in
      try ControlClient(path: path).call("Visits", ["why": true])
    }
    let queue = try (reply["queue"] ?? .null).decoded([QueuedDocument].self)
    let first = try #require(queue.first)
    #expect(first.priority == "returning" && first.heldBy == "pace" && first.heldUntil != nil && first.heard == true)
    #expect(first.slot == "taken" && first.slotOf == "strap-01" && first.slotAt == first.heldUntil)
  }

  @Test("visits are given with the queue, of one wearable only its own, as many as asked for")
  func visits() throws {
    let (all, one, few) = try serve { hub, _ in
      fillLane(hub)
      hub.visits.insert(FakeHub.visit(9), at: 0)
    } client: { path in
      let client = try ControlClient(path: path)
      return (
        try client.call("Visits"), try client.call("Visits", ["name": "strap-01"]),
        try client.call("Visits", ["limit": 1])
      )
    }
    let visits = try (all["visits"] ?? .null).decoded([VisitDocument].self)
    #expect(visits.map(\.number) == [9, 8] && visits.map(\.running) == [true, false])
    let (running, ended) = (visits[0], visits[1])
    #expect(running.outcome == nil && running.stage == "fetch" && running.percent == 60 && running.sliceMs == 45_000)
    #expect(
      ended.outcome == "busy" && ended.reason?.code == "H2104" && ended.sliceUsedMs == 28_500
        && ended.ended == "2026-11-21T10:00:03.000Z")
    #expect(try (all["queue"] ?? .null).decoded([QueuedDocument].self).map(\.why) == ["memory full in 3 h"])
    #expect(one["queue"] == .array([]))
    #expect(try (few["visits"] ?? .null).decoded([VisitDocument].self).map(\.number) == [9])
  }

  @Test("a percentage is between 0 and 100 whatever a wearable claims")
  func percent() {
    #expect(VisitDocument.percent(5, of: 10) == 50 && VisitDocument.percent(0, of: 10) == 0)
    #expect(VisitDocument.percent(20, of: 10) == 100 && VisitDocument.percent(-5, of: 10) == 0)
    #expect(
      VisitDocument.percent(.max, of: .max) == 100 && VisitDocument.percent(1, of: 0) == nil
        && VisitDocument.percent(1, of: -1) == nil)
    #expect(VisitDocument.percent(999, of: 1000) == 99, "100 is said when all is there")
  }

  @Test("a visit that was asked for is watched from the queue to its end, each state once, and not its predecessor")
  func watch() throws {
    let (numbers, stages, waiting, isOver) = try serve { hub, server in
      server.visitTick = .milliseconds(2)
      hub.visits = [
        FakeHub.visit(7) {
          $0.isRunning = false
          $0.outcome = .interrupted
        }
      ]
      server.loop.spawn {
        while hub.queue.isEmpty { try? await server.loop.sleep(for: .milliseconds(1)) }
        let seen = hub.wearablesAsked
        while hub.wearablesAsked < seen + 20 { try? await server.loop.sleep(for: .milliseconds(1)) }
        hub.queue = []
        hub.visits.insert(FakeHub.visit(8), at: 0)
        try? await server.loop.sleep(for: .milliseconds(20))
        hub.visits[0].isRunning = false
        hub.visits[0].stage = .finish
        hub.visits[0].outcome = .done
      }
    } client: { path in
      let client = try ControlClient(path: path)
      let queued: QueuedDocument = try client.fetch("queued", of: "VisitNow", ["name": "strap-01"])
      var replies: [JSON] = []
      try client.stream("VisitWatch", ["name": "strap-01", "after": 7]) { reply in
        replies.append(reply)
        return true
      }
      let visits = try replies.map {
        try ($0["visit"] ?? .null) == .null ? nil : $0["visit"]?.decoded(VisitDocument.self)
      }
      return (visits.map { $0?.number }, visits.map { $0?.stage }, queued.trigger, visits.last??.outcome)
    }
    #expect(numbers == [nil, 8, 8] && stages == [nil, "fetch", "finish"])
    #expect(waiting == "operator" && isOver == "done")
  }

  @Test("a sync's visit of less is not shown as the visit that was asked for, neither while it runs nor as its end")
  func watchBesideSync() throws {
    let (numbers, outcome) = try serve { hub, server in
      server.visitTick = .milliseconds(2)
      hub.visits = [FakeHub.visit(8) { $0.isOfAll = false }]
      server.loop.spawn {
        while hub.queue.isEmpty { try? await server.loop.sleep(for: .milliseconds(1)) }
        try? await server.loop.sleep(for: .milliseconds(20))
        hub.visits[0].isRunning = false
        hub.visits[0].outcome = .done
        try? await server.loop.sleep(for: .milliseconds(20))
        hub.queue = []
        hub.visits.insert(FakeHub.visit(9) { $0.isOfAll = true }, at: 0)
        try? await server.loop.sleep(for: .milliseconds(20))
        hub.visits[0].isRunning = false
        hub.visits[0].outcome = .busy
      }
    } client: { path in
      let client = try ControlClient(path: path)
      _ = try client.call("VisitNow", ["name": "strap-01"])
      var replies: [JSON] = []
      try client.stream("VisitWatch", ["name": "strap-01", "after": 7]) { reply in
        replies.append(reply)
        return true
      }
      let visits = try replies.map {
        try ($0["visit"] ?? .null) == .null ? nil : $0["visit"]?.decoded(VisitDocument.self)
      }
      return (visits.map { $0?.number }, visits.last??.outcome)
    }
    #expect(Set(numbers) == [nil, 9] && outcome == "busy")
  }

  @Test("watching a wearable without a visit ends at once with its last visit; watching an unknown one is refused")
  func watchNothing() throws {
    let (replies, error) = try serve { hub, _ in
      fillLane(hub)
    } client: { path in
      let client = try ControlClient(path: path)
      var replies: [JSON] = []
      try client.stream("VisitWatch", ["name": "strap-01"]) { reply in
        replies.append(reply)
        return true
      }
      return (replies, refusal { try client.stream("VisitWatch", ["name": "nobody"]) { _ in true } })
    }
    #expect(replies.map { $0["visit"]?["number"] } == [.integer(8)])
    #expect(error?.reason == .noSuchWearable)
  }

  @Test("a watcher that leaves is not looked for any more")
  func watcherLeaves() throws {
    let (before, after) = try serve { hub, server in
      server.visitTick = .milliseconds(2)
      hub.visits = [FakeHub.visit(8)]
    } client: { path in
      let client = try RawClient(path)
      client.send(#"{"method":"io.hearth.Hub.VisitWatch","parameters":{"name":"strap-01"},"more":true}"#)
      _ = try client.receive()
    } after: { hub, server, _ in
      try await server.loop.sleep(for: .milliseconds(50))
      let before = hub.wearablesAsked
      try await server.loop.sleep(for: .milliseconds(50))
      return (before, hub.wearablesAsked)
    }
    #expect(before == after && before > 0)
  }

  @Test("custody is item by item, on request of the last visit alone, and never more than the store keeps")
  func custody() throws {
    let (all, last, many) = try serve { hub, _ in
      fillLane(hub)
      hub.items.append(CustodySnapshot(id: "old", mark: "", bytesFetched: 0, visit: 7))
      hub.items += (0..<2000).map { CustodySnapshot(id: "x\($0)", mark: "", bytesFetched: 0, visit: 6) }
    } client: { path in
      let client = try ControlClient(path: path)
      let all: CustodyDocument = try client.fetch("custody", of: "Custody", ["name": "strap-01"])
      let last: CustodyDocument = try client.fetch("custody", of: "Custody", ["name": "strap-01", "last": true])
      return (all, last, all.items.count)
    }
    #expect(many == 1024 && all.visit?.number == 8)
    #expect(last.items.map(\.id) == ["20261120/ACC.REC"] && last.items.first?.firstReceipt == 41)
    #expect(last.items.first?.erased == "2026-11-21T10:00:00.000Z")
  }

  @Test(
    "a link is shown as asked, as it is and as the wearable says; an operator's choice lasts until it is taken back")
  func link() throws {
    let log = LogLines()
    let (plain, set, auto, kept) = try serve(
      client: { path in
        let client = try ControlClient(path: path)
        let plain: LinkDocument = try client.fetch("link", of: "Link", ["name": "strap-01"])
        let set: LinkDocument = try client.fetch("link", of: "LinkSet", ["name": "strap-01", "profile": "foreground"])
        let auto: LinkDocument = try client.fetch("link", of: "LinkSet", ["name": "strap-01", "profile": "auto"])
        return (plain, set, auto)
      }, log: log
    ) { hub, _, found in (found.0, found.1, found.2, hub.profile) }
    #expect(
      plain.requested == .init(profile: "idle", minIntervalMs: 200, maxIntervalMs: 450, latency: 10, timeoutMs: 10_000))
    #expect(
      plain.effective == .init(profile: "background", intervalMs: 97.5, latency: 4, timeoutMs: 6000, source: "observed")
    )
    #expect(plain.reported == 1 && plain.reportedProfile == "background" && plain.override == nil)
    #expect(set.override == "foreground" && set.requested.maxIntervalMs == 30)
    #expect(auto.override == nil && kept == nil)
    #expect(log.all.count == 2 && log.all.allSatisfy { $0.contains("asked to keep the link of strap-01 on ") })
  }

  @Test("a link may be set by the hub alone, but policy has no such choice")
  func central() throws {
    let (set, error) = try serve { path in
      let client = try ControlClient(path: path)
      let set: LinkDocument = try client.fetch(
        "link", of: "LinkSet", ["name": "strap-01", "profile": "idle", "central": true])
      return (
        set, refusal { _ = try client.call("LinkSet", ["name": "strap-01", "profile": "auto", "central": true]) }
      )
    }
    #expect(set.override == "idle" && set.central)
    #expect(error?.reason == .controlBadParameter)
  }

  @Test("whether a wearable is emptied is an operator's choice of four words")
  func erasing() throws {
    let (ask, auto, error) = try serve { path in
      let client = try ControlClient(path: path)
      let ask: DeviceDocument = try client.fetch("device", of: "EraseSet", ["name": "strap-01", "choice": "ask"])
      let auto: DeviceDocument = try client.fetch("device", of: "EraseSet", ["name": "strap-01", "choice": "auto"])
      return (ask, auto, refusal { _ = try client.call("EraseSet", ["name": "strap-01", "choice": "always"]) })
    }
    #expect(ask.erase == "ask" && ask.eraseChoice == "ask" && auto.erase == "yes" && auto.eraseChoice == nil)
    #expect(error?.reason == .controlBadParameter)
  }

  @Test("whether what a wearable advertises is kept is an operator's choice of three words")
  func listening() throws {
    let (off, auto, error) = try serve { path in
      let client = try ControlClient(path: path)
      let off: DeviceDocument = try client.fetch("device", of: "ListenSet", ["name": "strap-01", "choice": "off"])
      let auto: DeviceDocument = try client.fetch("device", of: "ListenSet", ["name": "strap-01", "choice": "auto"])
      return (off, auto, refusal { _ = try client.call("ListenSet", ["name": "strap-01", "choice": "yes"]) })
    }
    #expect(off.listens == false && off.listenChoice == false && auto.listens == true && auto.listenChoice == nil)
    #expect(error?.reason == .controlBadParameter)
  }

  @Test("how long a wearable may be away is an operator's choice of seconds, never and auto")
  func absence() throws {
    let (two, never, auto, errors) = try serve { path in
      let client = try ControlClient(path: path)
      func set(_ choice: String) throws(HearthError) -> DeviceDocument {
        try client.fetch("device", of: "AbsenceSet", ["name": "strap-01", "choice": .string(choice)])
      }
      let refused = ["always", "-1", "299", "31536001", "2h"].map { word in refusal { _ = try set(word) } }
      return (try set("7200"), try set("never"), try set("auto"), refused)
    }
    #expect(two.absentAfterS == 7200 && two.absentChoiceS == 7200)
    #expect(never.absentAfterS == nil && never.absentChoiceS == 0)
    #expect(auto.absentAfterS == 90_000 && auto.absentChoiceS == nil)
    #expect(errors.allSatisfy { $0?.reason == .controlBadParameter })
  }

  @Test("clocks are those of all or of one; a drift that is no number is left out")
  func clock() throws {
    let (all, one, error) = try serve { path in
      let client = try ControlClient(path: path)
      let all: ClockDocument = try client.fetch("clock", of: "Clock")
      let one: ClockDocument = try client.fetch("clock", of: "Clock", ["name": "strap-02"])
      return (all, one, refusal { _ = try client.call("Clock", ["name": "nobody"]) })
    }
    #expect(all.devices.map(\.offsetUs) == [-1_250_000, nil] && all.devices.map(\.driftPpm) == [12.5, nil])
    #expect(one.devices.map(\.device) == ["strap-02"] && one.devices.first?.doubt == "never asked")
    #expect(error?.reason == .noSuchWearable)
  }

  @Test("the plan of a full house says which wearables take turns, of which length, and which slots are missing")
  func plan() throws {
    let plan: SlotPlanDocument = try serve { _, _ in
    } client: { path in
      try ControlClient(path: path).fetch("plan", of: "RadioPlan")
    }
    #expect(plan.slots == 1 && plan.slotSource == "learned" && plan.wanting == 2)
    #expect(plan.missing == 7 && plan.missingAdapters == 2)
    #expect(
      plan.devices == [
        .init(device: "strap-1", role: .turns, present: true, turnS: 45, gapS: 50, advertises: true),
        .init(device: "band-07", role: .visits, present: false, turnS: nil, gapS: nil, advertises: false),
      ])
  }

  @Test("the radio reports its ladder, and is recovered on request; its refusal is passed on and logged")
  func radio() throws {
    let log = LogLines()
    let (radio, refused, recoveries) = try serve(
      prepare: { hub, _ in
        hub.radioRefuses = HearthError(.managementRefused, "nothing to recover")
      },
      client: { path in
        let client = try ControlClient(path: path)
        let radio: RadioDocument = try client.fetch("radio", of: "Radio")
        return (radio, refusal { _ = try client.call("RadioRecover") })
      }, log: log
    ) { hub, server, found in
      hub.radioRefuses = nil
      try hub.recoverRadio()
      return (found.0, found.1, hub.recoveries)
    }
    #expect(radio.ladder == [.init(name: "scan restart", count: 2), .init(name: "power", count: 0)])
    #expect(
      radio.slotSource == "learned" && radio.rung == "scan restart" && !radio.recovering && radio.lastRecovery == nil)
    #expect(refused == HearthError(.managementRefused, "nothing to recover") && recoveries == 1)
    #expect(log.all.count == 1 && log.all[0].contains("asked to recover the radio: refused"))
  }

  @Test("a pairing is shown with six digits and answered; its digits are not in the log")
  func pairing() throws {
    let log = LogLines()
    let (pairings, answers) = try serve(
      prepare: { hub, _ in fillLane(hub) },
      client: { path in
        let client = try ControlClient(path: path)
        let pairings: [PairingDocument] = try client.fetch("pairings", of: "Pairings")
        for answer in ["yes", "no"] {
          _ = try client.call("PairAnswer", ["name": "strap-01", "answer": .string(answer)])
        }
        _ = try client.call("PairAnswer", ["name": "strap-01", "answer": "passkey", "passkey": 999_999])
        return pairings
      }, log: log
    ) { hub, _, pairings in (pairings, hub.answers) }
    #expect(pairings.map(\.kind) == ["compare"] && pairings.first?.digits == "004217")
    #expect(answers == [.yes, .no, .passkey(999_999)])
    #expect(log.all.count == 3 && !log.all.contains { $0.contains("999999") })
  }

  @Test("every kind of pairing has its word")
  func pairingKinds() {
    func document(_ kind: PairingRequest.Kind) -> PairingDocument {
      PairingDocument(
        PairingSnapshot(
          wearable: "a", request: PairingRequest(address: FakeHub.address(0), kind: kind), until: FakeHub.now))
    }
    let kinds: [PairingRequest.Kind] = [.justWorks, .passkey, .show(0), .compare(999_999)]
    #expect(kinds.map { document($0).kind } == ["just_works", "passkey", "show", "compare"])
    #expect(kinds.map { document($0).digits } == [nil, nil, "000000", "999999"])
  }

  @Test("actions are listed and done; one that is not there is refused")
  func actions() throws {
    let (list, result, error) = try serve { path in
      let client = try ControlClient(path: path)
      let list: [ActionDocument] = try client.fetch("actions", of: "Actions", ["name": "strap-01"])
      let result = try client.call(
        "Act", ["name": "strap-01", "action": "start-activity", "arguments": .array(["walk"])])
      return (
        list, result["result"], refusal { _ = try client.call("Act", ["name": "strap-01", "action": "self-destruct"]) }
      )
    }
    #expect(list == [ActionDocument(name: "start-activity", summary: "Begins to record.", usage: "[NAME]")])
    #expect(result == "recording since now walk")
    #expect(error?.reason == .controlBadParameter)
  }

  @Test("reading the live values of one wearable looks at it; reading those of all is no look")
  func liveIsLooking() throws {
    let watched = try serve(client: { path in
      let all = try RawClient(path)
      all.send(#"{"method":"io.hearth.Hub.Live","more":true}"#)
      let one = try RawClient(path)
      one.send(#"{"method":"io.hearth.Hub.Live","parameters":{"name":"strap-01"},"more":true}"#)
      let other = try ControlClient(path: path)
      _ = try other.call("EnrollClose")
    }) { hub, server, _ in
      try await server.loop.sleep(for: .milliseconds(20))
      return hub.watched
    }
    #expect(watched == ["strap-01"])
  }

  @Test("looking is reported again while it lasts, and no more when it ends")
  func operatorWatch() throws {
    try VirtualLoop.run { loop in
      let hub = FakeHub()
      let watch = OperatorKeepAlive("strap-01", hub, loop)
      try await loop.sleep(for: .seconds(31))
      #expect(hub.watched.count == 3, "at 0, 15 and 30 s")
      watch.end()
      try await loop.sleep(for: .seconds(60))
      #expect(hub.watched.count == 3)
    }
  }
}
