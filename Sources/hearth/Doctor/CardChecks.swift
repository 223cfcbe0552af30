// Checks of the card below the store: its health, the amount of writes, and errors of its file system.

import HubProtocol
import Reasons
import RingStore

enum CardChecks {
  static func findings(_ patient: Patient) -> [Finding] {
    let storage = Storage(of: patient.storePath, patient.machine)
    return [fileSystem(patient, storage), card(patient.machine, storage), writes(patient, storage)]
  }

  // MARK: The file system

  private static let copyAndReplace = Fix(
    "copy what is needed, then replace the card; see what the kernel reports",
    ["hearth export --format csv > samples.csv", "sudo dmesg --level=err,warn"])

  private static func fileSystem(_ patient: Patient, _ storage: Storage?) -> Finding {
    let machine = patient.machine
    guard let storage else { return .unknown("filesystem", "which file system holds \(patient.storePath) is unknown") }
    let store = patient.hub.status?.store
    let errors = storage.partition.flatMap { machine.number("/sys/fs/ext4/\($0)/errors_count") }
    let figures = [
      figure("mount", storage.mount.place), figure("kind", storage.mount.kind), figure("device", storage.partition),
      figure("read_only", storage.mount.isReadOnly), figure("errors", errors),
      figure("failed_commits", store?.failedCommits), figure("corrupt_chunks", store?.corruptChunks),
      figure("dropped_samples", store?.droppedSamples),
    ]
    let name = "\(storage.mount.kind) on \(storage.partition ?? storage.mount.source)"
    if let errors, errors > 0 {
      return Finding(
        "filesystem", .fail, "\(name) counts \(counted(errors, "error"))\(lastError(machine, storage))", figures,
        code: Reason.storeFailing.code,
        fix: storage.mount.isReadOnly ? mountAgain(storage.mount, patient) : copyAndReplace)
    }
    if storage.mount.isReadOnly {
      return Finding(
        "filesystem", .fail, "\(name) is read-only: the hub stores no samples", figures, code: Reason.storeFailing.code,
        fix: mountAgain(storage.mount, patient))
    }
    if let trouble = medium(patient)?.trouble {
      let isFailure = trouble.reason != .storeOpenToAll
      return Finding(
        "filesystem", isFailure ? .fail : .warn, "\(trouble.reason.text.sentence): \(trouble.detail)", figures,
        code: trouble.reason.code, fix: Fix(trouble.reason.text.next, ["hearth config show --origin"]))
    }
    if let store, store.corruptChunks > 0 || store.corruptRecords > 0 {
      let pieces = store.corruptChunks &+ UInt64(clamping: store.corruptRecords)
      return Finding(
        "filesystem", .fail, "\(counted(pieces, "piece")) of the store fail their checksum", figures,
        code: Reason.storeChunkCorrupt.code, fix: Fix("see which, then replace the card soon", ["hearth store verify"]))
    }
    if let store, store.failedCommits > 0 {
      return Finding(
        "filesystem", .warn,
        """
        \(counted(store.failedCommits, "commit")) of the store failed since the start, \
        \(counted(store.droppedSamples, "sample")) lost
        """, figures, fix: Fix("see why", ["hearth events --code H40xx", "sudo dmesg --level=err,warn"]))
    }
    let known = errors == nil ? "" : ", no errors"
    return Finding("filesystem", .ok, "\(name) takes writes\(known)", figures)
  }

