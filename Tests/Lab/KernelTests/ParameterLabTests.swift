// Connection parameters of live links, on a real Bluetooth stack.

import Bluetooth
import EventLoop
import Glibc
import Testing

@testable import LinuxBluetooth

extension LabSetting {
  /// Changes a link, and says whether it then runs with exactly that.
  func runs(_ address: BluetoothAddress, with wanted: ConnectionParameters) async -> Bool {
    do throws(LinkError) { return try await radio.update(address, to: wanted).satisfies(wanted) } catch {
      Issue.record(error)
      return false
    }
  }
}

extension InTheLab {
  @Suite("connection parameters", .serialized)
  struct Parameters {
    @Test(
      "go through every profile and back, by the kernel's own hand or by ours, and are observed",
      arguments: [true, false])
    func profiles(byKernel: Bool) throws {
      try inLab { lab in
        #expect(lab.radio.facts.care.updatesLiveLinks && lab.radio.facts.care.observesLinks)
        #expect(lab.radio.tuner.kernelUpdates, "this kernel changes live links")
        lab.radio.tuner.kernelUpdates = byKernel
        var told: [EffectiveParameters] = []
        lab.radio.onParameters = { _, new in told.append(new) }
        let bearer = try await lab.connect(0)
        #expect(lab.radio.parameters(of: bearer.address)?.source == .observed)
        #expect(lab.radio.parameters(of: bearer.address)?.satisfies(.foreground) == true)
        let sent = lab.world.log("controller", containing: "\"HCI_LE_CONNECTION_UPDATE_COMMAND\"").count
        for profile in [LinkProfile.background, .idle, .foreground, .idle, .background] {
          let result = try await lab.radio.update(bearer.address, to: profile.parameters)
          #expect(result.source == .observed)
          #expect(result.satisfies(profile.parameters), "\(profile): \(result)")
        }
        #expect(told.count == 6)
        #expect(lab.counter("links.updates.raw") == (byKernel ? 0 : 5))
        #expect(lab.world.log("controller", containing: "\"HCI_LE_CONNECTION_UPDATE_COMMAND\"").count == sent + 5)
        bearer.close(immediately: true)
      }
    }

    @Test("of one link are changed after another link was made, at the cost of the first one's entry in the kernel")
    func entries() throws {
      try inLab { lab in
        let first = try await lab.connect(0)
        let second = try await lab.connect(1)
        #expect(await lab.runs(first.address, with: .idle))
        #expect(await lab.runs(second.address, with: .background))
        #expect(lab.counter("links.updates.raw") == 0, "the kernel did it")
        first.close(immediately: true)
        second.close(immediately: true)
      }
    }

    @Test("that the wearable got itself over L2CAP are reported, and can be set back against the kernel's belief")
    func askedAbove() throws {
      try inLab { lab in
        let bearer = try await lab.connect(2)
        try await lab.control.ask("ask 2 12 24 0 300")
        try await lab.until("told") { lab.radio.parameters(of: bearer.address)?.timeout == 300 }
        #expect(await lab.runs(bearer.address, with: .foreground))
        bearer.close(immediately: true)
      }
    }

    @Test(
      """
      that the wearable asks for beyond what its link was made with take effect, over the link layer; illegal ones \
      do not
      """
    )
    func askedBelow() throws {
      try inLab { lab in
        let bearer = try await lab.connect(3)
        try await lab.control.ask("ask-below 3 160 400 10 1000")
        try await lab.control.ask("ask-below 3 40 80 4 600")
        try await lab.until("told") { lab.radio.parameters(of: bearer.address)?.satisfies(.background) == true }
        #expect(lab.counter("links.parametersGranted") == 1)
        #expect(
          lab.world.log("controller", containing: "e803").filter {
            $0.contains("CONNECTION_UPDATE") && $0.contains("9001")
          }.isEmpty)
        bearer.close(immediately: true)
      }
    }

    @Test("that the wearable refuses stay as they are, and the answer says so")
    func refused() throws {
      try inLab { lab in
        let bearer = try await lab.connect(4)
        try await lab.control.ask("refuse-updates")
        let result = try await lab.radio.update(bearer.address, to: .background)
        #expect(result.satisfies(.foreground) && result.source == .observed)
        try await lab.control.ask("refuse-updates 0")
        #expect(await lab.runs(bearer.address, with: .background))
        bearer.close(immediately: true)
      }
    }

    @Test("cannot be observed without CAP_NET_RAW: the kernel takes the filter and clears it, which is noticed")
    func unprivileged() throws {
      try inLab { lab in
        let kernel = LinuxKernel(loop: lab.loop, counters: RadioCounters())
        #expect(seteuid(65534) == 0)
        var code: Int32 = 0
        do throws(SystemError) { _ = try kernel.openObserver(0, receive: { _ in }, failed: { _ in }) } catch {
          code = error.errno
        }
        #expect(seteuid(0) == 0)
        #expect(code == EPERM)
      }
    }
  }
}
