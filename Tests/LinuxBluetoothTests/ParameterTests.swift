import Bluetooth
import EventLoop
import Glibc
import Testing

@testable import LinuxBluetooth

private func other(_ number: Int) -> BluetoothAddress {
  BluetoothAddress(value: strap.value + UInt64(number), kind: .leRandom)
}

extension FakeSetting {
  fileprivate func update(_ wanted: ConnectionParameters, of address: BluetoothAddress = strap) async -> Result<
    EffectiveParameters, LinkError
  > {
    do throws(LinkError) { return .success(try await radio.update(address, to: wanted)) } catch {
      return .failure(error)
    }
  }
}

extension Result<EffectiveParameters, LinkError> {
  fileprivate func satisfies(_ wanted: ConnectionParameters) -> Bool { (try? get().satisfies(wanted)) ?? false }
}

@Suite("Connection parameters of an open link")
struct ParameterTests {
  private func linked(
    revision: UInt16 = 23, observes: Bool = true,
    _ body: @escaping @LoopActor (FakeSetting, FakeController) async throws -> Void
  ) throws {
    try VirtualLoop.run { loop in
      let setting = FakeSetting(loop)
      let controller = setting.plugIn()
      setting.kernel.revision = revision
      setting.kernel.observes = observes
      setting.radio.start()
      try await setting.pass(.seconds(1))
      #expect(await setting.connect() == nil)
      try await body(setting, controller)
    }
  }

  @LoopActor private func loads(_ setting: FakeSetting) -> Int { setting.opcodes().count { $0 == 0x0035 } }

  @Test("are known from its first moment, by the controller's word")
  func first() throws {
    try linked { setting, _ in
      let known = try #require(setting.radio.parameters(of: strap))
      #expect(known.source == .observed)
      #expect((known.interval, known.latency, known.timeout) == (24, 0, 400))
      #expect(setting.parameters == [known])
    }
  }

  @Test("that are illegal are refused, and the link stays as it is")
  func illegal() throws {
    try linked { setting, _ in
      let before = loads(setting)
      let wanted = ConnectionParameters(minimumInterval: 12, maximumInterval: 24, latency: 0, timeout: 1)
      #expect(wanted.defect != nil)
      let answer = await setting.update(wanted)
      #expect(answer == .failure(.system(errno: EINVAL)) && loads(setting) == before)
    }
  }

  @Test("go through all profiles by one load each, and are what the controller says")
  func profiles() throws {
    try linked { setting, _ in
      for (number, profile) in [LinkProfile.background, .idle, .foreground].enumerated() {
        let result = try await setting.update(profile.parameters).get()
        #expect(result.satisfies(profile.parameters))
        #expect(result.source == .observed)
        #expect(setting.radio.parameters(of: strap) == result)
        #expect(loads(setting) == 2 + number)
        #expect(setting.parameters.count == 2 + number)
      }
      #expect(setting.kernel.updates.map(\.byKernel) == [true, true, true])
    }
  }

  @Test("that are so already are not asked for")
  func already() throws {
    try linked { setting, _ in
      _ = try await setting.update(.foreground).get()
      #expect(loads(setting) == 1)
      #expect(setting.kernel.hciCommands.isEmpty)
    }
  }

  @Test("are loaded twice, 50 ms apart or more, if the first load only made the entry")
  func twice() throws {
    try linked { setting, _ in
      #expect(await setting.connect(other(1)) == nil)
      #expect(setting.kernel.entries == [other(1)], "the entry of the first is gone")
      #expect(await setting.update(.background).satisfies(.background))
      #expect(setting.kernel.updates.map(\.byKernel) == [true])
      #expect(loads(setting) == 4)
      #expect(await setting.update(.idle, of: other(1)).satisfies(.idle))
    }
  }

  @Test(
    "go by a command of our own if the kernel is too old, or believes them unchanged", arguments: [22, 23])
  func raw(_ revision: UInt16) throws {
    try linked(revision: revision) { setting, _ in
      if revision == 23 {
        // The wearable got itself 7.5 ms; the kernel compares with what the link was created with.
        setting.kernel.sayUpdated(0x40, 6, 0, 400)
        #expect(setting.radio.parameters(of: strap)?.interval == 6)
      }
      let wanted: ConnectionParameters = revision == 23 ? .foreground : .background
      #expect(await setting.update(wanted).satisfies(wanted))
      #expect(setting.kernel.updates.map(\.byKernel) == [false])
      #expect(setting.kernel.hciCommands.first?.count == 18)
    }
  }

  @Test("go by a command of our own after two loads that had no effect")
  func kernelDoesNothing() throws {
    try linked { setting, _ in
      setting.kernel.update.kernelSends = false
      #expect(await setting.update(.background).satisfies(.background))
      #expect(loads(setting) == 3)
      #expect(setting.counter("links.updates.raw") == 1)
    }
  }

  @Test("also if the kernel refuses the load")
  func loadRefused() throws {
    try linked { setting, controller in
      controller.refusals[0x0035] = .invalidParameters
      #expect(await setting.update(.background).satisfies(.background))
      #expect(setting.kernel.updates.map(\.byKernel) == [false])
    }
  }