  /// Fix for a read-only file system. After an error ext4 refuses writes until it is unmounted, even if `mount -o
  /// remount,rw` succeeds, and the daemon has open files there. The copy goes to memory, as the present folder may be
  /// read-only too.
  private static func mountAgain(_ mount: Mount, _ patient: Patient) -> Fix {
    let look = ["hearth export --format csv > /dev/shm/samples.csv", "sudo dmesg --level=err,warn"]
    if mount.place == "/" {
      return Fix(
        "copy what is needed elsewhere, then restart, which checks the card; if that comes again, replace it",
        look + ["sudo reboot"])
    }
    let machine = patient.machine
    let (place, source) = (shellWord(mount.place), shellWord(mount.source))
    let isListed = (machine.lines("/etc/fstab") ?? []).contains { line in
      let words = line.split { $0 == " " || $0 == "\t" }
      return words.count > 1 && !line.hasPrefix("#") && words[1] == mount.place
    }
    let mounting = [
      "sudo umount \(place)", "sudo fsck -y \(source)", "sudo mount \(isListed ? "" : source + " ")\(place)",
    ]
    let words = "copy what is needed, then mount it again, checked; if that comes again, replace the disk"
    if machine.hasSystemd {
      return Fix(words, look + ["sudo systemctl stop hearthd"] + mounting + ["sudo systemctl start hearthd"])
    }
    let stop = patient.daemon.map { ["sudo kill \($0)"] } ?? []
    return Fix(words, look + stop + mounting + ["hearthd --config \(shellWord(patient.configurationPath))"])
  }

  private static func medium(_ patient: Patient) -> StoreMedium? {
    let machine = patient.machine
    return StoreMedium.look(
      machine.resolved(patient.storePath),
      StoreMedium.Machine(
        lines: { machine.lines($0) }, link: { machine.link($0) }, names: { machine.names($0) },
        isThere: { machine.isThere($0) }))
  }

  private static func lastError(_ machine: Machine, _ storage: Storage) -> String {
    guard let partition = storage.partition, let last = machine.number("/sys/fs/ext4/\(partition)/last_error_time"),
      last > 0
    else { return "" }
    let age = Int(clamping: machine.now.microseconds / 1_000_000).subtractingReportingOverflow(last)
    return age.overflow || age.partialValue < 0 ? "" : ", the last \(span(age.partialValue)) ago"
  }

  // MARK: What the card tells of itself

  /// Wear of an eMMC (JESD84-B51, DEVICE_LIFE_TIME_EST and PRE_EOL_INFO) in tenths of its life: 1 is the first, 11 is
  /// beyond the end. From the ninth on the card should be replaced at leisure.
  private static let (old, spent) = (9, 11)

  private static func card(_ machine: Machine, _ storage: Storage?) -> Finding {
    guard let storage, let disk = storage.disk else {
      return .unknown("card", "the store is on \(storage?.mount.kind ?? "an unknown medium"), not on a card")
    }
    guard storage.isCard else { return .unknown("card", "\(disk) is no card; smartctl reports the health of disks") }
    let folder = "/sys/block/\(disk)/device"
    func text(_ name: String) -> String? { machine.text("\(folder)/\(name)", limit: 64) }
    let lives = (text("life_time") ?? "").split(separator: " ").compactMap { hexadecimal($0) }
    let used = lives.max()
    let reserve = text("pre_eol_info").flatMap { hexadecimal(Substring($0)) }
    let figures = [
      figure("disk", disk), figure("name", text("name")), figure("made", text("date")), figure("kind", text("type")),
      figure("life_tenths", used), figure("reserve", reserve), figure("bytes", capacity(disk, machine)),
    ]
    let name = [text("name") ?? disk, text("date").map { "of \($0)" }].compactMap { $0 }.joined(separator: " ")
    // 0 is "not defined", and values above the table have no meaning.
    let isTold = (1...spent).contains(used ?? 0) || (1...3).contains(reserve ?? 0)
    guard isTold else {
      return .unknown("card", "\(name): an SD card does not report its wear; see writes below", figures)
    }
    let life = used.map { $0 >= spent ? "more than all of its life" : "\(($0 - 1) * 10) to \($0 * 10) % of its life" }
    let words = "\(name): \(life ?? "wear unknown") used\(reserve == 1 ? ", reserve is fine" : "")"
    let replace = Fix(
      "save what must not be lost, then replace it", ["hearth bond export --to bonds.hearth"])
    if used ?? 0 >= spent || reserve == 3 {
      return Finding(
        "card", .fail, "\(words)\(reserve == 3 ? "; its reserve of blocks is urgent" : "")", figures, fix: replace)
    }
    if used ?? 0 >= old || reserve == 2 {
      return Finding(
        "card", .warn, "\(words)\(reserve == 2 ? "; 80 % of its reserve of blocks is used" : "")", figures, fix: replace
      )
    }
    return Finding("card", .ok, words, figures)
  }

