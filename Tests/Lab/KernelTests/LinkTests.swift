// Links on a real Bluetooth stack.

import Bluetooth
import EventLoop
import Testing

@testable import LinuxBluetooth

/// Exchange MTU Request, 517.
let exchangeMTU: [UInt8] = [0x02, 0x05, 0x02]

/// The tests share one controller, one kernel and one world: one after another.
@Suite("In the lab", .serialized, .enabled(if: isInLab, "run in Tests/Lab/in-lab"))
struct InTheLab {}

extension InTheLab {
  @Suite("a link", .serialized)
  struct Links {
    @Test("is made to a strap that advertises, carries PDUs both ways, and the scan goes on")
    func connects() throws {
      try inLab { lab in
        try await lab.until("a strap is heard") { lab.heard(0) > 0 }
        let bearer = try await lab.connect(0)
        let ear = Ear()
        ear.attach(bearer)
        #expect(bearer.send(exchangeMTU))
        try await lab.until("an answer") { !ear.received.isEmpty }
        #expect(ear.received[0].first == 0x03)
        try await lab.control.ask("pdu 0 0a0300")
        try await lab.until("the strap's request") { ear.received.count == 2 }
        #expect(ear.received[1] == [0x0A, 0x03, 0x00])
        try await lab.until("the ledger knows") { lab.radio.facts.links == 1 }
        lab.forgetHeard()
        try await lab.until("another strap is heard") { lab.heard(1) > 2 }
        bearer.close(immediately: true)
        try await lab.until("the link is gone at once", within: .seconds(1)) { lab.radio.facts.links == 0 }
        #expect(ear.ends.isEmpty)
      }
    }

    @Test("starts with the foreground parameters, whatever the wearable ended with")
    func parameters() throws {
      try inLab { lab in
        let bearer = try await lab.connect(1)
        let command = try #require(lab.world.log("controller", containing: "CREATE_CONNECTION_COMMAND").last)
        // opcode, length, scan interval and window, policy, peer (7), own type; then min, max, latency, timeout.
        #expect(command.contains("0c00180000009001"), "12...24, 0, 400 in \(command)")
        bearer.close(immediately: true)
        try await lab.until("gone") { lab.radio.facts.links == 0 }
      }
    }

    @Test("to a strap that is not there fails as not heard at its deadline")
    func absent() throws {
      try inLab { lab in
        let result = await lab.outcome(of: LabSetting.strap(0x77), within: .seconds(5))
        #expect(result.error == .notHeard)
        #expect(abs(result.seconds - 5) < 0.5, "\(result.seconds) s")
        lab.forgetHeard()
        try await lab.until("the scan goes on") { lab.heard(0) > 0 }
      }
    }

    @Test("to a strap that is heard but never answers fails within the limit set for it, and blocks others no longer")
    func neverAnswered() throws {
      try inLab { lab in
        try await lab.control.ask("never-answer 2")
        try await lab.until("heard") { lab.heard(2) > 0 }
        let start = lab.loop.now
        var blocked: Duration?
        lab.loop.schedule(after: .seconds(1)) {
          lab.loop.spawn {
            // Start Discovery waits behind the outstanding LE Create Connection
            await lab.other.ask(0x0023, [6], index: 0)
            await lab.other.ask(0x0024, [6], index: 0)
            blocked = lab.loop.now - start - .seconds(1)
          }
        }
        let result = await lab.outcome(of: LabSetting.strap(2), within: .seconds(20))
        #expect(result.error == .timedOut)
        #expect(result.seconds <= 4, "\(result.seconds) s with a limit of 3 s")
        try await lab.until("the other program was served", within: .seconds(5)) { blocked != nil }
        #expect(blocked.map { $0 < .seconds(4) } == true)
        lab.forgetHeard()
        try await lab.until("the scan goes on") { lab.heard(0) > 0 }
      }
    }