  @Test("stay as they are when the wearable refuses, or never answers; the answer says so")
  func refused() throws {
    try linked { setting, _ in
      setting.kernel.update.status = 0x3B
      var result = try await setting.update(.background).get()
      #expect(result.satisfies(.foreground) && result.source == .observed)
      setting.kernel.update.status = 0
      setting.kernel.update.isSilent = true
      let start = setting.loop.now
      result = try await setting.update(.background).get()
      #expect(result.satisfies(.foreground))
      #expect(setting.loop.now - start < .seconds(3))
      #expect(setting.counter("links.updates.failed") == 2)
      setting.kernel.update.isSilent = false
      #expect(await setting.update(.background).satisfies(.background))
    }
  }

  @Test("are reported late, doubled, or after another program's: the outcome is the last that was asked for")
  func order() throws {
    try linked { setting, _ in
      setting.kernel.update.delay = .milliseconds(800)
      setting.kernel.update.times = 2
      setting.loop.schedule(after: .milliseconds(400)) { setting.kernel.sayUpdated(0x40, 6, 0, 300) }
      #expect(await setting.update(.background).satisfies(.background))
      #expect(setting.parameters.map(\.interval) == [24, 6, 40])
      // Later than any waiting caller: reported all the same, and not taken for the next one's.
      setting.kernel.update.delay = .seconds(8)
      setting.kernel.update.times = 1
      #expect(await setting.update(.idle).satisfies(.background))
      try await setting.pass(.seconds(8))
      #expect(setting.parameters.last?.satisfies(.idle) == true)
    }
  }

  @Test("of a controller that refuses the command outright are an error, and those of a link that ends are, too")
  func errors() throws {
    try linked(revision: 22) { setting, _ in
      setting.kernel.update.commandStatus = 0x0C
      #expect(await setting.update(.background) == .failure(.system(errno: EPROTO)))
      setting.kernel.update.commandStatus = 0
      setting.kernel.update.isSilent = true
      setting.loop.schedule(after: .milliseconds(100)) { setting.kernel.bearers[0].end(ECONNRESET) }
      #expect(await setting.update(.background) == .failure(.peerClosed))
      #expect(await setting.update(.background) == .failure(.system(errno: ENOTCONN)))
      await setting.radio.shutDown()
      #expect(await setting.update(.background, of: other(9)) == .failure(.adapterGone))
    }
  }

  @Test("without CAP_NET_RAW are assumed, or asked by the wearable, and cannot be changed beneath an old kernel")
  func unobserved() throws {
    try linked(observes: false) { setting, _ in
      #expect(setting.radio.parameters(of: strap)?.source == .assumed)
      let result = try await setting.update(.background).get()
      #expect(result.source == .assumed && result.satisfies(.background))
      setting.kernel.emit(0x001C, 0, strap.managementBytes + [1, 6, 0, 12, 0, 0, 0, 0x90, 1])
      let asked = try #require(setting.radio.parameters(of: strap))
      #expect(asked.source == .askedByWearable && asked.interval == 12)
      #expect(!setting.radio.facts.care.observesLinks)
      #expect(setting.radio.facts.care.updatesLiveLinks)
    }
    try linked(revision: 22, observes: false) { setting, _ in
      #expect(await setting.update(.background) == .failure(.system(errno: EOPNOTSUPP)))
      #expect(!setting.radio.facts.care.updatesLiveLinks)
    }
  }

  @Test("that a wearable asks for and the kernel accepts are reported as what the controller says")
  func asked() throws {
    try linked { setting, _ in
      setting.kernel.emit(0x001C, 0, strap.managementBytes + [1, 40, 0, 80, 0, 4, 0, 0x58, 2])
      #expect(setting.parameters.count == 1)
      setting.kernel.sayUpdated(0x40, 60, 4, 600)
      #expect(setting.parameters.last?.source == .observed)
      #expect(setting.counter("links.parametersAsked") == 1)
    }
  }

  @Test("that are asked for without end cost the link: twelve at once, then one a second")
  func flood() throws {
    try linked { setting, _ in
      let request = strap.managementBytes + [1, 40, 0, 80, 0, 4, 0, 0x58, 2]
      let bearer = try #require(setting.radio.links.openBearer(strap))
      var ends: [LinkError] = []
      bearer.onClosed = { ends.append($0) }
      for _ in 0..<12 { setting.kernel.emit(0x001C, 0, request) }
      try await setting.pass(.seconds(2))
      for _ in 0..<2 { setting.kernel.emit(0x001C, 0, request) }
      #expect(setting.radio.parameters(of: strap) != nil && ends.isEmpty)
      setting.kernel.emit(0x001C, 0, request)
      #expect(setting.radio.parameters(of: strap) == nil && ends == [.flooded])
      setting.kernel.emit(0x001C, 0, request)
    }
  }

  @Test("that a wearable asks for legally and the kernel refuses are granted, once in ten seconds; illegal ones never")
  func granted() throws {
    try linked { setting, _ in
      setting.kernel.say("04 3E 0B 06 4000 2800 5000 0400 5802")
      setting.kernel.say("04 3E 0B 06 4000 2800 5000 0400 5802")
      try await setting.pass(.seconds(1))
      #expect(setting.radio.parameters(of: strap)?.satisfies(.background) == true)
      #expect(setting.kernel.updates.count == 1)
      try await setting.pass(.seconds(10))
      setting.kernel.say("04 3E 0B 06 4000 A000 9001 0A00 E803")  // 500 ms, latency 10, 10 s: too short by a second
      setting.kernel.say("04 3E 0B 06 4000 0C00 1800 0000 9001")  // the kernel accepts this by itself
      try await setting.pass(.seconds(1))
      #expect(setting.kernel.updates.count == 1)
    }
  }
}
