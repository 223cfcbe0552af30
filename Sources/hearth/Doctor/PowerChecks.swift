// Checks of the board's power supply and temperature.

import HubProtocol

enum PowerChecks {
  static func findings(_ patient: Patient) -> [Finding] { [supply(patient.machine), temperature(patient.machine)] }

  // MARK: The supply

  private static let throttled = "/sys/devices/platform/soc/soc:firmware/get_throttled"
  /// Bits of the firmware's state (vcgencmd get_throttled): now, and since the boot.
  private static let (lowNow, slowNow, hotNow): (UInt32, UInt32, UInt32) = (1 << 0, 1 << 1 | 1 << 2, 1 << 3)
  private static let (lowBefore, slowBefore): (UInt32, UInt32) = (1 << 16, 1 << 17 | 1 << 18)

  private static let better = Fix(
    "use the board's own supply and a short, thick cable; unplug USB devices; see what the kernel reports",
    ["sudo dmesg | grep -i voltage"])

  private static func supply(_ machine: Machine) -> Finding {
    guard machine.isRaspberryPi else {
      return .unknown("supply", "this is no Raspberry Pi: the supply's voltage cannot be read")
    }
    guard let word = machine.text(throttled, limit: 32).flatMap({ bits($0) }) else { return alarm(machine) }
    let figures = [
      figure("throttled", "0x" + String(word, radix: 16)), figure("low_now", word & lowNow != 0),
      figure("low_before", word & lowBefore != 0), figure("slowed_now", word & slowNow != 0),
    ]
    if word & lowNow != 0 {
      return Finding("supply", .fail, "the voltage is too low now: cards and radios fail", figures, fix: better)
    }
    if word & (slowNow | hotNow) != 0 {
      return Finding(
        "supply", .warn, "the processor is slowed down now, for heat or voltage", figures,
        fix: Fix("give the board air; see how warm it is", ["vcgencmd measure_temp"]))
    }
    if word & lowBefore != 0 {
      return Finding("supply", .warn, "the voltage was too low since the boot", figures, fix: better)
    }
    if word & slowBefore != 0 {
      return Finding(
        "supply", .warn, "the processor was slowed down since the boot", figures,
        fix: Fix("give the board air; see how warm it is", ["vcgencmd measure_temp"]))
    }
    return Finding("supply", .ok, "the voltage was never too low since the boot", figures)
  }

  /// Kernels that do not forward the firmware's state have an alarm that stays set.
  private static func alarm(_ machine: Machine) -> Finding {
    for entry in machine.names("/sys/class/hwmon") {
      let folder = "/sys/class/hwmon/\(entry)"
      guard machine.text("\(folder)/name", limit: 64) == "rpi_volt" else { continue }
      guard let alarm = machine.number("\(folder)/in0_lcrit_alarm") else { break }
      let figures = [figure("low", alarm != 0)]
      if alarm == 0 { return Finding("supply", .ok, "the voltage is not too low", figures) }
      return Finding("supply", .fail, "the voltage is too low: cards and radios fail", figures, fix: better)
    }
    return .unknown(
      "supply", "this kernel does not report the supply's voltage",
      fix: Fix("ask the firmware", ["vcgencmd get_throttled"]))
  }

  /// `50005`, `0x50005`
  private static func bits(_ text: String) -> UInt32? {
    UInt32(text.hasPrefix("0x") ? text.dropFirst(2) : Substring(text), radix: 16)
  }

  // MARK: The temperature

  /// Degrees Celsius. Raspberry Pis slow down from 80 on, and stop at 85.
  static let (warm, hot) = (75, 85)
  /// Range beyond which a sensor is broken, or measures something else.
  private static let believable = -40_000...150_000

  private static func temperature(_ machine: Machine) -> Finding {
    let zones = machine.names("/sys/class/thermal").filter { $0.hasPrefix("thermal_zone") }
    let highest = zones.compactMap { machine.number("/sys/class/thermal/\($0)/temp") }
      .filter { believable.contains($0) }.max()
    guard let highest else { return .unknown("temperature", "this machine has no thermometer that can be read") }
    let degrees = highest / 1000
    let figures = [JSON.Member("celsius", JSON(Double(highest) / 1000)), figure("zones", zones.count)]
    let words = "\(degrees) °C"
    let air = Fix("give the board air, or a heat sink; and find the busiest program", ["top -b -n 1 | head -n 15"])
    if degrees >= hot {
      return Finding("temperature", .fail, "\(words): the board slows down or stops", figures, fix: air)
    }
    if degrees >= warm {
      return Finding("temperature", .warn, "\(words); the board slows down from 80 on", figures, fix: air)
    }
    return Finding("temperature", .ok, words, figures)
  }
}
