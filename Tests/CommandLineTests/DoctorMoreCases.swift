import Foundation
import HubProtocol
import Reasons

@testable import EventLoop
@testable import RingStore
@testable import hearth

/// The same of what the samples lie on, of people and of the board.
extension DoctorCase {
  private static func down(_ made: MadeMachine) {
    made.patient.hub = HubAnswers(trouble: HearthError(.daemonDown, "no daemon answers at /run/hearth/hearth.sock"))
  }

  private static func store(_ change: @escaping @Sendable (inout StoreStatus) -> Void)
    -> @Sendable (MadeMachine) throws
    -> Void
  {
    { made in made.patient.hub.status = MadeMachine.status(store: change) }
  }

  private static func writing(_ path: String, _ text: String) -> @Sendable (MadeMachine) throws -> Void {
    { made in try made.write(path, text) }
  }

  private static let mounts = "/proc/self/mountinfo"
  private static let device = "/sys/block/mmcblk0/device"

  static let card: [DoctorCase] = [
    DoctorCase(
      "filesystem", .fail, "remounted read-only", says: "read-only",
      writing(mounts, "25 1 179:2 / / ro,noatime shared:1 - ext4 /dev/mmcblk0p2 rw\n")),
    DoctorCase(
      "filesystem", .fail, "read-only below", says: "read-only",
      writing(mounts, "25 1 179:2 / / rw,noatime - ext4 /dev/mmcblk0p2 ro,errors=remount-ro\n")),
    DoctorCase(
      "filesystem", .fail, "a disk of its own read-only", says: "read-only",
      writing(mounts, "25 1 179:2 / / rw - ext4 /dev/root rw\n40 25 8:1 / /var/lib/hearth ro - ext4 /dev/sda1 rw\n")),
    DoctorCase("filesystem", .fail, "ext4 counts errors", says: "3 errors, the last 2 h ago") { made in
      try made.write("/sys/fs/ext4/mmcblk0p2/errors_count", "3\n")
      try made.write("/sys/fs/ext4/mmcblk0p2/last_error_time", "\(MadeMachine.second - 7200)\n")
    },
    DoctorCase("filesystem", .fail, "checksums", says: "2 pieces", store { $0.corruptChunks = 2 }),
    DoctorCase("filesystem", .warn, "commits fail", says: "4 commits", store { $0.failedCommits = 4 }),
    DoctorCase("filesystem", .fail, "an overlay above memory", says: "is in memory") { made in
      try made.write(
        mounts,
        """
        25 1 0:44 / / rw - overlay overlay rw,lowerdir=/lower,upperdir=/media/root-rw/upper,workdir=/w
        26 25 0:45 / /media/root-rw rw - tmpfs tmpfs-root rw

        """)
    },
    DoctorCase("filesystem", .fail, "on another machine", says: "nfs4 at /var/lib/hearth") { made in
      try made.write(
        mounts,
        "25 1 179:2 / / rw - ext4 /dev/root rw\n40 25 0:50 / /var/lib/hearth rw - nfs4 box:/share rw\n")
    },
    DoctorCase("filesystem", .warn, "without owners", says: "has no owners") { made in
      try made.write(
        mounts, "25 1 179:2 / / rw - ext4 /dev/root rw\n40 25 8:1 / /var/lib/hearth rw - vfat /dev/sda1 rw\n")
    },
    DoctorCase("filesystem", .unknown, "no mounts", says: "is unknown") { made in try made.remove(mounts) },
    DoctorCase("filesystem", .ok, "the store has its own", says: "btrfs on sda1") { made in
      try made.write(
        mounts,
        "25 1 179:2 / / ro - ext4 /dev/root rw\n40 25 8:1 / /var/lib/hearth rw shared:7 - btrfs /dev/sda1 rw\n")
      try made.link("/sys/dev/block/8:1", to: "../../devices/pci0/usb1/host0/block/sda/sda1")
    },
    DoctorCase("card", .unknown, "an SD card", says: "does not report its wear") { made in
      try made.remove("\(device)/life_time")
      try made.remove("\(device)/pre_eol_info")
    },
    DoctorCase("card", .warn, "old", says: "80 to 90 %", writing("\(device)/life_time", "0x03 0x09\n")),
    DoctorCase("card", .fail, "spent", says: "more than all", writing("\(device)/life_time", "0x0b 0x01\n")),
    DoctorCase("card", .warn, "reserve", says: "80 % of its reserve", writing("\(device)/pre_eol_info", "0x02\n")),
    DoctorCase("card", .fail, "no reserve", says: "urgent", writing("\(device)/pre_eol_info", "0x03\n")),
    DoctorCase("card", .unknown, "no card", says: "overlay") { made in
      try made.write(mounts, "25 1 0:44 / / rw - overlay overlay rw\n")
    },
    DoctorCase("writes", .warn, "over the budget", says: "of 150 MB", store { $0.wear.bytesToday = 200_000_000 }),
    DoctorCase(
      "writes", .warn, "somebody wears the card out", says: "less than 3 years",
      writing("/sys/block/mmcblk0/stat", "1 0 2 3 4 0 90000000000 5 0 1 2\n")),
    DoctorCase("writes", .ok, "its share", says: "today, 0.44 % a year of what a card of 32 GB bears") { made in
      made.patient.hub.status?.store.wear.cardBytes = 31_914_983_424
      made.patient.hub.status?.store.wear.cardBears = 3_191_498_342_400
    },
    DoctorCase("writes", .unknown, "no daemon", says: "only a hub that runs") { down($0) },
  ]

