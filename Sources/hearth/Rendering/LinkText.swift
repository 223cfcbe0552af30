// Links, clocks, the radio, pairings and actions as text.

import EventLoop
import Health
import HubProtocol
import StoreDocuments

// MARK: Links

func render(_ link: LinkDocument, now: WallTime, _ style: Style) -> String {
  let state =
    link.linked
    ? "linked, \(protectionText(link))\(link.mtu.map { ", MTU \($0)" } ?? "")"
    : "not linked: this is what it will be asked for"
  var text = style.bold(harmless(link.device)) + "   \(state)\n"
  text += linkRow("", "requested", "effective", "device reports")
  let asked = link.requested
  let got = link.effective
  let interval =
    asked.minIntervalMs == asked.maxIntervalMs
    ? "\(number(asked.minIntervalMs)) ms" : "\(number(asked.minIntervalMs))-\(number(asked.maxIntervalMs)) ms"
  text += linkRow(
    "profile", profileText(asked.profile), got.map { profileText($0.profile) } ?? "-", reportedText(link, now))
  text += linkRow("interval", interval, got.map { "\(number($0.intervalMs)) ms" } ?? "-", "-")
  text += linkRow("latency", "\(asked.latency)", got.map { "\($0.latency)" } ?? "-", "-")
  text += linkRow("timeout", seconds(asked.timeoutMs), got.map { seconds($0.timeoutMs) } ?? "-", "-")
  text += wrappedLine("why", link.why + (link.override == nil ? "" : " (until: hearth link \(link.device) set auto)"))
  switch got?.source {
  case "asked_by_wearable": text += wrappedLine("", "effective is what the wearable asked for")
  case "assumed": text += wrappedLine("", "effective is assumed: the controller does not report what it uses")
  default: break
  }
  if let characteristic = link.characteristic { text += wrappedLine("wrote", characteristic) }
  if let reason = link.reason {
    text +=
      style.attention(
        String(
          wrappedLine("why", "\(reason.code) \(reason.detail.isEmpty ? reason.sentence : reason.detail)").dropLast()))
      + "\n"
    text += wrappedLine("data", reason.effect)
    text += wrappedLine("try", reason.next)
  } else if let profile = got?.profile, profile != asked.profile {
    text += wrappedLine("data", "samples unaffected; the link runs on \(profile)")
  }
  return text
}

private func profileText(_ profile: String?) -> String {
  switch profile {
  case "foreground": "foreground (0)"
  case "background": "background (1)"
  case "idle": "idle (2)"
  case let other?: harmless(other)
  case nil: "no profile"
  }
}

private func reportedText(_ link: LinkDocument, _ now: WallTime) -> String {
  guard let reported = link.reported else { return "-" }
  let said = link.reportedProfile.map { profileText($0) } ?? "unknown (\(reported))"
  return said + (age(link.reportedAt, now).map { ", \(shortSpan($0)) ago" } ?? "")
}

/// `encrypted (128-bit key, bonded)`, `not encrypted`: a bond alone does not encrypt a link.
private func protectionText(_ link: LinkDocument) -> String {
  let known = [link.secured ? link.keySize.map { "\($0 * 8)-bit key" } : nil, link.bonded ? "bonded" : nil]
  let facts = known.compactMap { $0 }.joined(separator: ", ")
  return (link.secured ? "encrypted" : "not encrypted") + (facts.isEmpty ? "" : " (\(facts))")
}

private func linkRow(_ label: String, _ asked: String, _ got: String, _ reported: String) -> String {
  line("\(cell(label, 15)) \(cell(asked, 16)) \(cell(got, 16)) \(reported)")
}

/// `10.0 s`
private func seconds(_ milliseconds: Int) -> String { "\(Double(milliseconds / 100) / 10) s" }

/// A label of six columns, and text that may continue below itself.
private func wrappedLine(_ label: String, _ text: String) -> String {
  if text.isEmpty { return "" }
  return cell(label, 6) + wrapped(harmless(text, limit: 512), indent: "      ").dropFirst(6)
}

// MARK: Clocks

func render(_ clock: ClockDocument, _ hub: HubTime, _ style: Style) -> String {
  let now = hub.now
  let trust = clockWords(clock.synchronised, clock.plausible)
  let shown = clock.plausible ? trust : style.attention("H5001 " + trust)
  var text = "hub    \(hub.text(clock.time)) \(harmless(hub.zone.name))   \(shown)\n"
  if clock.devices.isEmpty { return text + "no wearable has reported its time yet\n" }
  text += clockRow("WEARABLE", "OFF BY", "ZONE", "READ", "SET", "DRIFT")
  for device in clock.devices {
    let drift = device.driftPpm.map { (($0 < 0) ? "" : "+") + number(($0 * 10).rounded() / 10) + " ppm" }
    text += clockRow(
      device.device, device.offsetUs.map(offset) ?? "-", device.utcOffsetMin.map(zoneOffset) ?? "-",
      age(device.readAt, now).map { "\(shortSpan($0)) ago" } ?? "never",
      age(device.setAt, now).map { "\(shortSpan($0)) ago" } ?? "-", drift ?? "-")
    if let shown = device.utcOffsetMin, let zone = device.zoneOffsetMin, shown != zone {
      text += line("                 it says UTC\(zoneOffset(shown)), the hub's zone is UTC\(zoneOffset(zone))")
    }
    if device.readAt != nil, !device.trusted {
      text += line("                 the hub's own clock was not trusted then")
    }
    // A line of its own, as the row would be broken at 80 columns. READ says it of a clock that was never read.
    if drift == nil, device.readAt != nil, let doubt = device.doubt {
      text += line("                 drift not known: \(doubt)")
    }
  }
  return text
}