  /// `0x0b`
  private static func hexadecimal(_ text: Substring) -> Int? {
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text
    return Int(digits, radix: 16).flatMap { (0...255).contains($0) ? $0 : nil }
  }

  // MARK: What is written to it

  /// Years that a card should last.
  static let years = 3
  /// Seconds since the boot after which the writes are representative of a day.
  private static let oneDay = 86_400
  /// Bytes of a sector in /sys/block, for every device (Documentation/block/stat.rst).
  private static let sector = 512

  private static func capacity(_ disk: String, _ machine: Machine) -> Int? {
    guard let sectors = machine.number("/sys/block/\(disk)/size"), sectors > 0 else { return nil }
    let (bytes, isTooMuch) = sectors.multipliedReportingOverflow(by: sector)
    return isTooMuch ? nil : bytes
  }

  /// Bytes per day that all programs wrote since the boot; nil during the first day.
  private static func everybody(_ disk: String, _ machine: Machine) -> Int? {
    let words = machine.text("/sys/block/\(disk)/stat", limit: 512)?.split(whereSeparator: \.isWhitespace) ?? []
    guard words.count > 6, let sectors = Double(words[6]), let uptime = machine.uptime, uptime >= oneDay else {
      return nil
    }
    return whole(sectors * Double(sector) / Double(uptime) * Double(oneDay))
  }

  private static func writes(_ patient: Patient, _ storage: Storage?) -> Finding {
    let wear = patient.hub.status?.store.wear
    let disk = storage?.disk
    let size = disk.flatMap { capacity($0, patient.machine) }
    let all = disk.flatMap { everybody($0, patient.machine) }
    let figures = [
      figure("today_bytes", wear?.bytesToday), figure("budget_bytes_per_day", wear?.budgetPerDay),
      figure("written_ever_bytes", wear?.odometer), figure("forecast_bytes_per_year", wear?.forecastPerYear),
      figure("everybody_bytes_per_day", all), figure("disk_bytes", size),
    ]
    if let all, let size, Double(all) * Double(years * 365) > Double(size) * Double(StoreMedium.cardRewrites) {
      return Finding(
        "writes", .warn,
        "all programs write \(hearth.size(all)) a day: a card of \(hearth.size(size)) lasts less than \(years) years",
        figures,
        fix: Fix(
          "find the program that writes; keep the journal in memory (Storage=volatile), and no swap on the card",
          ["hearth store", "swapon --show"]))
    }
    guard let wear else { return .unknown("writes", "only a hub that runs counts what it writes", figures) }
    let budget = wear.budgetPerDay.map { " of \(hearth.size(Int(clamping: $0)))" } ?? ""
    let share = cardShare(wear).map { ", \($0)" }
    let year = share ?? wear.forecastPerYear.map { ", \(hearth.size(Int(clamping: $0))) a year" } ?? ""
    let words = "the hub wrote \(hearth.size(Int(clamping: wear.bytesToday)))\(budget) today\(year)"
    if wear.overBudget {
      return Finding(
        "writes", .warn, words, figures, code: Reason.storeBudgetExceeded.code,
        fix: Fix(Reason.storeBudgetExceeded.text.next, ["hearth store"]))
    }
    return Finding("writes", .ok, words + (all.map { "; all programs \(hearth.size($0)) a day" } ?? ""), figures)
  }
}
