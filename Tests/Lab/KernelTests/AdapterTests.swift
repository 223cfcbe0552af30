// What happens beneath a serving radio, on a real Bluetooth stack.

import Bluetooth
import EventLoop
import Glibc
import Reasons
import Testing

@testable import LinuxBluetooth

extension InTheLab {
  @Suite("the adapter", .serialized)
  struct Adapters {
    @Test("is chosen by address, and a configured one that is not there is named")
    func chosen() throws {
      let there = try #require(BluetoothAddress(LabWorld.controllerAddress, kind: .lePublic))
      try inLab(LinuxRadioOptions(adapter: .address(there))) { lab in
        #expect(lab.radio.facts.adapter.hasPrefix("hci"))
        #expect(lab.radio.facts.address == there)
        #expect(lab.radio.facts.bus == "virtual")
        #expect(lab.radio.facts.isScanning)
      }
      let absent = try #require(BluetoothAddress("00:11:22:33:44:55", kind: .lePublic))
      try inLab(LinuxRadioOptions(adapter: .address(absent)), start: false) { lab in
        lab.radio.start()
        try await lab.until("down") { lab.radio.state == .down(.adapterNotChosen) }
        #expect(lab.radio.facts.warnings.first?.detail.contains(LabWorld.controllerAddress) == true)
        await lab.radio.shutDown()
      }
    }

    @Test("powered off by another program is reported, and powered on and scanning again within five seconds")
    func poweredOff() throws {
      try inLab { lab in
        let bearer = try await lab.connect(0)
        let ear = Ear()
        ear.attach(bearer)
        let start = lab.loop.now
        #expect(await lab.other.ask(0x0005, [0], index: 0).status == 0)
        try await lab.until("down") { lab.radio.state == .down(.adapterPoweredOff) }
        try await lab.until("the link ended") { !ear.ends.isEmpty }
        #expect(ear.ends == [.adapterGone])
        #expect(await lab.outcome(of: LabSetting.strap(0), within: .seconds(5)).error == .adapterGone)
        try await lab.until("ready") { lab.radio.state == .ready }
        #expect(lab.loop.now - start < .seconds(5), "\(lab.loop.now - start)")
        lab.forgetHeard()
        try await lab.until("heard") { lab.heard(0) > 0 }
        #expect(lab.states == [.down(.adapterPoweredOff), .ready])
        let again = try await lab.connect(0)
        again.close(immediately: true)
      }
    }

    @Test(
      """
      with its monitor and devices removed by another program, as bluetoothd does at its start, is initialised again; \
      links stay
      """
    )
    func interference() throws {
      try inLab { lab in
        let bearer = try await lab.connect(1)
        let ear = Ear()
        ear.attach(bearer)
        let before = lab.counter("adapter.initialised")
        #expect(await lab.other.ask(0x0053, [0, 0], index: 0).status == 0)
        _ = await lab.other.ask(0x0034, [0, 0, 0, 0, 0, 0, 0], index: 0)
        try await lab.until("initialised", within: .seconds(5)) { lab.counter("adapter.initialised") > before }
        #expect(await lab.other.monitors(index: 0) == 1)
        lab.forgetHeard()
        try await lab.until("heard") { lab.heard(0) > 0 }
        #expect(lab.states.isEmpty, "it never stopped serving")
        #expect(ear.ends.isEmpty)
        bearer.close(immediately: true)
      }
    }

    @Test(
      "is shared with a bluetoothd that starts and stops, and the radio says so",
      .enabled(if: BlueZ.isAtHand, "needs bluez and dbus-daemon, and no system bus"))
    func bluetoothd() throws {
      try inLab { lab in
        let bearer = try await lab.connect(4)
        let ear = Ear()
        ear.attach(bearer)
        let bluez = try BlueZ()
        defer { bluez.kill() }
        try await lab.until("the clash is told") { lab.radio.facts.warnings.contains { $0.reason == .bluetoothdClash } }
        try await lab.loop.sleep(for: .seconds(4))
        #expect(await lab.other.monitors(index: 0) == 1)
        #expect(lab.radio.state == .ready)
        #expect(ear.ends.isEmpty, "the link stays")
        lab.forgetHeard()
        try await lab.until("heard beside it") { lab.heard(0) > 2 }
        bluez.stop()
        try await lab.until("its stop powers the adapter off", within: .seconds(5)) {
          lab.states.contains(.down(.adapterPoweredOff))
        }
        try await lab.until("ready", within: .seconds(5)) { lab.radio.state == .ready }
        #expect(ear.ends == [.adapterGone])
        try await lab.until("no clash any more") { lab.radio.facts.warnings.isEmpty }
        let again = try await lab.connect(4)
        again.close(immediately: true)
      }
    }