private func clockRow(
  _ device: String, _ offset: String, _ zone: String, _ read: String, _ set: String, _ drift: String
) -> String {
  line(
    cell(device, 16) + " "
      + [
        cell(offset, 8, right: true), cell(zone, 6, right: true), cell(read, 10, right: true),
        cell(set, 10, right: true), drift,
      ].joined(separator: "  "))
}

/// `+05:30`; a wearable may report any number.
func zoneOffset(_ minutes: Int) -> String {
  let size = min(minutes.magnitude, 99 * 60 + 59)
  func two(_ number: UInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
  return (minutes < 0 ? "-" : "+") + two(size / 60) + ":" + two(size % 60)
}

/// Clock offset, with `+` for ahead: `+1.25 s`, `-12 ms`; beyond a day `+3 d`, never in years.
func offset(_ microseconds: Int64) -> String {
  let sign = microseconds < 0 ? "-" : "+"
  let size = Double(microseconds.magnitude)
  if size < 1e6 { return "\(sign)\(number((size / 1e3).rounded())) ms" }
  if size < 60e6 { return "\(sign)\(number((size / 1e4).rounded() / 100)) s" }
  return sign + span(Int(size / 1e6))
}

// MARK: The radio

/// Source of a number of slots.
func sourceWord(_ slotSource: String) -> String { slotSource == "standard" ? "assumed" : slotSource }

/// Effect of `radio.listen: auto` with three adapters or more.
let listensInTurnText = "one adapter at a time makes no links, while others have slots"

/// Row of one of several adapters: `       hci1 USB AA:BB:…   5 of 7 (learned)   ready   12,345 heard`.
private func row(_ adapter: RadioDocument.Adapter, _ style: Style) -> String {
  let state = adapter.recovering ? "being reset" : adapter.state.rawValue
  let name = [adapter.name, adapter.bus, adapter.address ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
  let slots = "\(adapter.links) of \(adapter.slots) (\(sourceWord(adapter.slotSource)))"
  return line(
    "       \(cell(harmless(name, limit: 64), 34)) \(cell(slots, 20)) "
      + (state == "ready" ? style.good(state) : style.attention(harmless(state)))
      + (adapter.state == .ready ? "   \(grouped(adapter.advertisements)) heard" : "")
      + (adapter.onlyListens == true ? "   only listens" : "")
      + (adapter.reason.map { "   \(harmless($0.code)) \(harmless($0.sentence))" } ?? ""))
}

func render(_ radio: RadioDocument, now: WallTime, _ style: Style, verbose: Bool = false) -> String {
  let parts =
    radio.adapters.map { ["\($0.count) adapters"] }
    ?? [radio.adapter.isEmpty ? "none" : radio.adapter, radio.bus, radio.address ?? ""]
  let name = parts.filter { !$0.isEmpty }.joined(separator: " ")
  let state = radio.state == .ready ? style.good("ready") : style.attention(harmless(radio.state.rawValue))
  var text =
    """
    radio  \(harmless(name, limit: 128))   \
    \(state)\(radio.state == .ready ? radio.scanning ? ", listening" : ", not listening" : "")\n
    """
  text += line("links  \(radio.links) of \(radio.slots) connections in use (\(sourceWord(radio.slotSource)))")
  for adapter in radio.adapters ?? [] { text += row(adapter, style) }
  if radio.listensInTurn == true { text += line("listen \(listensInTurnText)") }
  if let heard = age(radio.lastHeard, now) { text += line("heard  something \(span(heard)) ago") }
  let last = radio.rung.map { rung in rung + (age(radio.lastRecovery, now).map { " \(span($0)) ago" } ?? "") }
  let ladder =
    radio.recovering
    ? style.attention("at work: \(harmless(radio.rung ?? "begins"))")
    : "none now" + (last.map { "; last: \(harmless($0, limit: 128))" } ?? "")
  text += "resets \(ladder)\n"
  if !radio.ladder.isEmpty { text += "       when no wearable is heard, in this order until one is:\n" }
  for rung in radio.ladder {
    text += line("       \(cell(rung.name, 24)) \(cell("\(grouped(rung.count)) times", 12, right: true))")
  }
  text += line(
    """
           timing of links \(radio.observesLinks ? "is seen" : "is assumed (no CAP_NET_RAW)"); while they are up it \
    \(radio.updatesLiveLinks ? "can" : "cannot") be changed
    """
  )
  if let reason = radio.reason { text += render(reason) }
  for warning in radio.warnings { text += render(warning) }
  if verbose { text += counterLines("radio", radio.counters) }
  return text
}

// MARK: Pairings and actions

func render(_ pairings: [PairingDocument], now: WallTime, _ style: Style) -> String {
  if pairings.isEmpty { return "no pairing waits for an answer\n" }
  return pairings.map { pairing in
    let name = harmless(pairing.device)
    let digits = harmless(pairing.digits ?? "?")
    let (question, answer): (String, String?) =
      switch pairing.kind {
      case "just_works": ("may it pair?", "yes|no")
      case "compare": ("does it show \(digits)?", "yes|no")
      case "passkey": ("which six digits does it show?", "DIGITS")
      case "show": ("type \(digits) on it", nil)
      default: (harmless(pairing.kind), "no")
      }
    let left = wait(pairing.until, now).map { "   \($0) s left" } ?? ""
    return style.bold(name) + "   \(question)\(left)\n"
      + (answer.map { line("  hearth pair answer \(name) \($0)") } ?? "")
  }.joined()
}

func render(_ actions: [ActionDocument], of name: String) -> String {
  if actions.isEmpty { return line("\(name): it has no actions now") }
  return actions.map {
    described($0.name, 24, $0.summary) + ($0.usage.isEmpty ? "" : line("\(cell("", 24)) \($0.usage)"))
  }.joined()
}