    @Test("is given up at once when its task is cancelled, and the kernel's queue is free when a second has passed")
    func cancelled() throws {
      try inLab { lab in
        try await lab.control.ask("never-answer 2")
        try await lab.until("heard") { lab.heard(2) > 0 }
        var outcome: LinkError?
        let task = lab.loop.spawn { outcome = await lab.outcome(of: LabSetting.strap(2), within: .seconds(20)).error }
        try await lab.loop.sleep(for: .seconds(1))
        #expect(outcome == nil)
        task.cancel()
        let start = lab.loop.now
        try await lab.until("given up", within: .seconds(1)) { outcome != nil }
        #expect(outcome == .aborted)
        let reply = await lab.other.ask(0x0023, [6], index: 0)
        #expect(reply.status == 0)
        #expect(lab.loop.now - start < .milliseconds(1500), "free after \(lab.loop.now - start)")
        await lab.other.ask(0x0024, [6], index: 0)
        let bearer = try await lab.connect(0)
        bearer.close(immediately: true)
      }
    }

    @Test("that is given up in the moment in which the strap answers leaves no strap behind that is never heard again")
    func crossing() throws {
      try inLab { lab in
        try await lab.control.ask("cross-cancellations")
        for _ in 0..<3 {
          lab.forgetHeard()
          try await lab.until("heard") { lab.heard(4) > 0 }
          let begun = lab.world.log("controller", containing: "LE_CREATE_CONNECTION_COMMAND").count
          var outcome: LinkError?
          let task = lab.loop.spawn { outcome = await lab.outcome(of: LabSetting.strap(4), within: .seconds(20)).error }
          try await lab.until("the kernel connects it") {
            lab.world.log("controller", containing: "LE_CREATE_CONNECTION_COMMAND").count > begun
          }
          task.cancel()
          try await lab.until("given up", within: .seconds(1)) { outcome != nil }
        }
        lab.forgetHeard()
        try await lab.until("heard again", within: .seconds(8)) { lab.heard(4) > 0 }
        try await lab.until("no link is left", within: .seconds(8)) { lab.radio.facts.links == 0 }
      }
    }

    @Test(
      """
      ends by the wearable after its queued notifications were delivered, all twenty, also to an owner who listens \
      late
      """
    )
    func hangUpWithQueue() throws {
      try inLab { lab in
        let bearer = try await lab.connect(3)
        try await lab.control.ask("flood 3 20")
        try await lab.control.ask("hangup 3")
        try await lab.until("the link is gone") { lab.radio.facts.links == 0 }
        let ear = Ear()
        ear.attach(bearer)
        #expect(ear.received.isEmpty, "delivered inside the setter")
        try await lab.until("the end") { !ear.ends.isEmpty }
        #expect(ear.ends == [.peerClosed])
        #expect(ear.received.count == 20)
        #expect(ear.received.allSatisfy { $0.first == 0x1B })
      }
    }

    @Test("that is lost says so, and the strap can be reached again")
    func lost() throws {
      try inLab { lab in
        let bearer = try await lab.connect(4)
        let ear = Ear()
        ear.attach(bearer)
        try await lab.control.ask("drop 4")
        try await lab.until("the end") { !ear.ends.isEmpty }
        #expect(ear.ends == [.linkLost])
        let again = try await lab.connect(4)
        again.close(immediately: true)
      }
    }

    @Test("to a strap that closes at once ends once and leaves the radio well")
    func closesAtOnce() throws {
      try inLab { lab in
        try await lab.control.ask("close-at-once 5")
        for _ in 0..<3 {
          do throws(LinkError) {
            let bearer = try await lab.connect(5)
            let ear = Ear()
            ear.attach(bearer)
            do { try await lab.until("the end") { !ear.ends.isEmpty } } catch { Issue.record(error) }
            #expect(ear.ends == [.peerClosed])
          } catch {
            #expect(error == .peerClosed)
          }
        }
        #expect(lab.radio.state == .ready)
      }
    }

