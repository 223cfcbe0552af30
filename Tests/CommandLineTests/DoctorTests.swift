import Foundation
import HubProtocol
import Reasons
import Testing

@testable import EventLoop
@testable import hearth

@Suite("What the doctor finds")
struct DoctorTests {
  static let checks = [
    "hub", "unit", "sandbox", "adapter", "slots", "connects", "bluetoothd", "antenna", "kernel", "clock", "filesystem",
    "card", "writes", "room", "store", "backup", "configuration", "access", "supply", "temperature",
  ]

  @Test("a hub that is well has no findings: each check is ok, and the exit code is 0")
  func well() throws {
    let made = try MadeMachine()
    let examination = Examination(made.patient)
    #expect(examination.findings.map(\.check) == Self.checks)
    for finding in examination.findings {
      #expect(finding.verdict == .ok && finding.fix == nil, "\(finding.check): \(finding.words)")
    }
    #expect(examination.verdict == .ok)
    #expect(examination.exitStatus(made.patient.hub) == 0)
    #expect(render(examination, .plain).hasSuffix("no check of 20 needs attention\n"))
  }

  @Test("a machine without a folder for the scheduled export has no check of it")
  func noExport() throws {
    let made = try MadeMachine()
    try made.write(DeliverySettings.defaultPath, "#to: none\nevery: 1h\n")
    #expect(Examination(made.patient).findings.map(\.check) == Self.checks)
  }

  @Test("each check says what is wrong, and how wrong", arguments: DoctorCase.all)
  func each(_ one: DoctorCase) throws {
    let finding = try one.finding()
    #expect(finding.verdict == one.verdict, "\(finding.words)")
    #expect(finding.words.contains(one.says), "\(finding.words)")
    if finding.verdict >= .warn {
      let fix = try #require(finding.fix, "what warns or fails has a next step")
      #expect(!fix.words.isEmpty)
    }
  }

  @Test("each check is seen ok, and each that can is seen to warn, fail and not to know")
  func covered() {
    for check in Self.checks {
      let seen = Set(DoctorCase.all.filter { $0.check == check }.map(\.verdict))
      #expect(!seen.isDisjoint(with: [.warn, .fail, .unknown]), "\(check): \(seen)")
    }
    for check in ["hub", "sandbox", "adapter", "connects", "kernel", "clock", "filesystem", "card", "room", "store"] {
      let seen = Set(DoctorCase.all.filter { $0.check == check }.map(\.verdict))
      #expect(seen.isSuperset(of: [.warn, .fail, .unknown]), "\(check): \(seen)")
    }
  }

  // MARK: Next steps

  /// Programs of Debian that a next step may name, beside those of the hub.
  private static let programs: Set = [
    "systemctl", "journalctl", "timedatectl", "systemd-sysusers", "rfkill", "iw", "ps", "kill", "df", "du", "sort",
    "tail",
    "head", "top", "usermod", "newgrp", "groupadd", "modprobe", "apt-get", "vcgencmd", "swapon", "dmesg", "grep",
    "umount", "fsck", "mount", "reboot",
  ]

  @Test("every next step is one that can be typed: hearth takes it whole, or it is a program of the system")
  func nextSteps() throws {
    let board = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../board")
    var seen: Set<String> = []
    for one in DoctorCase.all { seen.formUnion(try one.finding().fix?.commands ?? []) }
    #expect(seen.count > 25, "\(seen)")
    for command in seen {
      for part in command.split(separator: "|") {
        var words = part.split(separator: " ").map { String($0) }
        if words.first == "sudo" { words.removeFirst() }
        if let redirection = words.firstIndex(of: ">") { words.removeSubrange(redirection...) }
        let program = words.removeFirst()
        switch program {
        case "hearth": #expect(words.isEmpty || NamedCommands.taken(words) == words.count, "\(command)")
        case "hearthd": #expect(words.first == "--config" && words.count == 2, "\(command)")
        default: #expect(Self.programs.contains(program), "\(command)")
        }
        if program == "systemctl", let unit = words.last, unit.hasPrefix("hearth") {
          let file = board.appendingPathComponent(unit.contains(".") ? unit : unit + ".service").path
          #expect(FileManager.default.fileExists(atPath: file), "\(command)")
        }
      }
    }
  }

