// What is ordered of a wearable until somebody orders otherwise, and what it says of itself.

import ArgumentParser
import CivilTime
import Glibc
import Health
import HubProtocol
import Reasons

struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "What is ordered of a wearable, and what it says of itself.",
    usage: """
      hearth settings <name> [--orders]
      hearth settings <name> set streams|rates|features-off LIST|none
      hearth settings <name> set <setting> VALUE|none
      hearth settings <name> set measure "every=4h seconds=60"|none
      hearth settings <name> set phases LIST|all|none
      hearth settings <name> set visit-at "07:00,19:00"|never|none
      hearth settings <name> set secret [--generate] [--secret-file <file>]
      hearth settings <name> set secret none
      """,
    discussion: """
      set streams acc,ecg: sent live while it is linked; none. set rates ecg=130,acc=50: samples a second of these; \
      what is not named follows the link, none \
      lets all follow it. set features-off telemetry,usb: switched off at each visit; none. set worn chest, set \
      ant-plus on: a setting that the wearable \
      keeps itself; --orders lists those of this one and what each may be; none puts back what it was before. \
      set measure every=4h seconds=60 between=07:00-22:00: the hub measures its vital signs by itself, \
      at 07:00, 11:00, 15:00 and 19:00 of each day; what is away, off the body or busy then is left out. \
      set phases sleep,activity: what visits bring that the hub makes by itself; the rest stays on the wearable until \
      hearth sync asks for it; none: as configured (lane.phases). set visit-at 07:00,19:00: it is visited then, \
      however fresh its data is; none: as configured (lane.visit_at). set \
      secret: the key of what it keeps \
      encrypted, 32 hexadecimal digits, asked for without an echo; with --generate the hub makes one that nobody sees; \
      none. A model that cannot encrypt \
      would record nothing with a secret: it is refused (H2132). Recordings that were made under another key can no \
      longer be read: where there are such, --yes-lose N agrees to lose so many; fetch them first. \
      Orders last until they are changed, and are read back at each visit. What the \
      wearable says is read from it now: one that is not linked is visited first, which takes up to three minutes.
      """)
  @ParentCommand var root: HearthCommand

  @Argument(help: "Its name or address.", completion: .wearables)
  var name: String

  @Argument(
    help: ArgumentHelp(
      "set, a key (streams, rates, features-off, measure, phases, visit-at, secret or a setting), and its value.",
      valueName: "action"))
  var action: [String] = []

  @Flag(help: "Only what is ordered; the wearable is not asked.")
  var orders = false

  @Flag(help: "Let the hub make the secret.")
  var generate = false

  @Option(
    help: ArgumentHelp("Read the secret from the first line of a file, '-' for standard input.", valueName: "file"))
  var secretFile: String?

  @OptionGroup var agreement: AgreementOptions

  private enum Change {
    case streams([String])
    case rates([(name: String, value: Int)])
    case switchedOff([String])
    case setting(String, String)
    case measure(String)
    case phases([String])
    case visitAt([String])
    case secret(forgets: Bool)
  }

  private func change() throws -> Change? {
    if action.isEmpty {
      if generate || secretFile != nil { throw ValidationError("--generate and --secret-file belong to: set secret") }
      return nil
    }
    if action.count >= 2, action[0] == "set", action[1] == "measure" { return .measure(try measure()) }
    guard action[0] == "set", (2...3).contains(action.count) else {
      throw ValidationError(
        """
        hearth settings \(harmless(name)) takes nothing, or: set streams|rates|features-off LIST|none, set <setting> \
        VALUE|none, set measure "every=4h"|none, set phases LIST|all|none, set visit-at TIMES|never|none, set secret \
        [none]
        """
      )
    }
    if action[1] != "secret", generate || secretFile != nil {
      throw ValidationError("--generate and --secret-file belong to: set secret")
    }
    let value = action.count == 3 ? action[2] : nil
    let list = value == "none" ? [] : value?.split(separator: ",").map { String($0) } ?? []
    switch (action[1], value) {
    case ("streams", _?):
      for name in list { try Self.require(series: name) }
      return .streams(list)
    case ("rates", _?): return .rates(try list.map(Self.rate))
    case ("features-off", _?): return .switchedOff(list)
    case ("secret", "none"?) where !generate && secretFile == nil: return .secret(forgets: true)
    case ("secret", nil) where !(generate && secretFile != nil): return .secret(forgets: false)
    case ("secret", _?):
      throw ValidationError(
        """
        a secret is not given on the command line, where others can read it: it is asked for, or --generate, or \
        --secret-file
        """
      )
    case ("secret", nil): throw ValidationError("--generate or --secret-file, not both")
    case ("phases", _):
      let words = Self.words(value)
      if words.isEmpty {
        throw wrong("phases", "phases with commas between, all, or none (as configured)", such: "all")
      }
      return .phases(words)
    case ("visit-at", _):
      let times = Self.words(value)
      let isWord = times == ["none"] || times == ["never"]
      if times.isEmpty || !isWord && !times.allSatisfy(Self.isTime) {
        throw wrong(
          "visit-at", "times of day with commas between, never, or none (as configured)", such: "07:00,19:00")
      }
      return .visitAt(times)
    case ("streams", nil), ("features-off", nil):
      throw ValidationError("set \(action[1]) takes names with commas between, or none")
    case ("rates", nil):
      throw ValidationError("set rates takes rates with commas between, such as ecg=130,acc=50, or none")
    case (let name, let value?): return .setting(name, value)
    case (let name, nil): throw ValidationError("set \(harmless(name)) takes a value, or none")
    }
  }

  /// What a key takes, with a line that can be typed.
  private func wrong(_ key: String, _ what: String, such value: String) -> ValidationError {
    ValidationError("set \(key) takes \(what); for example: hearth settings \(harmless(name)) set \(key) \(value)")
  }

  /// With commas or blanks between them.
  private static func words(_ value: String?) -> [String] {
    value?.split { $0 == "," || $0 == " " }.map { String($0) } ?? []
  }

  /// `07:00`, without seconds.
  private static func isTime(_ word: String) -> Bool { word.utf8.count == 5 && CivilMoment.timeOfDay(word) != nil }

  /// What the hub takes is told by the hub: the words alone are checked here.
  private func measure() throws -> String {
    let words = action.dropFirst(2).flatMap { $0.split(separator: " ") }
    let known = ["every", "seconds", "between"]
    let isOrder = words.allSatisfy { word in known.contains { word.hasPrefix($0 + "=") } }
    if words.isEmpty || words != ["none"] && !isOrder {
      throw ValidationError(
        "set measure takes every=15m to 24h, seconds=20 to 180 (60 where nothing is said), between=07:00-22:00; or none"
      )
    }
    return words.joined(separator: " ")
  }

  private static func require(series name: String) throws {
    if Series(name: name) == nil {
      throw ValidationError(
        """
        no series is called '\(harmless(name))'\(hint(nearMiss(name, among: Series.all.map(\.name)))); there are acc, \
        ecg, ppg, ppi, skin_temperature and others
        """)
    }
  }

  private static func rate(_ word: String) throws -> (name: String, value: Int) {
    let parts = word.split(separator: "=", maxSplits: 1)
    if parts.count == 2 { try require(series: String(parts[0])) }
    guard parts.count == 2, let rate = Int(parts[1]), rate > 0 else {
      throw ValidationError("a rate is a series and its samples a second, such as acc=50, not '\(harmless(word))'")
    }
    return (String(parts[0]), rate)
  }

  func validate() throws { _ = try change() }

  func run() throws {
    let session = try Session(root.options)
    let client = try session.connect()
    guard let change = try change() else { return try show(client, session) }
    let orders: OrdersDocument =
      switch change {
      case .streams(let names):
        try client.ordersSet(.init(name: name, streams: names)).orders
      case .rates(let rates):
        try client.ordersSet(.init(name: name, rates: OrderedMap(rates))).orders
      case .switchedOff(let names):
        try client.ordersSet(.init(name: name, switchedOff: names)).orders
      case .setting(let setting, let value):
        try client.ordersSet(.init(name: name, settings: Texts([(setting, value)]))).orders
      case .measure(let text):
        try client.ordersSet(.init(name: name, measure: text)).orders
      case .phases(let names):
        try client.ordersSet(.init(name: name, phases: names)).orders
      case .visitAt(let times):
        try client.ordersSet(.init(name: name, visitAt: times)).orders
      case .secret(let forgets): try setSecret(forgets: forgets, client, session)
      }
    let time = try session.time(client)
    try session.show(JSON(encoding: orders)) { render(orders, $0, in: time) }
  }

  /// Where the wearable holds recordings that no visit has fetched, only with the exact number of them.
  private func setSecret(forgets: Bool, _ client: ControlClient, _ session: Session) throws -> OrdersDocument {
    let loss = try session.lossOfSecret(name, client)
    if loss.unfetched > 0 { try session.agree(to: loss, agreement.given) }
    return try client.secretSet(try secretParameters(forgets: forgets)).orders
  }

  private func secretParameters(forgets: Bool) throws -> Methods.SecretSet.Parameters {
    if forgets || generate { return .init(name: name, generate: generate) }
    if secretFile == nil, root.options.noInput {
      throw Passphrase.missing("--no-input, and no --secret-file or --generate")
    }
    var digits =
      try secretFile.map { try Passphrase.firstLine(of: $0) }
      ?? Passphrase.ask(twice: false, prompt: "32 hexadecimal digits: ")
    defer { Passphrase.wipe(&digits) }
    let isKey = digits.count == 32 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    if !isKey { throw Misuse(error: HearthError(.controlBadParameter, "a secret has 32 hexadecimal digits")) }
    return .init(name: name, secret: String(decoding: digits, as: UTF8.self))
  }

  private func show(_ client: ControlClient, _ session: Session) throws {
    let orders = try client.orders(.init(name: name)).orders
    let time = try session.time(client)
    if self.orders { return try session.show(JSON(encoding: orders)) { render(orders, $0, in: time) } }
    try noteWaiting(for: name, client)
    var reports: [ReportDocument] = []
    var refusal: HearthError?
    do throws(HearthError) {
      if let said = try report("settings", client) { reports.append(said) }
      // What is ordered and what came of it, side by side.
      if !orders.streams.isEmpty, let said = try report("streams", client) { reports.append(said) }
    } catch { refusal = error }
    func document(_ topic: String) -> JSON { reports.first { $0.topic == topic }.map { JSON(encoding: $0) } ?? .null }
    let json: JSON = [
      "schema": "io.hearth.settings/1", "orders": JSON(encoding: orders), "report": document("settings"),
      "streams": document("streams"),
      "reason": refusal.map { JSON(encoding: TroubleDocument($0)) } ?? .null,
    ]
    try session.show(json, code: refusal?.reason.exitStatus ?? 0) { style in
      let none = reports.isEmpty && refusal == nil ? ["it says nothing of itself\n"] : []
      let refused = refusal.map { [render($0)] } ?? []
      return ([render(orders, style, in: time)] + reports.map { renderReport($0, style) } + none + refused).joined(
        separator: "\n")
    }
  }

  /// nil where it does not tell that: nothing is wrong with it.
  private func report(_ topic: String, _ client: ControlClient) throws(HearthError) -> ReportDocument? {
    do throws(HearthError) {
      return try client.report(.init(name: name, topic: topic), patience: askingPatience).report
    } catch {
      if error.reason != .requestUnsupported { throw error }
      return nil
    }
  }
}
