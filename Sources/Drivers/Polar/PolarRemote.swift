// Remote control of trainings, and removal of the vendor's logs.

import EventLoop
import Health
import PolarMessages
import Wearable

extension PolarSession {
  /// Operator actions besides recordings.
  enum RemoteAction: String, CaseIterable {
    case start = "exercise-start"
    case pause = "exercise-pause"
    case resume = "exercise-resume"
    case stop = "exercise-stop"
    case removeLogs = "logs-remove"

    var action: WearableAction {
      switch self {
      case .start:
        WearableAction(
          rawValue, usage: "[running|cycling|outdoor|NUMBER]",
          "Begins a training; until it ends the wearable serves no files.")
      case .pause: WearableAction(rawValue, "Pauses the training that runs.")
      case .resume: WearableAction(rawValue, "Goes on with a training that is paused.")
      case .stop: WearableAction(rawValue, "Ends the training and keeps it; it comes with a visit ten minutes later.")
      case .removeLogs: WearableAction(rawValue, "Removes logs of sensors and traces for the vendor, unread.")
      }
    }
  }

  /// Straps record exercises instead of trainings, and have no logs.
  var remoteActions: [RemoteAction] {
    guard transfer.isPresent, exercises == nil else { return [] }
    return RemoteAction.allCases.filter { $0 == .removeLogs || keepsDays }
  }

  func perform(_ action: RemoteAction, _ words: [String]) async throws(VisitTrouble) -> String {
    if action != .start, !words.isEmpty { throw .unsupported("\(action.rawValue) takes no more words") }
    switch action {
    case .start: return try await startTraining(words)
    case .pause:
      if try await training() == .paused { return "the training is paused already" }
      try await change("pause", from: [.running]) { () throws(VisitTrouble) in
        _ = try await transfer.ask(.pauseExercise)
      } until: {
        $0 == .paused
      }
      return "the training is paused"
    case .resume:
      if try await training() == .running { return "the training runs already" }
      try await change("go on with", from: [.paused]) { () throws(VisitTrouble) in
        try await transfer.resumeExercise()
      } until: {
        $0 == .running
      }
      return "the training goes on"
    case .stop:
      guard try await training() != .off else { return "no training was running" }
      try await change("end", from: [.running, .paused]) { () throws(VisitTrouble) in
        _ = try await transfer.ask(.stopExercise, (try? PbPFtpStopExerciseParams(save: true).wire()) ?? [])
      } until: {
        $0 == .off
      }
      return "the training has ended; it comes with a visit ten minutes later"
    case .removeLogs: return try await inFiles { () throws(VisitTrouble) in try await removeLogs() }
    }
  }

  // MARK: trainings

  private enum Training: Sendable { case off, running, paused }

  private func training() async throws(VisitTrouble) -> Training {
    guard let status = try await transfer.exerciseStatus() else {
      throw .unsupported("its trainings cannot be begun or ended remotely")
    }
    switch status.exerciseState {
    case .exerciseStateRunning: return .running
    case .exerciseStatePaused: return .paused
    case .exerciseStateOff, .exerciseStateOther: return .off
    }
  }

  private func startTraining(_ words: [String]) async throws(VisitTrouble) -> String {
    let sports: [String: UInt64] = ["running": 1, "cycling": 2, "outdoor": 16]
    guard words.count <= 1, let sport = words.first.map({ sports[$0] ?? UInt64($0) }) ?? 0 else {
      throw .unsupported("exercise-start takes running, cycling, outdoor, or the wearable's own number of a sport")
    }
    var start = PbPFtpStartExerciseParams()
    start.sportIdentifier.value = sport
    guard let parameters = try? start.wire() else { return "" }
    try await change("begin", from: [.off]) { () throws(VisitTrouble) in
      _ = try await transfer.ask(.startExercise, parameters)
    } until: {
      $0 == .running
    }
    return "a training has begun\(words.first.map { ": \($0)" } ?? ""); until it ends the wearable serves no files"
  }

  /// Number of checks for the new state, and the pause between them: a watch shows a screen or two in between.
  private static let trainingLooks = 5
  private static let trainingPause: Duration = .seconds(1)

  /// Performs a change if the wearable is in one of the expected states, and checks its result.
  private func change(
    _ what: String, from before: [Training], _ body: () async throws(VisitTrouble) -> Void,
    until isDone: (Training) -> Bool
  ) async throws(VisitTrouble) {
    let state = try await training()
    guard before.contains(state) else {
      throw .unsupported(
        state == .off
          ? "no training runs" : "a training \(state == .running ? "runs" : "is paused") already; end that first")
    }
    try await body()
    for _ in 0..<Self.trainingLooks {
      if isDone(try await training()) { return }
      try await link.settle(for: Self.trainingPause)
    }
    throw .unsupported("it took the order to \(what) a training, and does not")
  }

  // MARK: logs

  /// Files without data of the wearer: sensor logs and traces, which grow only after they were switched on.
  func logs() async throws(VisitTrouble) -> [PSFTP.RemoteFile] {
    let tree = try await transfer.walk("/") { name, directory in
      directory == "/" ? name == "SDLOGS/" || name.hasPrefix("TRC") : true
    }
    // Logs have no day, and are not stored.
    let rules = RemovalRules(today: ClockFace(microseconds: link.hubTime.wall.microseconds).date) { _ in true }
    return (RemovalPlan.sensorLogs(tree, rules) + RemovalPlan.telemetry(tree, rules)).flatMap(\.covers)
  }

  private func removeLogs() async throws(VisitTrouble) -> String {
    let found = try await logs()
    if found.isEmpty { return "it keeps no logs" }
    var left = 0
    // Each removal is read back.
    for file in found {
      if try await transfer.remove(RemovalCall(path: file.path, covers: [file])) != .erased { left += 1 }
    }
    return left == 0
      ? "\(found.count) logs are gone, \(PSFTP.RemoteFile.size(of: found) / 1000) kB"
      : "\(left) of \(found.count) logs are still there"
  }
}

extension PSFTP.RemoteFile {
  /// Total size in bytes, as listed, saturating: the wearable may report any number.
  static func size(of files: [Self]) -> Int {
    files.reduce(0) { sum, file in
      let (size, overflow) = sum.addingReportingOverflow(Int(clamping: file.size))
      return overflow ? .max : size
    }
  }
}

extension PSFTPClient {
  /// nil if the wearable does not support remote trainings.
  func exerciseStatus() async throws(VisitTrouble) -> PbPftpGetExerciseStatusResult? {
    guard let bytes = try await askIfPresent(.getExerciseStatus) else { return nil }
    guard let status = try? PbPftpGetExerciseStatusResult(wire: bytes) else {
      throw .unsupported("a state of training that cannot be read")
    }
    return status
  }

  func resumeExercise() async throws(VisitTrouble) {
    let bytes = try await ask(.resumeExercise)
    // Some wearables answer without content.
    guard !bytes.isEmpty else { return }
    // The caller checks the result next.
    guard let answer = try? PbPftpResumeExerciseResult(wire: bytes) else {
      return link.note("an answer about a training that cannot be read")
    }
    switch answer.result {
    case .resultSuccess: return
    case .resultExeNotRunning: throw .unsupported("no training runs")
    case .resultNotPaused: throw .unsupported("the training is not paused")
    case .resultOther: throw .unsupported("it does not go on with the training")
    }
  }
}

extension PbPFtpStopExerciseParams {
  init(save: Bool) {
    self.init()
    self.save = save
  }
}
