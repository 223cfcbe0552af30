// Checks of the adapter: its health, its learned capabilities, the success rate of connections, and a running
// bluetoothd.

import HubProtocol
import Reasons

enum RadioChecks {
  static func findings(_ patient: Patient) -> [Finding] {
    [adapter(patient), slots(patient), connects(patient), bluetoothDaemon(patient)]
  }

  // MARK: The adapter

  private static func adapter(_ patient: Patient) -> Finding {
    guard let radio = patient.hub.radio else { return adapterOfMachine(patient.machine) }
    let figures = [
      figure("adapter", radio.adapter), figure("address", radio.address), figure("bus", radio.bus),
      figure("observes_links", radio.observesLinks), figure("updates_live_links", radio.updatesLiveLinks),
      JSON.Member(
        "resets", .object(radio.ladder.map { JSON.Member($0.name, .integer(Int64(clamping: $0.count))) })),
    ]
    let name = "\(radio.adapter) (\(radio.bus))"
    // bluetoothd has its own check.
    let warning = radio.warnings.first { $0.code != Reason.bluetoothdClash.code }
    if let trouble = radio.reason ?? (radio.state == .ready ? nil : warning) {
      return Finding(
        "adapter", .fail, "\(name) is \(radio.state): \(trouble.sentence)", figures, code: trouble.code,
        fix: Fix(trouble))
    }
    if radio.state != .ready {
      return Finding("adapter", .fail, "\(name) is \(radio.state)", figures, fix: Fix("see why", ["hearth radio"]))
    }
    if let warning {
      return Finding("adapter", .warn, warning.sentence, figures, code: warning.code, fix: Fix(warning))
    }
    if radio.recovering || !radio.scanning {
      let what = radio.recovering ? "is being restarted" : "does not listen"
      return Finding(
        "adapter", .warn, "\(name) \(what)", figures, fix: Fix("see what is done about it", ["hearth radio"]))
    }
    if !radio.observesLinks, !patient.hub.isSimulated {
      return Finding(
        "adapter", .warn, "\(name) is ready; connection parameters are assumed, as hearthd lacks CAP_NET_RAW",
        figures,
        fix: ServiceChecks.mend(patient))
    }
    let resets = radio.ladder.reduce(0 as UInt64) { $0 &+ $1.count }
    let done = resets == 0 ? "no resets since start" : "\(counted(resets, "reset")) since start"
    return Finding("adapter", .ok, "\(name) is ready and listens, \(done)", figures)
  }

  /// Checks, without a daemon, adapters and radio switches as the kernel shows them.
  private static func adapterOfMachine(_ machine: Machine) -> Finding {
    let adapters = machine.names("/sys/class/bluetooth").filter { name in
      name.hasPrefix("hci") && name.dropFirst(3).allSatisfy(\.isNumber)
    }
    for entry in machine.names("/sys/class/rfkill") {
      let folder = "/sys/class/rfkill/\(entry)"
      guard machine.text("\(folder)/type", limit: 64) == "bluetooth" else { continue }
      let isHard = machine.text("\(folder)/hard", limit: 8) == "1"
      guard isHard || machine.text("\(folder)/soft", limit: 8) == "1" else { continue }
      return Finding(
        "adapter", .fail, "Bluetooth is blocked by a \(isHard ? "hardware" : "software") switch (\(entry))",
        [figure("adapters", adapters.count)], code: Reason.adapterBlocked.code,
        fix: isHard ? Fix("move the switch by hand") : Fix("lift it", ["sudo rfkill unblock bluetooth"]))
    }
    guard let first = adapters.first else {
      return Finding(
        "adapter", .fail, "this machine shows no Bluetooth adapter", [figure("adapters", 0)],
        code: Reason.adapterMissing.code, fix: Fix(Reason.adapterMissing.text.next))
    }
    let bus = bus(of: first, machine).map { " (\($0))" } ?? ""
    return .unknown(
      "adapter", "\(first)\(bus) is there; how it is, only a hub that runs can say",
      [figure("adapters", adapters.count)])
  }

  /// `usb` or `uart`, by the path of the device; nil for others.
  static func bus(of adapter: String, _ machine: Machine) -> String? {
    guard let path = machine.link("/sys/class/bluetooth/\(adapter)") else { return nil }
    if includes(path, "/usb") { return "usb" }
    return includes(path, "/tty") || includes(path, "serial") ? "uart" : nil
  }

  // MARK: Slots