    @Test("keeps one monitor that hears all through links, foreign discoveries and a crash of the hub")
    func monitor() throws {
      try inLab { lab in
        #expect(await lab.other.monitors(index: 0) == 1)
        // A second radio on the same kernel, as a hub that was started after a crash: what the first left behind is not
        // added to.
        lab.radio.onStateChange = nil
        #expect(await lab.other.ask(0x0023, [6], index: 0).status == 0)
        lab.forgetHeard()
        try await lab.until("heard while another program discovers") { lab.heard(0) > 0 }
        #expect(await lab.other.ask(0x0024, [6], index: 0).status == 0)
        try await lab.loop.sleep(for: .milliseconds(300))
        lab.forgetHeard()
        try await lab.until("heard afterwards, again and again") { lab.heard(0) > 2 }
        #expect(await lab.other.monitors(index: 0) == 1)
        try await lab.control.ask("advertisers 20")
        try await lab.until("whatever they advertise: the pattern is not applied") { lab.heardWithoutFlags > 0 }
      }
      // The radio before ended properly; now leave a monitor behind as a crashed hub does.
      try inLab(start: false) { lab in
        let pattern: [UInt8] = [1, 1, 0, 1, 6] + [UInt8](repeating: 0, count: 30)
        #expect(await lab.other.ask(0x0052, pattern, index: 0).status == 0)
        #expect(await lab.other.monitors(index: 0) == 1)
        lab.radio.start()
        try await lab.until("ready") { lab.radio.state == .ready }
        #expect(await lab.other.monitors(index: 0) == 1)
        await lab.radio.shutDown()
        #expect(await lab.other.monitors(index: 0) == 0)
      }
    }

    @Test("pulled out and plugged in again is reported, and serves with its new number")
    func replugged() throws {
      try inLab { lab in
        let bearer = try await lab.connect(2)
        let ear = Ear()
        ear.attach(bearer)
        try await lab.control.ask("remove-controller")
        try await lab.until("down") { lab.radio.state == .down(.adapterRemoved) }
        try await lab.until("the link ended") { !ear.ends.isEmpty }
        #expect(ear.ends == [.adapterGone])
        #expect(lab.radio.facts.links == 0)
        try await lab.loop.sleep(for: .seconds(1))
        try await lab.control.ask("add-controller")
        try await lab.until("ready") { lab.radio.state == .ready }
        lab.forgetHeard()
        try await lab.until("heard") { lab.heard(2) > 0 }
        let again = try await lab.connect(2)
        again.close(immediately: true)
        #expect(lab.states == [.down(.adapterRemoved), .ready])
      }
    }

    @Test("missing at start is reported, and found when it comes")
    func late() throws {
      try inLab(start: false) { lab in
        try await lab.control.ask("remove-controller")
        lab.radio.start()
        try await lab.until("down") { lab.radio.state == .down(.adapterMissing) }
        try await lab.control.ask("add-controller")
        try await lab.until("ready") { lab.radio.state == .ready }
        await lab.radio.shutDown()
      }
    }

    @Test("that stops answering is reported and taken up the ladder without a stall, and serves when it answers again")
    func blackHole() throws {
      try inLab { lab in
        try await lab.until("heard") { lab.heard(0) > 0 }
        try await lab.control.ask("black-hole")
        try await lab.until("down", within: .seconds(40)) { lab.radio.state == .down(.controllerSilent) }
        try await lab.until("every rung was tried", within: .seconds(90)) { lab.radio.state == .down(.radioExhausted) }
        // Waiting for a silent controller takes the kernel's HCI_CMD_TIMEOUT, 2 s. Shorter turns come from other work
        // of the machine.
        #expect(lab.loop.statistics.longestTurn < .seconds(1), "\(lab.loop.statistics.longestTurn)")
        try await lab.control.ask("black-hole 0")
        try await lab.until("ready", within: .seconds(40)) { lab.radio.state == .ready }
        lab.forgetHeard()
        try await lab.until("heard") { lab.heard(0) > 0 }
        let bearer = try await lab.connect(0)
        bearer.close(immediately: true)
      }
    }