  static let room: [DoctorCase] = [
    DoctorCase("room", .fail, "full", says: "10 MB of 31 GB free") { made in
      made.patient.machine.room = { _ in FileSystemRoom(free: 10_000_000, total: 31_000_000_000) }
    },
    DoctorCase("room", .warn, "less than the store may take", says: "may still take 1.1 GB") { made in
      made.patient.machine.room = { _ in FileSystemRoom(free: 900_000_000, total: 31_000_000_000) }
    },
    DoctorCase("room", .warn, "no daemon, little", says: "100 MB") { made in
      down(made)
      made.patient.machine.room = { _ in FileSystemRoom(free: 100_000_000, total: 31_000_000_000) }
    },
    DoctorCase("room", .unknown, "no such folder", says: "may not be looked at") { made in
      made.patient.machine.room = { _ in nil }
    },
    DoctorCase(
      "store", .warn, "it evicts", says: "samples were evicted",
      store { $0.trouble = HearthError(.storeEvicting, "acc") }),
    DoctorCase(
      "store", .fail, "the disk fails", says: "takes no writes",
      store { $0.trouble = HearthError(.storeFailing, "EIO") }),
    DoctorCase("store", .unknown, "no daemon", says: "a hub that runs knows") { down($0) },
    DoctorCase("backup", .warn, "none", says: "no backup is configured") { made in
      made.patient.hub.wholeStatus = ["schema": "io.hearth.status/1"]
    },
    DoctorCase("backup", .warn, "scheduled, not made yet", says: "no backup was made") { made in
      made.patient.hub.wholeStatus = ["backup_at": .null]
      made.schedule()
    },
    DoctorCase("backup", .warn, "left out twice", says: "3 d old") { made in
      made.patient.hub.wholeStatus = ["backup_at": .string((MadeMachine.now + .seconds(-3 * 86_400)).rfc3339)]
      made.schedule()
    },
    DoctorCase("backup", .ok, "by hand, lately", says: "3 d old") { made in
      made.patient.hub.wholeStatus = ["backup_at": .string((MadeMachine.now + .seconds(-3 * 86_400)).rfc3339)]
    },
    DoctorCase("backup", .warn, "by hand, long ago", says: "8 d old") { made in
      made.patient.hub.wholeStatus = ["backup_at": .string((MadeMachine.now + .seconds(-8 * 86_400)).rfc3339)]
    },
    DoctorCase("backup", .unknown, "no daemon", says: "only a hub that runs") { down($0) },
  ]

  private static let file = "/etc/hearth/hearth.yaml"

  /// A scheduled export that ran `hours` ago.
  private static func delivered(_ hours: Int, _ change: @escaping @Sendable (inout DeliveryState) -> Void = { _ in })
    -> @Sendable (MadeMachine) throws -> Void
  {
    { made in
      var state = DeliveryState(number: 7, ranAt: MadeMachine.now + .seconds(-hours * 3600))
      change(&state)
      try made.write(DeliverySettings.defaultPath, "to: /srv/hearth\n")
      try made.write("/var/lib/hearth-export/archive.json", String(decoding: state.json.compact, as: UTF8.self))
    }
  }

  static let delivery: [DoctorCase] = [
    DoctorCase("export", .ok, "yesterday", says: "is 1 d 1 h old", delivered(25)),
    DoctorCase("export", .warn, "left out twice", says: "is 2 d 1 h old", delivered(49)),
    DoctorCase(
      "export", .warn, "failed", says: "the last run failed: H4008 store: no room",
      delivered(25) { ($0.failedAt, $0.failure) = (MadeMachine.now, "H4008 store: no room") }),
    DoctorCase("export", .warn, "rows went", says: "12 rows went", delivered(1) { $0.gone = 12 }),
    DoctorCase("export", .warn, "damage", says: "1 chunk could not be read", delivered(1) { $0.corrupt = 1 }),
    DoctorCase("export", .warn, "first run broke off", says: "no run is complete", delivered(1) { $0.ranAt = nil }),
    DoctorCase(
      "export", .warn, "not started", says: "no run was made", writing(DeliverySettings.defaultPath, "to: /a")),
    DoctorCase(
      "export", .fail, "a key of another", says: "'persons'", writing(DeliverySettings.defaultPath, "persons: a")),
    DoctorCase("export", .warn, "no state", says: "is no state of an export") { made in
      try delivered(1)(made)
      try made.write("/var/lib/hearth-export/archive.json", "{")
    },
  ]

