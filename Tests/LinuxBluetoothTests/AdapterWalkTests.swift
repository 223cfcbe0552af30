import Bluetooth
import EventLoop
import Glibc
import Reasons
import Testing

@testable import LinuxBluetooth

/// Codes of the adapter: raised, their next step done as it says, and gone then.
@Suite("Next steps of the adapter that are walked")
struct AdapterWalkTests {
  /// A radio on a kernel that `prepare` makes, after a second.
  @LoopActor
  private func started(
    _ loop: VirtualLoop, _ options: LinuxRadioOptions = LinuxRadioOptions(), _ prepare: (FakeSetting) -> Void
  ) async throws -> FakeSetting {
    let setting = FakeSetting(loop, options)
    prepare(setting)
    setting.radio.start()
    try await setting.pass(.seconds(1))
    return setting
  }

  @LoopActor private func codes(_ setting: FakeSetting) -> [Reason] { setting.radio.facts.warnings.map(\.reason) }

  @Test("H3107: started by its unit, which gives it the capability, it serves")
  func capabilityMissing() throws {
    try VirtualLoop.run { loop in
      for isPrivileged in [false, true] {
        let setting = try await started(loop) {
          _ = $0.plugIn()
          $0.kernel.isPrivileged = isPrivileged
        }
        #expect(setting.radio.state == (isPrivileged ? .ready : .down(.capabilityMissing)))
        #expect(codes(setting) == (isPrivileged ? [] : [.capabilityMissing]))
        await setting.radio.shutDown()
      }
    }
  }

  @Test("H3109: with radio.adapter set to auto, or to an adapter that is listed, it serves after a restart")
  func notChosen() throws {
    try VirtualLoop.run { loop in
      let other = BluetoothAddress(value: 0x99, kind: .lePublic)
      let setting = try await started(loop, LinuxRadioOptions(adapter: .address(other))) { _ = $0.plugIn() }
      #expect(setting.radio.state == .down(.adapterNotChosen))
      let listed = BluetoothAddress(value: 0xAABB_CC00_0001, kind: .lePublic)
      #expect(setting.radio.facts.warnings.first?.detail.contains("\(listed)") == true)
      await setting.radio.shutDown()
      for choice in [AdapterChoice.automatic, .address(listed)] {
        let again = try await started(loop, LinuxRadioOptions(adapter: choice)) { _ = $0.plugIn() }
        #expect(again.radio.state == .ready && codes(again).isEmpty)
        await again.radio.shutDown()
      }
    }
  }

  @Test("H3112: an adapter without an address of its own serves, and with another adapter the warning is gone")
  func unprogrammed() throws {
    try VirtualLoop.run { loop in
      for address: UInt64 in [0x4343_A112_1FAC, 0x4345_C000_1FAC, 0xAAAA_AAAA_AAAA, 0xAABB_CC00_0001] {
        let setting = try await started(loop) { _ = $0.plugIn(address: address) }
        #expect(setting.radio.state == .ready)
        #expect(codes(setting) == (address == 0xAABB_CC00_0001 ? [] : [.adapterAddressUnprogrammed]))
        await setting.radio.shutDown()
      }
    }
  }

  @Test("H3113: plugged out and in, or reset by the helper, the adapter serves and the code is gone")
  func busResetRefused() throws {
    for hasHelper in [false, true] {
      try VirtualLoop.run { loop in
        var first: FakeController?
        let setting = try await started(loop) { first = $0.plugIn() }
        let controller = try #require(first)
        setting.kernel.busResetError = EACCES
        setting.kernel.advertise(strap, from: controller)
        controller.isSilent = true
        try await setting.pass(.seconds(800))
        #expect(codes(setting).contains(.busResetRefused))
        if hasHelper {
          (setting.kernel.busResetError, setting.kernel.busResetRevives) = (0, true)
        } else {
          setting.kernel.remove(controller)
          setting.kernel.add(FakeController(index: 3, address: controller.address))
        }
        try await setting.pass(.seconds(2000))
        #expect(setting.radio.state == .ready && codes(setting).isEmpty, "with a helper: \(hasHelper)")
      }
    }
  }
}
