import Bluetooth
import EventLoop
import Glibc
import Reasons
import Testing

@testable import LinuxBluetooth

@Suite("The recovery of the radio")
struct RecoveryTests {
  private func serving(
    _ options: LinuxRadioOptions = LinuxRadioOptions(), bus: AdapterBus = .usb,
    _ body: @escaping @LoopActor (FakeSetting, FakeController) async throws -> Void
  ) throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop, options)
      let controller = setting.plugIn(bus: bus)
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(setting.radio.state == .ready)
      try await body(setting, controller)
    }
  }

  @LoopActor private func counts(_ setting: FakeSetting) -> [String: UInt64] {
    Dictionary(uniqueKeysWithValues: setting.radio.facts.care.rungs.map { ($0.name, $0.count) })
  }

  @Test("climbs every rung with a controller that was heard and fell silent, says so, and comes down when it answers")
  func silent() throws {
    try serving(bus: .virtual) { setting, controller in
      setting.kernel.advertise(strap, from: controller)
      controller.isSilent = true
      try await setting.pass(.seconds(6))
      #expect(setting.states == [.ready])
      #expect(!setting.radio.facts.care.isRecovering)
      try await setting.pass(.seconds(6))
      #expect(setting.states == [.ready, .down(.controllerSilent)])
      #expect(setting.radio.facts.care.isRecovering)
      try await setting.pass(.seconds(1))
      #expect(setting.radio.facts.care.rung == "power off and on")
      try await setting.pass(.seconds(47))
      #expect(setting.radio.state == .down(.radioExhausted), "a minute after it fell silent")
      #expect(setting.kernel.resets == [.reset, .down, .up])
      #expect(counts(setting) == ["scan restart": 0, "power off and on": 1, "HCI reset": 1, "down and up": 1])
      try await setting.pass(.seconds(200))
      #expect(setting.kernel.resets == [.reset, .down, .up], "only asked whether it answers again")
      let tries = setting.kernel.resets.count
      try await setting.pass(.seconds(3000))
      #expect(setting.kernel.resets.count - tries <= 10, "one rung in five minutes")
      controller.isSilent = false
      try await setting.pass(.seconds(40))
      #expect(setting.radio.state == .ready)
      #expect(setting.radio.facts.warnings.isEmpty)
      #expect(!setting.radio.facts.care.isRecovering)
      #expect(setting.radio.facts.care.lastRecovery != nil)
      #expect(setting.radio.facts.care.lastHeard != nil)
    }
  }

  @Test("a controller that answers again within ten minutes serves within five seconds")
  func thaws() throws {
    for seconds in [60, 180, 590] {
      try serving { setting, controller in
        controller.isSilent = true
        try await setting.pass(.seconds(seconds))
        #expect(setting.radio.state != .ready)
        setting.kernel.controllers.first?.isSilent = false
        try await setting.pass(.seconds(5))
        #expect(setting.radio.state == .ready, "after \(seconds) s")
      }
    }
  }

  @Test("one that hears no advertiser and answers is left alone, and asked every five seconds")
  func quietAndHealthy() throws {
    try serving { setting, _ in
      try await setting.pass(.seconds(3600))
      #expect(setting.states == [.ready])
      #expect((700...730).contains(setting.kernel.asked), "\(setting.kernel.asked)")
      #expect(setting.counter("scan.restarts") == 0)
      #expect(setting.counter("adapter.unanswered") == 0)
    }
  }

  @Test(
    "no question is asked while a link is being made, for three seconds and a half; the silence is noticed all the same"
  )
  func linkBeingMade() throws {
    try serving { setting, controller in
      setting.kernel.attemptTime = .seconds(3)
      setting.kernel.attemptError = .timedOut
      var asked = 0
      // In each of twenty seconds before a question is due.
      for tenth in 0..<20 {
        let before = setting.kernel.asked
        while setting.kernel.asked == before { try await setting.pass(.milliseconds(50)) }
        try await setting.pass(.milliseconds(2000 + 150 * tenth))
        let attempt = setting.loop.spawn { _ = await setting.connect() }
        try await setting.pass(.milliseconds(10))
        setting.kernel.advertise(strap, from: controller)
        let then = setting.kernel.asked
        await attempt.value
        if setting.kernel.asked != then { asked += 1 }
      }
      #expect(asked == 0 && setting.states == [.ready])
      // A connection attempt is always under way.
      setting.kernel.attemptTime = .seconds(3600)
      setting.loop.spawn { _ = await setting.connect() }
      try await setting.pass(.milliseconds(10))
      setting.kernel.advertise(strap, from: controller)
      controller.isSilent = true
      try await setting.pass(.milliseconds(14_600))
      #expect(setting.states == [.ready, .down(.controllerSilent)])
    }
  }

  @Test("no controller is asked while one silent wearable after the other is connected: the kernel's commands are")
  func oneLinkAfterTheOther() throws {
    try serving { setting, controller in
      setting.kernel.attemptTime = .seconds(3600)
      setting.loop.spawn { _ = await setting.connect() }
      try await setting.pass(.milliseconds(10))
      setting.kernel.advertise(strap, from: controller)
      let asked = setting.kernel.asked
      // The kernel gives each of them three seconds, and tries the next in the same moment.
      for _ in 0..<100 {
        setting.kernel.answerCreateConnection()
        setting.kernel.advertise(strap, from: controller)
        try await setting.pass(.seconds(3))
      }
      #expect(setting.kernel.asked == asked && setting.states == [.ready])
      controller.isSilent = true
      try await setting.pass(.milliseconds(14_600))
      #expect(setting.states == [.ready, .down(.controllerSilent)])
    }
  }

  @Test("one answer that is missing is not a silence; without a raw socket only what is heard counts")
  func oneMissing() throws {
    try serving { setting, controller in
      for _ in 0..<20 {
        controller.isSilent = true
        // Shorter than the time between two questions of which the first is not answered.
        try await setting.pass(.milliseconds(2500))
        controller.isSilent = false
        try await setting.pass(.seconds(11))
      }
      #expect(setting.states == [.ready])
    }
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      setting.kernel.pulses = false
      let controller = setting.plugIn()
      setting.radio.start()
      try await setting.pass(.seconds(1))
      setting.kernel.advertise(strap, from: controller)
      controller.isSilent = true
      try await setting.pass(.seconds(80))
      #expect(setting.states == [.ready])
      try await setting.pass(.seconds(20))
      #expect(setting.states == [.ready, .down(.controllerSilent)])
    }
  }

  @Test("resets the bus of a USB adapter after the gentler rungs, and serves under its new number")
  func bus() throws {
    try serving { setting, controller in
      setting.kernel.busResetRevives = true
      setting.kernel.advertise(strap, from: controller)
      controller.isSilent = true
      try await setting.pass(.seconds(1200))
      #expect(setting.kernel.busResets == 1)
      #expect(setting.radio.state == .ready)
      #expect(setting.radio.facts.adapter == "hci1")
      #expect(counts(setting)["USB reset"] == 1)
      #expect(setting.radio.facts.warnings.isEmpty)
    }
  }

  @Test("says where it may not reset the bus, and goes on with the next rung")
  func refused() throws {
    try serving(bus: .uart) { setting, controller in
      setting.kernel.busResetError = EACCES
      setting.kernel.advertise(strap, from: controller)
      controller.isSilent = true
      try await setting.pass(.seconds(800))
      #expect(setting.kernel.busResets == 1)
      #expect(
        setting.radio.facts.warnings.contains { $0.reason == .busResetRefused && $0.detail.contains("UART rebind") })
      controller.isSilent = false
      try await setting.pass(.seconds(310))
      #expect(setting.radio.state == .ready)
      #expect(setting.radio.facts.warnings.isEmpty)
    }
  }

  @Test("comes back also when the adapter does not return from its bus by itself")
  func lost() throws {
    try serving { setting, controller in
      setting.kernel.advertise(strap, from: controller)
      controller.isSilent = true
      try await setting.pass(.seconds(500))
      // The bus was reset meanwhile: the controller is there under another number.
      setting.kernel.remove(try #require(setting.kernel.controllers.first))
      try await setting.pass(.seconds(5))
      #expect(setting.radio.state == .down(.adapterRemoved))
      setting.kernel.add(FakeController(index: 4, address: controller.address))
      try await setting.pass(.seconds(1))
      #expect(setting.radio.state == .ready)
    }
  }

  @Test("each rung is reported before it is done, from the scan to the one with which the hub ends")
  func rungsAreTold() throws {
    try serving { setting, controller in
      var told: [RadioRung] = []
      setting.radio.onRung = { told.append($0) }
      setting.radio.onGiveUp = { told.append(RadioRung("gave up: \($0)", endsLinks: false)) }
      setting.kernel.advertise(strap, from: controller)
      controller.isSilent = true
      try await setting.pass(.seconds(1500))
      let names = told.map(\.name)
      #expect(
        names.prefix(4) == ["power off and on", "HCI reset", "down and up", "USB reset"], "\(names)")
      let end = try #require(names.firstIndex(of: "restart of hearthd"))
      #expect(names.dropFirst(end + 1).first == "gave up: restart")
      #expect(told.prefix(4).allSatisfy { $0.endsLinks })
    }
  }

  @Test("ends the daemon when no rung helps, not again within the hour, and never if it could not be remembered")
  func restart() throws {
    try serving { setting, controller in
      var surrenders: [RadioSurrender] = []
      setting.radio.onGiveUp = { surrenders.append($0) }
      setting.kernel.advertise(strap, from: controller)
      controller.isSilent = true
      try await setting.pass(.seconds(1500))
      #expect(surrenders == [.restart])
      #expect(setting.kernel.stamps?.hasPrefix("restart ") == true)
      try await setting.pass(.seconds(1500))
      #expect(surrenders == [.restart])
      #expect(counts(setting)["restart of hearthd"] == 1)
      #expect(counts(setting)["reboot"] == nil)
    }
    for isReadable in [true, false] {
      try serving { setting, controller in
        var surrenders: [RadioSurrender] = []
        setting.radio.onGiveUp = { surrenders.append($0) }
        setting.kernel.stampsAreWritable = false
        if !isReadable { setting.kernel.stamps = nil }
        setting.kernel.advertise(strap, from: controller)
        controller.isSilent = true
        try await setting.pass(.seconds(20_000))
        #expect(surrenders.isEmpty)
      }
    }
  }

  @Test(
    "restarts the machine only if that is enabled, after a restart of the daemon, and no more often than allowed a day"
  )
  func reboot() throws {
    try serving(LinuxRadioOptions(rebootsPerDay: 1)) { setting, controller in
      var surrenders: [RadioSurrender] = []
      setting.radio.onGiveUp = { surrenders.append($0) }
      setting.kernel.advertise(strap, from: controller)
      controller.isSilent = true
      try await setting.pass(.seconds(3000))
      #expect(surrenders == [.restart, .reboot])
      try await setting.pass(.seconds(20 * 3600))
      #expect(surrenders.count { $0 == .reboot } == 1)
      #expect(surrenders.count { $0 == .restart } <= 6)
    }
  }

  @Test("keeps its marks over anything that is written in their place, and takes a clock that jumped for now")
  func stamps() {
    let now: Int64 = 1_800_000_000
    #expect(RecoveryStamps("").allows(.restart, at: now, rebootsPerDay: 0))
    #expect(!RecoveryStamps("").allows(.reboot, at: now, rebootsPerDay: 0))
    var stamps = RecoveryStamps("rubbish\nreboot x\nreboot 1 2\nrestart 99999999999999999999\nreboot \(now - 86_500)\n")
    #expect(stamps.text == "reboot \(now - 86_500)\n")
    #expect(stamps.allows(.reboot, at: now, rebootsPerDay: 1))
    stamps.add(.reboot, at: now)
    #expect(!stamps.allows(.reboot, at: now + 80_000, rebootsPerDay: 1))
    #expect(stamps.allows(.reboot, at: now + 80_000, rebootsPerDay: 2))
    #expect(!stamps.allows(.reboot, at: now - 500_000, rebootsPerDay: 1), "the clock went back")
    #expect(RecoveryStamps(stamps.text) == stamps)
    stamps.add(.restart, at: now)
    #expect(!stamps.allows(.restart, at: now + 3599, rebootsPerDay: 0))
    #expect(stamps.allows(.restart, at: now + 3601, rebootsPerDay: 0))
    for hour in 0..<200 as Range<Int64> { stamps.add(.restart, at: now + hour * 3600) }
    #expect(stamps.entries.count == 64)
    #expect(!stamps.allows(.restart, at: now + 200 * 3600, rebootsPerDay: 0), "six a day")
    #expect(!RecoveryStamps("restart \(Int64.max)").allows(.restart, at: now, rebootsPerDay: 0))
    #expect(RecoveryStamps("restart \(Int64.min)").allows(.restart, at: now, rebootsPerDay: 0))
  }

  @Test("is begun by an operator with the scan, and one rung higher each time it is asked for again")
  func asked() throws {
    try serving { setting, controller in
      setting.radio.recover()
      try await setting.pass(.seconds(1))
      #expect(setting.states == [.ready])
      #expect(setting.counter("scan.restarts") == 1)
      #expect(setting.opcodes().contains(0x0023), "the controller showed that it obeys")
      setting.radio.recover()
      try await setting.pass(.seconds(2))
      #expect(setting.states == [.ready, .down(.controllerSilent), .ready])
      #expect(setting.radio.facts.care.rung == "power off and on")
      setting.radio.recover()
      try await setting.pass(.seconds(2))
      #expect(setting.kernel.resets == [.reset])
      #expect(setting.radio.state == .ready)
      try await setting.pass(.seconds(700))
      setting.radio.recover()
      try await setting.pass(.seconds(1))
      #expect(setting.radio.facts.care.rung == "scan restart")
      // Asked while it waits for its next try: it begins at once.
      controller.refusals[0x0005] = .failed
      setting.kernel.setPower(controller, false)
      try await setting.pass(.seconds(100))
      controller.refusals = [:]
      setting.radio.recover()
      try await setting.pass(.seconds(1))
      #expect(setting.radio.state == .ready)
    }
  }

  @Test("finds the USB port and the UART's driver of an adapter, and neither of a virtual one")
  func ports() throws {
    let root = "/tmp/hearth-port-\(getpid())"
    defer { _ = system("rm -rf \(root)") }
    func make(_ script: String) { #expect(system("set -e; mkdir -p \(root); cd \(root); \(script)") == 0) }
    make(
      """
      mkdir -p class/bluetooth devices/usb1/1-1/1-1:1.0 devices/serial0/serial0-0 bus/drivers/hci_uart_bcm \
      class/bluetooth/hci0 class/bluetooth/hci1 class/bluetooth/hci2
      """
    )
    make(
      """
      ln -s ../../../devices/usb1/1-1/1-1:1.0 class/bluetooth/hci0/device; echo 1 > devices/usb1/1-1/busnum; echo 12 \
      > devices/usb1/1-1/devnum
      """
    )
    make(
      """
      ln -s ../../../devices/serial0/serial0-0 class/bluetooth/hci1/device; ln -s ../../../bus/drivers/hci_uart_bcm \
      devices/serial0/serial0-0/driver
      """
    )
    func port(_ index: UInt16, _ bus: AdapterBus) -> AdapterPort? {
      AdapterPort(of: AdapterIdentity(index: index, address: 1, bus: bus), sysfs: root, dev: "/dev")
    }
    #expect(port(0, .usb) == .usb(node: "/dev/bus/usb/001/012", authorization: "\(root)/devices/usb1/1-1/authorized"))
    #expect(port(1, .uart) == .serial(driver: "\(root)/bus/drivers/hci_uart_bcm", device: "serial0-0"))
    #expect(port(2, .virtual) == nil)
    #expect(port(2, .usb) == nil)
    #expect(port(7, .uart) == nil)
    make("echo rubbish > devices/usb1/1-1/busnum")
    #expect(port(0, .usb) == nil)
  }
}