    @Test("is recovered when an operator asks: first its scan, then, asked again, by power; links are made again")
    func recovered() throws {
      try inLab { lab in
        lab.radio.recover()
        try await lab.until("the scan anew") {
          lab.counter("scan.restarts") == 1 && lab.radio.facts.care.lastRecovery != nil
        }
        #expect(lab.states.isEmpty)
        for rung in ["power off and on", "HCI reset", "down and up"] {
          lab.forgetStates()
          lab.radio.recover()
          try await lab.until(rung) { lab.states == [.down(.controllerSilent), .ready] }
          #expect(lab.radio.facts.care.rung == rung)
          lab.forgetHeard()
          try await lab.until("heard") { lab.heard(0) > 0 }
        }
        try await lab.connect(0).close(immediately: true)
      }
    }

    @Test("cannot be used without CAP_NET_ADMIN, and the radio says exactly that")
    func unprivileged() throws {
      try inLab(start: false) { lab in
        #expect(seteuid(65534) == 0)
        lab.radio.start()
        do { try await lab.until("down") { lab.radio.state != .starting } } catch { Issue.record(error) }
        #expect(seteuid(0) == 0)
        #expect(lab.radio.state == .down(.capabilityMissing))
        #expect(
          lab.radio.facts.warnings.contains { $0.reason == .capabilityMissing && $0.detail.contains("CAP_NET_ADMIN") })
        await lab.radio.shutDown()
      }
    }

    @Test("in a crowd of 1,000 advertisers of rubbish passes on no more than it may, and links are still made")
    func crowd() throws {
      try inLab { lab in
        try await lab.control.ask("advertisers 1000")
        try await lab.until("limits bite", within: .seconds(20)) { lab.counter("advertisements.limited") > 100 }
        lab.forgetHeard()
        let start = lab.loop.now
        try await lab.loop.sleep(for: .seconds(5))
        let passed = lab.heard.values.reduce(0, +)
        #expect(Double(passed) <= 200 * (lab.loop.now - start).inSeconds + 200, "\(passed)")
        #expect(passed > 100)
        let bearer = try await lab.connect(3, within: .seconds(20))
        bearer.close(immediately: true)
        #expect(lab.loop.statistics.longestTurn < .milliseconds(200), "\(lab.loop.statistics.longestTurn)")
      }
    }
  }
}

/// A system bus and a bluetoothd for one test, with a memory of their own in a mount namespace of their own.
private struct BlueZ {
  private static let bus = "/run/dbus/system_bus_socket"
  private static let daemon = "/usr/libexec/bluetooth/bluetoothd"
  static let isAtHand = access("/usr/bin/dbus-daemon", X_OK) == 0 && access(daemon, X_OK) == 0 && access(bus, F_OK) != 0

  private let group: pid_t

  init() throws {
    let script = """
      mount -t tmpfs none /var/lib/bluetooth && mkdir -p /run/dbus && dbus-daemon --system --nofork --nopidfile &
      until [ -S \(Self.bus) ]; do sleep 0.1; done
      \(Self.daemon) -n >/dev/null 2>&1 &
      wait
      """
    var process = pid_t()
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var arguments: [UnsafeMutablePointer<CChar>?] = ["unshare", "-m", "sh", "-c", script].map { (word: String) in
      strdup(word)
    }
    arguments.append(nil)
    guard posix_spawn(&process, "/usr/bin/unshare", nil, &attributes, arguments, environ) == 0 else {
      throw LabError("bluetoothd could not be started")
    }
    group = process
  }

  /// Stops bluetoothd as systemd does.
  @LoopActor func stop() {
    for process in LinuxKernel.bluetoothDaemons() { Glibc.kill(process, SIGTERM) }
  }

  func kill() {
    Glibc.kill(-group, SIGKILL)
    var status: Int32 = 0
    waitpid(group, &status, 0)
    unlink(Self.bus)
  }
}
