// Check whether Wi-Fi on 2.4 GHz shares the antenna with the hub's radio. Onboard chips of Raspberry Pis have one
// antenna for both.

import HubProtocol

enum AntennaChecks {
  static func findings(_ patient: Patient) -> [Finding] { [antenna(patient)] }

  /// Wi-Fi driver of the chip that does both on Raspberry Pis.
  private static let driver = "brcmfmac"

  private static func antenna(_ patient: Patient) -> Finding {
    let machine = patient.machine
    if patient.hub.isSimulated { return .unknown("antenna", "the hub's radio is simulated") }
    guard machine.isRaspberryPi, let model = machine.model else {
      return .unknown("antenna", "this is no Raspberry Pi: which radios share an antenna is not known")
    }
    var figures = [figure("model", model)]
    let (adapter, bus) = served(patient)
    figures.append(figure("bus", bus))
    if bus == "usb" {
      return Finding("antenna", .ok, "the hub's radio \(adapter) is on USB, with an antenna of its own", figures)
    }
    guard bus == "uart" else { return .unknown("antenna", "where the hub's radio is connected is not known", figures) }
    let onboard = machine.names("/sys/class/net").filter { isOnboardWireless($0, machine) }
    guard let interface = onboard.first(where: { machine.text("/sys/class/net/\($0)/operstate", limit: 32) == "up" })
    else {
      return Finding("antenna", .ok, "the onboard Wi-Fi is not in use", figures)
    }
    let quality = quality(of: interface, machine)
    let frequency = machine.frequency(interface)
    figures += [
      figure("interface", interface), figure("mhz", frequency), figure("wifi_dbm", quality),
      figure("connects_percent", RadioChecks.share(patient.hub.radio)?.percent),
    ]
    guard let frequency else {
      return .unknown(
        "antenna", "\(interface) is up and does not say its channel", figures,
        fix: Fix("see its frequency: 2412 to 2484 MHz are shared", ["iw dev \(shellWord(interface)) link"]))
    }
    let place = "\(interface) is on \(frequency) MHz"
    if !(2400...2500).contains(frequency) { return Finding("antenna", .ok, "\(place), away from Bluetooth", figures) }
    let share = RadioChecks.share(patient.hub.radio).map { "; \($0.percent) % of tries make a connection" } ?? ""
    return Finding(
      "antenna", .warn, "\(place) and shares the antenna with \(adapter)\(share)", figures,
      fix: fix(model, interface))
  }

  /// The serving adapter and its bus in lower case. Of several adapters, one that may share an antenna.
  private static func served(_ patient: Patient) -> (adapter: String, bus: String?) {
    guard let radio = patient.hub.radio else {
      let adapter = patient.machine.names("/sys/class/bluetooth").first { $0.hasPrefix("hci") } ?? ""
      return (adapter, RadioChecks.bus(of: adapter, patient.machine))
    }
    let all = (radio.adapters ?? []).filter { $0.state == .ready }.map { ($0.name, $0.bus.lowercased()) }
    return all.first { $0.1 == "uart" } ?? all.first ?? (radio.adapter, radio.bus.lowercased())
  }

  private static func isOnboardWireless(_ name: String, _ machine: Machine) -> Bool {
    let folder = "/sys/class/net/\(name)"
    guard machine.isThere("\(folder)/wireless") || machine.isThere("\(folder)/phy80211") else { return false }
    // Without a known driver, the usual name of the onboard interface counts.
    guard let path = machine.link("\(folder)/device/driver") else { return name == "wlan0" }
    return path.split(separator: "/").last == Substring(driver)
  }

  /// dBm of /proc/net/wireless: the fourth column, which ends with a point.
  private static func quality(of interface: String, _ machine: Machine) -> Int? {
    for line in machine.lines("/proc/net/wireless") ?? [] {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard words.count > 3, words[0] == Substring(interface + ":") else { continue }
      return Int(words[3].hasSuffix(".") ? words[3].dropLast() : words[3])
    }
    return nil
  }

  /// A cable comes first: switching Wi-Fi off would cut a connection over Wi-Fi.
  private static func fix(_ model: String, _ interface: String) -> Fix {
    let hasFiveGigahertz = !includes(model, "Zero") && !(includes(model, "Pi 3 Model B") && !includes(model, "Plus"))
    let elsewhere =
      hasFiveGigahertz
      ? "move \(interface) to 5 GHz, or plug in a USB adapter (radio.adapters: usb leaves this one out)"
      : "plug in a USB Bluetooth adapter (radio.adapters: usb leaves this one out; this Wi-Fi has no 5 GHz)"
    return Fix("\(elsewhere); or use a network cable, and once you are connected by it", ["sudo rfkill block wifi"])
  }
}