  private static func slots(_ patient: Patient) -> Finding {
    guard let radio = patient.hub.radio else { return .unknown("slots", "only a hub that runs knows them") }
    var figures = [
      figure("links", radio.links), figure("slots", radio.slots), figure("source", radio.slotSource),
    ]
    if let plan = patient.hub.plan {
      figures += [figure("wanting", plan.wanting), figure("missing", plan.missing)]
    }
    let source =
      switch radio.slotSource {
      case "learned": "learned from what the adapter refused"
      case "configured": "as configured"
      default: "assumed until the adapter refuses one"
      }
    let words = "\(radio.links) of \(radio.slots) connections in use, \(source)"
    let waits = patient.hub.status?.attention.filter { $0.reason.code == Reason.slotsFull.code } ?? []
    guard let first = waits.first else { return missing(patient.hub.plan, words, figures) }
    return Finding(
      "slots", .warn, "\(words); \(first.device ?? "a wearable") waits for one", figures, code: first.reason.code,
      fix: Fix(first.reason.next, ["hearth visits", "hearth explain \(first.reason.code)"]))
  }

  /// Slots for all enrolled wearables, present or not.
  private static func missing(_ plan: SlotPlanDocument?, _ words: String, _ figures: [JSON.Member]) -> Finding {
    guard let plan, plan.missing > 0 else { return Finding("slots", .ok, words, figures) }
    let wanting = "\(counted(plan.wanting, "enrolled wearable")) to be linked all the time"
    return Finding(
      "slots", .warn, "\(words); \(wanting): \(missingText(plan)) if all are here", figures,
      code: Reason.slotsFull.code,
      fix: Fix(
        "plug in \(counted(plan.missingAdapters, "USB Bluetooth adapter")), or see which take turns",
        ["hearth radio --plan"]))
  }

  // MARK: Connections

  /// Minimum number of attempts. With fewer, one failure changes the rate by more than five percent.
  static let tries: UInt64 = 20
  /// Percent of attempts that make a link. With 80, a wearable is linked within two attempts in 96 of 100 cases, which
  /// a healthy radio reaches. With 50 it is 75, and the hub misses wearables that stay for a minute.
  static let (well, badly) = (80, 50)

  /// Success rate of connections since the hub's start; nil: too few attempts.
  static func share(_ radio: RadioDocument?) -> (percent: Int, tries: UInt64)? {
    guard let counters = radio?.counters else { return nil }
    // The simulated radio has other names for these counters.
    let tries = counters["connect.attempts"] ?? counters["connect_attempts"] ?? 0
    let failures = min(tries, counters["connect.failures"] ?? counters["connect_failures"] ?? 0)
    if tries < Self.tries { return nil }
    return (whole(Double(tries - failures) * 100 / Double(tries)), tries)
  }

  private static func connects(_ patient: Patient) -> Finding {
    guard let radio = patient.hub.radio, let status = patient.hub.status else {
      return .unknown("connects", "only a hub that runs counts them")
    }
    let heard = radio.counters["advertisements"] ?? 0
    let rate = Double(heard) / Double(max(1, status.uptimeSeconds))
    let rateWords = "\(grouped(whole(rate))) advertisements a second"
    let found = share(radio)
    let figures = [
      figure("tries", found?.tries), figure("percent", found?.percent),
      JSON.Member("advertisements_per_s", JSON((rate * 10).rounded() / 10)),
    ]
    guard let found else {
      return .unknown("connects", "fewer than \(Self.tries) tries since the start: too few; \(rateWords)", figures)
    }
    let words = "\(found.percent) % of \(grouped(found.tries)) tries made a connection; \(rateWords)"
    if found.percent >= well { return Finding("connects", .ok, words, figures) }
    return Finding(
      "connects", found.percent < badly ? .fail : .warn, words, figures,
      fix: Fix(
        "bring the hub nearer to the wearables and away from metal and other radios; see which wearables fail, and why",
        ["hearth events --code H21xx", "hearth devices"]))
  }

  // MARK: bluetoothd

  /// Exists if an operator wants both (hearth-radio-claim.service).
  private static let wanted = "/etc/hearth/with-bluetoothd"

  private static func bluetoothDaemon(_ patient: Patient) -> Finding {
    let processes = patient.machine.processes(named: "bluetoothd")
    let figures = [JSON.Member("processes", .array(processes.map { .integer(Int64($0)) }))]
    guard let first = processes.first else {
      return Finding("bluetoothd", .ok, "it does not run beside the hub", figures)
    }
    if patient.machine.isThere(wanted) {
      return Finding("bluetoothd", .ok, "it runs, as \(wanted) allows; bonding is not guaranteed then", figures)
    }
    return Finding(
      "bluetoothd", .warn, "it runs beside the hub (process \(first)) and may change the adapter", figures,
      code: Reason.bluetoothdClash.code,
      fix: Fix(
        "unless something else needs it",
        [patient.machine.hasSystemd ? "sudo systemctl disable --now bluetooth" : "sudo kill \(first)"]))
  }
}
