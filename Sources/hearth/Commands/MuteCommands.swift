// Troubles that are muted for a while, by order.

import ArgumentParser
import CivilTime
import EventLoop
import Health
import HubProtocol
import Reasons
import StoreDocuments

/// End of an order.
struct EndOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "End at this time; a time of day is the next one. Without it: when it is taken back.", valueName: "time"))
  var until: String?

  @Option(name: .customLong("for"), help: ArgumentHelp("End after this time, such as 2h or 3d.", valueName: "time"))
  var length: String?

  var isGiven: Bool { until != nil || length != nil }

  func validate() throws {
    if until != nil, length != nil { throw ValidationError("--until or --for, not both") }
    if let length, HubTime.seconds(length).map({ $0 > 0 }) != true {
      throw ValidationError("--for takes a time such as 30m, 2h or 3d, not '\(harmless(length))'")
    }
  }

  /// - Throws: `Misuse` for text that is no time in any zone, before the hub is asked. In `validate` the parser would
  ///   print such an error without its code and next step.
  func check() throws(Misuse) { try checkTime("--until", until) }

  /// End by the hub's clock; nil: open.
  func end(_ time: HubTime) throws(HearthError) -> WallTime? {
    if let length { return HubTime.seconds(length).map { time.now + .seconds($0) } }
    guard let end = try time.time(until, .end, of: "--until") else { return nil }
    if end > time.now { return end }
    // A time of day that has passed today means tomorrow. No other form means another day than it says.
    let tomorrow = HubTime(zone: time.zone, now: time.now + .seconds(86_400))
    let isTimeOfDay = until.map { CivilMoment.timeOfDay($0) != nil } ?? false
    guard isTimeOfDay, let next = try tomorrow.time(until, .end, of: "--until"), next > time.now else {
      throw HearthError(.controlBadParameter, "--until (\(time.text(end))) is over; --for 2h ends two hours from now")
    }
    return next
  }
}

struct MuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Mute a trouble for a while, or list muted troubles.",
    discussion: """
      A muted trouble lights no LED and changes no exit code. Commands such as hearth watch and hearth device leave \
      it out; hearth mute and hearth status list it as muted. The trouble is still an event. The mute ends at the \
      given time, also after a restart or if the clock is set meanwhile. For the meaning of a code: hearth explain \
      CODE.

      hearth mute H2230 --wearable band-07 --until 07:00

      \(timeForms)
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "A code such as H2109; without one, muted troubles are listed.", completion: .codes)
  var code: String?

  @Option(
    help: ArgumentHelp("Only for this wearable, by name or address. Default: for all.", valueName: "name"),
    completion: .wearables)
  var wearable: String?

  @OptionGroup var end: EndOptions

  func validate() throws {
    if let code { return try requireCode(code) }
    if wearable != nil || end.isGiven { throw ValidationError("--wearable, --until and --for belong to a code") }
  }

  func run() throws {
    try end.check()
    let session = try Session(root.options)
    let client = try session.connect()
    let time = try session.time(client)
    guard let code else { return try show(try client.mutes().mutes, time, session) }
    let until = try end.end(time)
    let mutes = try client.mute(.init(code: code, name: wearable, until: until?.rfc3339)).mutes
    try show(mutes, time, session)
  }
}

struct UnmuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute", abstract: "Unmute a trouble: show it again.",
    discussion: """
      hearth unmute H2230 --wearable band-07     this wearable's battery again
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Code of a muted trouble, such as H2109.", completion: .codes)
  var code: String

  @Option(
    help: ArgumentHelp("The mute that was given for this wearable alone.", valueName: "name"), completion: .wearables)
  var wearable: String?

  func validate() throws { try requireCode(code) }

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    let mutes = try client.unmute(.init(code: code, name: wearable)).mutes
    try show(mutes, try session.time(client), session)
  }
}

private func requireCode(_ code: String) throws {
  if Reason(code: code) == nil {
    throw ValidationError("there is no reason '\(harmless(code))'; codes look like H2102")
  }
}

private func show(_ mutes: [MuteDocument], _ time: HubTime, _ session: Session) throws {
  try session.show(["schema": "io.hearth.mutes/1", "mutes": JSON(encoding: mutes)]) { _ in render(mutes, time) }
}

/// `H2109  strap-01  until 2026-11-22 07:00:00  its link was lost`
func render(_ mutes: [MuteDocument], _ time: HubTime) -> String {
  if mutes.isEmpty { return "no trouble is muted\n" }
  let name = max(3, mutes.map { columns(harmless($0.device ?? "all")) }.max() ?? 3)
  return mutes.map { mute in
    let end = mute.until.map { "until \(time.text($0))" } ?? "until it is unmuted"
    return line("\(mute.code)  \(cell(mute.device ?? "all", name))  \(cell(end, 25))  \(mute.sentence)")
  }.joined()
}
