import Foundation
import Hub
import HubProtocol
import Reasons
import Testing

@testable import EventLoop
@testable import RingStore
@testable import hearth

/// A single change to a healthy hub, and the doctor's finding.
struct DoctorCase: Sendable, CustomTestStringConvertible {
  var what: String
  var check: String
  var verdict: Verdict
  /// What the sentence has in it.
  var says: String
  var change: @Sendable (MadeMachine) throws -> Void

  var testDescription: String { "\(check) \(verdict.word): \(what)" }

  init(
    _ check: String, _ verdict: Verdict, _ what: String, says: String,
    _ change: @escaping @Sendable (MadeMachine) throws -> Void
  ) {
    (self.check, self.verdict, self.what, self.says, self.change) = (check, verdict, what, says, change)
  }

  func finding() throws -> Finding {
    let made = try MadeMachine()
    try change(made)
    let found = Examination(made.patient).findings.filter { $0.check == check }
    #expect(found.count == 1)
    return try #require(found.first)
  }

  static let all =
    service + radio + antenna + kernelAndClock + card + room + delivery + configuration + people
    + board

  private static func unit(_ changes: [String: String]) -> @Sendable (MadeMachine) throws -> Void {
    { made in made.patient.machine.unit = { MadeMachine.unit($0, changes) } }
  }

  private static func down(_ made: MadeMachine) {
    made.patient.hub = HubAnswers(trouble: HearthError(.daemonDown, "no daemon answers at /run/hearth/hearth.sock"))
  }

  private static func status(
    _ change: @escaping @Sendable (inout HubSnapshot) -> Void = { _ in },
    store: @escaping @Sendable (inout StoreStatus) -> Void = { _ in }
  ) -> @Sendable (MadeMachine) throws -> Void {
    { made in made.patient.hub.status = MadeMachine.status(change, store: store) }
  }

  private static func radio(
    attempts: UInt64 = 412, failures: UInt64 = 21,
    _ change: @escaping @Sendable (inout RadioDocument) -> Void = { _ in }
  ) -> @Sendable (MadeMachine) throws -> Void {
    { made in made.patient.hub.radio = MadeMachine.radio(attempts: attempts, failures: failures, change) }
  }

  private static func trouble(_ reason: Reason) -> TroubleDocument { TroubleDocument(HearthError(reason, "x")) }

  // MARK: Does it run

  static let service: [DoctorCase] = [
    DoctorCase("hub", .fail, "no daemon answers", says: "no daemon answers") { down($0) },
    DoctorCase("hub", .fail, "no daemon, no systemd", says: "no daemon answers") { made in
      down(made)
      try made.write("/proc/1/comm", "bash\n")
    },
    DoctorCase("hub", .unknown, "this user is not admitted", says: "uid 1000") { made in
      made.patient.hub = HubAnswers(trouble: HearthError(.controlRoleMissing, "Status: uid 1000 is in no group"))
    },
    DoctorCase("hub", .unknown, "--store", says: "no daemon is asked") { made in
      made.patient.hub = HubAnswers(isLeftAlone: true)
    },
    DoctorCase("hub", .warn, "it still starts", says: "starting", status { $0.phase = .starting }),
    DoctorCase("unit", .unknown, "PID 1 is not systemd", says: "process 1 is 'bash', not systemd") { made in
      try made.write("/proc/1/comm", "bash\n")
    },
    DoctorCase("unit", .unknown, "systemctl says nothing", says: "does not say") { made in
      made.patient.machine.unit = { _ in nil }
    },
    DoctorCase("unit", .fail, "no unit", says: "not-found", unit(["LoadState": "not-found"])),
    DoctorCase(
      "unit", .fail, "a library is missing", says: "failed (exit-code, exit status 127)",
      unit(["ActiveState": "failed", "Result": "exit-code", "ExecMainStatus": "127"])),
    DoctorCase("unit", .warn, "another process answers", says: "process 417", unit(["MainPID": "99"])),
    DoctorCase("unit", .warn, "files changed", says: "changed", unit(["NeedDaemonReload": "yes"])),
    DoctorCase("unit", .warn, "not at boot", says: "not started at boot", unit(["UnitFileState": "disabled"])),
    DoctorCase("unit", .warn, "restarts", says: "again 3 times", unit(["NRestarts": "3"])),
    DoctorCase("sandbox", .warn, "root with all capabilities", says: "it is root") { made in
      try made.rights(user: 0, capabilities: "000001ffffffffff", gainsNone: 0, seccomp: 0)
    },
    DoctorCase("sandbox", .warn, "no filter of system calls", says: "no filter of system calls") { made in
      try made.rights(seccomp: 0)
    },
    DoctorCase(
      "sandbox", .warn, "a drop-in loosens", says: "not as shipped: ProtectSystem", unit(["ProtectSystem": "no"])),
    DoctorCase("sandbox", .fail, "no CAP_NET_ADMIN", says: "lacks CAP_NET_ADMIN") { made in
      try made.rights(capabilities: "0000000000000000")
    },
    DoctorCase("sandbox", .unknown, "hidden process", says: "may not be seen") { made in
      try made.remove("/proc/417/status")
    },
    DoctorCase("sandbox", .unknown, "nothing runs", says: "no hearthd runs") { made in
      down(made)
      try made.remove("/proc/417/comm")
    },
  ]

