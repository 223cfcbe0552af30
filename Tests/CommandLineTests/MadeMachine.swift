import Bluetooth
import Configuration
import Control
import Foundation
import Hub
import HubProtocol
import StoreDocuments

@testable import EventLoop
@testable import RingStore
@testable import hearth

/// A machine made of files in a folder of its own. It is a Raspberry Pi 4 with a healthy hub, until a test changes it.
final class MadeMachine {
  let folder: URL
  var patient: Patient
  static let now = VirtualLoop.morning
  static var second: Int { Int(now.microseconds / 1_000_000) }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("doctor-\(UUID().uuidString.prefix(8))")
    var machine = Machine(root: folder.path, now: Self.now)
    machine.room = { _ in FileSystemRoom(free: 20_000_000_000, total: 31_000_000_000) }
    machine.frequency = { _ in 5180 }
    machine.unit = { properties in Self.unit(properties) }
    patient = Patient(
      machine: machine, hub: HubAnswers(), asker: Asker(user: 1000, name: nil, groups: [1000, 990]),
      configurationPath: "/etc/hearth/hearth.yaml", storePath: "/var/lib/hearth", socketPath: "/run/hearth/hearth.sock")
    try processes()
    try radio()
    try card()
    try write("/proc/sys/kernel/osrelease", "6.12.25+rpt-rpi-v8\n")
    try write("/proc/uptime", "532800.12 2000000.00\n")
    try write("/sys/firmware/devicetree/base/model", "Raspberry Pi 4 Model B Rev 1.4\0")
    try write("/sys/devices/platform/soc/soc:firmware/get_throttled", "0\n")
    try write("/sys/class/thermal/thermal_zone0/temp", "48686\n")
    try write("/etc/passwd", "root:x:0:0:root:/root:/bin/bash\npi:x:1000:1000:,,,:/home/pi:/bin/bash\n")
    try write("/etc/group", "root:x:0:\npi:x:1000:\nhearth-read:x:992:\nhearth:x:991:\nhearth-admin:x:990:pi\n")
    try write("/etc/hearth/hearth.yaml", "hub: {name: gym-north}\n")
    let answers = try answers()
    patient.hub = answers
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A backup is wanted each day.
  func schedule() {
    for (key, value) in [("backup.to", "/media/backup"), ("backup.every", "1d")] {
      patient.hub.settings?.removeAll { $0.key == key }
      patient.hub.settings?.append(SettingDocument(key: key, value: value, origin: "default"))
    }
  }

  // MARK: Files

  func write(_ path: String, _ text: String) throws { try write(path, Data(text.utf8)) }

  func write(_ path: String, _ data: Data) throws {
    let file = folder.appendingPathComponent(String(path.dropFirst()))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
  }

