import Bluetooth
import EventLoop
import Glibc
import Reasons
import Testing

@testable import LinuxBluetooth

@Suite("The life of the adapter, in virtual time")
struct AdapterLifeTests {
  @Test("begins with an initialisation that ends in power and one monitor")
  func begins() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let controller = setting.plugIn()
      controller.monitors = [1, 2]
      controller.current = [.bondable, .connectable, .advertising]
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(setting.states == [.ready])
      #expect(controller.current == [.powered, .lowEnergy, .secureConnections])
      #expect(controller.monitors.count == 1)
      #expect(setting.radio.facts.isScanning)
      #expect(setting.radio.facts.bus == "USB")
      let opcodes = setting.opcodes()
      for needed: UInt16 in [0x0018, 0x0030, 0x0013, 0x004C, 0x0034, 0x0005, 0x0052, 0x0015] {
        #expect(opcodes.count { $0 == needed } == 1, "command \(needed)")
      }
      await setting.radio.shutDown()
      #expect(controller.monitors.isEmpty)
    }
  }

  @Test("H3115: an adapter takes the address that bonds were made with, and one that cannot serves and says so")
  func address() throws {
    for canTake in [true, false] {
      try VirtualLoop.run { loop in
        var options = LinuxRadioOptions()
        options.address = 0xB827_EB01_0203
        let setting = FakeSetting(loop, options)
        let controller = setting.plugIn()
        controller.current = [.powered, .lowEnergy, .secureConnections]
        controller.takesAddress = canTake
        setting.radio.start()
        try await setting.pass(.seconds(30))
        #expect(setting.radio.state == .ready && setting.opcodes().count { $0 == 0x0039 } == 1)
        let warned = setting.radio.facts.warnings.map(\.reason) == [.radioAddressDiffers]
        #expect(warned == !canTake)
        #expect((setting.radio.facts.address?.value == 0xB827_EB01_0203) == canTake)
      }
    }
  }

  @Test("of a dual-mode adapter begins with BR/EDR off, for which it is powered off")
  func dualMode() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let controller = setting.plugIn()
      controller.supported.insert(.classic)
      controller.current = [.powered, .classic, .lowEnergy, .secureConnections]
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(setting.radio.state == .ready)
      #expect(controller.current == [.powered, .lowEnergy, .secureConnections])
    }
  }

  @Test("goes on without Bluetooth in the kernel, and finds it slowly when it comes")
  func withoutBluetooth() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      setting.kernel.openError = EAFNOSUPPORT
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(setting.states == [.down(.kernelWithoutBluetooth)])
      #expect(setting.radio.facts.warnings.first?.detail.contains("97") == true)
      setting.kernel.openError = nil
      _ = setting.plugIn()
      try await setting.pass(.seconds(300))
      #expect(setting.radio.state == .ready)
    }
  }

  @Test("names the missing capability")
  func unprivileged() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      _ = setting.plugIn()
      setting.kernel.isPrivileged = false
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(setting.states == [.down(.capabilityMissing)])
      #expect(setting.radio.facts.warnings.first?.detail.contains("CAP_NET_ADMIN") == true)
    }
  }

  @Test("waits for an adapter that is missing, and takes it when it comes")
  func missing() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      setting.radio.start()
      try await setting.pass(.seconds(60))
      #expect(setting.states == [.down(.adapterMissing)])
      setting.kernel.add(FakeController(index: 3, address: 1))
      try await setting.pass(.seconds(1))
      #expect(setting.states == [.down(.adapterMissing), .ready])
      #expect(setting.radio.facts.adapter == "hci3")
    }
  }

  @Test("does not serve with another adapter than the configured one, and says which there are")
  func notChosen() throws {
    try VirtualLoop.run { loop in
      let wanted = BluetoothAddress(value: 0x99, kind: .lePublic)
      let setting = FakeSetting(loop, LinuxRadioOptions(adapter: .address(wanted)))
      _ = setting.plugIn()
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(setting.states == [.down(.adapterNotChosen)])
      #expect(setting.radio.facts.warnings.first?.detail.contains("AA:BB:CC:00:00:01") == true)
      setting.kernel.add(FakeController(index: 1, address: 0x99))
      try await setting.pass(.seconds(1))
      #expect(setting.radio.state == .ready)
      #expect(setting.radio.facts.adapter == "hci1")
    }
  }

  @Test("survives removal and return under another number, and a fresh ledger with it")
  func removed() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let first = setting.plugIn()
      first.links = [strap]
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(setting.radio.facts.links == 1)
      setting.kernel.setPower(first, false)  // the kernel tells this first
      setting.kernel.remove(first)
      try await setting.pass(.seconds(1))
      #expect(setting.states == [.ready, .down(.adapterRemoved)])
      #expect(setting.radio.facts.links == 0)
      setting.kernel.add(FakeController(index: 1, address: first.address))
      try await setting.pass(.seconds(1))
      #expect(setting.radio.state == .ready)
      #expect(setting.radio.facts.adapter == "hci1")
    }
  }

  @Test("powers the adapter on again two seconds after another program powered it off")
  func poweredOff() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let controller = setting.plugIn()
      setting.radio.start()
      try await setting.pass(.seconds(1))
      for _ in 0..<3 {
        setting.kernel.setPower(controller, false)
        try await setting.pass(.milliseconds(1_900))
        #expect(setting.radio.state == .down(.adapterPoweredOff))
        try await setting.pass(.milliseconds(400))
        #expect(setting.radio.state == .ready)
        try await setting.pass(.seconds(61))
      }
      #expect(setting.counter("adapter.poweredOff") == 3)
    }
  }

  @Test("serves again within fifteen seconds, however often the adapter is powered off")
  func poweredOffAgainAndAgain() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let controller = setting.plugIn()
      setting.radio.start()
      try await setting.pass(.seconds(1))
      for wait in [2, 5, 10, 10, 10, 10] {
        setting.kernel.setPower(controller, false)
        try await setting.pass(.milliseconds(Int64(wait * 1000 - 100)))
        #expect(setting.radio.state == .down(.adapterPoweredOff))
        try await setting.pass(.milliseconds(400))
        #expect(setting.radio.state == .ready)
        try await setting.pass(.seconds(3))
      }
      // What then refuses is a trouble of its own, and is not waited for as if it had refused six times.
      controller.refusals[0x0005] = .failed
      setting.kernel.setPower(controller, false)
      try await setting.pass(.seconds(11))
      #expect(setting.radio.state == .down(.managementRefused))
      controller.refusals = [:]
      try await setting.pass(.seconds(5))
      #expect(setting.radio.state == .ready)
    }
  }

  @Test("backs off to five minutes with an adapter that refuses power")
  func backOff() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let controller = setting.plugIn()
      controller.refusals[0x0005] = .failed
      setting.radio.start()
      try await setting.pass(.seconds(1000))
      let tries = setting.opcodes().count { $0 == 0x0005 }
      #expect(tries == 6, "at 0, 5, 35, 335, 635, 935 s")
      #expect(setting.states == [.down(.managementRefused)])
      controller.refusals = [:]
      try await setting.pass(.seconds(300))
      #expect(setting.radio.state == .ready)
    }
  }

  @Test("waits for a radio switch, or lifts it if it may")
  func blocked() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      _ = setting.plugIn()
      setting.radio.start()
      try await setting.pass(.seconds(1))
      setting.kernel.setBlock(.soft)
      try await setting.pass(.seconds(200))
      #expect(setting.radio.state == .down(.adapterBlocked))
      setting.kernel.setBlock(nil)
      try await setting.pass(.seconds(1))
      #expect(setting.radio.state == .ready)
    }
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop, LinuxRadioOptions(unblocksAdapter: true))
      _ = setting.plugIn()
      setting.kernel.canUnblock = true
      setting.kernel.radioBlock = .soft
      setting.radio.start()
      try await setting.pass(.seconds(2))
      #expect(setting.states == [.ready])
      setting.kernel.setBlock(.hard)
      try await setting.pass(.seconds(2))
      #expect(setting.radio.state == .down(.adapterBlocked), "nobody but a person lifts a hard block")
    }
  }

  @Test("believes in an empty room: after one restart of the scan and one power cycle it waits to hear something")
  func emptyRoom() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let controller = setting.plugIn()
      setting.radio.start()
      try await setting.pass(.seconds(10_000))
      #expect(setting.counter("scan.restarts") == 0, "nothing was ever heard")
      setting.kernel.advertise(strap, from: controller)
      try await setting.pass(.seconds(91))
      #expect(setting.counter("scan.restarts") == 1)
      try await setting.pass(.seconds(10_000))
      #expect(setting.counter("adapter.silent") == 1)
      #expect(setting.radio.state == .ready)
      #expect(setting.counter("scan.restarts") == 1)
    }
  }

  @Test("never power-cycles a quiet adapter that carries links")
  func quietWithLinks() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let controller = setting.plugIn()
      controller.links = [strap]
      setting.radio.start()
      try await setting.pass(.seconds(1))
      setting.kernel.advertise(strap, from: controller)
      try await setting.pass(.seconds(10_000))
      #expect(setting.states == [.ready])
      #expect(setting.counter("adapter.silent") == 0)
    }
  }

  @Test("initialises again within five seconds when another program removes the monitor, and never stops serving")
  func interference() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let controller = setting.plugIn()
      setting.radio.start()
      try await setting.pass(.seconds(1))
      let start = setting.kernel.commands.count
      setting.kernel.daemons = [417]
      setting.kernel.removeMonitors(controller)
      setting.kernel.emit(0x001B, 0, strap.managementBytes)
      try await setting.pass(.seconds(5))
      #expect(controller.monitors.count == 1)
      #expect(setting.states == [.ready])
      #expect(setting.opcodes(since: start).count { $0 == 0x0052 } == 1, "a dozen changes, one answer")
      #expect(!setting.opcodes(since: start).contains(0x0005), "power is not touched: links stay")
      let warning = try #require(setting.radio.facts.warnings.first)
      #expect(warning.reason == .bluetoothdClash)
      #expect(warning.detail.contains("417"))
      setting.kernel.daemons = []
      try await setting.pass(.seconds(61))
      #expect(setting.radio.facts.warnings.isEmpty)
    }
  }

  @Test("out and in again within one look of the loop, it serves within seconds, also if its return is not announced")
  func replugged() throws {
    for isTold in [true, false] {
      for gap in [0, 50, 99, 101, 3000] {
        try VirtualLoop.run { loop in
          let setting = FakeSetting(loop)
          let controller = setting.plugIn()
          setting.radio.start()
          try await setting.pass(.seconds(1))
          setting.kernel.setPower(controller, false)
          setting.kernel.remove(controller)
          if gap > 0 { try await setting.pass(.milliseconds(gap)) }
          let again = FakeController(index: 0, address: controller.address)
          if isTold { setting.kernel.add(again) } else { setting.kernel.controllers.append(again) }
          try await setting.pass(isTold ? .seconds(1) : .seconds(6))
          #expect(setting.radio.state == .ready, "after \(gap) ms, told: \(isTold)")
        }
      }
    }
  }

  @Test("reports when it has the adapter again that another program took, since when, and which")
  func takenOver() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let controller = setting.plugIn()
      var told: [RadioTakeover] = []
      setting.radio.onTakenOver = { told.append($0) }
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(told.isEmpty)
      var began = loop.now
      setting.kernel.daemons = [417]
      setting.kernel.removeMonitors(controller)
      try await setting.pass(.seconds(5))
      #expect(told == [RadioTakeover(since: began, program: "bluetoothd (process 417)")])
      // The radio ends, and switches the adapter off.
      began = loop.now
      setting.kernel.daemons = []
      setting.kernel.setPower(controller, false)
      try await setting.pass(.seconds(5))
      #expect(setting.radio.state == .ready)
      // What a removal begins with looks the same: a moment is waited before it is judged.
      #expect(told.last == RadioTakeover(since: began + .milliseconds(100), program: "bluetoothd (process 417, ended)"))
      try await setting.pass(.seconds(100))
      setting.kernel.removeMonitors(controller)
      try await setting.pass(.seconds(5))
      #expect(told.last?.program == "another program")
      #expect(told.count == 3)
    }
  }

  @Test("opens the management channel again when it fails")
  func channelFails() throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      _ = setting.plugIn()
      setting.radio.start()
      try await setting.pass(.seconds(1))
      setting.kernel.breakSockets()
      try await setting.pass(.seconds(6))
      #expect(setting.states == [.ready, .down(.managementRefused), .ready])
    }
  }

  @Test("ends at any moment")
  func ends() throws {
    for moment in [0, 1, 3, 5, 8, 12, 20, 1000] {
      try VirtualLoop.run { loop in
        let setting = FakeSetting(loop)
        _ = setting.plugIn()
        setting.radio.start()
        try await setting.pass(.milliseconds(moment))
        await setting.radio.shutDown()
        let commands = setting.kernel.commands.count
        try await setting.pass(.seconds(1000))
        #expect(setting.kernel.commands.count == commands)
      }
    }
  }
}