  @Test("without systemd, no command that is to be typed needs it")
  func nextStepsWithoutSystemd() throws {
    for one in DoctorCase.all {
      let made = try MadeMachine()
      try one.change(made)
      try made.write("/proc/1/comm", "bash\n")
      for finding in Examination(made.patient).findings {
        for command in finding.fix?.commands ?? [] {
          let needs = ["systemctl", "journalctl", "timedatectl", "systemd", "hearth log"].contains {
            command.contains($0)
          }
          #expect(!needs, "\(finding.check): \(command)")
        }
      }
    }
  }

  @Test("a path with blanks or worse in it is one word of the shell in what is to be typed")
  func quoted() throws {
    #expect(shellWord("/var/lib/hearth") == "/var/lib/hearth")
    #expect(shellWord("/a b;reboot") == "'/a b;reboot'")
    #expect(shellWord("it's") == #"'it'\''s'"#)
    #expect(shellWord("") == "''")
    let made = try MadeMachine()
    made.patient.storePath = "/mnt/a;reboot"
    made.patient.machine.room = { _ in FileSystemRoom(free: 1, total: 2) }
    let room = try #require(Examination(made.patient).findings.first { $0.check == "room" })
    #expect(room.fix?.commands.first == "df -h '/mnt/a;reboot'")
  }

