// Operator actions on a Polar wearable.

import Bluetooth
import EventLoop
import Wearable

extension PolarSession: OperatedSession {
  enum Action: String, CaseIterable {
    case startRecording = "recording-start"
    case stopRecording = "recording-stop"
    case triggers
    case removeExercise = "exercise-remove"
    case stopSleep = "sleep-stop"

    /// - Parameter isStrap: a strap, which records one exercise of heart rate or beats at a time.
    func action(isStrap: Bool) -> WearableAction {
      switch self {
      case .startRecording where isStrap:
        WearableAction(rawValue, usage: "[rr|hr|hr-5s] [NAME]", "Begins an exercise in the strap's own memory.")
      case .stopRecording where isStrap:
        WearableAction(
          rawValue, usage: "[rr|hr|hr-5s|all]", "Ends the exercise in the strap's own memory: there is one at a time.")
      case .startRecording:
        WearableAction(
          rawValue, usage: "TYPE [rate=HZ] [range=N]",
          "Begins a recording in its own memory, which is then kept going from visit to visit.")
      case .stopRecording:
        WearableAction(rawValue, usage: "TYPE|all", "Ends a recording; its file comes with the next visit.")
      case .triggers:
        WearableAction(
          rawValue, usage: "off|system-start|exercise-start [TYPE...]",
          "Says when recordings begin by themselves, and which.")
      case .removeExercise:
        WearableAction(
          rawValue, usage: "NAME", "Removes an exercise that another client began, once all of it is stored.")
      case .stopSleep: WearableAction(rawValue, "Ends the recording of sleep, so that its results come.")
      }
    }
  }

  /// A strap, which records exercises.
  var isStrap: Bool { exercises != nil }

  private var possible: [Action] {
    let isStrap = isStrap
    return Action.allCases.filter { action in
      switch action {
      case .startRecording, .stopRecording: isStrap ? transfer.isPresent : recorder != nil
      case .triggers: !isStrap && recorder != nil
      case .removeExercise: isStrap && transfer.isPresent
      case .stopSleep:
        transfer.isPresent && Polar.measuresDays(link.known.polarModel) == true
          && Polar.mayMeasure(.sleepStage, by: link.known.polarModel)
      }
    }
  }

  var actions: [WearableAction] { possible.map { $0.action(isStrap: isStrap) } + remoteActions.map(\.action) }

  func perform(_ action: WearableAction, _ arguments: [String]) async throws(VisitTrouble) -> String {
    if let remote = remoteActions.first(where: { $0.rawValue == action.name }) {
      return try await perform(remote, arguments)
    }
    guard let known = possible.first(where: { $0.rawValue == action.name }) else { throw .unsupported(action.name) }
    switch known {
    case .startRecording: return isStrap ? try await startExercise(arguments) : try await startRecording(arguments)
    case .stopRecording: return isStrap ? try await stopExercise(arguments) : try await stopRecording(arguments)
    case .triggers: return try await setTriggers(arguments)
    case .removeExercise: return try await removeExercise(arguments)
    case .stopSleep: return try await stopSleep(arguments)
    }
  }

  // MARK: recordings

  private func tools() async throws(VisitTrouble) -> (
    recorder: PolarRecorder, armed: PolarArmed, offered: Set<PMD.MeasurementType>
  ) {
    guard let recorder, let armed else { throw .unsupported("it measures no series by order") }
    let offered = try await recorder.client.features().offline
    if offered.isEmpty { throw .unsupported("it makes no recordings by order") }
    return (recorder, armed, offered)
  }

  private func type(_ word: String, among offered: Set<PMD.MeasurementType>) throws(VisitTrouble) -> PMD.MeasurementType
  {
    if let type = PMD.MeasurementType(word: word), offered.contains(type) { return type }
    throw .unsupported("it does not record '\(word.prefix(32))'; it records \(Self.list(offered))")
  }

  static func list(_ types: some Sequence<PMD.MeasurementType>) -> String {
    types.sorted { $0.rawValue < $1.rawValue }.map(\.word).joined(separator: ", ")
  }

