import Bluetooth
import EventLoop
import Logging
import Reasons
import Testing

@testable import LinuxBluetooth

extension FakeSetting {
  func connect(_ address: BluetoothAddress = strap) async -> LinkError? {
    do throws(LinkError) {
      _ = try await radio.connect(to: address, deadline: loop.now + .seconds(10))
      return nil
    } catch {
      return error
    }
  }
}

private func other(_ number: Int) -> BluetoothAddress {
  BluetoothAddress(value: strap.value + UInt64(number), kind: .leRandom)
}

@Suite("The kernel's radio, in virtual time")
struct RadioTests {
  private func serving(
    _ options: LinuxRadioOptions = LinuxRadioOptions(),
    _ body: @escaping @LoopActor (FakeSetting, FakeController) async throws -> Void
  ) throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop, options)
      let controller = setting.plugIn()
      setting.radio.start()
      try await setting.pass(.seconds(1))
      try await body(setting, controller)
    }
  }

  @Test("loads the foreground parameters of a wearable, one entry, right before its link")
  func parameters() throws {
    try serving { setting, _ in
      #expect(await setting.connect() == nil)
      let command = try #require(setting.kernel.commands.last { $0.opcode == 0x0035 })
      #expect(command.parameters == [1, 0] + strap.managementBytes + [12, 0, 24, 0, 0, 0, 0x90, 1])
      #expect(setting.kernel.bearers.first?.request.local.value == 0xAABB_CC00_0001)
    }
  }

  @Test("makes the link also if parameters cannot be loaded")
  func parametersRefused() throws {
    try serving { setting, controller in
      controller.refusals[0x0035] = .invalidParameters
      #expect(await setting.connect() == nil)
    }
  }

  @Test("knows its links from the kernel's list, whatever the events say")
  func ledger() throws {
    try serving { setting, controller in
      controller.links = [strap, other(1)]
      setting.kernel.emit(0x000B, 0, strap.managementBytes + [0, 0, 0, 0, 0, 0])
      try await setting.pass(.milliseconds(10))
      #expect(setting.radio.facts.links == 2)
      controller.links = []
      setting.kernel.emit(0x000C, 0, strap.managementBytes + [3])
      try await setting.pass(.milliseconds(10))
      #expect(setting.radio.facts.links == 0)
    }
  }

  @Test("refuses a link beyond its slots without trying, learns a lower limit, and forgets it after an hour")
  func slots() throws {
    try serving(LinuxRadioOptions(slots: .fixed(4))) { setting, controller in
      controller.links = [other(1), other(2), other(3)]
      setting.kernel.emit(0x000B, 0, other(1).managementBytes + [0, 0, 0, 0, 0, 0])
      try await setting.pass(.milliseconds(10))
      setting.kernel.attemptError = .slotsFull
      #expect(await setting.connect() == .slotsFull)
      #expect(setting.radio.facts.slots == 3)
      let attempts = setting.counter("connect.attempts")
      #expect(await setting.connect() == .slotsFull)
      #expect(setting.counter("connect.attempts") == attempts, "answered from the ledger")
      setting.kernel.attemptError = nil
      try await setting.pass(.seconds(3600))
      #expect(setting.radio.facts.slots == 4)
      #expect(await setting.connect() == nil)
    }
  }

  @Test("a controller that refuses every link, and not for its slots, climbs the ladder; the wearables are not blamed")
  func refusing() throws {
    for status: UInt8 in [0x03, 0x09, 0x0A, 0x0D] {
      try serving { setting, _ in
        setting.kernel.attemptError = .system(errno: 16)
        setting.kernel.connectStatus = status
        for number in 1...3 { #expect(await setting.connect(other(number)) == .system(errno: 16)) }
        #expect(setting.radio.state == .ready)
        _ = await setting.connect(other(4))
        try await setting.pass(.seconds(3))
        #expect(setting.states.contains(.down(.controllerSilent)), "status \(status)")
        #expect(setting.radio.facts.care.rungs.contains { $0.name == "power off and on" && $0.count == 1 })
      }
    }
  }

  @Test("one wearable that is refused again and again ends no link of others")
  func refusedAlone() throws {
    try serving { setting, controller in
      controller.links = [other(8)]
      setting.kernel.emit(0x000B, 0, other(8).managementBytes + [0, 0, 0, 0, 0, 0])
      try await setting.pass(.milliseconds(10))
      setting.kernel.attemptError = .system(errno: 16)
      setting.kernel.connectStatus = 0x09
      for _ in 0..<20 { _ = await setting.connect(other(1)) }
      try await setting.pass(.seconds(3))
      #expect(setting.radio.state == .ready && !setting.states.contains(.down(.controllerSilent)))
    }
  }

  @Test("refusals with a link between, without a word of the controller, or because a wearable is gone do not count")
  func notRefusing() throws {
    try serving { setting, _ in
      for number in 1...12 {
        setting.kernel.attemptError = number % 4 == 0 ? nil : .system(errno: 16)
        setting.kernel.connectStatus = 0x0A
        _ = await setting.connect(other(number))
      }
      setting.kernel.attemptError = .system(errno: 16)
      setting.kernel.connectStatus = nil
      for number in 21...32 { _ = await setting.connect(other(number)) }
      setting.kernel.attemptError = .timedOut
      setting.kernel.connectStatus = 0x08
      for number in 41...52 { _ = await setting.connect(other(number)) }
      try await setting.pass(.seconds(3))
      #expect(!setting.states.contains(.down(.controllerSilent)) && setting.radio.state == .ready)
    }
  }

  @Test("refuses a second link and a second attempt to one wearable, and more attempts than the kernel takes")
  func taken() throws {
    try serving { setting, _ in
      setting.kernel.attemptTime = .seconds(100)
      let first = setting.loop.spawn { _ = await setting.connect() }
      try await setting.pass(.milliseconds(200))
      #expect(await setting.connect() == .taken)
      for number in 1...11 { setting.loop.spawn { _ = await setting.connect(other(number)) } }
      try await setting.pass(.seconds(2))
      #expect(await setting.connect(other(12)) == .attemptsFull)
      first.cancel()
      try await setting.pass(.milliseconds(200))
      setting.kernel.attemptTime = .milliseconds(100)
      #expect(await setting.connect() == nil)
      #expect(await setting.connect() == .taken)
    }
  }

  @Test("a link is not begun before the ordered end of an earlier one, which would take it along")
  func ending() throws {
    try serving { setting, controller in
      #expect(await setting.connect() == nil)
      setting.kernel.emit(0x000B, 0, strap.managementBytes + [0, 0, 0, 0, 0, 0])
      controller.isSilent = true
      setting.kernel.bearers[0].close(immediately: true)
      controller.isSilent = false
      let next = setting.loop.spawn { #expect(await setting.connect() == nil) }
      try await setting.pass(.seconds(1))
      #expect(setting.kernel.bearers.count == 1)
      setting.kernel.emit(0x000C, 0, strap.managementBytes + [3])
      try await setting.pass(.seconds(1))
      #expect(setting.kernel.bearers.count == 2)
      await next.value
    }
  }

  @Test("asks for an immediate disconnect only on order")
  func closing() throws {
    try serving { setting, _ in
      #expect(await setting.connect() == nil)
      setting.kernel.bearers[0].close(immediately: false)
      try await setting.pass(.seconds(1))
      #expect(!setting.opcodes().contains(0x0014))
      #expect(await setting.connect() == nil)
      setting.kernel.bearers[1].close(immediately: true)
      try await setting.pass(.seconds(1))
      #expect(setting.kernel.commands.last?.opcode == 0x0014)
    }
  }

  @Test("does not make a second channel to a wearable that has one")
  func twice() throws {
    try serving { setting, _ in
      #expect(await setting.connect() == nil)
      #expect(await setting.connect() == .taken)
      setting.kernel.bearers[0].close(immediately: true)
      #expect(await setting.connect() == nil)
    }
  }

  @Test("gives up an attempt when its task is cancelled or the adapter goes")
  func givesUp() throws {
    try serving { setting, controller in
      setting.kernel.attemptTime = .seconds(5)
      var outcome: LinkError?
      let task = setting.loop.spawn { outcome = await setting.connect() }
      try await setting.pass(.seconds(1))
      #expect(setting.radio.facts.isScanning, "the kernel scans while it waits")
      task.cancel()
      try await setting.pass(.milliseconds(10))
      #expect(outcome == .aborted)
      #expect(setting.radio.facts.isScanning)
      setting.loop.spawn { outcome = await setting.connect() }
      try await setting.pass(.seconds(1))
      setting.kernel.setPower(controller, false)
      try await setting.pass(.seconds(5))
      #expect(outcome == .adapterGone)
    }
  }

  @Test("waits for several wearables at once, each with its own end")
  func several() throws {
    try serving { setting, _ in
      setting.kernel.attemptTime = .seconds(5)
      var ends: [BluetoothAddress: LinkError?] = [:]
      let tasks = (1...4).map { number in
        setting.loop.spawn { ends[other(number)] = await setting.connect(other(number)) }
      }
      try await setting.pass(.seconds(1))
      tasks[0].cancel()
      try await setting.pass(.milliseconds(10))
      #expect(ends.count == 1 && ends[other(1)] == .some(.aborted))
      try await setting.pass(.seconds(5))
      #expect(ends.count == 4 && (2...4).allSatisfy { ends[other($0)] == .some(nil) })
      #expect(setting.kernel.bearers.count == 3)
    }
  }

  @Test("ends a link that the kernel made of an attempt that was given up, and no other")
  func abandoned() throws {
    try serving { setting, controller in
      setting.kernel.attemptTime = .seconds(5)
      let task = setting.loop.spawn { _ = await setting.connect() }
      try await setting.pass(.seconds(1))
      task.cancel()
      // The wearable answered all the same; another program has a link, too.
      controller.links = [strap, other(1)]
      try await setting.pass(.seconds(3))
      #expect(!setting.opcodes().contains(0x0014), "the kernel may yet end it by itself")
      try await setting.pass(.seconds(2))
      let ended = setting.kernel.commands.filter { $0.opcode == 0x0014 }.map(\.parameters)
      #expect(ended == [strap.managementBytes])
      #expect(setting.counter("links.abandoned") == 1)
      controller.links = [other(1)]
      try await setting.pass(.seconds(60))
      #expect(setting.kernel.commands.count { $0.opcode == 0x0014 } == 1)
    }
  }

  @Test("ends a link to a wearable of this hub that a process of before left in the kernel, and no other")
  func leftBehind() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop, LinuxRadioOptions())
      let controller = setting.plugIn()
      controller.links = [strap, other(1), other(2)]
      setting.radio.start(owning: [strap, other(2)])
      try await setting.pass(.seconds(3))
      #expect(!setting.opcodes().contains(0x0014), "the kernel may yet end it by itself")
      // A wearable is connected again over the existing link.
      #expect(await setting.connect(other(2)) == nil)
      try await setting.pass(.seconds(2))
      let ended = setting.kernel.commands.filter { $0.opcode == 0x0014 }.map(\.parameters)
      #expect(ended == [strap.managementBytes])
      controller.links = [other(1), other(2)]
      try await setting.pass(.seconds(60))
      #expect(setting.kernel.commands.count { $0.opcode == 0x0014 } == 1)
    }
  }

  @Test("a link that is wanted again by then is left alone")
  func wantedAgain() throws {
    try serving { setting, controller in
      setting.kernel.attemptError = .notHeard
      #expect(await setting.connect() == .notHeard)
      setting.kernel.attemptError = nil
      controller.links = [strap]
      #expect(await setting.connect() == nil)
      try await setting.pass(.seconds(60))
      #expect(!setting.opcodes().contains(0x0014))
    }
  }

  @Test("without an adapter makes no link")
  func down() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      #expect(await setting.connect() == .adapterGone)
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(await setting.connect() == .adapterGone)
    }
  }

  @Test("suspects its controller when three that were linked before do not answer, and not for the silence of others")
  func suspicion() throws {
    try serving { setting, controller in
      setting.kernel.advertise(strap, from: controller)
      setting.kernel.attemptError = .timedOut
      for number in 1...8 { #expect(await setting.connect(other(number)) == .timedOut) }
      try await setting.pass(.seconds(1))
      #expect(setting.counter("scan.restarts") == 0, "strangers that never answered")
      setting.kernel.attemptError = nil
      let known = (1...3).map { other($0) }
      for address in known { #expect(await setting.connect(address) == nil) }
      for bearer in setting.kernel.bearers { bearer.close(immediately: true) }
      try await setting.pass(.seconds(1))
      setting.kernel.attemptError = .timedOut
      for address in known {
        #expect(setting.counter("scan.restarts") == 0)
        #expect(await setting.connect(address) == .timedOut)
        #expect(await setting.connect(address) == .timedOut, "counts once")
      }
      try await setting.pass(.seconds(1))
      #expect(setting.counter("scan.restarts") == 1)
      #expect(setting.radio.state == .ready)
    }
  }

  @Test("passes on five advertisements a second of one wearable, of its own adapter only")
  func advertisements() throws {
    try serving { setting, controller in
      for _ in 0..<100 {
        setting.kernel.advertise(strap, from: controller)
        try await setting.pass(.milliseconds(100))
      }
      #expect((50...56).contains(setting.heard.count), "\(setting.heard.count) in ten seconds")
      #expect(setting.heard[0].rssi == -60)
      #expect(setting.counter("advertisements") == 100)
      let count = setting.heard.count
      setting.kernel.emit(0x002F, 7, [0, 0] + strap.managementBytes + [0xC4, 0, 0, 0, 0, 0, 0])
      setting.kernel.emit(0x002F, 0, [0, 0, 1])
      #expect(setting.heard.count == count)
      #expect(setting.counter("advertisements.malformed") == 1)
    }
  }

  @Test("warns of an address that was never programmed")
  func unprogrammed() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      _ = setting.plugIn(address: 0x4343_A112_1FAC)
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(setting.radio.facts.warnings.map(\.reason) == [.adapterAddressUnprogrammed])
    }
  }

  @Test("on this machine's own kernel comes up or says what is missing, and ends")
  func ownKernel() throws {
    try EpollLoop.run { loop in
      let radio = LinuxRadio(
        loop: loop, options: LinuxRadioOptions(adapter: .bus(AdapterBus(rawValue: 200))),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      radio.start()
      for _ in 0..<100 where radio.state == .starting { try await loop.sleep(for: .milliseconds(10)) }
      guard case .down(let reason) = radio.state else {
        Issue.record("\(radio.state) without an adapter on bus 200")
        return
      }
      #expect([.kernelWithoutBluetooth, .capabilityMissing, .adapterMissing, .adapterNotChosen].contains(reason))
      #expect(radio.facts.warnings.first?.reason == reason)
      await radio.shutDown()
    }
  }
}
