// Pairing and keys on a real Bluetooth stack: the kernel's SMP on one side, Bumble's on the other.

import Bluetooth
import EventLoop
import Glibc
import Testing

@testable import LinuxBluetooth

/// Answers pairing questions as the test wants, and keeps what came of it.
@LoopActor
private final class Clerk {
  let lab: LabSetting
  var requests: [PairingRequest] = []
  var keys: [BondKeys] = []
  /// On which links they were made.
  var links: [BluetoothAddress] = []
  var verdict = KeyVerdict.kept
  var failures: [LinkError] = []

  init(_ lab: LabSetting, _ answer: @escaping @LoopActor (PairingRequest) -> PairingAnswer? = { _ in .yes }) {
    self.lab = lab
    lab.radio.onPairingRequest = { [weak self] request in
      self?.requests.append(request)
      if let answer = answer(request) { lab.radio.answer(request.address, answer) }
    }
    lab.radio.onKeys = { [weak self] link, keys in
      self?.links.append(link)
      self?.keys.append(keys)
      return self?.verdict ?? .kept
    }
    lab.radio.onPairingFailed = { [weak self] _, error in self?.failures.append(error) }
  }

  /// Nil if the link is encrypted.
  func secure(_ bearer: any Bearer) async -> LinkError? {
    do throws(LinkError) {
      try await lab.radio.secure(bearer)
      return nil
    } catch {
      return error
    }
  }

  func isEncrypted(_ strap: Int) async -> Bool {
    (try? await lab.control.ask("security \(strap)"))?.contains("\"encrypted\": true") == true
  }

  /// The number the strap shows.
  func shown(_ strap: Int) async throws -> UInt32? {
    let answer = try await lab.control.ask("security \(strap)")
    return answer.split(separator: ":").last.flatMap { UInt32($0.filter(\.isNumber)) }
  }

  func gone() async throws { try await lab.until("gone") { lab.radio.facts.links == 0 } }
}

/// What one lab hands to the next.
@LoopActor
private final class Kept {
  var keys: BondKeys?
  nonisolated init() {}
}

extension InTheLab {
  @Suite("a bond", .serialized)
  struct Bonds {
    /// A strap for this suite, bonded again by each test that needs it.
    private static let number = 6
    private static let thief = 7

    /// Bonds with the strap and gives the keys; the link is closed.
    @LoopActor
    private func bond(_ lab: LabSetting, _ clerk: Clerk, as address: BluetoothAddress = LabSetting.strap(number))
      async throws -> BondKeys
    {
      try await lab.control.ask("forget-bonds \(Self.number)")
      try await lab.control.ask("pairing \(Self.number) just-works")
      let bearer = try await lab.radio.connect(to: address, deadline: lab.loop.now + .seconds(10))
      #expect(await clerk.secure(bearer) == nil)
      #expect(await clerk.isEncrypted(Self.number))
      bearer.close(immediately: true)
      try await clerk.gone()
      return try #require(clerk.keys.last)
    }