  private func startRecording(_ words: [String]) async throws(VisitTrouble) -> String {
    let (recorder, armed, offered) = try await tools()
    guard let word = words.first else { throw .unsupported("recording-start takes a type: \(Self.list(offered))") }
    var wanted = PolarArmed.Wanted(type: try type(word, among: offered))
    for option in words.dropFirst() {
      let parts = option.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let number = UInt32(parts[1]) else {
        throw .unsupported("'\(option.prefix(32))' is neither rate=HZ nor range=N")
      }
      switch parts[0] {
      case "rate": wanted.rate = number
      case "range": wanted.range = number
      default: throw .unsupported("'\(option.prefix(32))' is neither rate=HZ nor range=N")
      }
    }
    do throws(VisitTrouble) { try await chooseMode(&wanted, recorder) } catch { return try keep(wanted, armed, error) }
    if try await recorder.running().contains(wanted.type) {
      guard words.count == 1 else {
        throw .unsupported("\(word) is being recorded already; stop it, then begin it again with what it should have")
      }
      try armed.want(wanted)
      return "\(word) was being recorded already, and is kept going from now on"
    }
    let now = try await deviceTime()
    let selection: PMD.Selection
    do throws(VisitTrouble) { selection = try await armed.begin(wanted, at: now) } catch {
      return try keep(wanted, armed, error)
    }
    guard try await recorder.running().contains(wanted.type) else {
      throw .unsupported("it took the order to record \(word), and does not")
    }
    try armed.want(wanted)
    files.growing[wanted.type] = now.map { .since(Self.wholeSecond($0)) } ?? .newest(by: nil)
    let how = Self.text(selection)
    let said =
      "\(word) is being recorded\(how.isEmpty ? "" : ", \(how)")\(link.orders.polarSecret == nil ? "" : ", encrypted")"
    guard wanted.needsSDKMode else { return said }
    live?.wasSwitched(sdkMode: true)
    return said + ", in SDK mode: until it ends the wearable computes no heart rate, steps or sleep"
  }

  /// Selects SDK mode only if the usual mode lacks the wanted rate or range.
  private func chooseMode(_ wanted: inout PolarArmed.Wanted, _ recorder: PolarRecorder) async throws(VisitTrouble) {
    let (type, settings) = (wanted.type, wanted.settings)
    // A recording that begins in SDK mode needs it again when it is restarted.
    wanted.needsSDKMode = try await recorder.isInSDKMode()
    let usual = try await recorder.client.settings(type, .offline, isFull: wanted.needsSDKMode)
    func lacks(_ offered: PMD.Settings) -> PMD.Setting? {
      settings.first { offered.values[$0.key]?.contains($0.value) != true }?.key
    }
    guard let missing = lacks(usual) else { return }
    var full: PMD.Settings?
    if !wanted.needsSDKMode, try await recorder.client.features().hasSDKMode {
      full = try await recorder.client.ifKnown { () throws(VisitTrouble) in
        try await recorder.client.settings(type, .offline, isFull: true)
      }
    }
    if let full, lacks(full) == nil {
      wanted.needsSDKMode = true
      return
    }
    func choice(_ offered: PMD.Settings?) -> [UInt32] { offered?.values[missing]?.sorted() ?? [] }
    let more = choice(full).filter { !choice(usual).contains($0) }
    let known = choice(usual).isEmpty ? "none" : choice(usual).map { "\($0)" }.joined(separator: ", ")
    let inMode = more.isEmpty ? "" : ", and in SDK mode \(more.map { "\($0)" }.joined(separator: ", "))"
    throw .unsupported(
      """
      \(type.word) has no \(missing == .sampleRate ? "rate" : "range") of \(settings[missing] ?? 0); it has \
      \(known)\(inMode)
      """
    )
  }

  /// Stores a recording that is refused for now (charger, full memory, other activity): visits try it again.
  ///
  /// - Throws: refusals that no visit will change, and errors of the link.
  private func keep(_ wanted: PolarArmed.Wanted, _ armed: PolarArmed, _ trouble: VisitTrouble) throws(VisitTrouble)
    -> String
  {
    guard case .busy(let why, _) = trouble else { throw trouble }
    try armed.keep(wanted, refusedFor: why)
    return "\(wanted.type.word) is not recorded yet (\(why)); kept, and tried at each visit"
  }

  /// `52 Hz, range 8`
  static func text(_ selection: PMD.Selection) -> String {
    [selection.values[.sampleRate].map { "\($0) Hz" }, selection.values[.range].map { "range \($0)" }].compactMap { $0 }
      .joined(separator: ", ")
  }

  private func deviceTime() async throws(VisitTrouble) -> Int64? {
    transfer.isPresent ? try await transfer.clockReading()?.evidence.device : nil
  }

  private func stopRecording(_ words: [String]) async throws(VisitTrouble) -> String {
    let (recorder, armed, offered) = try await tools()
    guard words.count == 1, let word = words.first else {
      throw .unsupported("recording-stop takes one type, or all: \(Self.list(offered))")
    }
    let running = try await recorder.running()
    let types = word == "all" ? running : [try type(word, among: offered)]
    // A stopped recording is not restarted, even if it had ended by itself.
    if word == "all" {
      for type in armed.wanted.map(\.type) + recorder.renewals.pending.map(\.type) { try armed.release(type) }
    }
    for type in types {
      try await recorder.client.stopRecording(type)
      try armed.release(type)
      files.growing[type] = nil
    }
    let left = try await recorder.running().filter(types.contains)
    if !left.isEmpty { throw .busy(what: "\(Self.list(left)) is still being recorded", retryAfter: nil) }
    if try await recorder.leaveSDKMode() { live?.wasSwitched(sdkMode: false) }
    let ended = types.filter(running.contains)
    if ended.isEmpty { return word == "all" ? "no recording was running" : "\(word) was not being recorded" }
    return "\(Self.list(ended)) is no longer recorded; what it recorded comes with the next visit"
  }