  @Test("a read-only file system is mounted again, with the hub stopped; that of the system itself by a restart")
  func readOnly() throws {
    let made = try MadeMachine()
    let own = "25 1 179:2 / / rw - ext4 /dev/root rw\n40 25 8:1 / /var/lib/hearth ro - ext4 /dev/sda1 rw\n"
    func steps() throws -> [String] {
      let fix = try #require(Examination(made.patient).findings.first { $0.check == "filesystem" }).fix
      return Array(try #require(fix).commands.dropFirst(2))
    }
    try made.write("/proc/self/mountinfo", own)
    let (begin, end) = ("sudo systemctl stop hearthd", "sudo systemctl start hearthd")
    let mounting = ["sudo umount /var/lib/hearth", "sudo fsck -y /dev/sda1"]
    #expect(try steps() == [begin] + mounting + ["sudo mount /dev/sda1 /var/lib/hearth", end])
    try made.write("/etc/fstab", "# /dev/sda1 /var/lib/hearth\nUUID=1\t/var/lib/hearth\text4 noatime 0 2\n")
    #expect(try steps() == [begin] + mounting + ["sudo mount /var/lib/hearth", end])
    try made.write("/proc/self/mountinfo", "25 1 179:2 / / ro - ext4 /dev/mmcblk0p2 rw\n")
    #expect(try steps() == ["sudo reboot"])
    try made.write("/sys/fs/ext4/mmcblk0p2/errors_count", "3\n")
    #expect(try steps() == ["sudo reboot"])
  }

  // MARK: Hostile files

  private static let files = [
    "/proc/1/comm", "/proc/417/comm", "/proc/417/status", "/proc/417/cmdline", "/proc/uptime",
    "/proc/sys/kernel/osrelease", "/proc/self/mountinfo", "/proc/net/wireless",
    "/sys/firmware/devicetree/base/model", "/sys/devices/platform/soc/soc:firmware/get_throttled",
    "/sys/class/thermal/thermal_zone0/temp", "/sys/class/net/wlan0/operstate", "/sys/block/mmcblk0/size",
    "/sys/block/mmcblk0/stat", "/sys/block/mmcblk0/device/name", "/sys/block/mmcblk0/device/date",
    "/sys/block/mmcblk0/device/life_time", "/sys/block/mmcblk0/device/pre_eol_info",
    "/sys/fs/ext4/mmcblk0p2/errors_count", "/etc/group", "/etc/passwd", "/etc/hearth/hearth.yaml",
  ]

  private static let junk: [Data] = [
    Data(), Data([0]), Data(repeating: 0xFF, count: 9000), Data(repeating: 0x20, count: 3000),
    Data("-9223372036854775808\n".utf8), Data("9223372036854775807\n".utf8), Data("1e400 nan inf\n".utf8),
    Data("\u{1B}]0;owned\u{07}\u{1B}[2J\u{202E}x\n".utf8),
    Data(String(repeating: "a:b:c:d - e f g h\n", count: 5000).utf8),
    Data("25 1 179:2 / \\777\\04 ro - ext4\n25 1 179:2 / / rw - - - -\n".utf8),
    Data("0xffffffffffffffffffff 0x\n".utf8),
  ]

  @Test("whatever stands in a file, each check comes to an answer that no terminal obeys", arguments: files)
  func hostile(_ file: String) throws {
    let made = try MadeMachine()
    let answers = made.patient.hub
    for junk in Self.junk {
      try made.write(file, junk)
      for isDown in [false, true] {
        made.patient.hub = isDown ? HubAnswers(trouble: HearthError(.daemonDown, "none")) : answers
        let examination = Examination(made.patient)
        #expect(examination.findings.map(\.check) == Self.checks)
        let page = render(examination, .plain, verbose: true)
        #expect(!page.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
        #expect(page.utf8.count < 64 << 10)
        let json = examination.json(time: "x", answered: !isDown).pretty
        #expect(!json.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
        #expect(json.utf8.count < 256 << 10)
      }
    }
  }

  @Test("a file that never ends, one that is a folder or a pipe, and a folder without end are bounded")
  func bounds() throws {
    let made = try MadeMachine()
    let machine = made.patient.machine
    try made.write("/long", Data(repeating: 0x61, count: 3 << 20))
    #expect(machine.bytes("/long")?.count == Machine.shortFile)
    #expect(machine.lines("/long")?.first?.count == Machine.longFile)
    #expect(machine.bytes("/proc") == nil)
    #expect(mkfifo(made.folder.path + "/pipe", 0o600) == 0)
    #expect(machine.bytes("/pipe") == nil)
    try made.link("/loop", to: "loop")
    #expect(machine.text("/loop") == nil && machine.link("/loop") == "loop")
    #expect(machine.names("/nowhere").isEmpty)
  }

  @Test("frequencies are taken in hertz, and as numbers of channels")
  func frequencies() {
    #expect(WirelessFrequency.megahertz(mantissa: 2437, exponent: 6) == 2437)
    #expect(WirelessFrequency.megahertz(mantissa: 24_370, exponent: 5) == 2437)
    #expect(WirelessFrequency.megahertz(mantissa: 6, exponent: 0) == 2437)
    #expect(WirelessFrequency.megahertz(mantissa: 36, exponent: 0) == 5180)
    for (mantissa, exponent) in [(0, 6), (-1, 6), (.max, 9), (1, 400), (20, 0)] as [(Int32, Int16)] {
      #expect(WirelessFrequency.megahertz(mantissa: mantissa, exponent: exponent) == nil)
    }
    #expect(WirelessFrequency.read("no-such-interface-x") == nil)
  }

  // MARK: What is printed

  @Test("a page has a line for each check, what to type below it, and its count; figures with -v")
  func page() throws {
    let made = try MadeMachine()
    made.patient.machine.frequency = { _ in 2437 }
    try made.write("/sys/devices/platform/soc/soc:firmware/get_throttled", "50005\n")
    let examination = Examination(made.patient)
    let page = render(examination, Style(isColoured: false, width: 80))
    #expect(
      page.contains(
        """
        warn    antenna       wlan0 is on 2437 MHz and shares the antenna with hci0; 94
                              % of tries make a connection
                              fix  move wlan0 to 5 GHz, or plug in a USB adapter
                              (radio.adapters: usb leaves this one out); or use a
                              network cable, and once you are connected by it:
                                   sudo rfkill block wifi

        """), "\(page)")
    #expect(page.hasSuffix("2 of 20 checks need attention, 1 failed\n"), "\(page)")
    #expect(page.split(separator: "\n").allSatisfy { columns(String($0)) <= 80 }, "\(page)")
    #expect(render(examination, .plain, verbose: true).contains("mhz                      2437\n"))
    #expect(examination.verdict == .fail && examination.exitStatus(made.patient.hub) == 1)
  }