  // MARK: The radio

  static let radio: [DoctorCase] = [
    DoctorCase(
      "adapter", .fail, "it is down", says: "no Bluetooth adapter",
      radio { ($0.state, $0.reason) = ("down", trouble(.adapterMissing)) }),
    DoctorCase(
      "adapter", .warn, "no address of its own", says: "no address of its own",
      radio { $0.warnings = [trouble(.adapterAddressUnprogrammed)] }),
    DoctorCase("adapter", .warn, "it is reset", says: "being restarted", radio { $0.recovering = true }),
    DoctorCase("adapter", .warn, "no CAP_NET_RAW", says: "assumed", radio { $0.observesLinks = false }),
    DoctorCase("adapter", .unknown, "no daemon", says: "hci0 (uart) is there") { down($0) },
    DoctorCase("adapter", .fail, "no daemon, no adapter", says: "shows no Bluetooth adapter") { made in
      down(made)
      try made.remove("/sys/class/bluetooth")
    },
    DoctorCase("adapter", .fail, "no daemon, rfkill", says: "software switch") { made in
      down(made)
      try made.write("/sys/class/rfkill/rfkill0/type", "bluetooth\n")
      try made.write("/sys/class/rfkill/rfkill0/soft", "1\n")
      try made.write("/sys/class/rfkill/rfkill0/hard", "0\n")
    },
    DoctorCase("adapter", .fail, "no daemon, a switch by hand", says: "hardware switch") { made in
      down(made)
      try made.write("/sys/class/rfkill/rfkill0/type", "bluetooth\n")
      try made.write("/sys/class/rfkill/rfkill0/hard", "1\n")
    },
    DoctorCase(
      "slots", .warn, "somebody waits", says: "band-07 waits for one",
      status { $0.attention = [Attention(wearable: "band-07", trouble: HearthError(.slotsFull, "7 of 7"))] }),
    DoctorCase(
      "hub", .warn, "somebody is needed", says: "band-19: H2207",
      status { $0.attention = [Attention(wearable: "band-19", trouble: HearthError(.keyMissing, "key"))] }),
    DoctorCase("slots", .warn, "more are enrolled than it carries", says: "7 slots are missing: 2 further adapters") {
      made in
      made.patient.hub.plan = SlotPlanDocument(
        slots: 5, slotSource: "standard", wanting: 12, missing: 7, missingAdapters: 2, devices: [])
    },
    DoctorCase("slots", .unknown, "no daemon", says: "only a hub that runs") { down($0) },
    DoctorCase("connects", .warn, "a quarter fails", says: "75 % of 400", radio(attempts: 400, failures: 100)),
    DoctorCase("connects", .fail, "most fail", says: "10 % of 400", radio(attempts: 400, failures: 360)),
    DoctorCase("connects", .ok, "four of five", says: "80 % of 400", radio(attempts: 400, failures: 80)),
    DoctorCase("connects", .unknown, "just started", says: "fewer than 20", radio(attempts: 19, failures: 19)),
    DoctorCase("connects", .fail, "more failures than tries", says: "0 % of 50", radio(attempts: 50, failures: .max)),
    DoctorCase("bluetoothd", .warn, "it runs", says: "process 812") { made in
      try made.write("/proc/812/comm", "bluetoothd\n")
    },
    DoctorCase("bluetoothd", .warn, "it runs without systemd", says: "process 812") { made in
      try made.write("/proc/812/comm", "bluetoothd\n")
      try made.write("/proc/1/comm", "bash\n")
    },
    DoctorCase("bluetoothd", .ok, "it is wanted", says: "as /etc/hearth/with-bluetoothd") { made in
      try made.write("/proc/812/comm", "bluetoothd\n")
      try made.write("/etc/hearth/with-bluetoothd", "")
    },
  ]