  func link(_ path: String, to target: String) throws {
    let file = folder.appendingPathComponent(String(path.dropFirst()))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try? FileManager.default.removeItem(at: file)
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target)
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(at: folder.appendingPathComponent(String(path.dropFirst())))
  }

  private func processes() throws {
    try write("/proc/1/comm", "systemd\n")
    try write("/proc/417/comm", "hearthd\n")
    try write("/proc/417/cmdline", "/usr/bin/hearthd\0--config\0/etc/hearth/hearth.yaml\0")
    try rights()
  }

  /// The kernel's view of the daemon's process; without arguments, as under its unit.
  func rights(
    user: Int = 998, capabilities: String = "0000000000003000", gainsNone: Int = 1, seccomp: Int = 2
  ) throws {
    try write(
      "/proc/417/status",
      """
      Name:\thearthd
      Uid:\t\(user)\t\(user)\t\(user)\t\(user)
      CapEff:\t\(capabilities)
      NoNewPrivs:\t\(gainsNone)
      Seccomp:\t\(seccomp)
      Seccomp_filters:\t24

      """)
  }

  private func radio() throws {
    try link(
      "/sys/class/bluetooth/hci0", to: "../../devices/platform/soc/fe201000.serial/tty/ttyAMA0/bluetooth/hci0")
    try write("/sys/class/net/wlan0/operstate", "up\n")
    try write("/sys/class/net/wlan0/wireless/beacon", "0\n")
    try link("/sys/class/net/wlan0/device/driver", to: "../../../bus/sdio/drivers/brcmfmac")
    try write(
      "/proc/net/wireless",
      """
      Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
       face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
       wlan0: 0000   54.  -56.  -256        0      0      0      0    114        0

      """)
  }

  private func card() throws {
    try write(
      "/proc/self/mountinfo",
      """
      20 25 0:19 / /proc rw,nosuid - proc proc rw
      25 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw
      31 25 179:1 / /boot/firmware rw,relatime - vfat /dev/mmcblk0p1 rw

      """)
    let block = "../../devices/platform/emmc2bus/fe340000.mmc/mmc_host/mmc0/mmc0:aaaa/block/mmcblk0"
    try link("/sys/dev/block/179:2", to: "\(block)/mmcblk0p2")
    try write("/sys/block/mmcblk0/size", "62333952\n")
    // 4 GB in six days.
    try write("/sys/block/mmcblk0/stat", " 100 0 200 30 5000 0 7812500 90 0 10 20 0 0 0 0 0 0\n")
    try write("/sys/block/mmcblk0/device/name", "SD32G\n")
    try write("/sys/block/mmcblk0/device/date", "03/2023\n")
    try write("/sys/block/mmcblk0/device/type", "MMC\n")
    try write("/sys/block/mmcblk0/device/life_time", "0x02 0x01\n")
    try write("/sys/block/mmcblk0/device/pre_eol_info", "0x01\n")
    try write("/sys/fs/ext4/mmcblk0p2/errors_count", "0\n")
  }

  // MARK: Answers

  /// A unit as it is shipped.
  static func unit(_ properties: [String], _ changes: [String: String] = [:]) -> String {
    var values = [
      "LoadState": "loaded", "ActiveState": "active", "SubState": "running", "Result": "success",
      "ExecMainStatus": "0", "MainPID": "417", "NRestarts": "0", "UnitFileState": "enabled",
      "NeedDaemonReload": "no", "DropInPaths": "",
    ]
    for (name, value) in ServiceChecks.hardening { values[name] = value }
    values.merge(changes) { $1 }
    return properties.compactMap { name in values[name].map { "\(name)=\($0)\n" } }.joined()
  }

  /// Of a hub that is well.
  private func answers() throws -> HubAnswers {
    var answers = HubAnswers()
    answers.process = 417
    answers.status = Self.status()
    answers.wholeStatus = ["backup_at": .string((Self.now + .seconds(-7200)).rfc3339)]
    answers.radio = Self.radio()
    let file = try Configuration.load(path: folder.path + "/etc/hearth/hearth.yaml")
    answers.settings = file.entries.map { SettingDocument(key: $0.key, value: $0.value, origin: $0.origin) }
    return answers
  }

  static func status(
    _ change: (inout HubSnapshot) -> Void = { _ in }, store: (inout StoreStatus) -> Void = { _ in }
  ) -> StatusDocument {
    var hub = HubSnapshot(
      name: "gym-north", phase: .serving, startedAt: now + .seconds(-532_800), uptime: .seconds(532_800),
      radioState: .ready,
      radio: RadioFacts(adapter: "hci0", bus: "uart", links: 5, slots: 7, isScanning: true))
    (hub.enrolled, hub.present, hub.live) = (31, 22, 5)
    (hub.clockIsSynchronised, hub.clockIsPlausible) = (true, true)
    change(&hub)
    var status = StoreStatus(path: "/var/lib/hearth", sizeBytes: 1_500_000_000)
    (status.usedBytes, status.fileBytes, status.oldest) = (412_000_000, 432_000_000, now + .seconds(-27 * 86_400))
    status.wear = WearStatus(
      bytesToday: 38_000_000, budgetPerDay: 150_000_000, odometer: 1_200_000_000, forecastPerYear: 14_000_000_000)
    store(&status)
    return StatusDocument(
      hub, enrolment: EnrolmentSnapshot(mode: .window, nearRSSI: -55),
      store: StoreDocument(status, wearables: 31, daemon: true), now: now, zone: .utc)
  }

  static func radio(
    attempts: UInt64 = 412, failures: UInt64 = 21, _ change: (inout RadioDocument) -> Void = { _ in }
  ) -> RadioDocument {
    var radio = RadioDocument(
      state: "ready", adapter: "hci0", address: "DC:A6:32:00:00:01", bus: "UART", links: 5, slots: 7,
      slotSource: "learned", scanning: true, recovering: false,
      ladder: [.init(name: "scan restart", count: 0), .init(name: "power cycle", count: 0)], observesLinks: true,
      updatesLiveLinks: true, warnings: [],
      counters: Counters([
        ("advertisements", 76_190_400), ("connect.attempts", attempts), ("connect.failures", failures),
      ]))
    change(&radio)
    return radio
  }
}