  @Test("JSON has for each check its verdict, sentence, figures, code and fix")
  func json() throws {
    let made = try MadeMachine()
    made.patient.hub.status = MadeMachine.status({ $0.clockIsSynchronised = false })
    let json = Examination(made.patient).json(time: "2026-11-23T10:00:00.000Z", answered: true)
    guard case .object(let members) = json, case .array(let checks)? = json["checks"] else {
      throw POSIXError(.EINVAL)
    }
    #expect(members.map(\.key) == ["schema", "time", "verdict", "daemon", "counts", "checks"])
    #expect(json["schema"] == "io.hearth.doctor/1" && json["verdict"] == "warn" && json["daemon"] == true)
    #expect(json["counts"] == ["ok": 19, "unknown": 0, "warn": 1, "fail": 0])
    #expect(checks.map { $0["check"]?.text } == Self.checks)
    for check in checks {
      guard case .object(let members) = check, case .object? = check["figures"] else { throw POSIXError(.EINVAL) }
      #expect(members.map(\.key) == ["check", "verdict", "finding", "figures", "code", "fix"])
    }
    let clock = try #require(checks.first { $0["check"] == "clock" })
    #expect(clock["verdict"] == "warn" && clock["code"] == "H5001")
    #expect(clock["figures"]?["synchronised"] == false)
    #expect(clock["fix"]?["commands"] == .array(["timedatectl", "hearth clock"]))
    #expect(checks.first { $0["check"] == "hub" }?["fix"] == .null)
  }

  @Test("exit codes: 1 for what warns and for what fails, 0 for what is only unknown, 3 for a daemon that is down")
  func exitCodes() throws {
    func status(_ change: (MadeMachine) throws -> Void) throws -> Int32 {
      let made = try MadeMachine()
      try change(made)
      return Examination(made.patient).exitStatus(made.patient.hub)
    }
    #expect(try status { try $0.remove("/sys/firmware/devicetree/base/model") } == 0)
    #expect(try status { $0.patient.machine.frequency = { _ in 2437 } } == 1)
    #expect(try status { try $0.write("/sys/fs/ext4/mmcblk0p2/errors_count", "1\n") } == 1)
    #expect(try status { $0.patient.hub = HubAnswers(trouble: HearthError(.daemonDown, "none")) } == 3)
    #expect(try status { $0.patient.hub = HubAnswers(isLeftAlone: true) } == 0)
    #expect(Reason.daemonDown.exitStatus == 3)
  }

  @Test("the daemon's own arguments say which file it was started with")
  func file() throws {
    let made = try MadeMachine()
    func path(_ words: String) throws -> String? {
      try made.write("/proc/417/cmdline", words)
      return ConfigurationChecks.path(of: 417, made.patient.machine)
    }
    #expect(try path("/usr/bin/hearthd\0--config\0/srv/h.yaml\0") == "/srv/h.yaml")
    #expect(try path("hearthd\0--config=/srv/h.yaml\0") == "/srv/h.yaml")
    #expect(try path("hearthd\0--config\0h.yaml\0") == nil)
    #expect(try path("hearthd\0--config\0") == nil)
    #expect(try path("hearthd\0") == nil)
  }
}