    @Test(
      "is made by Just Works when a person says yes, and encrypts the next link and the next hub's without a question")
    func justWorks() throws {
      let kept = Kept()
      try inLab { lab in
        let clerk = Clerk(lab)
        try await lab.loop.sleep(for: .milliseconds(200))
        let keys = try await bond(lab, clerk)
        kept.keys = keys
        #expect(clerk.requests == [PairingRequest(address: LabSetting.strap(Self.number), kind: .justWorks)])
        #expect(clerk.keys.count == 1)
        #expect(keys.longTermKeys.map(\.isSecureConnections) == [true])
        #expect(keys.longTermKeys.map(\.isAuthenticated) == [false])
        #expect(keys.identityKey != nil)
        let again = try await lab.connect(Self.number)
        #expect(await clerk.secure(again) == nil)
        #expect(await clerk.secure(again) == nil, "nothing to do")
        #expect(clerk.requests.count == 1)
        again.close(immediately: true)
        try await clerk.gone()
      }
      // A kernel without bonds, as after a restart of the machine: the hub's list is the only one.
      try inLab(start: false) { lab in
        let clerk = Clerk(lab)
        await lab.other.ask(0x0013, [0, 0], index: 0)
        lab.radio.setKeys([try #require(kept.keys)])
        lab.radio.start()
        try await lab.until("ready") { lab.radio.state == .ready }
        let bearer = try await lab.connect(Self.number)
        let start = lab.loop.now
        #expect(await clerk.secure(bearer) == nil)
        #expect(lab.loop.now - start < .seconds(1), "\(lab.loop.now - start)")
        #expect(await clerk.isEncrypted(Self.number))
        #expect(clerk.requests.isEmpty)
        bearer.close(immediately: true)
        try await clerk.gone()
        await lab.radio.shutDown()
      }
    }

    @Test("is not made when a person says no; a link on which only the strap asked stays as it was")
    func refused() throws {
      try inLab { lab in
        let clerk = Clerk(lab) { _ in .no }
        try await lab.control.ask("forget-bonds \(Self.number)")
        try await lab.control.ask("pairing \(Self.number) just-works")
        let bearer = try await lab.connect(Self.number)
        let ear = Ear()
        ear.attach(bearer)
        let refusal = await clerk.secure(bearer)
        #expect(refusal == .authenticationFailed)
        #expect(clerk.failures == [.authenticationFailed])
        #expect(ear.ends == [.authenticationFailed])
        try await clerk.gone()
        let again = try await lab.connect(Self.number)
        let secondEar = Ear()
        secondEar.attach(again)
        try await lab.control.ask("pair \(Self.number)")
        try await lab.until("its end") { clerk.failures.count == 2 }
        #expect(clerk.requests.count == 2)
        #expect(clerk.keys.isEmpty)
        // A link that the kernel gave up would be gone two seconds later.
        try await lab.loop.sleep(for: .seconds(3))
        #expect(secondEar.ends.isEmpty)
        #expect(again.send(exchangeMTU))
        try await lab.until("an answer over the same link") { !secondEar.received.isEmpty }
        // Without a handler: the kernel answers by itself that it does not pair.
        lab.radio.onPairingRequest = nil
        try await lab.loop.sleep(for: .milliseconds(200))
        try await lab.control.ask("pair \(Self.number)")
        try await lab.until("its end") { clerk.failures.count == 3 }
        try await lab.loop.sleep(for: .seconds(3))
        #expect(secondEar.ends.isEmpty && clerk.requests.count == 2)
        again.close(immediately: true)
        try await clerk.gone()
      }
    }

    static let kinds = ["display", "keyboard", "compare"]

    @Test("is made with digits that are read, typed and compared", arguments: kinds)
    func digits(_ kind: String) throws {
      try inLab { lab in
        let clerk = Clerk(lab) { _ in nil }
        try await lab.loop.sleep(for: .milliseconds(200))
        try await lab.control.ask("forget-bonds \(Self.number)")
        try await lab.control.ask("pairing \(Self.number) \(kind)")
        let bearer = try await lab.connect(Self.number)
        var outcome: LinkError??
        lab.loop.spawn { outcome = .some(await clerk.secure(bearer)) }
        try await lab.until("a question") { !clerk.requests.isEmpty || outcome != nil }
        switch try #require(clerk.requests.first).kind {
        case .passkey:
          #expect(kind == "display")
          var number: UInt32?
          for _ in 0..<50 where number == nil {
            number = try await clerk.shown(Self.number)
            if number == nil { try await lab.loop.sleep(for: .milliseconds(20)) }
          }
          lab.radio.answer(bearer.address, .passkey(try #require(number)))
        case .show(let number):
          #expect(kind == "keyboard")
          try await lab.control.ask("type \(Self.number) \(number)")
        case .compare(let number):
          #expect(kind == "compare")
          var shown: UInt32?
          for _ in 0..<50 where shown == nil {
            shown = try await clerk.shown(Self.number)
            if shown == nil { try await lab.loop.sleep(for: .milliseconds(20)) }
          }
          #expect(shown == number)
          lab.radio.answer(bearer.address, .yes)
        case .justWorks: Issue.record("nothing was asked")
        }
        try await lab.until("the outcome") { outcome != nil }
        #expect(outcome == .some(nil))
        #expect(clerk.keys.last?.longTermKeys.first?.isAuthenticated == true)
        bearer.close(immediately: true)
        try await clerk.gone()
      }
    }

    @Test(
      "that the strap lost, or that was damaged here, ends the link at once, and no pairing follows in silence",
      arguments: [true, false])
    func lost(byStrap: Bool) throws {
      try inLab { lab in
        let clerk = Clerk(lab)
        try await lab.loop.sleep(for: .milliseconds(200))
        var keys = try await bond(lab, clerk)
        if byStrap {
          try await lab.control.ask("forget-bonds \(Self.number)")
        } else {
          var record = try #require(keys.longTermKeys.first).record
          record[35] ^= 0xFF
          keys.longTermKeys = [try #require(LongTermKey(record))]
        }
        lab.radio.setKeys([keys])
        try await lab.loop.sleep(for: .milliseconds(200))
        let bearer = try await lab.connect(Self.number)
        let start = lab.loop.now
        #expect(await clerk.secure(bearer) == .keyMissing)
        #expect(lab.loop.now - start < .seconds(2), "\(lab.loop.now - start)")
        #expect(clerk.failures == [.keyMissing])
        #expect(clerk.requests.count == 1, "the first pairing's")
        #expect(clerk.keys.count == 1)
        try await clerk.gone()
        await lab.radio.forgetKeys(of: keys.address)
        lab.radio.setKeys([])
        let fresh = try await bond(lab, clerk)
        #expect(fresh.longTermKeys != keys.longTermKeys)
      }
    }

    @Test("that another program took from the kernel is given back, and encrypts the next link without a question")
    func taken() throws {
      try inLab { lab in
        let clerk = Clerk(lab)
        let keys = try await bond(lab, clerk)
        let before = lab.counter("keys.loads")
        // Unpair Device.
        #expect(
          await lab.other.ask(
            0x001B, keys.address.managementBytes + [1], index: try #require(lab.radio.adapter.identity?.index)
          ).status == 0)
        try await lab.until("loaded again") { lab.counter("keys.loads") > before }
        let bearer = try await lab.connect(Self.number)
        #expect(await clerk.secure(bearer) == nil)
        #expect(clerk.requests.count == 1, "the first pairing's")
      }
    }

    @Test(
      """
      gives a strap with changing addresses its identity: heard, reached and encrypted under it, also after the next \
      change
      """
    )
    func identity() throws {
      try inLab { lab in
        let clerk = Clerk(lab)
        try await lab.loop.sleep(for: .milliseconds(200))
        let random = try #require(BluetoothAddress(try await lab.control.ask("hide \(Self.number)"), kind: .leRandom))
        try await lab.until("heard under a random address") { lab.heard[random, default: 0] > 0 }
        let keys = try await bond(lab, clerk, as: random)
        let identity = LabSetting.strap(Self.number)
        #expect(keys.address == identity)
        #expect(keys.identityKey != nil)
        let next = try #require(BluetoothAddress(try await lab.control.ask("hide \(Self.number)"), kind: .leRandom))
        lab.forgetHeard()
        try await lab.until("heard under its identity") { lab.heard(Self.number) > 1 }
        #expect(lab.heard[next] == nil && lab.heard[random] == nil)
        let bearer = try await lab.connect(Self.number)
        #expect(await clerk.secure(bearer) == nil)
        #expect(clerk.requests.count == 1)
        #expect(await lab.runs(identity, with: .background))
        bearer.close(immediately: true)
        try await clerk.gone()
        await lab.radio.forgetKeys(of: identity)
        lab.radio.setKeys([])
        lab.forgetHeard()
        try await lab.until("a stranger again") { lab.heard[next, default: 0] > 0 }
      }
    }

    @Test("is made also at the moment in which a person comes to answer: the kernel is asked to bond before it pairs")
    func atOnce() throws {
      try inLab { lab in
        try await lab.control.ask("forget-bonds \(Self.number)")
        try await lab.control.ask("pairing \(Self.number) just-works")
        let bearer = try await lab.connect(Self.number)
        let clerk = Clerk(lab)
        #expect(await clerk.secure(bearer) == nil)
        #expect(clerk.keys.count == 1 && clerk.failures.isEmpty)
        bearer.close(immediately: true)
        try await clerk.gone()
        let again = try await lab.connect(Self.number)
        #expect(await clerk.secure(again) == nil)
        #expect(clerk.requests.count == 1)
      }
    }

    @Test("is not taken by one that gives the strap's address as its own: refused, its keys are out of the kernel")
    func claimed() throws {
      try inLab { lab in
        let clerk = Clerk(lab)
        let keys = try await bond(lab, clerk)
        lab.radio.setKeys([keys])
        let random = try #require(BluetoothAddress(try await lab.control.ask("hide \(Self.thief)"), kind: .leRandom))
        try await lab.control.ask("forget-bonds \(Self.thief)")
        try await lab.control.ask("pairing \(Self.thief) just-works")
        try await lab.control.ask("claim \(Self.thief) \(keys.address)")
        clerk.verdict = .refused(.identityClaimed)
        let thief = try await lab.radio.connect(to: random, deadline: lab.loop.now + .seconds(10))
        #expect(await clerk.secure(thief) == .identityClaimed)
        #expect(clerk.links.last == random && clerk.keys.last?.address == keys.address)
        try await clerk.gone()
        lab.forgetHeard()
        try await lab.until("the thief is heard as itself") { lab.heard[random, default: 0] > 0 }
        let (start, requests) = (lab.loop.now, clerk.requests.count)
        let bearer = try await lab.connect(Self.number)
        #expect(await clerk.secure(bearer) == nil)
        #expect(lab.loop.now - start < .seconds(2), "\(lab.loop.now - start)")
        #expect(await clerk.isEncrypted(Self.number) && clerk.requests.count == requests)
      }
    }

    @Test("list of three hundred is taken whole by the kernel")
    func many() throws {
      try inLab { lab in
        let bonds = (0..<300).map { number in
          let address = BluetoothAddress(value: 0xF100_0000_0000 + UInt64(number), kind: .leRandom)
          let record =
            address.managementBytes + [2, 1, 16] + [UInt8](repeating: 0, count: 10)
            + [UInt8](repeating: UInt8(number % 255 + 1), count: 16)
          return BondKeys(
            address: address, longTermKeys: LongTermKey(record).map { [$0] } ?? [],
            identityKey: [UInt8](repeating: UInt8(number % 255 + 1), count: 16))
        }
        lab.radio.setKeys(bonds)
        let index = try #require(lab.radio.adapter.identity?.index)
        try await lab.radio.adapter.channel.perform(.loadLongTermKeys(lab.radio.broker.keys.longTermKeys), index: index)
        try await lab.radio.adapter.channel.perform(.loadIdentityKeys(lab.radio.broker.keys.identityKeys), index: index)
        lab.radio.setKeys([])
      }
    }

    @Test("without an answer fails when the kernel's patience ends, and leaves a radio that works")
    func unanswered() throws {
      try inLab { lab in
        let clerk = Clerk(lab) { _ in nil }
        try await lab.control.ask("forget-bonds \(Self.number)")
        try await lab.control.ask("pairing \(Self.number) just-works")
        let bearer = try await lab.connect(Self.number)
        let ear = Ear()
        ear.attach(bearer)
        let start = lab.loop.now
        #expect(await clerk.secure(bearer) == .authenticationFailed)
        #expect(lab.loop.now - start <= .seconds(36), "\(lab.loop.now - start)")
        try await clerk.gone()
        try await lab.connect(0).close(immediately: true)
      }
    }
  }
}