  static let antenna: [DoctorCase] = [
    DoctorCase("antenna", .warn, "2.4 GHz", says: "2437 MHz and shares the antenna with hci0; 94 %") { made in
      made.patient.machine.frequency = { _ in 2437 }
    },
    DoctorCase("antenna", .warn, "2.4 GHz on a Pi without 5 GHz", says: "2412 MHz") { made in
      made.patient.machine.frequency = { _ in 2412 }
      try made.write("/sys/firmware/devicetree/base/model", "Raspberry Pi 3 Model B Rev 1.2\0")
    },
    DoctorCase("antenna", .ok, "Wi-Fi is down", says: "not in use") { made in
      made.patient.machine.frequency = { _ in 2437 }
      try made.write("/sys/class/net/wlan0/operstate", "down\n")
    },
    DoctorCase("antenna", .ok, "a USB adapter", says: "on USB") { made in
      made.patient.machine.frequency = { _ in 2437 }
      made.patient.hub.radio = MadeMachine.radio { $0.bus = "USB" }
    },
    DoctorCase("antenna", .warn, "the onboard adapter beside one on USB", says: "shares the antenna with hci1") {
      made in
      made.patient.machine.frequency = { _ in 2437 }
      made.patient.hub.radio = MadeMachine.radio { radio in
        radio.bus = "USB"
        radio.adapters = [("hci0", "USB"), ("hci1", "UART")].map { name, bus in
          .init(
            name: name, bus: bus, state: .ready, links: 0, slots: 5, slotSource: "standard",
            recovering: false, advertisements: 0)
        }
      }
    },
    DoctorCase("antenna", .ok, "Wi-Fi by a USB stick", says: "not in use") { made in
      made.patient.machine.frequency = { _ in 2437 }
      try made.link("/sys/class/net/wlan0/device/driver", to: "../../../bus/usb/drivers/rtl8xxxu")
    },
    DoctorCase("antenna", .unknown, "no channel", says: "does not say its channel") { made in
      made.patient.machine.frequency = { _ in nil }
    },
    DoctorCase("antenna", .unknown, "no Pi", says: "no Raspberry Pi") { made in
      try made.remove("/sys/firmware/devicetree/base/model")
    },
    DoctorCase("antenna", .unknown, "simulated", says: "simulated", radio { $0.adapter = "simulated" }),
  ]

  static let kernelAndClock: [DoctorCase] = [
    DoctorCase("kernel", .fail, "too old", says: "older than 5.10") { made in
      try made.write("/proc/sys/kernel/osrelease", "5.4.0-rpi7\n")
    },
    DoctorCase(
      "kernel", .fail, "no Bluetooth", says: "has no Bluetooth",
      radio { ($0.state, $0.reason) = ("down", trouble(.kernelWithoutBluetooth)) }),
    DoctorCase("kernel", .fail, "no daemon, no Bluetooth", says: "has no Bluetooth") { made in
      down(made)
      try made.remove("/sys/class/bluetooth")
    },
    DoctorCase("kernel", .ok, "no daemon, not loaded yet", says: "loaded when the hub starts") { made in
      down(made)
      try made.remove("/sys/class/bluetooth")
      try made.write("/lib/modules/6.12.25+rpt-rpi-v8/kernel/net/bluetooth/bluetooth.ko.xz", "")
    },
    DoctorCase("kernel", .warn, "no live updates", says: "cannot be changed", radio { $0.updatesLiveLinks = false }),
    DoctorCase("kernel", .unknown, "no version", says: "may not be seen") { made in
      try made.write("/proc/sys/kernel/osrelease", "unknown\n")
    },
    DoctorCase("clock", .warn, "no time server", says: "no clock module", status { $0.clockIsSynchronised = false }),
    DoctorCase(
      "clock", .fail, "nothing sets it", says: "marked unsure",
      status { ($0.clockIsSynchronised, $0.clockIsPlausible) = (false, false) }),
    DoctorCase("clock", .warn, "nobody tells the hub", says: "the hub is not informed") { made in
      made.patient.hub.status = MadeMachine.status({ $0.clockIsSynchronised = false })
      try made.write("/run/systemd/timesync/synchronized", "")
    },
    DoctorCase("clock", .unknown, "no daemon", says: "not known") { down($0) },
    DoctorCase("clock", .ok, "no daemon, timesyncd", says: "synchronised") { made in
      down(made)
      try made.write("/run/systemd/timesync/synchronized", "")
    },
  ]
}