  private func setTriggers(_ words: [String]) async throws(VisitTrouble) -> String {
    let (_, armed, offered) = try await tools()
    guard let mode = words.first.flatMap({ PMD.TriggerMode(word: $0) }) else {
      throw .unsupported("triggers take off, system-start or exercise-start, and then types")
    }
    var types: [PMD.MeasurementType] = []
    for word in words.dropFirst() { types.append(try type(word, among: offered)) }
    if mode == .disabled, !types.isEmpty { throw .unsupported("triggers that are off take no types") }
    if mode != .disabled, types.isEmpty { throw .unsupported("say what \(mode.word) begins: \(Self.list(offered))") }
    // Checked before any change: setting the mode alone would already start what was armed before.
    if mode == .exerciseStart, types.contains(.ppi), issues.contains("exercise-trigger-without-ppi") {
      throw .unsupported(
        "exercise-start does not begin ppi on this model; it takes \(Self.list(offered.filter { $0 != .ppi }))")
    }
    let status: PMD.TriggerStatus
    do throws(VisitTrouble) { status = try await armed.setTriggers(mode, types) } catch {
      guard case .busy(let why, _) = error, mode != .disabled else { throw error }
      try armed.keepTriggers(mode, types)
      return "triggers are not set yet (\(why)); kept, and tried at each visit"
    }
    guard status.mode == mode, mode == .disabled || status.enabled == Set(types) else {
      throw .unsupported("it keeps other triggers: \(status.text)")
    }
    try armed.remember(mode, types)
    return mode == .disabled
      ? "no recording begins by itself" : "\(Self.list(types)) \(types.count == 1 ? "begins" : "begin") at \(mode.word)"
  }

  private var issues: [String] { Polar.issues(of: link.known.polarModel, link.known.polarFirmware).map(\.id) }

  // MARK: exercises of a strap

  private static let exerciseKinds: [String: PSFTPClient.StrapSamples] = [
    "rr": .intervals, "hr": .heartRate(everySeconds: 1), "hr-5s": .heartRate(everySeconds: 5),
  ]

  private func startExercise(_ words: [String]) async throws(VisitTrouble) -> String {
    guard words.count <= 2 else { throw .unsupported("recording-start takes rr, hr or hr-5s, and a name") }
    let word = words.first ?? "rr"
    guard let samples = Self.exerciseKinds[word] else {
      throw .unsupported("recording-start takes rr, hr or hr-5s, not '\(word.prefix(32))'")
    }
    guard let exercises else { throw .unsupported("it keeps no exercises") }
    return
      """
      exercise '\(try await exercises.startExercise(id: words.count > 1 ? words[1] : "hearth", samples))' is being \
      recorded
      """
  }

  private func stopExercise(_ words: [String]) async throws(VisitTrouble) -> String {
    // Only one exercise runs at a time, whatever its kind.
    guard words.count <= 1, words.allSatisfy({ $0 == "all" || Self.exerciseKinds[$0] != nil }) else {
      throw .unsupported(
        """
        recording-stop takes no word, all, rr, hr or hr-5s of a strap, not \
        '\(words.joined(separator: " ").prefix(32))'
        """
      )
    }
    guard let name = try await exercises?.stopExercise() else { return "no exercise was being recorded" }
    return "exercise '\(name)' has ended; it comes with the next visit"
  }

  private func removeExercise(_ words: [String]) async throws(VisitTrouble) -> String {
    guard words.count == 1, let exercises else { throw .unsupported("exercise-remove takes the name of an exercise") }
    try await exercises.orderRemoval(of: words[0])
    return "'\(words[0])' is removed at the next visit at which all of it is stored"
  }

  // MARK: sleep

  private func stopSleep(_ words: [String]) async throws(VisitTrouble) -> String {
    if !words.isEmpty { throw .unsupported("sleep-stop takes no more words") }
    guard let ended = try await transfer.stopSleepRecording() else {
      throw .unsupported("its recording of sleep cannot be ended from outside")
    }
    return ended
      ? "the recording of sleep has ended; the night's results come within an hour and a half, and are stored then"
      : "no sleep was being recorded"
  }
}
