// The radio's switch (rfkill), on a kernel that has it.

import Bluetooth
import CLinux
import Glibc
import Testing

@testable import LinuxBluetooth

/// Moves the switches of all Bluetooth adapters, as the program `rfkill` does.
private func switchBluetooth(off: Bool) throws {
  let descriptor = hearth_open("/dev/rfkill", O_WRONLY | O_CLOEXEC, 0)
  guard descriptor >= 0 else { throw LabError("/dev/rfkill: errno \(errno)") }
  defer { close(descriptor) }
  // linux/rfkill.h: index u32, type u8 (2 Bluetooth), operation u8 (3 change all of a type), soft u8, hard u8.
  let event: [UInt8] = [0, 0, 0, 0, 2, 3, off ? 1 : 0, 0]
  guard write(descriptor, event, event.count) == event.count else {
    throw LabError("writing to /dev/rfkill: errno \(errno)")
  }
}

extension InTheLab {
  @Suite("the radio's switch", .serialized, .enabled(if: access("/dev/rfkill", W_OK) == 0, "this kernel has no rfkill"))
  struct Switches {
    @Test("switched off at run time is reported as blocked, and switched on again serves without a restart")
    func offAndOn() throws {
      try inLab { lab in
        let ear = Ear()
        ear.attach(try await lab.connect(0))
        try switchBluetooth(off: true)
        try await lab.until("blocked") { lab.radio.state == .down(.adapterBlocked) }
        try await lab.until("the link ended") { !ear.ends.isEmpty }
        #expect(ear.ends == [.adapterGone])
        #expect(await lab.outcome(of: LabSetting.strap(0), within: .seconds(2)).error == .adapterGone)
        try switchBluetooth(off: false)
        try await lab.until("ready", within: .seconds(10)) { lab.radio.state == .ready }
        lab.forgetHeard()
        try await lab.until("heard") { lab.heard(0) > 0 }
        try await lab.connect(0).close(immediately: true)
      }
    }

    @Test("found off at the start is lifted by the hub if the configuration says so, and otherwise left alone")
    func foundOff() throws {
      try switchBluetooth(off: true)
      try inLab(start: false) { lab in
        lab.radio.start()
        try await lab.until("blocked") { lab.radio.state == .down(.adapterBlocked) }
        await lab.radio.shutDown()
      }
      try inLab(LinuxRadioOptions(unblocksAdapter: true)) { lab in
        #expect(lab.radio.state == .ready)
        lab.forgetHeard()
        try await lab.until("heard") { lab.heard(0) > 0 }
      }
    }
  }
}