    @Test("that ended does not spin the loop, and its descriptor is closed once")
    func noSpin() throws {
      try inLab { lab in
        let before = openDescriptors()
        let deaf = try await lab.connect(5)  // without a listener at its end
        let heard = try await lab.connect(6)
        let ear = Ear()
        ear.attach(heard)
        try await lab.control.ask("hangup 5")
        try await lab.control.ask("hangup 6")
        try await lab.until("the end") { !ear.ends.isEmpty }
        let wakeUps = lab.loop.statistics.wakeUps
        try await lab.loop.sleep(for: .seconds(2))
        #expect(lab.loop.statistics.wakeUps - wakeUps < 400, "8 straps are heard 40 times a second")
        deaf.close(immediately: false)
        heard.close(immediately: false)
        deaf.close(immediately: true)
        #expect(openDescriptors() == before)
        #expect(ear.ends.count == 1)
      }
    }

    @Test("keeps a flood of 3,000 notifications of a stalled reader in bounded memory, without loss")
    func flood() throws {
      try inLab { lab in
        let bearer = try await lab.connect(0)
        try await lab.control.ask("flood 0 3000")
        try await lab.loop.sleep(for: .seconds(2))
        let ear = Ear()
        ear.attach(bearer)
        try await lab.until("all of it", within: .seconds(20)) { ear.received.count >= 3000 }
        #expect(lab.loop.statistics.longestTurn < .milliseconds(200), "\(lab.loop.statistics.longestTurn)")
        try await lab.control.ask("oversize 0")
        try await lab.until("a PDU above every MTU arrives whole") { ear.received.last?.count == 600 }
        bearer.close(immediately: true)
      }
    }

    @Test("makes a sender wait when the kernel's queue is full, and go on afterwards")
    func backPressure() throws {
      try inLab { lab in
        let bearer = try await lab.connect(1)
        let ear = Ear()
        ear.attach(bearer)
        let command: [UInt8] = [0x52, 0xFF, 0x00] + [UInt8](repeating: 7, count: 17)  // a Write Command to no attribute
        var sent = 0
        while sent < 10_000, bearer.send(command) { sent += 1 }
        #expect(sent > 4 && sent < 10_000, "\(sent)")
        try await lab.until("writable") { ear.writable == 1 }
        #expect(bearer.send(exchangeMTU))
        try await lab.until("the answer, after everything before it") { !ear.received.isEmpty }
        #expect(lab.counter("pdus.deferred") >= 1)
        bearer.close(immediately: true)
      }
    }

    @Test("beyond the controller's slots is refused, the limit is learned, and all are served in turn")
    func slots() throws {
      try inLab(LinuxRadioOptions(slots: .fixed(7))) { lab in
        try await lab.control.ask("slots 5")
        var open: [any Bearer] = []
        for strap in 0..<5 { open.append(try await lab.connect(strap)) }
        let refused = await lab.outcome(of: LabSetting.strap(5), within: .seconds(8))
        #expect(refused.error == .slotsFull)
        try await lab.until("five links") { lab.radio.facts.links == 5 }
        #expect(lab.radio.facts.slots == 5, "learned")
        let asked = await lab.outcome(of: LabSetting.strap(5), within: .seconds(8))
        #expect(asked.error == .slotsFull)
        #expect(asked.seconds < 0.1, "answered from the ledger")
        for strap in 5..<8 {
          open.removeFirst().close(immediately: true)
          try await lab.until("a slot is free") { lab.radio.facts.links == 4 }
          open.append(try await lab.connect(strap))
          try await lab.until("taken") { lab.radio.facts.links == 5 }
        }
        for bearer in open { bearer.close(immediately: true) }
        try await lab.until("all gone") { lab.radio.facts.links == 0 }
      }
    }

    @Test("left open lightly lingers about two seconds and is reused")
    func lingers() throws {
      try inLab { lab in
        let bearer = try await lab.connect(2)
        bearer.close(immediately: false)
        try await lab.loop.sleep(for: .milliseconds(500))
        #expect(lab.radio.facts.links == 1)
        let again = try await lab.connect(2)
        again.close(immediately: false)
        try await lab.until("it ends by itself", within: .seconds(4)) { lab.radio.facts.links == 0 }
      }
    }
  }
}