@Suite("The number of links")
struct SlotMemoryTests {
  @Test(
    "that was learned is reported, given back at the next start, believed for an hour, and then reported as forgotten")
  func kept() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let controller = setting.plugIn()
      var told: [LearnedSlots?] = []
      setting.radio.onSlotsLearned = { adapter, slots in
        #expect(adapter == controller.address)
        told.append(slots)
      }
      controller.links = (1...3).map { BluetoothAddress(value: strap.value + UInt64($0), kind: .leRandom) }
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(setting.radio.facts.care.slotSource == .standard)
      setting.kernel.attemptError = .slotsFull
      #expect(await setting.connect() == .slotsFull)
      #expect(told == [LearnedSlots(carried: 0, limit: 3)])
      #expect(setting.radio.facts.care.slotSource == .learned)
      try await setting.pass(.seconds(3700))
      #expect(told == [LearnedSlots(carried: 0, limit: 3), nil])
      #expect(setting.radio.facts.slots == 5)
    }
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop, LinuxRadioOptions(slots: .fixed(7)))
      let known = setting.plugIn().address
      setting.radio.recallSlots = { $0 == known ? LearnedSlots(carried: 0, limit: 3) : nil }
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(setting.radio.facts.slots == 3)
      #expect(setting.radio.facts.care.slotSource == .learned)
      try await setting.pass(.seconds(3600))
      #expect(setting.radio.facts.slots == 7)
      #expect(setting.radio.facts.care.slotSource == .configured)
    }
  }
}