  static let configuration: [DoctorCase] = [
    DoctorCase("configuration", .fail, "no YAML", says: "hearth.yaml:1", writing(file, "hub: {nome: x}\n")),
    DoctorCase(
      "configuration", .warn, "another name", says: "hub.name is gym-north, the file says gym-south",
      writing(file, "hub: {name: gym-south}\n")),
    DoctorCase(
      "configuration", .warn, "another size", says: "store.size is 1500MB, the file says 2GB",
      writing(file, "hub: {name: gym-north}\nstore: {size: 2GB}\n")),
    DoctorCase(
      "configuration", .warn, "read again, not taken", says: "the store runs with 2.0 GB",
      store { $0.sizeBytes = 2_000_000_000 }),
    DoctorCase("configuration", .warn, "no systemd", says: "hub.name is gym-north") { made in
      try made.write("/proc/1/comm", "bash\n")
      try made.write(file, "hub: {name: gym-south}\n")
    },
    DoctorCase("configuration", .ok, "no daemon", says: "is sound") { down($0) },
  ]

  static let people: [DoctorCase] = [
    DoctorCase("access", .ok, "root", says: "root may do everything") {
      $0.patient.asker = Asker(user: 0, groups: [0])
    },
    DoctorCase("access", .ok, "a reader", says: "is in hearth-read and may read") { made in
      try made.write("/etc/group", "hearth-read:x:992:pi\nhearth:x:991:\nhearth-admin:x:990:\n")
      made.patient.asker = Asker(user: 1000, groups: [1000, 992])
    },
    DoctorCase("access", .warn, "not logged in again", says: "put into hearth-admin") { made in
      made.patient.asker = Asker(user: 1000, groups: [1000])
    },
    DoctorCase("access", .fail, "in none", says: "pi is in no group of hearth-read, hearth, hearth-admin") { made in
      try made.write("/etc/group", "hearth-read:x:992:\nhearth:x:991:\nhearth-admin:x:990:\n")
      made.patient.asker = Asker(user: 1000, groups: [1000])
    },
    DoctorCase("access", .warn, "no groups", says: "no group hearth-admin", writing("/etc/group", "root:x:0:\n")),
    DoctorCase("access", .warn, "no groups, no systemd", says: "no group hearth-admin") { made in
      try made.write("/proc/1/comm", "bash\n")
      try made.write("/etc/group", "root:x:0:\n")
    },
    DoctorCase("access", .unknown, "unreadable", says: "may not be read") { made in try made.remove("/etc/group") },
  ]

  private static let throttled = "/sys/devices/platform/soc/soc:firmware/get_throttled"

  static let board: [DoctorCase] = [
    DoctorCase("supply", .fail, "low now", says: "too low now", writing(throttled, "50005\n")),
    DoctorCase("supply", .warn, "low before", says: "since the boot", writing(throttled, "50000\n")),
    DoctorCase("supply", .warn, "slow now", says: "slowed down now", writing(throttled, "0x8\n")),
    DoctorCase("supply", .warn, "slow before", says: "was slowed down", writing(throttled, "20000\n")),
    DoctorCase("supply", .unknown, "not told", says: "does not report") { made in try made.remove(throttled) },
    DoctorCase("supply", .fail, "by the alarm", says: "too low") { made in
      try made.remove(throttled)
      try made.write("/sys/class/hwmon/hwmon1/name", "rpi_volt\n")
      try made.write("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    },
    DoctorCase("supply", .unknown, "no Pi", says: "no Raspberry Pi") { made in
      try made.remove("/sys/firmware/devicetree/base/model")
    },
    DoctorCase(
      "temperature", .warn, "warm", says: "78 °C", writing("/sys/class/thermal/thermal_zone0/temp", "78400\n")),
    DoctorCase("temperature", .fail, "hot", says: "85 °C", writing("/sys/class/thermal/thermal_zone0/temp", "85000\n")),
    DoctorCase(
      "temperature", .unknown, "nonsense", says: "no thermometer",
      writing("/sys/class/thermal/thermal_zone0/temp", "99999999999\n")),
  ]
}
